/** Answers before the end of their request: the sender gets them, although it is still sending (RFC 9112 §9.6). */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { RequestListener } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { setImmediate as turnOfLoop } from 'node:timers/promises'
import { createListener, transport_limits } from './listener.ts'

const refusals = { base_url: 'https://id.example', newRequestId: () => 'req_1' }

/** A sender and the service's side of its connection. The sender keeps its own side open. */
async function start(t: TestContext, handle: RequestListener, limits: Partial<typeof transport_limits> = {}) {
  const server = createListener(handle, refusals, { ...transport_limits, linger_ms: 60_000, ...limits }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // as: the server listens on a port
  const errors: string[] = []
  const sender = connect({ port, host: '127.0.0.1', allowHalfOpen: true }).on('error', ({ message }) => errors.push(message))
  let text = ''
  sender.on('data', (piece) => {
    text += piece
  })
  const [own] = (await once(server, 'connection')) as [Socket] // as: the argument of the event
  t.after(() => {
    sender.destroy()
    server.close()
    server.closeAllConnections()
  })
  const ended = once(sender, 'end')
  ended.catch(() => {}) // the connection may be reset before
  return { sender, own, errors, text: () => text, ended, closed: once(own, 'close') }
}

const write = (socket: Socket, bytes: string | Buffer) => new Promise<void>((resolve) => socket.write(bytes, () => resolve()))
const quarter = Buffer.alloc(262_144, 'x')
const post = (length: number, more = '') => `POST / HTTP/1.1\r\nhost: x\r\n${more}content-length: ${length}\r\n\r\n`

const closing =
  (status: number): RequestListener =>
  (_, response) =>
    void response.writeHead(status, { connection: 'close', 'content-length': '6' }).end('answer')

// biome-ignore format: this table is read by column
const early: [what: string, handle: RequestListener, head: string, status: number][] = [
  ['401 before the body',    closing(401),  post(2_000_000),                                          401],
  ['405',                    closing(405),  post(2_000_000),                                          405],
  ['413',                    closing(413),  post(2_000_000),                                          413],
  ['413 of chunks',          closing(413),  'POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n1e8480\r\n', 413],
  ['415',                    closing(415),  post(2_000_000),                                          415],
  ['421',                    closing(421),  post(2_000_000),                                          421],
  ['503',                    closing(503),  post(2_000_000),                                          503],
  ['417 of the listener',    closing(200),  post(2_000_000, 'expect: the impossible\r\n'),            417],
  ['400 of the listener',    closing(200),  post(2_000_000, 'content-length: 5\r\n'),                 400],
  ['431 of the listener',    closing(200),  post(2_000_000, `x: ${'a'.repeat(40_000)}\r\n`),          431],
  ['200 that closes, with another request written ahead', closing(200), `GET / HTTP/1.1\r\nhost: x\r\n\r\n${post(2_000_000)}`, 200],
]
for (const [what, handle, head, status] of early) {
  test(`${what}: a sender that sends 768 KiB more gets the whole answer, and its connection is not reset`, async (t) => {
    const { sender, own, errors, text, ended, closed } = await start(t, handle)
    await write(sender, head)
    await ended
    for (let i = 0; i < 3; i++) await write(sender, quarter)
    assert.equal(own.destroyed, false)
    sender.end()
    await closed
    assert.match(text(), new RegExp(`^HTTP/1\\.1 ${status} `))
    assert.equal(text().split('HTTP/1.1 ').length, 2)
    assert.deepEqual(errors, [])
  })

  test(`${what}: a sender that goes on is read for at most 1 MiB`, async (t) => {
    const { sender, own, text, ended } = await start(t, handle)
    await write(sender, head)
    await ended
    const before = own.bytesRead
    for (let i = 0; i < 40; i++) sender.write(quarter)
    for (let turn = 0; !own.isPaused() && turn < 200_000; turn++) await turnOfLoop()
    for (let turn = 0; turn < 50; turn++) await turnOfLoop()
    assert.equal(own.destroyed, false)
    assert.match(text(), new RegExp(`^HTTP/1\\.1 ${status} `))
    assert.ok(own.bytesRead - before <= 1_048_576 + 2 * 65_536, `${own.bytesRead - before} bytes`)
  })

  test(`${what}: a sender that stops is disconnected`, async (t) => {
    const { sender, closed, text } = await start(t, handle, { linger_ms: 20 })
    await write(sender, head)
    await closed
    while (text() === '') await once(sender, 'data')
    assert.match(text(), new RegExp(`^HTTP/1\\.1 ${status} `))
  })
}

const open: RequestListener = ({ method }, response) =>
  void response.writeHead(method === 'POST' ? 401 : 200, { 'content-length': '6' }).end('answer')

test('behind an early answer that keeps the connection, up to 1 MiB of its body are dropped, and then the next request is answered', async (t) => {
  const { sender, own, text, errors } = await start(t, open)
  await write(sender, `${post(1_000_000)}${'x'.repeat(1_000_000)}GET / HTTP/1.1\r\nhost: x\r\n\r\n`)
  while (!text().endsWith('answer') || text().split('answer').length < 3) await once(sender, 'data')
  assert.match(text(), /^HTTP\/1\.1 401 [\s\S]*HTTP\/1\.1 200 /)
  assert.deepEqual([own.destroyed, errors], [false, []])
})

test('behind an early answer that keeps the connection, a longer body closes it, and so does one that stops', async (t) => {
  const long = await start(t, open, { linger_ms: 200 })
  await write(long.sender, post(20_000_000))
  await once(long.sender, 'data')
  for (let i = 0; i < 40; i++) long.sender.write(quarter)
  await long.closed
  assert.ok(long.own.bytesRead <= 2 * (1_048_576 + 65_536), `${long.own.bytesRead} bytes`)
  const slow = await start(t, open, { linger_ms: 20 })
  await write(slow.sender, `${post(1_000)}x`)
  await slow.closed
  assert.match(slow.text(), /^HTTP\/1\.1 401 /)
})

test('a connection that closes after a whole request is closed at once', async (t) => {
  const { sender, ended, closed, text } = await start(t, closing(200))
  await write(sender, `${post(3)}abc`)
  await Promise.all([ended, closed])
  assert.match(text(), /answer$/)
})

const silent: RequestListener = () => {}
// biome-ignore format: this table is read by column
const stalled: [what: string, bytes: string][] = [
  ['no byte of its body',          post(1_000)],
  ['half of its body',             `${post(1_000)}${'x'.repeat(500)}`],
  ['all but one byte of its body', `${post(1_000)}${'x'.repeat(999)}`],
  ['half a chunk',                 'POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n5\r\nab'],
  ['all chunks but the last',      'POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n2\r\nab\r\n'],
]
for (const [what, bytes] of stalled)
  test(`a request that sends ${what} and then stops is refused with 408`, async (t) => {
    const { sender, text, closed } = await start(t, (request) => void request.resume(), { stalled_body_ms: 30, linger_ms: 20 })
    await write(sender, bytes)
    await closed
    assert.match(text(), /^HTTP\/1\.1 408 /)
  })

test('half of a body has the limit of a stalled one, and a body that was sent whole has not, however long its answer takes', async (t) => {
  const { sender, own } = await start(t, silent, { stalled_body_ms: 1_000 })
  await write(sender, `${post(1_000)}${'x'.repeat(500)}`)
  for (let turn = 0; own.timeout !== 1_000; turn++) {
    assert.ok(turn < 200_000)
    await turnOfLoop()
  }
  await write(sender, 'x'.repeat(500))
  for (let turn = 0; own.timeout !== transport_limits.idle_timeout_ms; turn++) {
    assert.ok(turn < 200_000)
    await turnOfLoop()
  }
})

test('a body without progress ends after 10 s, and lingering after 1 s or 1 MiB', () => {
  const { stalled_body_ms, linger_ms, linger_bytes } = transport_limits
  assert.deepEqual([stalled_body_ms, linger_ms, linger_bytes], [10_000, 1_000, 1_048_576])
})
