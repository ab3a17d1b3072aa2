import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type RequestListener, type Server, setGlobalProxyFromEnv } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import { createServer as createSocketServer, type Socket } from 'node:net'
import { Readable } from 'node:stream'
import { after, test } from 'node:test'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { makeCertificate } from '../../../test/support/certificate.ts'
import { drip, misbehaviours, startHostilePeer } from '../../../test/support/hostile-peer.ts'
import { parseNetworks } from '../../base/networks.ts'
import { onPremise } from '../../base/premise.ts'
import { createOutbound, type OutboundRequest } from './fetch.ts'
import { createResolve, type Resolve } from './resolve.ts'

const loopback = parseNetworks('127.0.0.0/8')
const webhook_allowed_networks = 'networks' in loopback ? loopback.networks : []
const base_url = 'http://login.test:3000'

/** Replaces DNS. A function is called for each query. */
const names: Record<string, string[] | (() => string[])> = {
  'here.test': ['127.0.0.1'],
  'login.test': ['127.0.0.1'],
  'metadata.test': ['169.254.169.254'],
  'mixed.test': ['127.0.0.1', '10.0.0.1'],
  'nothing.test': [],
  'nonsense.test': ['not an address'],
}
const resolve: Resolve = async (name) => {
  const answer = names[name] ?? assert.fail(`Unexpected query for ${name}.`)
  return typeof answer === 'function' ? answer() : answer
}
const outbound = createOutbound({ base_url, webhook_allowed_networks }, { resolve })
const strict = createOutbound({ base_url, webhook_allowed_networks: [] }, { resolve })

const get = (url: string, change: Partial<OutboundRequest> = {}): OutboundRequest => ({
  method: 'GET',
  url,
  https_only: false,
  timeout_ms: 5_000,
  limit_bytes: 1_000,
  beyond_limit: 'fail',
  ...change,
})

async function serve(answer: RequestListener): Promise<{ port: number; calls: string[]; server: Server }> {
  const calls: string[] = []
  const server = createServer((request, response) => {
    calls.push(`${request.method} ${request.headers.host}${request.url}`)
    answer(request, response)
  })
  return { port: await listen(server), calls, server }
}

async function listen(server: { listen(port: number, host: string): unknown; address(): unknown; close(): unknown } & NodeJS.EventEmitter) {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  after(() => server.close())
  return (server.address() as { port: number }).port // as: a server on TCP has one
}

const { port, calls, server } = await serve((request, response) => {
  if (request.url === '/moved') response.writeHead(302, { location: 'http://metadata.test/' }).end()
  else if (request.url === '/gzip') response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(50_000)))
  else if (request.url?.startsWith('/bytes/')) response.end(Buffer.alloc(Number(request.url.slice(7)), 'x'))
  else if (request.url === '/endless') Readable.from(endless()).pipe(response)
  else request.pipe(response)
})

function* endless() {
  for (;;) yield Buffer.alloc(65_536)
}

test('a call sends its body and headers, and no header that identifies a browser', async () => {
  const { port: echo } = await serve((request, response) => response.end(JSON.stringify(request.headers)))
  const answer = await outbound(
    get(`http://here.test:${echo}/a?b=c#d`, { method: 'POST', body: 'ä', headers: { 'content-type': 'text/plain' } }),
  )
  assert.deepEqual(JSON.parse(answer.body.toString()), {
    host: `here.test:${echo}`,
    'user-agent': 'Ostiary',
    accept: '*/*',
    'accept-encoding': 'identity',
    'content-length': '2',
    'content-type': 'text/plain',
    connection: 'close',
  })
})

test('the connection closes after a call', async () => {
  await outbound(get(`http://here.test:${port}/bytes/1`))
  assert.equal(await promisify<number>((done) => server.getConnections((error, count) => done(error, count)))(), 0)
})

// biome-ignore format: this table is read by line
const refused: { why: string; url: string; change?: Partial<OutboundRequest>; reason: string }[] = [
  { why: 'the address is not a URL', url: 'here.test', reason: 'bad_url' },
  { why: 'the URL is empty', url: '', reason: 'bad_url' },
  { why: 'the scheme is file', url: 'file:///etc/passwd', reason: 'bad_url' },
  { why: 'the scheme is ftp', url: 'ftp://here.test/', reason: 'bad_url' },
  { why: 'the scheme is data', url: 'data:,x', reason: 'bad_url' },
  { why: 'the scheme is gopher', url: 'gopher://127.0.0.1:6379/_x', reason: 'bad_url' },
  { why: 'the URL has user info', url: `http://user@here.test:${port}/`, reason: 'bad_url' },
  { why: 'the URL has a password only', url: `http://:secret@here.test:${port}/`, reason: 'bad_url' },
  { why: 'https is required', url: `http://here.test:${port}/`, change: { https_only: true }, reason: 'bad_url' },
  { why: 'https is required and only the host is that of the base URL', url: `http://login.test:${port}/`, change: { https_only: true }, reason: 'bad_url' },
  { why: 'the name resolves to a private address', url: 'http://metadata.test/', reason: 'unreachable' },
  { why: 'one address of the name is private', url: `http://mixed.test:${port}/`, reason: 'unreachable' },
  { why: 'the name has no address', url: 'http://nothing.test/', reason: 'unreachable' },
  { why: 'the name server returns a malformed address', url: 'http://nonsense.test/', reason: 'unreachable' },
]
for (const { why, url, change, reason } of refused) {
  test(`nothing is sent when ${why}`, async () => {
    const before = calls.length
    await assert.rejects(outbound(get(url, change)), { name: 'OutboundFailed', reason })
    assert.equal(calls.length, before)
  })
}

// biome-ignore format: this table is read by line
const spellings = (port: number) => [
  `127.0.0.1:${port}`, `127.0.0.1.:${port}`, `127.1:${port}`, `2130706433:${port}`, `017700000001:${port}`, `0x7f000001:${port}`, `0177.0.0.1:${port}`, `0x7f.0.0x0.1:${port}`,
  `0:${port}`, `0.0.0.0:${port}`, `%31%32%37.0.0.1:${port}`, `127%2e0.0.1:${port}`, `①②⑦.⓪.⓪.①:${port}`, `127。0。0。1:${port}`, `127．0．0．1:${port}`, `[::1]:${port}`, `[::]:${port}`,
  `[::ffff:127.0.0.1]:${port}`, `[::ffff:7f00:1]:${port}`, `[0:0:0:0:0:ffff:7f00:0001]:${port}`, `[::127.0.0.1]:${port}`, `[64:ff9b::7f00:1]:${port}`, `[2002:7f00:1::]:${port}`,
  '169.254.169.254', '2852039166', '0xa9fea9fe', '[fe80::1]', '[fd00:ec2::254]', '10.0.0.1', '192.168.1.1', '172.16.0.1', '100.100.100.200', '168.63.129.16', '[ff02::1]', '255.255.255.255',
]
for (const host of spellings(port)) {
  test(`nothing is sent to ${host.replace(String(port), 'PORT')}`, async () => {
    const before = calls.length
    await assert.rejects(strict(get(`http://${host}/`)), { name: 'OutboundFailed', reason: 'unreachable' })
    assert.equal(calls.length, before)
  })
}

test('a call resolves its name once, so a later DNS answer does not affect it', async () => {
  const answers = [['127.0.0.1'], ['10.0.0.1']]
  names['rebinding.test'] = () => answers.shift() ?? assert.fail('A third query.')
  assert.equal((await outbound(get(`http://rebinding.test:${port}/bytes/1`))).status, 200)
  assert.equal(answers.length, 1)
  await assert.rejects(outbound(get(`http://rebinding.test:${port}/bytes/1`)), { reason: 'unreachable' })
})

test('a private address is refused although the name resolved to a public one before', async () => {
  const answers = [['192.0.2.1'], ['127.0.0.1']]
  names['turning.test'] = () => answers.shift() ?? assert.fail('A third query.')
  const before = calls.length
  for (let i = 0; i < 2; i++) await assert.rejects(strict(get(`http://turning.test:${port}/`)), { reason: 'unreachable' })
  assert.equal(calls.length, before)
})

test('where https is required, http is allowed under the base URL', async () => {
  const own = createOutbound({ base_url: `http://login.test:${port}`, webhook_allowed_networks }, { resolve })
  assert.equal((await own(get(`http://login.test:${port}/bytes/1`, { https_only: true }))).status, 200)
  const closed = createOutbound({ base_url: `http://login.test:${port}`, webhook_allowed_networks: [] }, { resolve })
  await assert.rejects(closed(get(`http://login.test:${port}/bytes/1`)), { reason: 'unreachable' })
})

test('a redirect is returned, not followed', async () => {
  const { status, headers } = await outbound(get(`http://here.test:${port}/moved`))
  assert.deepEqual([status, headers.location], [302, 'http://metadata.test/'])
})

test('a private name, an unknown name and a closed port fail alike', async () => {
  const { port: closed, server } = await serve(() => {})
  server.close()
  const reasons = ['http://metadata.test/', 'http://nothing.test/', `http://here.test:${closed}/`].map((url) =>
    outbound(get(url)).then(
      () => 'answered',
      (error) => `${error.reason} ${error.message === 'No usable answer.'}`,
    ),
  )
  assert.deepEqual(await Promise.all(reasons), Array(3).fill('unreachable true'))
})

test('a body of the limit is read, and one more byte fails the call', async () => {
  assert.equal((await outbound(get(`http://here.test:${port}/bytes/1000`))).body.length, 1_000)
  await assert.rejects(outbound(get(`http://here.test:${port}/bytes/1001`)), { reason: 'answer_too_large' })
  await assert.rejects(outbound(get(`http://here.test:${port}/endless`)), { reason: 'answer_too_large' })
})

for (const path of ['bytes/2000', 'endless']) {
  test(`with beyond_limit cut, the longer body of /${path} is cut at the limit`, async () => {
    const { status, body } = await outbound(get(`http://here.test:${port}/${path}`, { beyond_limit: 'cut' }))
    assert.deepEqual([status, body.length], [200, 1_000])
  })
}

test('a compressed body is not decompressed, so it cannot exceed the limit', async () => {
  const { body } = await outbound(get(`http://here.test:${port}/gzip`))
  assert.deepEqual([...body.subarray(0, 2)], [0x1f, 0x8b])
  assert.ok(body.length < 1_000)
})

const hostile = await startHostilePeer()

for (const [what, { reason }] of Object.entries(misbehaviours)) {
  test(`a call ends and closes its connection when the server ${what}`, async () => {
    const url = `http://here.test:${hostile.port}${hostile.pathOf(what)}`
    await assert.rejects(outbound(get(url, { timeout_ms: reason === 'timeout' ? 60 : 10_000 })), { reason })
    await hostile.idle()
  })
}

// biome-ignore format: this table is read by line
const answered = ['announces an upgrade and goes on', 'opens a tunnel, as CONNECT does', 'closes within the body', 'promises more than it sends', 'sends its body slowly', 'sends a body without end']
for (const what of answered) {
  test(`a call that reads no body returns the status and closes its connection when the server ${what}`, async () => {
    const url = `http://here.test:${hostile.port}${hostile.pathOf(what)}`
    const { status, body } = await outbound(get(url, { limit_bytes: 0, beyond_limit: 'cut' }))
    assert.deepEqual([status, body.length], [200, 0])
    await hostile.idle()
  })
}

// biome-ignore format: this table is read by line
const handshakes: Record<string, (socket: Socket) => unknown> = {
  'says nothing': () => {},
  'sends a record slowly': drip(Buffer.from('1603034000', 'hex'), Buffer.alloc(1)), // a handshake record of 16 KiB
}
for (const [what, answer] of Object.entries(handshakes)) {
  test(`a call ends at its time limit when the server ${what} during the TLS handshake`, async () => {
    const closed = Promise.withResolvers<void>()
    const tcp = createSocketServer((socket) =>
      answer(
        socket
          .on('error', () => {})
          .once('close', () => closed.resolve())
          .resume(),
      ),
    )
    const tcp_port = await listen(tcp)
    await assert.rejects(outbound(get(`https://here.test:${tcp_port}/`, { timeout_ms: 60 })), { reason: 'timeout' })
    await closed.promise
  })
}

// biome-ignore format: this table is read by column
const steps: [string, () => string | Promise<string>, string | null][] = [
  ['the name has no address',                        () => 'http://nothing.test/',                   'dns'],
  ['the name server returns a malformed address',    () => 'http://nonsense.test/',                  'dns'],
  ['the name resolves to a private address',         () => 'http://metadata.test/',                  'address_not_allowed'],
  ['the address in the URL is private',              () => 'http://10.0.0.1/',                       'address_not_allowed'],
  ['nothing listens at the port',                    async () => `http://here.test:${await closedPort()}/`, 'refused'],
  ['the server does not speak TLS',                  () => `https://here.test:${port}/`,             'tls'],
  ['the server says nothing in time',                () => `http://here.test:${hostile.port}${hostile.pathOf('says nothing')}`, 'timeout'],
  ['the server closes the connection',               () => `http://here.test:${hostile.port}${hostile.pathOf('closes before the head')}`, null],
  ['the server speaks another protocol',             () => `http://here.test:${hostile.port}${hostile.pathOf('sends another protocol')}`, null],
]
for (const [why, urlOf, step] of steps)
  test(`the failure names the step ${step} when ${why}`, async () => {
    await assert.rejects(outbound(get(await urlOf(), { timeout_ms: step === 'timeout' ? 60 : 10_000 })), { name: 'OutboundFailed', step })
  })

async function closedPort(): Promise<number> {
  const closing = createServer()
  const closed = await listen(closing)
  await new Promise((done) => closing.close(done))
  return closed
}

test('a call ends at its time limit when no connection is established', async () => {
  const networks = parseNetworks('192.0.2.0/24')
  const far = createOutbound(
    { base_url, webhook_allowed_networks: 'networks' in networks ? networks.networks : [] },
    { resolve: async () => ['192.0.2.1'] },
  )
  await assert.rejects(far(get('http://far.test/', { timeout_ms: 60 })), ({ reason }) => ['timeout', 'unreachable'].includes(reason)) // a machine without a route fails at once
})

test('a call that the caller aborts ends and closes its connection', async () => {
  const abort = new AbortController()
  const call = outbound(get(`http://here.test:${hostile.port}${hostile.pathOf('says nothing')}`, { signal: abort.signal }))
  while (hostile.open.size === 0) await new Promise(setImmediate)
  abort.abort()
  await assert.rejects(call, { reason: 'stopped' })
  await hostile.idle()
})

test('a DNS query is cancelled when its call ends', async () => {
  let asked: AbortSignal | undefined
  const asking = createOutbound({ base_url, webhook_allowed_networks }, { resolve: (_, signal) => new Promise(() => { asked = signal }) }) // biome-ignore format: fits
  await assert.rejects(asking(get('http://here.test/', { timeout_ms: 30 })), { reason: 'timeout' })
  assert.equal(asked?.aborted, true)
})

test('a body in one-byte chunks is read', async () => {
  const chunks = '1\r\nx\r\n'.repeat(1_000)
  const tcp = createSocketServer((socket) =>
    socket.on('error', () => {}).end(`HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${chunks}0\r\n\r\n`),
  )
  const { body } = await outbound(get(`http://here.test:${await listen(tcp)}/`))
  assert.equal(body.toString(), 'x'.repeat(1_000))
})

test('a call ends at its time limit or when aborted while the name server does not answer', async () => {
  const hanging = createOutbound({ base_url, webhook_allowed_networks }, { resolve: () => new Promise(() => {}) })
  await assert.rejects(hanging(get('http://here.test/', { timeout_ms: 30 })), { reason: 'timeout' })
  await assert.rejects(hanging(get('http://here.test/', { signal: AbortSignal.abort() })), { reason: 'stopped' })
})

test('an answer that is not HTTP is not disclosed', async () => {
  const url = `http://here.test:${hostile.port}${hostile.pathOf('sends another protocol')}`
  await assert.rejects(outbound(get(url)), { reason: 'unreachable', message: 'No usable answer.' })
})

test('TLS certificates are verified by the host of the URL, also with NODE_TLS_REJECT_UNAUTHORIZED=0', async (t) => {
  t.mock.method(process, 'emitWarning', () => {})
  const certificate = makeCertificate('secure.test')
  const tls_port = await listen(createHttpsServer(certificate, (_, response) => response.end('secret')))
  names['secure.test'] = ['127.0.0.1']
  names['secure.test.'] = ['127.0.0.1']
  names['other.test'] = ['127.0.0.1']
  const trusting = createOutbound({ base_url, webhook_allowed_networks }, { resolve, ca: certificate.cert })
  const https_only = true
  assert.equal((await trusting(get(`https://secure.test:${tls_port}/`, { https_only }))).body.toString(), 'secret')
  assert.equal((await trusting(get(`https://secure.test.:${tls_port}/`, { https_only }))).body.toString(), 'secret')
  process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'
  try {
    await assert.rejects(trusting(get(`https://other.test:${tls_port}/`, { https_only })), { reason: 'unreachable', step: 'tls' })
    await assert.rejects(trusting(get(`https://127.0.0.1:${tls_port}/`, { https_only })), { reason: 'unreachable', step: 'tls' })
    await assert.rejects(outbound(get(`https://secure.test:${tls_port}/`, { https_only })), { reason: 'unreachable' })
  } finally {
    delete process.env.NODE_TLS_REJECT_UNAUTHORIZED
  }
})

test('work on a premise makes a call only after the premise is confirmed', async () => {
  const call = () => outbound(get(`http://here.test:${port}/of-a-premise`, { method: 'POST', body: '' }))
  const is_there = () => calls.includes(`POST here.test:${port}/of-a-premise`)
  assert.equal(await onPremise(async () => is_there(), call), null)
  assert.equal(is_there(), false)
  const holds = async () => !is_there()
  assert.equal((await onPremise(holds, call))?.result.status, 200)
  assert.equal(is_there(), true)
})

test('proxy variables of the environment have no effect', async (t) => {
  t.after(setGlobalProxyFromEnv({ http_proxy: `http://127.0.0.1:${port}` }))
  const { port: direct, calls: seen } = await serve((_, response) => response.end('direct'))
  assert.equal((await outbound(get(`http://here.test:${direct}/x`))).body.toString(), 'direct')
  assert.deepEqual(seen, [`GET here.test:${direct}/x`])
})

for (const name of ['localhost', 'a.localhost', 'localhost.']) {
  test(`${name} resolves to both loopback addresses without a DNS query`, async () => {
    const resolveName = createResolve({ ask_system: false })
    assert.deepEqual(await resolveName(name, AbortSignal.timeout(1_000)), ['127.0.0.1', '::1'])
  })
}
