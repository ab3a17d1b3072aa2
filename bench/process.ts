/** Server processes. Each runs on a chosen core, answers through `probe.ts`, and ends with the benchmark. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Address, openConnection, request } from './connection.ts'
import { onCore } from './machine.ts'
import type { Usage } from './probe.ts'

export interface ServerProcess {
  readonly pid: number
  /** Milliseconds from the start of the process to its first answer. */
  readonly started_ms: number
  usage(): Promise<Usage>
  collect(): Promise<Usage>
  ask<T>(question: string, details?: Record<string, unknown>): Promise<T>
  stop(): Promise<void>
  /** Ends it at once, as kill -9 does. */
  kill(): Promise<void>
}

interface Start {
  readonly script: string
  /** Node flags. */
  readonly flags?: readonly string[]
  readonly args?: readonly string[]
  readonly env: Record<string, string>
  readonly core: number | null
  /** The file for its output. */
  readonly log: string
  /** The path that answers 200 when the server is ready. */
  readonly ready: { readonly address: Address; readonly path: string }
}

const running = new Set<ChildProcess>()
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

/** Variables of the caller that must not configure a server. */
const excluded = /^(OSTIARY_|NODE_OPTIONS$|UV_THREADPOOL_SIZE$)/

export async function startProcess({ script, flags: own_flags = [], args = [], env, core, log, ready }: Start): Promise<ServerProcess> {
  const output = openSync(log, 'a')
  const began = performance.now()
  const flags = [...own_flags, '--disable-warning=ExperimentalWarning', '--import', join(import.meta.dirname, 'probe.ts')]
  const inherited = Object.fromEntries(Object.entries(process.env).filter(([name]) => !excluded.test(name)))
  const child = spawn(...onCore(core, process.execPath, [...flags, script, ...args]), {
    env: { ...inherited, ...env },
    stdio: ['ignore', output, output, 'ipc'],
  })
  closeSync(output)
  running.add(child)
  let is_stopping = false
  const exit = once(child, 'exit').finally(() => running.delete(child))
  const gone = exit.then((): never => {
    throw new Error(`${script} ended${is_stopping ? '' : ` unexpectedly. The end of its log:\n${readFileSync(log, 'utf8').slice(-2_000)}`}`)
  })
  gone.catch(() => {}) // pending questions report it
  const waiting = new Map<number, (answer: unknown) => void>()
  let questions = 0
  child.on('message', ({ id, answer }: { id: number; answer: unknown }) => {
    waiting.get(id)?.(answer)
    waiting.delete(id)
  })

  /** Rejects if the process ends before it answers. */
  function ask<T>(question: string, details: Record<string, unknown> = {}): Promise<T> {
    const id = questions++
    const answered = new Promise<T>((resolve) => waiting.set(id, resolve as (answer: unknown) => void)) // as: the caller knows the type of the answer
    child.send({ id, ask: question, ...details })
    return Promise.race([answered, gone])
  }

  await Promise.race([waitUntilReady(ready.address, ready.path), gone])
  return {
    pid: child.pid ?? 0,
    started_ms: performance.now() - began,
    ask,
    usage: () => ask('usage'),
    collect: () => ask('collect'),
    async stop() {
      is_stopping = true
      child.kill('SIGTERM')
      await exit
    },
    async kill() {
      is_stopping = true
      child.kill('SIGKILL')
      await exit
    },
  }
}

async function waitUntilReady(address: Address, path: string): Promise<void> {
  for (const until = Date.now() + 30_000; Date.now() < until; await sleep(2)) {
    const connection = await openConnection(address).catch(() => null)
    const answer = await connection?.send(request(address, 'GET', path)).catch(() => null)
    connection?.close()
    if (answer?.status === 200) return
  }
  throw new Error(`No server answers at ${address.host}:${address.port}${path}`)
}
