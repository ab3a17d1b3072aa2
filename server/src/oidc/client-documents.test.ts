import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import { after, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import type { EnvironmentId } from '@ostiary/contract/ids.ts'
import { makeCertificate } from '../../test/support/certificate.ts'
import { misbehaviour_names, misbehaviours, startHostilePeer } from '../../test/support/hostile-peer.ts'
import { until } from '../../test/support/receiver.ts'
import { createLog } from '../base/log.ts'
import { parseNetworks } from '../base/networks.ts'
import { onPremise } from '../base/premise.ts'
import { createOutbound, type OutboundRequest } from '../deployment/outbound/fetch.ts'
import type { Resolve } from '../deployment/outbound/resolve.ts'
import { createClientDocuments, type DocumentRequest } from './client-documents.ts'

const hosts = Array.from({ length: 40 }, (_, i) => `host-${i}.test`)
const certificate = makeCertificate('client.test', 'inside.test', 'rebinding.test', ...hosts)
const networks = parseNetworks('127.0.0.0/8')
const webhook_allowed_networks = 'networks' in networks ? networks.networks : []

/** Replaces DNS. A function is called for each query. */
const names: Record<string, () => string[]> = {
  'inside.test': () => ['10.0.0.1'],
  'mixed.test': () => ['127.0.0.1', '10.0.0.1'],
}
const resolve: Resolve = async (name) => names[name]?.() ?? ['127.0.0.1']

type Answer = (response: ServerResponse, request: IncomingMessage) => unknown
const answers = new Map<string, Answer>()
const calls: { path: string; headers: IncomingHttpHeaders }[] = []
const server = createHttpsServer(certificate, (request, response) => {
  calls.push({ path: `${request.headers.host}${request.url}`, headers: request.headers })
  const answer = answers.get(request.url ?? '')
  if (answer) answer(response, request)
  else response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(membersOf(request)))
})
server.listen(0, '127.0.0.1')
await once(server, 'listening')
after(() => server.close())
const { port } = server.address() as { port: number } // as: a server on TCP has one

const membersOf = ({ headers, url }: IncomingMessage) => ({
  client_id: `https://${headers.host}${url}`,
  redirect_uris: ['https://client.test/callback'],
})

const peer = await startHostilePeer()

let last = 0
const newPath = () => `/document-${++last}`
const newUrl = (host = 'client.test') => `https://${host}:${port}${newPath()}`
const callsOf = (url: string) => calls.filter(({ path }) => `https://${path}` === url).length

/** A URL whose server answers in this way. */
function urlThat(answer: Answer, host = 'client.test'): string {
  const path = newPath()
  answers.set(path, answer)
  return `https://${host}:${port}${path}`
}

/** A URL whose server sends a document with these members beside the others, and with these headers. */
const urlWith = (change: Record<string, unknown>, headers: Record<string, string> = {}) =>
  urlThat((response, request) =>
    response.writeHead(200, { 'content-type': 'application/json', ...headers }).end(JSON.stringify({ ...membersOf(request), ...change })),
  )

/** `timeout_ms` is for peers that do not answer, in place of three seconds. */
function start({ ca = certificate.cert, timeout_ms = 3_000 } = {}) {
  const clock = { ms: 1_000_000_000_000 }
  const requests: OutboundRequest[] = []
  const lines: string[] = []
  const now = () => new Date(clock.ms)
  const call = createOutbound({ base_url: 'http://login.test', webhook_allowed_networks }, { resolve, ca })
  const documents = createClientDocuments({
    now,
    log: createLog('debug', now, (line) => lines.push(line)),
    async outbound(request) {
      requests.push(request)
      const [, row] = /^https:\/\/hostile-(\d+)\.test\//.exec(request.url) ?? []
      if (row === undefined) return call({ ...request, timeout_ms })
      const url = `http://client.test:${peer.port}${peer.pathOf(misbehaviour_names[Number(row)] ?? '')}`
      return call({ ...request, url, https_only: false, timeout_ms })
    },
  })
  let sources = 0
  return {
    requests,
    lines,
    advance: (seconds: number) => {
      clock.ms += seconds * 1_000
    },
    /** Each request comes from a source of its own, unless it names one. */
    read: (url: string, change: Partial<DocumentRequest> = {}) =>
      documents.read({ environment_id: one, url, has_record: false, source: `ip:192.0.2.${++sources}`, ...change }),
  }
}
type Started = ReturnType<typeof start>

const one: EnvironmentId = 'env_01h455vb4pex5vsknk084sn02q'
const two: EnvironmentId = 'env_01h455vb4pex5vsknk084sn02r'

async function outcomeOf({ read }: Pick<Started, 'read'>, url: string, change: Partial<DocumentRequest> = {}): Promise<string> {
  const outcome = await read(url, change)
  return 'refused' in outcome ? outcome.refused : 'read'
}

test('a document is read by one GET that asks for JSON, without compression, cookie or credential', async () => {
  const { read, requests } = start()
  const url = newUrl()
  assert.deepEqual(await read(url), {
    client: {
      client_id: url,
      client_name: `client.test:${port}`,
      host: `client.test:${port}`,
      redirect_uris: ['https://client.test/callback'],
      token_endpoint_auth_method: 'none',
      jwks: null,
      jwks_uri: null,
      scope: null,
      allows_refresh: true,
    },
    read_at: new Date(1_000_000_000_000),
  })
  assert.deepEqual(calls.at(-1)?.headers, {
    host: `client.test:${port}`,
    'user-agent': 'Ostiary',
    accept: 'application/json',
    'accept-encoding': 'identity',
    connection: 'close',
  })
  assert.deepEqual(
    requests.map(({ method, https_only, timeout_ms, limit_bytes }) => [method, https_only, timeout_ms, limit_bytes]),
    [['GET', true, 3_000, 5_120]],
  )
})

/** A document of exactly so many bytes. */
const padded =
  (bytes: number): Answer =>
  (response, request) => {
    const members = { ...membersOf(request), padding: '' }
    const padding = 'x'.repeat(bytes - Buffer.byteLength(JSON.stringify(members)))
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ ...members, padding }))
  }
const withHeaders =
  (headers: Record<string, string>, status = 200): Answer =>
  (response, request) =>
    response.writeHead(status, headers).end(JSON.stringify(membersOf(request)))
const withBytes =
  (bytes: (text: string) => Buffer | string, headers: Record<string, string> = {}): Answer =>
  (response, request) =>
    response.writeHead(200, { 'content-type': 'application/json', ...headers }).end(bytes(JSON.stringify(membersOf(request))))
const json = { 'content-type': 'application/json' }

// biome-ignore format: this table is read by line
const read: Record<string, Answer> = {
  'has 5,120 bytes': padded(5_120),
  'has a type with a charset': withHeaders({ 'content-type': 'application/json; charset=utf-8' }),
  'has a type in capitals': withHeaders({ 'content-type': 'Application/JSON ;x=y' }),
  'has a type that ends with +json': withHeaders({ 'content-type': 'application/oauth-client-metadata+json' }),
  'names the encoding that changes nothing': withHeaders({ ...json, 'content-encoding': 'identity' }),
  'comes in chunks': (response, request) => {
    response.writeHead(200, json)
    for (const character of JSON.stringify(membersOf(request))) response.write(character)
    response.end()
  },
  'comes after an interim answer': (response, request) => {
    response.writeEarlyHints({ link: '</style.css>; rel=preload' })
    withHeaders(json)(response, request)
  },
}
for (const [what, answer] of Object.entries(read)) {
  test(`a document is read when its answer ${what}`, async () => assert.equal(await outcomeOf(start(), urlThat(answer)), 'read'))
}

// biome-ignore format: this table is read by line
const unavailable: Record<string, Answer> = {
  'has 5,121 bytes': padded(5_121),
  'has a body without end': (response) => { response.writeHead(200, json); const more = () => { while (response.write(' '.repeat(4_096))); }; response.on('drain', more); more() },
  'is a redirect to the document': withHeaders({ ...json, location: 'https://client.test/document' }, 302),
  'is a permanent redirect': withHeaders({ ...json, location: '/document' }, 308),
  'has status 201': withHeaders(json, 201),
  'has status 203': withHeaders(json, 203),
  'has status 206': withHeaders(json, 206),
  'has status 304': withHeaders(json, 304),
  'has status 404': withHeaders(json, 404),
  'has status 500': withHeaders(json, 500),
  'has no type': withHeaders({}),
  'is a page': withHeaders({ 'content-type': 'text/html' }),
  'is text': withHeaders({ 'content-type': 'text/plain' }),
  'is JSON by a type of its own': withHeaders({ 'content-type': 'text/json' }),
  'is a sequence of JSON': withHeaders({ 'content-type': 'application/json-seq' }),
  'has a type that begins with another': withHeaders({ 'content-type': 'text/html, application/json' }),
  'has a type with nothing before +json': withHeaders({ 'content-type': 'application/+json' }),
  'is compressed': withBytes(gzipSync, { 'content-encoding': 'gzip' }),
  'says that it is compressed': withHeaders({ ...json, 'content-encoding': 'br' }),
  'is compressed by its transfer coding': (response) => { response.socket?.end(`HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: gzip, chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`) },
  'breaks off': (response, request) => { response.writeHead(200, { ...json, 'content-length': '900' }); response.write(JSON.stringify(membersOf(request)), () => response.destroy()) },
  'breaks off between chunks': (response, request) => { response.writeHead(200, json); response.write(JSON.stringify(membersOf(request)), () => response.destroy()) },
  'is a closed connection': (response) => response.destroy(),
}
// biome-ignore format: this table is read by line
const endless: Record<string, Answer> = {
  'comes slowly': (response) => { response.writeHead(200, json); const timer = setInterval(() => response.write(' '), 5); response.once('close', () => clearInterval(timer)) },
  'does not come': () => {},
}
for (const [what, answer] of Object.entries(unavailable)) {
  test(`a document is unavailable when its answer ${what}`, async () => {
    const started = start()
    assert.equal(await outcomeOf(started, urlThat(answer)), 'unavailable')
    assert.equal(started.requests.length, 1)
  })
}

for (const [what, answer] of Object.entries(endless)) {
  test(`a document is unavailable when its answer ${what}`, async () => {
    assert.equal(await outcomeOf(start({ timeout_ms: 200 }), urlThat(answer)), 'unavailable')
  })
}

// biome-ignore format: this table is read by line
const invalid: Record<string, Answer> = {
  'is empty': withBytes(() => ''),
  'is not JSON': withBytes(() => '<html>'),
  'is a list': withBytes((text) => `[${text}]`),
  'is not UTF-8': withBytes((text) => Buffer.from(text.replace('{', '{"x":"\u00e9",'), 'latin1')),
  'begins with a byte order mark': withBytes((text) => `\ufeff${text}`),
  'has a repeated name': withBytes((text) => text.replace('{', '{"client_id":"https://evil.test/x",')),
  'is the document of another URL': withBytes((text) => text.replace('/document-', '/documents-')),
}
for (const [what, answer] of Object.entries(invalid)) {
  test(`a document is invalid when it ${what}`, async () => assert.equal(await outcomeOf(start(), urlThat(answer)), 'invalid'))
}
const key = { kty: 'EC', crv: 'P-256', x: 'AA', y: 'AA', d: 'AA' }
// biome-ignore format: this table is read by line
const invalid_members: Record<string, Record<string, unknown>> = {
  'has a private key': { token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [key] } },
  'has a secret': { client_secret: 'x' },
  'has 51 redirect URIs': { redirect_uris: Array.from({ length: 51 }, (_, i) => `https://a.test/${i}`) },
  'has only redirect URIs that cannot be used': { redirect_uris: ['javascript:alert(1)'] },
}
for (const [what, members] of Object.entries(invalid_members)) {
  test(`a document is invalid when it ${what}`, async () => assert.equal(await outcomeOf(start(), urlWith(members)), 'invalid'))
}

test('a script beside a valid redirect URI is skipped', async () => {
  const outcome = await start().read(urlWith({ redirect_uris: ['javascript:alert(1)', 'https://a.test/cb'] }))
  assert.deepEqual('client' in outcome && outcome.client.redirect_uris, ['https://a.test/cb'])
})

for (const [row, what] of misbehaviour_names.entries()) {
  test(`a document is unavailable when its server ${what}`, async () => {
    const timeout_ms = misbehaviours[what]?.reason === 'timeout' ? 60 : 10_000
    assert.equal(await outcomeOf(start({ timeout_ms }), `https://hostile-${row}.test/x`), 'unavailable')
    await peer.idle()
  })
}

// biome-ignore format: this table is read by line
const not_called: Record<string, string> = {
  'its host has a private address': `https://inside.test:${port}/x`,
  'its host is a private address': 'https://10.0.0.1/x',
  'its host is the metadata service of a cloud': 'https://169.254.169.254/x',
  'its host is an address of this machine in IPv6': `https://[::1]:${port}/x`,
  'its host is an address of IPv4 in IPv6': 'https://[::ffff:a00:1]/x',
  'one of the addresses of its host is private': `https://mixed.test:${port}/x`,
}
for (const [why, url] of Object.entries(not_called)) {
  test(`a document is unavailable, and its server is not called, when ${why}`, async () => {
    const before = calls.length
    assert.equal(await outcomeOf(start(), url), 'unavailable')
    assert.equal(calls.length, before)
  })
}

test('a host whose second DNS answer is private is called at the first address only', async () => {
  const addresses = [['127.0.0.1'], ['10.0.0.1']]
  names['rebinding.test'] = () => addresses.shift() ?? assert.fail('A third query.')
  const url = newUrl('rebinding.test')
  const started = start()
  assert.equal(await outcomeOf(started, url), 'read')
  assert.equal(addresses.length, 1)
  assert.equal(await outcomeOf(started, url, { fresh: true }), 'unavailable')
  assert.equal(callsOf(url), 1)
})

test('a document is unavailable when the certificate of its host is of another host, or is not trusted', async () => {
  const [named, trusted] = [newUrl('unnamed.test'), newUrl()]
  assert.equal(await outcomeOf(start(), named), 'unavailable')
  assert.equal(await outcomeOf(start({ ca: makeCertificate('client.test').cert }), trusted), 'unavailable')
  assert.deepEqual([callsOf(named), callsOf(trusted)], [0, 0])
})

test('a failure is logged without the address, and its reason names neither address nor cause', async () => {
  const { read, lines } = start()
  const [private_host, closed] = [await read(`https://inside.test:${port}/x`), await read('https://client.test:1/x')]
  assert.deepEqual(private_host, closed)
  assert.equal(lines.length, 2)
})

test('50 readers of one URL share one call, and so do those who want it fresh, of every environment', async () => {
  const started = start()
  const url = newUrl()
  const readers = Array.from({ length: 50 }, (_, i) =>
    outcomeOf(started, url, { fresh: i % 2 === 1, has_record: i % 3 === 0, environment_id: i % 5 === 0 ? one : two }),
  )
  assert.deepEqual(new Set(await Promise.all(readers)), new Set(['read']))
  assert.equal(callsOf(url), 1)
})

test('50 readers of a URL that fails share one call', async () => {
  const started = start()
  const url = urlThat(withHeaders(json, 404))
  const outcomes = await Promise.all(Array.from({ length: 50 }, () => outcomeOf(started, url)))
  assert.deepEqual([new Set(outcomes), callsOf(url)], [new Set(['unavailable']), 1])
})

for (const [outcome, answer] of [
  ['unavailable', withHeaders(json, 500)],
  ['invalid', withBytes(() => '[]')],
] as const) {
  test(`a document that is ${outcome} is so for ten seconds without another call`, async () => {
    const { read, advance } = start()
    const url = urlThat(answer)
    const first = await read(url)
    answers.clear()
    advance(9.999)
    assert.deepEqual([await read(url), await read(url, { fresh: true }), await read(url, { has_record: true })], [first, first, first])
    assert.equal(callsOf(url), 1)
    advance(0.001)
    assert.equal(await outcomeOf({ read }, url), 'read')
  })
}

// biome-ignore format: this table is read by line
const memories: [cache_control: string | null, seconds: number][] = [
  [null, 300], ['', 300], ['private', 300], ['max-age=600', 600], ['public, max-age=600', 600], ['MAX-AGE=600', 600], ['max-age="600"', 600],
  ['max-age=60', 60], ['max-age=59', 60], ['max-age=0', 60], ['max-age=3600', 3_600], ['max-age=3601', 3_600], [`max-age=${'9'.repeat(400)}`, 3_600],
  ['no-store', 60], ['no-cache', 60], ['No-Store, max-age=600', 60], ['max-age=600, no-cache="set-cookie"', 60], ['max-age=-1', 60], ['max-age=1.5', 60], ['max-age', 60], ['max-age=600, max-age=90', 90],
  ['s-maxage=600', 300], ['x-no-store', 300], ['x-max-age=600', 300],
]
for (const [cache_control, seconds] of memories) {
  test(`with ${cache_control === null ? 'no Cache-Control' : `Cache-Control: ${cache_control.slice(0, 40)}`}, a document is remembered for ${seconds} s`, async () => {
    const { read, advance } = start()
    const url = urlWith({}, cache_control === null ? {} : { 'cache-control': cache_control })
    const first = await read(url)
    advance(seconds - 0.001)
    assert.deepEqual(await read(url), first)
    assert.equal(callsOf(url), 1)
    advance(0.001)
    assert.notDeepEqual(await read(url), first)
    assert.equal(callsOf(url), 2)
  })
}

test('a remembered document that is older than 60 s is read again for a request that it refuses', async () => {
  const { read, advance } = start()
  const url = newUrl()
  await read(url)
  advance(60)
  await read(url, { fresh_after_s: 60 })
  assert.equal(callsOf(url), 1)
  advance(0.001)
  answers.set(new URL(url).pathname, (response, request) =>
    response.writeHead(200, json).end(JSON.stringify({ ...membersOf(request), redirect_uris: ['https://new.test/'] })),
  )
  const again = await read(url, { fresh_after_s: 60 })
  assert.deepEqual('client' in again && again.client.redirect_uris, ['https://new.test/'])
  assert.equal(callsOf(url), 2)
  assert.deepEqual(await read(url), again)
})

test('a document that can no longer be read is remembered for its time, and one that became invalid is not', async () => {
  const started = start()
  const url = newUrl()
  assert.equal(await outcomeOf(started, url), 'read')
  answers.set(new URL(url).pathname, withHeaders(json, 503))
  assert.equal(await outcomeOf(started, url, { fresh: true }), 'unavailable')
  assert.equal(await outcomeOf(started, url), 'read')
  started.advance(11)
  answers.set(
    new URL(url).pathname,
    withBytes(() => '[]'),
  )
  assert.equal(await outcomeOf(started, url, { fresh: true }), 'invalid')
  assert.equal(await outcomeOf(started, url), 'invalid')
})

test('500 documents are remembered, and the least recently used one leaves', async () => {
  const started = start()
  const urls = Array.from({ length: 501 }, () => urlWith({}, { 'cache-control': 'max-age=3600' }))
  for (const [i, url] of urls.entries()) {
    if (i % 10 === 0) started.advance(60) // within the limits of a minute
    if (i === 500) assert.equal(await outcomeOf(started, urls[0] ?? ''), 'read')
    assert.equal(await outcomeOf(started, url), 'read')
  }
  for (const i of [0, 2, 500]) await outcomeOf(started, urls[i] ?? '')
  await outcomeOf(started, urls[1] ?? '')
  assert.deepEqual(
    [0, 1, 2, 500].map((i) => callsOf(urls[i] ?? '')),
    [1, 2, 1, 1],
  )
})

test('a process that reads a document on a premise calls and counts once the premise is confirmed', async () => {
  const started = start()
  const url = newUrl()
  for (let i = 0; i < 20; i++)
    assert.equal(
      await onPremise(
        async () => false,
        () => started.read(url, { source: 'ip:192.0.2.1' }),
      ),
      null,
    )
  assert.equal(callsOf(url), 0)
  const done = await onPremise(
    async () => true,
    () => started.read(url, { source: 'ip:192.0.2.1' }),
  )
  assert.ok(done && 'client' in done.result)
})

const both = [{ has_record: false }, { has_record: true }]
for (const kind of both) {
  const other = { has_record: !kind.has_record }
  const title = kind.has_record ? 'with a record' : 'without a record'

  test(`of URLs ${title}, an environment reads three at once; others, and other environments, have places of their own`, async () => {
    const started = start()
    const released = Promise.withResolvers<void>()
    const held = Array.from({ length: 3 }, () =>
      urlThat(async (response, request) => {
        await released.promise
        withHeaders(json)(response, request)
      }),
    )
    const reading = Promise.all(held.map((url) => outcomeOf(started, url, kind)))
    await until('three calls', () => held.every((url) => callsOf(url) === 1))
    const refused = await started.read(newUrl(), kind)
    assert.deepEqual('refused' in refused && refused, {
      refused: 'busy',
      retry_after_s: 3,
      why: 'Too many documents of clients are being read.',
    })
    assert.equal(await outcomeOf(started, newUrl(), other), 'read')
    assert.equal(await outcomeOf(started, newUrl(), { ...kind, environment_id: two }), 'read')
    released.resolve()
    assert.deepEqual(await reading, ['read', 'read', 'read'])
    assert.equal(await outcomeOf(started, newUrl(), kind), 'read')
  })

  test(`of URLs ${title}, an environment reads 30 a minute, and others have calls of their own`, async () => {
    const started = start()
    for (let i = 0; i < 30; i++) assert.equal(await outcomeOf(started, newUrl(hosts[i]), kind), 'read')
    started.advance(12.5)
    const refused = await started.read(newUrl(hosts[30]), kind)
    assert.deepEqual('refused' in refused && [refused.refused, 'retry_after_s' in refused && refused.retry_after_s], ['busy', 48])
    assert.equal(await outcomeOf(started, newUrl(hosts[30]), other), 'read')
    assert.equal(await outcomeOf(started, newUrl(hosts[30]), { ...kind, environment_id: two }), 'read')
    started.advance(47.499)
    assert.equal(await outcomeOf(started, newUrl(hosts[30]), kind), 'busy')
    started.advance(0.001)
    assert.equal(await outcomeOf(started, newUrl(hosts[30]), kind), 'read')
  })

  test(`of URLs ${title}, a source causes 10 calls a minute, in all environments together`, async () => {
    const started = start()
    const source = 'ip:192.0.2.200'
    for (let i = 0; i < 10; i++)
      assert.equal(await outcomeOf(started, newUrl(hosts[i]), { ...kind, source, environment_id: i % 2 ? one : two }), 'read')
    assert.equal(await outcomeOf(started, newUrl(hosts[10]), { ...kind, source }), 'busy')
    assert.equal(await outcomeOf(started, newUrl(hosts[10]), { ...other, source }), 'read')
    assert.equal(await outcomeOf(started, newUrl(hosts[11]), kind), 'read')
    started.advance(60)
    assert.equal(await outcomeOf(started, newUrl(hosts[10]), { ...kind, source }), 'read')
  })

  test(`of URLs ${title}, a host is called 10 times a minute by an environment`, async () => {
    const started = start()
    for (let i = 0; i < 10; i++) assert.equal(await outcomeOf(started, newUrl(), kind), 'read')
    assert.equal(await outcomeOf(started, newUrl(), kind), 'busy')
    assert.equal(await outcomeOf(started, newUrl(), other), 'read')
    assert.equal(await outcomeOf(started, newUrl(), { ...kind, environment_id: two }), 'read')
    assert.equal(await outcomeOf(started, newUrl(hosts[0]), kind), 'read')
  })

  test(`of URLs ${title}, a refused call counts nowhere, and neither do remembered documents and failures`, async () => {
    const started = start()
    const source = 'ip:192.0.2.200'
    const known = newUrl(hosts[0])
    const failing = urlThat(withHeaders(json, 404), hosts[1])
    for (let i = 0; i < 20; i++) {
      assert.equal(await outcomeOf(started, known, { ...kind, source }), 'read')
      assert.equal(await outcomeOf(started, failing, { ...kind, source }), 'unavailable')
    }
    for (let i = 2; i < 10; i++) assert.equal(await outcomeOf(started, newUrl(hosts[i]), { ...kind, source }), 'read')
    for (let i = 0; i < 40; i++) assert.equal(await outcomeOf(started, newUrl(hosts[i]), { ...kind, source }), 'busy')
    for (let i = 10; i < 30; i++) assert.equal(await outcomeOf(started, newUrl(hosts[i]), kind), 'read')
    assert.equal(await outcomeOf(started, newUrl(hosts[30]), kind), 'busy')
  })
}
