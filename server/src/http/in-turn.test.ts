/** Requests that a client writes ahead on one connection. The tests count begun requests and kept bytes. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { Readable } from 'node:stream'
import { type TestContext, test } from 'node:test'
import { setImmediate as turnOfLoop } from 'node:timers/promises'
import { openListener } from '../../test/support/opened-listener.ts'
import { createBudget } from './budget.ts'
import { createListener, transport_limits } from './listener.ts'

const refusals = { base_url: 'https://id.example', newRequestId: () => 'req_1' }
const limits = { ...transport_limits, linger_ms: 30 }

interface Begun {
  request: IncomingMessage
  response: ServerResponse
}

async function start(t: TestContext, { budget = createBudget({ most_bytes: 1e9, free_bytes: 4_096 }), answer = (_: Begun) => {} } = {}) {
  const begun: Begun[] = []
  const accepted: Socket[] = []
  const server = createListener(
    (request, response) => {
      begun.push({ request, response })
      answer({ request, response })
    },
    refusals,
    limits,
    budget,
  )
  server.on('connection', (socket) => accepted.push(socket))
  return { begun, accepted, open: await openListener(t, server) }
}

const get = (path: string) => `GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`

/** Turns of the event loop, in which everything that has arrived is read. */
async function settle() {
  for (let turn = 0; turn < 20; turn++) await turnOfLoop()
}

async function until(isSo: () => boolean) {
  for (let turn = 0; !isSo(); turn++) {
    assert.ok(turn < 200_000, `never: ${isSo}`)
    await turnOfLoop()
  }
}

/** Everything that arrives at this side, as text. */
function collect(socket: Socket) {
  let text = ''
  socket.on('data', (piece) => {
    text += piece
  })
  return { text: () => text }
}

test('of 1,000 requests written ahead one is begun, and each next one after the answer before it', async (t) => {
  const { begun, accepted, open } = await start(t)
  const socket = await open()
  const received = collect(socket)
  socket.write(Array.from({ length: 1_000 }, (_, i) => get(`/${i}`)).join(''))
  await until(() => begun.length > 0)
  await settle()
  assert.equal(begun.length, 1)
  for (let i = 0; i < 1_000; i++) {
    await until(() => begun.length > i)
    assert.equal(begun.length, i + 1)
    begun[i]?.response.end(`answer ${i};`)
  }
  await until(() => received.text().endsWith('answer 999;'))
  assert.deepEqual(
    begun.map(({ request }) => request.url),
    Array.from({ length: 1_000 }, (_, i) => `/${i}`),
  )
  assert.equal(accepted[0]?.destroyed, false)
})

const post = (path: string, head: string, body: string) => `POST ${path} HTTP/1.1\r\nhost: x\r\n${head}\r\n\r\n${body}`

/** The first of two requests that are written at once. */
const firsts: Record<string, string> = {
  'without a body': get('/first'),
  'of the method HEAD': 'HEAD /first HTTP/1.1\r\nhost: x\r\n\r\n',
  'after empty lines': `\r\n\r\n${get('/first')}`,
  'with a body of a length': post('/first', 'content-length: 8', 'a\r\n\r\nb\r\n'),
  'with an empty body': post('/first', 'content-length: 0', ''),
  'with chunks': post('/first', 'transfer-encoding: chunked', '4\r\n\r\n\r\n\r\n2\r\nab\r\n0\r\n\r\n'),
  'with chunks and a trailer': post('/first', 'transfer-encoding: chunked', '2\r\nab\r\n0\r\nx: y\r\n\r\n'),
  'that expects 100-continue': post('/first', 'expect: 100-continue\r\ncontent-length: 2', 'ab'),
}
/** How the first one is answered: in steps, and the second one is not begun before the last of them. */
const answers: Record<string, readonly ((response: ServerResponse) => unknown)[]> = {
  'in one piece': [(response) => response.end('whole')],
  'without content': [(response) => response.writeHead(204).end()],
  'as not modified': [(response) => response.writeHead(304).end()],
  'in chunks': [(response) => response.write('one'), (response) => response.write('two'), (response) => response.end()],
  'by a length and two pieces': [
    (response) => response.writeHead(200, { 'content-length': '6' }).write('one'),
    (response) => response.end('two'),
  ],
  'by its head alone at first': [(response) => response.flushHeaders(), (response) => response.end()],
  'with early hints': [(response) => response.writeEarlyHints({ link: '</a>; rel=preload' }), (response) => response.end('whole')],
  'by a stream': [(response) => Readable.from(['one', 'two', 'three']).pipe(response)],
}
for (const [what, first] of Object.entries(firsts))
  for (const [how, steps] of Object.entries(answers))
    test(`behind a request ${what} that is answered ${how}, the next one waits for the end of the answer`, async (t) => {
      const { begun, open } = await start(t)
      const socket = await open()
      collect(socket)
      socket.write(first + get('/second'))
      await until(() => begun.length > 0)
      await settle()
      for (const step of steps) {
        assert.deepEqual(
          begun.map(({ request }) => request.url),
          ['/first'],
        )
        begun[0]?.request.resume()
        step((begun[0] as Begun).response) // as: just compared
        if (step !== steps.at(-1)) await settle()
      }
      await until(() => begun.length > 1)
      assert.equal(begun[1]?.request.url, '/second')
    })

test('a request that arrives in single bytes is begun once, and so is the next one', async (t) => {
  const { begun, open } = await start(t, { answer: ({ response }) => response.end('ok') })
  const socket = await open()
  const received = collect(socket)
  const bytes = `${get('/one')}${post('/two', 'content-length: 3', 'abc')}${post('/three', 'transfer-encoding: chunked', '1\r\na\r\n0\r\n\r\n')}${get('/four')}`
  socket.setNoDelay(true)
  for (const byte of bytes) {
    await new Promise((resolve) => socket.write(byte, resolve))
    await turnOfLoop()
  }
  await until(() => received.text().split('ok').length === 5)
  assert.deepEqual(
    begun.map(({ request }) => request.url),
    ['/one', '/two', '/three', '/four'],
  )
})

test('behind unread answers no request runs, and the service reads no more', async (t) => {
  const answer_bytes = 1_000_000
  const { begun, accepted, open } = await start(t, { answer: ({ response }) => response.end('x'.repeat(answer_bytes)) })
  const socket = await open()
  socket.pause()
  const ahead = get('/page').repeat(60) + post('/token', 'content-length: 2', 'ab')
  const more = get('/more').repeat(500_000)
  socket.write(ahead)
  socket.write(more)
  let before = -1
  while (before !== begun.length && begun.length < 70) {
    before = begun.length
    await settle()
  }
  const [own] = accepted
  assert.ok(begun.length < 60, `${begun.length} requests were begun`)
  assert.ok(begun.every(({ request }) => request.url !== '/token'))
  assert.ok((own?.writableLength ?? 0) <= 2 * answer_bytes, `${own?.writableLength} bytes wait for the client`)
  assert.ok((own?.bytesRead ?? 0) <= 2 * 65_536, `${own?.bytesRead} bytes were read`)
  socket.resume()
  await until(() => begun.some(({ request }) => request.url === '/token'))
})

test('what is written ahead counts against a budget: the newest connection ends after its answer, and the others go on', async (t) => {
  const budget = createBudget({ most_bytes: 100_000, free_bytes: 4_096 })
  const { begun, open } = await start(t, { budget })
  const ahead = get('/').repeat(1_000)
  const sockets = []
  for (let i = 1; i <= 5; i++) {
    const socket = await open()
    sockets.push({ socket, received: collect(socket), closed: once(socket, 'close') })
    socket.write(ahead)
    await until(() => begun.length === i)
    await settle()
  }
  assert.ok(budget.kept() <= 100_000, `${budget.kept()} bytes`)
  for (const { response } of [...begun]) response.end('done')
  const last = sockets.at(-1)
  await last?.closed
  assert.equal(last?.received.text().split('HTTP/1.1 200').length, 2)
  assert.match(last?.received.text() ?? '', /connection: close/i)
  await until(() => begun.filter(({ request }) => request.socket === begun[0]?.request.socket).length === 2)
})

test('of many large bodies one reads on in each turn of the event loop', async (t) => {
  const at_once = 65_536
  const length = 1_000_000
  let in_turn = 0
  let ended = 0
  const { open } = await start(t, {
    answer({ request, response }) {
      let bytes = 0
      request.on('data', (piece: Buffer) => {
        in_turn += bytes > at_once ? piece.length : 0
        bytes += piece.length
      })
      request.on('end', () => {
        ended += 1
        response.end()
      })
    },
  })
  const sockets: Socket[] = []
  while (sockets.length < 20) sockets.push(await open())
  for (const socket of sockets)
    socket.write(Buffer.concat([Buffer.from(`POST / HTTP/1.1\r\nhost: x\r\ncontent-length: ${length}\r\n\r\n`), Buffer.alloc(length)]))
  const turns: number[] = []
  for (const end = Date.now() + 20_000; ended < sockets.length && Date.now() < end; in_turn = 0) {
    await turnOfLoop()
    turns.push(in_turn)
  }
  assert.equal(ended, sockets.length)
  assert.ok(Math.max(...turns) <= at_once, `${Math.max(...turns)} bytes in one turn`)
  const most = sockets.length * (length - at_once)
  assert.ok(turns.reduce((sum, bytes) => sum + bytes, 0) > most / 2, 'the bodies were read in turns')
})

test('half a head counts too: its connection is refused with 503', async (t) => {
  const budget = createBudget({ most_bytes: 50_000, free_bytes: 4_096 })
  const { open } = await start(t, { budget })
  const received = []
  for (let i = 0; i < 3; i++) {
    const socket = await open()
    received.push({ text: collect(socket).text, closed: once(socket, 'close') })
    socket.write(`GET / HTTP/1.1\r\nhost: x\r\nx: ${'a'.repeat(20_000)}`)
    await settle()
  }
  await received[2]?.closed
  assert.match(received[2]?.text() ?? '', /^HTTP\/1\.1 503 [\s\S]*retry-after: 2\r\n/)
  assert.deepEqual([received[0]?.text(), received[1]?.text()], ['', ''])
  assert.ok(budget.kept() <= 50_000)
})

test('empty lines and chunks without end cost a bounded number of steps', async (t) => {
  for (const bytes of [
    '\r\n'.repeat(32_768),
    `POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\nffff\r\n${'\r\n'.repeat(32_000)}`,
  ]) {
    const { open } = await start(t)
    const socket = await open()
    const closed = once(socket, 'close')
    const received = collect(socket)
    socket.write(bytes)
    await closed
    assert.match(received.text(), /^HTTP\/1\.1 400 /)
  }
})
