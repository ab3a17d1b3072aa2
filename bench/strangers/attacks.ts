/** The attacks with many connections, as a table, and the worker that runs them: a loader of its own, beside those that measure. */

import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { isMainThread, parentPort, Worker } from 'node:worker_threads'
import { type Address, type Connection, openConnection } from '../connection.ts'

/** One kind of attack. It can be sent to a worker, so it has values alone. */
export interface Attack {
  readonly connections: number
  /** Requests of each connection. */
  readonly requests: number
  /** Heads of requests, in turn. `{source}` stands for an address of the connection. */
  readonly heads: readonly string[]
  /** Follows each head. */
  readonly body?: Uint8Array
  /**
   * in turn   each request after the answer to the one before
   * ahead     all requests at once; answers are read
   * unread    all requests at once; no answer is read
   * trickled  the head is never complete: a byte each second
   */
  readonly how: 'in turn' | 'ahead' | 'unread' | 'trickled'
}

export interface State {
  /** Connections that are open. */
  readonly open: number
  readonly closed: number
  /** Connections that could not be opened. */
  readonly refused: number
  /** Answers to requests in turn, and of the others the first bytes of their answers, by status. */
  readonly statuses: Readonly<Record<string, number>>
  /** Whether every connection has been opened and every byte given to the system. */
  readonly is_begun: boolean
}

/** Starts the worker of attacks on a service. */
export function startAttacker(address: Address) {
  const worker = new Worker(new URL(import.meta.url))
  const answers: ((state: State) => void)[] = []
  worker.on('message', (state: State) => answers.shift()?.(state))
  const ask = (question: Question) =>
    new Promise<State>((resolve) => {
      answers.push(resolve)
      worker.postMessage(question)
    })
  return {
    begin: (attack: Attack) => ask({ begin: attack, address }),
    state: () => ask({}),
    /** Closes all connections. */
    end: () => ask({ is_over: true }),
    stop: () => worker.terminate(),
  }
}

interface Question {
  readonly begin?: Attack
  readonly address?: Address
  readonly is_over?: true
}

/** Connections that are opened at once: the queue of a listener has room for few hundreds. */
const opened_at_once = 100
const trickle_ms = 1_000

function createAttacks() {
  let sockets = new Set<Socket>()
  let speaking = new Set<Connection>()
  let round = 0
  let state = { open: 0, closed: 0, refused: 0, statuses: {} as Record<string, number>, is_begun: false }
  const count = (status: string) => {
    state.statuses[status] = (state.statuses[status] ?? 0) + 1
  }
  const sourceOf = (n: number) => `203.0.${(n >> 8) & 255}.${n & 255}`
  const headOf = ({ heads }: Attack, connection: number, n: number) =>
    (heads[n % heads.length] ?? '').replace('{source}', sourceOf(connection))

  function opened({ port }: Address, reads: boolean): Promise<Socket | null> {
    return new Promise((resolve) => {
      const socket = connect({ host: '127.0.0.1', port, noDelay: true })
      if (!reads) socket.pause()
      let is_open = false
      socket.once('connect', () => {
        is_open = true
        state.open++
        resolve(socket)
      })
      socket.on('error', () => {})
      socket.once('close', () => {
        if (is_open) {
          state.open--
          state.closed++
        } else state.refused++
        sockets.delete(socket)
        resolve(null)
      })
      sockets.add(socket)
      if (reads) socket.on('data', (piece) => count(/^HTTP\/1\.1 (\d+)/.exec(piece.toString('latin1', 0, 12))?.[1] ?? 'more'))
    })
  }

  /** All requests at once. Resolves when the system has taken the bytes, or will not. */
  async function writeAll(attack: Attack, address: Address, n: number): Promise<void> {
    const socket = await opened(address, attack.how !== 'unread')
    if (!socket) return
    const heads = Array.from({ length: attack.requests }, (_, i) => headOf(attack, n, n * attack.requests + i))
    if (attack.body === undefined) socket.write(heads.join(''))
    else
      for (const head of heads) {
        socket.write(head)
        socket.write(attack.body)
      }
    if (attack.how !== 'trickled') return
    const timer = setInterval(() => socket.write('a'), trickle_ms)
    socket.once('close', () => clearInterval(timer))
  }

  async function speak(attack: Attack, address: Address, n: number): Promise<void> {
    const mine = round
    const connection = await openConnection(address).catch(() => null)
    if (!connection) return void state.refused++
    state.open++
    speaking.add(connection)
    const body = Buffer.from(attack.body ?? [])
    void (async () => {
      for (let i = 0; i < attack.requests && mine === round; i++) {
        const bytes = Buffer.concat([Buffer.from(headOf(attack, n, n * attack.requests + i)), body])
        const answer = await connection.send(bytes).catch(() => null)
        count(String(answer?.status ?? 'none'))
        if (!answer) break
      }
    })()
  }

  return {
    state: () => state,
    async begin(attack: Attack, address: Address): Promise<void> {
      const mine = round
      const one = attack.how === 'in turn' ? speak : writeAll
      for (let begun = 0; begun < attack.connections && mine === round; begun += opened_at_once) {
        const many = Math.min(opened_at_once, attack.connections - begun)
        await Promise.all(Array.from({ length: many }, (_, n) => one(attack, address, begun + n)))
      }
      if (mine === round) state = { ...state, is_begun: true }
    },
    async end(): Promise<void> {
      round++
      for (const socket of sockets) socket.destroy()
      for (const connection of speaking) connection.close()
      await sleep(50)
      sockets = new Set()
      speaking = new Set()
      state = { open: 0, closed: 0, refused: 0, statuses: {}, is_begun: false }
    },
  }
}

if (!isMainThread && parentPort) {
  const port = parentPort
  const attacks = createAttacks()
  port.on('message', async ({ begin, address, is_over }: Question) => {
    if (begin && address) void attacks.begin(begin, address)
    const state = { ...attacks.state(), statuses: { ...attacks.state().statuses } }
    if (is_over) await attacks.end()
    port.postMessage(state)
  })
}
