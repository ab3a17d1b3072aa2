import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { after, test } from 'node:test'
import { body_limit_bytes, dropExcessChunks, growingBuffer, most_pieces, readBody } from './body.ts'
import { createBudget } from './budget.ts'

const server = createServer({ optimizeEmptyRequests: true }).listen(0, '127.0.0.1')
await once(server, 'listening')
const { port } = server.address() as AddressInfo // as: the server listens on a port
after(() => server.close())

const from_here = { addressOf: () => '192.0.2.1' }

type Outcome = { body: string } | { code: unknown }

/** Reads a request that arrives in these pieces. All but the first follow once the head was read; `null` closes the connection. */
async function read(headers: readonly string[], pieces: readonly (string | null)[]): Promise<Outcome> {
  const socket = connect({ port, host: '127.0.0.1' }).on('error', () => {})
  const [first, ...later] = pieces
  socket.write(`POST / HTTP/1.1\r\nHost: x\r\n${headers.map((line) => `${line}\r\n`).join('')}\r\n${first ?? ''}`)
  const [request] = (await once(server, 'request')) as [IncomingMessage] // as: the argument of the event
  const outcome = readBody(request, from_here).then(
    (body) => ({ body: body.toString() }),
    ({ code }) => ({ code }),
  )
  for (const piece of later) {
    if (piece === null) socket.destroy()
    else await new Promise((resolve) => socket.write(piece, resolve))
  }
  const result = await outcome
  socket.destroy()
  return result
}

const length = (bytes: number) => `Content-Length: ${bytes}`
const chunked = 'Transfer-Encoding: chunked'
const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`
const too_large = { code: 'body_too_large' }
const most = 'x'.repeat(body_limit_bytes)

const cases: Record<string, { headers: string[]; pieces: (string | null)[]; outcome: Outcome }> = {
  'a body that comes with the head is read': { headers: [length(5)], pieces: ['a=ü1'], outcome: { body: 'a=ü1' } },
  'a body that comes after the head is read': { headers: [length(5)], pieces: ['', 'hello'], outcome: { body: 'hello' } },
  'a body in pieces is read whole': { headers: [length(5)], pieces: ['he', 'l', 'lo'], outcome: { body: 'hello' } },
  'chunks are read': { headers: [chunked], pieces: [`${chunk('he')}${chunk('llo')}0\r\n\r\n`], outcome: { body: 'hello' } },
  'chunks that come one by one are read': {
    headers: [chunked],
    pieces: ['', chunk('he'), chunk('llo'), '0\r\n\r\n'],
    outcome: { body: 'hello' },
  },
  'a request without a length has no body, whatever its content type': {
    headers: ['Content-Type: application/json'],
    pieces: [''],
    outcome: { body: '' },
  },
  'a body of no bytes is empty': { headers: [length(0)], pieces: [''], outcome: { body: '' } },
  'a body without chunks is empty': { headers: [chunked], pieces: ['0\r\n\r\n'], outcome: { body: '' } },
  'a body of exactly the limit is read': { headers: [length(body_limit_bytes)], pieces: ['', most], outcome: { body: most } },
  'a length over the limit is refused before the body arrives': {
    headers: [length(body_limit_bytes + 1)],
    pieces: [''],
    outcome: too_large,
  },
  'chunks over the limit are refused before the last one arrives': {
    headers: [chunked],
    pieces: ['', chunk(most), chunk('x')],
    outcome: too_large,
  },
  'a body is refused if its sender disconnects before the end': {
    headers: [length(5)],
    pieces: ['he', null],
    outcome: { code: 'malformed_request' },
  },
}
for (const [rule, { headers, pieces, outcome }] of Object.entries(cases)) {
  test(rule, async () => assert.deepEqual(await read(headers, pieces), outcome))
}

test('a body in one-byte pieces takes one buffer of at most twice its length, and is refused at the limit of pieces', () => {
  const body = growingBuffer(body_limit_bytes)
  let buffers = 0
  const most = Math.floor((most_pieces * 64) / 63)
  for (let length = 1; length <= most; length++) {
    const before = body.capacity()
    assert.equal(body.add(Buffer.from('x')), null)
    if (body.capacity() !== before) buffers++
    assert.ok(body.capacity() <= Math.max(4_096, 2 * length), `${body.capacity()} bytes for ${length}`)
  }
  assert.equal(body.bytes().toString(), 'x'.repeat(most))
  assert.equal(buffers, 1)
  assert.equal(body.add(Buffer.from('x'))?.code, 'malformed_request')
})

test('a body of exactly the limit in pieces of 64 bytes is read into nine buffers', () => {
  const body = growingBuffer(body_limit_bytes)
  let buffers = 0
  for (let length = 64; length <= body_limit_bytes; length += 64) {
    const before = body.capacity()
    assert.equal(body.add(Buffer.alloc(64, 'x')), null)
    if (body.capacity() !== before) buffers++
    assert.ok(body.capacity() <= Math.max(4_096, 2 * length), `${body.capacity()} bytes for ${length}`)
  }
  assert.deepEqual([body.bytes().length, body.capacity(), buffers], [body_limit_bytes, body_limit_bytes, 9])
})

test('an announced length takes no memory before its bytes arrive, and no more memory than announced', () => {
  const body = growingBuffer(5_000)
  assert.equal(body.capacity(), 0)
  body.add(Buffer.alloc(1))
  assert.equal(body.capacity(), 4_096)
  body.add(Buffer.alloc(4_999))
  assert.equal(body.capacity(), 5_000)
})

test('too many one-byte chunks are refused', async () => {
  const pieces = chunk('x').repeat(2 * most_pieces)
  assert.deepEqual(await read([chunked], ['', pieces]), { code: 'malformed_request' })
  const fine = chunk('x').repeat(1_000)
  assert.deepEqual(await read([chunked], ['', fine, '0\r\n\r\n']), { body: 'x'.repeat(1_000) })
})

test('of 100,000 one-byte chunks that arrive before the body is read, only those up to the first excess one are kept', async () => {
  const own = createServer((request) => dropExcessChunks(request)).listen(0, '127.0.0.1')
  await once(own, 'listening')
  const socket = connect({ port: (own.address() as AddressInfo).port, host: '127.0.0.1' }).on('error', () => {}) // as: the server listens on a port
  socket.write(`POST / HTTP/1.1\r\nHost: x\r\n${chunked}\r\n\r\n${chunk('x').repeat(100_000)}`)
  const [request] = (await once(own, 'request')) as [IncomingMessage] // as: the argument of the event
  await new Promise((resolve) => setImmediate(resolve))
  assert.ok(request.readableLength <= (most_pieces * 64) / 63 + 1, `${request.readableLength} chunks`)
  await assert.rejects(readBody(request, from_here), { code: 'malformed_request' })
  socket.destroy()
  own.close()
})

test('a body is refused if its sender disconnects before it is read', async () => {
  const socket = connect({ port, host: '127.0.0.1' })
  socket.write(`POST / HTTP/1.1\r\nHost: x\r\n${length(5)}\r\n\r\nhe`)
  const [request] = (await once(server, 'request')) as [IncomingMessage] // as: the argument of the event
  socket.destroy()
  await new Promise((resolve) => request.once('close', resolve))
  await assert.rejects(readBody(request, from_here), { code: 'malformed_request' })
})

test('too many bodies: the newest of the network that keeps most is refused, small ones never, and ended ones keep nothing', async () => {
  const budget = createBudget({ most_bytes: 100_000, free_bytes: 4_096 })
  const sockets: Socket[] = []
  const send = async (ip: string, bytes: number) => {
    const socket = connect({ port, host: '127.0.0.1' }).on('error', () => {})
    sockets.push(socket)
    socket.write(`POST / HTTP/1.1\r\nHost: x\r\n${length(bytes + 1)}\r\n\r\n${'x'.repeat(bytes)}`)
    const [request] = (await once(server, 'request')) as [IncomingMessage] // as: the argument of the event
    let arrived = 0
    request.on('data', (piece: Buffer) => {
      arrived += piece.length
    })
    const outcome = readBody(request, { addressOf: () => ip, budget }).then(
      (body) => body.length,
      ({ code, extra }) => ({ code, ...extra.headers }),
    )
    while (arrived < bytes) await new Promise((resolve) => setImmediate(resolve))
    return { outcome, finish: () => socket.write('x') }
  }
  const old = await send('192.0.2.1', 40_000)
  const newest = await send('192.0.2.2', 40_000)
  const small = await send('192.0.2.3', 4_000)
  const other = await send('198.51.100.1', 30_000)
  assert.deepEqual(await newest.outcome, { code: 'unavailable', connection: 'close', 'retry-after': '2' })
  assert.ok(budget.kept() >= 70_000 && budget.kept() <= 70_002, `${budget.kept()} bytes`)
  for (const body of [old, small, other]) body.finish()
  assert.deepEqual([await old.outcome, await small.outcome, await other.outcome], [40_001, 4_001, 30_001])
  assert.equal(budget.kept(), 0)
  const gone = await send('192.0.2.1', 90_000)
  assert.ok(budget.kept() >= 90_000 && budget.kept() <= 90_001, `${budget.kept()} bytes`)
  for (const socket of sockets) socket.destroy()
  assert.equal((await gone.outcome).code, 'malformed_request')
  assert.equal(budget.kept(), 0)
})
