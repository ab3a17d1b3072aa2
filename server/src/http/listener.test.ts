import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { RequestListener, Server } from 'node:http'
import type { Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { openListener } from '../../test/support/opened-listener.ts'
import { createAppListener } from './listen.ts'
import { createLimited, createListener, transport_limits } from './listener.ts'

const quick = { ...transport_limits, headers_timeout_ms: 60, request_timeout_ms: 120, check_interval_ms: 10, linger_ms: 30 }
const refusals = { base_url: 'https://id.example', newRequestId: () => 'req_1' }
const patient = { ...transport_limits, linger_ms: 30 }

interface Started {
  server: Server
  /** One promise for each accepted connection. It resolves when the server's side is closed. */
  closed: Promise<unknown>[]
  open(): Promise<Socket>
}

async function start(t: TestContext, handle: RequestListener = answer, limits = patient): Promise<Started> {
  const server = createListener(handle, refusals, limits)
  const closed: Promise<unknown>[] = []
  server.on('connection', (socket) => closed.push(once(socket, 'close')))
  return { server, closed, open: await openListener(t, server, { allowHalfOpen: true }) }
}

const answer: RequestListener = (_, response) => void response.end('ok')

/** Collects everything that the server sends until it ends its side. */
async function received(socket: Socket): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of socket.iterator({ destroyOnReturn: false })) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

const head = 'GET / HTTP/1.1\r\nhost: x\r\n'
const post = 'POST / HTTP/1.1\r\nhost: x\r\n'

// biome-ignore format: this table is read by column
const broken: [what: string, status: number, bytes: string][] = [
  ['no HTTP',                            400, 'hello\r\n\r\n'],
  ['two different lengths',              400, `${post}content-length: 3\r\ncontent-length: 4\r\n\r\nabc`],
  ['two equal lengths',                  400, `${post}content-length: 3\r\ncontent-length: 3\r\n\r\nabc`],
  ['a length and chunks',                400, `${post}content-length: 3\r\ntransfer-encoding: chunked\r\n\r\nabc`],
  ['no Host',                            400, 'GET / HTTP/1.1\r\n\r\n'],
  ['two Hosts',                          400, `${head}Host: y\r\n\r\n`],
  ['two equal Hosts',                    400, `${head}host: x\r\n\r\n`],
  ['two Hosts in HTTP/1.0',              400, 'GET / HTTP/1.0\r\nhost: x\r\nhost: y\r\n\r\n'],
  ['an unknown expectation',             417, `${head}expect: 200-ok\r\n\r\n`],
  ['a request to be a proxy',            400, 'CONNECT evil.example:443 HTTP/1.1\r\nhost: evil.example:443\r\n\r\n'],
  ['a head over 32 KiB',                 431, `${head}x-long: ${'a'.repeat(33_000)}\r\n\r\n`],
  ['201 header fields',                  431, `${head}${'a: b\r\n'.repeat(200)}\r\n`],
  ['thousands of header fields',         431, `${head}${'a: b\r\n'.repeat(5_000)}\r\n`],
  ['a NUL in a header',                  400, `${head}x: a\0b\r\n\r\n`],
  ['a line feed alone in a header name', 400, `${head}x\ny: b\r\n\r\n`],
]
for (const [what, status, bytes] of broken) {
  test(`${what}: the response is a problem with a request id, and the server destroys the socket although the client keeps it open`, async (t) => {
    const { closed, open } = await start(t)
    const socket = await open()
    socket.write(bytes)
    const text = await received(socket)
    const [first = '', ...lines] = text.slice(0, text.indexOf('\r\n\r\n')).split('\r\n')
    const headers = new Map(lines.map((line) => line.split(/: ?/, 2).map((part) => part.toLowerCase()) as [string, string])) // as: each has two
    assert.equal(first.split(' ')[1], String(status))
    assert.equal(headers.get('content-type'), 'application/problem+json; charset=utf-8')
    assert.equal(headers.get('x-request-id'), 'req_1')
    assert.equal(headers.get('x-content-type-options'), 'nosniff')
    assert.equal(headers.get('connection'), 'close')
    const { detail, title, ...problem } = JSON.parse(text.slice(text.indexOf('\r\n\r\n')))
    assert.ok(detail && title)
    assert.deepEqual(problem, {
      type: 'https://id.example/docs/errors/malformed_request',
      status,
      code: 'malformed_request',
      request_id: 'req_1',
    })
    await Promise.all(closed)
  })
}

// biome-ignore format: this table is read by column
const accepted: [what: string, bytes: string][] = [
  ['HTTP/1.0 without Host',   'GET / HTTP/1.0\r\n\r\n'],
  ['an empty Host',           'GET / HTTP/1.1\r\nhost:\r\nconnection: close\r\n\r\n'],
  ['200 header fields',       `${head}connection: close\r\n${'a: b\r\n'.repeat(198)}\r\n`],
  ['Expect: 100-continue',    `${post}expect: 100-continue\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`],
]
for (const [what, bytes] of accepted) {
  test(`${what}: the request is accepted`, async (t) => {
    const { open } = await start(t)
    const socket = await open()
    socket.write(bytes)
    assert.match(await received(socket), /HTTP\/1\.1 200 OK\r\n[\s\S]*ok$/)
  })
}

// biome-ignore format: this table is read by column
const slow: [what: string, bytes: string, reply: RegExp][] = [
  ['nothing',                                    '',                                             /^HTTP\/1\.1 408 /],
  ['half a request line',                        'GET /heal',                                    /^HTTP\/1\.1 408 /],
  ['half a head',                                `${head}x-slow: `,                              /^HTTP\/1\.1 408 /],
  ['half a body',                                `${post}content-length: 10\r\n\r\nhalf`,        /^HTTP\/1\.1 408 /],
  ['half a chunk',                               `${post}transfer-encoding: chunked\r\n\r\n5\r\na`, /^HTTP\/1\.1 408 /],
  ['half of a second head on the same socket',   `${head}\r\nGET / HT`,                          /^HTTP\/1\.1 (200|408) /],
]
for (const [what, bytes, reply] of slow) {
  test(`300 clients that send ${what} and then stop are refused and disconnected`, async (t) => {
    const waiting: RequestListener = (request, response) =>
      void (request.method === 'GET' ? response.end('ok') : request.resume().on('end', () => response.end('ok')))
    const { closed, open } = await start(t, waiting, quick)
    const sockets = await Promise.all(Array.from({ length: 300 }, open))
    for (const socket of sockets) if (bytes) socket.write(bytes)
    for (const socket of sockets) assert.match(await received(socket), reply)
    assert.equal(closed.length, 300)
    await Promise.all(closed)
  })
}

test('a client that does not read its response is disconnected', async (t) => {
  const endless: RequestListener = (_, response) => {
    const more = () => {
      while (response.write('x'.repeat(65_536)));
    }
    response.on('drain', more)
    more()
  }
  const { server, closed, open } = await start(t, endless, { ...quick, idle_timeout_ms: 60 })
  const socket = await open()
  socket.pause().write(`${head}\r\n`)
  await once(server, 'request')
  await Promise.all(closed)
})

test('after a response has begun, broken input destroys the socket without a refusal', async (t) => {
  const { server, closed, open } = await start(t, (_, response) => {
    response.writeHead(200, { 'content-length': '10' }).write('half')
  })
  const socket = await open()
  socket.write(`${post}transfer-encoding: chunked\r\n\r\n4\r\nbody\r\n`)
  await once(server, 'request')
  socket.write('BROKEN\r\n\r\n')
  const text = await received(socket).catch(() => '')
  assert.doesNotMatch(text, / 400 /)
  await Promise.all(closed)
})

test('a refused client gets its refusal although it goes on sending', async (t) => {
  const { closed, open } = await start(t)
  const socket = await open()
  socket.write(`${head}x-long: ${'a'.repeat(2_000_000)}`)
  assert.match(await received(socket), /^HTTP\/1\.1 431 /)
  await Promise.all(closed)
})

test('the listeners of the application and of the metrics have a timeout for each phase of a request', () => {
  for (const server of [createListener(answer, refusals), createLimited(answer)]) {
    const { headersTimeout, requestTimeout, keepAliveTimeout, timeout } = server
    assert.deepEqual(
      { headersTimeout, requestTimeout, keepAliveTimeout, timeout },
      {
        headersTimeout: 10_000,
        requestTimeout: 30_000,
        keepAliveTimeout: 72_000,
        timeout: 60_000,
      },
    )
  }
})

test('an idle connection of the application is closed after OSTIARY_IDLE_SECONDS, which its answers say', async (t) => {
  const deployment = {
    config: { base_url: 'https://id.example', host: [], port: 0, idle_seconds: 5 },
    newId: (prefix: string) => `${prefix}_1` as never, // as: an id of any kind
    random: (bytes: number) => Buffer.alloc(bytes),
  }
  const server = createAppListener(answer, deployment)
  assert.equal(server.keepAliveTimeout, 5_000)
  const open = await openListener(t, server)
  const socket = await open()
  socket.write(`${head}\r\n`)
  const [chunk] = await once(socket, 'data')
  assert.match(String(chunk), /\r\nKeep-Alive: timeout=5\r\n/i)
  socket.destroy()
})

test('a connection without a further request is closed', async (t) => {
  const { closed, open } = await start(t, answer, { ...patient, keep_alive_timeout_ms: 20 })
  const socket = await open()
  socket.write(`${head}\r\n`)
  assert.match(await received(socket), /^HTTP\/1\.1 200 /)
  await Promise.all(closed)
})
