/** Programs of a run. Each leads a group of processes, has a log, and ends with the run at the latest, by its id. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

export interface Place {
  readonly cwd: string
  readonly env: Readonly<Record<string, string | undefined>>
  /** The file for its output. */
  readonly log: string
}

export interface Program {
  /** Rejects when the program ends. */
  readonly gone: Promise<never>
  stop(): Promise<void>
}

const running = new Set<ChildProcess>()

/** Ends what still runs, at once: for the end of the process of the runner. */
export function endAll(): void {
  for (const child of running) signal(child, 'SIGKILL')
}

function signal(child: ChildProcess, name: NodeJS.Signals): void {
  if (child.pid === undefined) return
  try {
    process.kill(-child.pid, name)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error // the group has ended
  }
}

const seconds_to_stop = 10

/** Starts a program that keeps running. */
export function start(command: readonly [string, ...string[]], place: Place): Program {
  const { child, exit } = launch(command, place)
  const gone = exit.then((code): never => {
    throw new Error(`${command.join(' ')} ended with ${code}. The end of ${place.log}:\n${endOf(place.log)}`)
  })
  gone.catch(() => {}) // those who wait for the program report it
  return {
    gone,
    async stop() {
      signal(child, 'SIGTERM')
      await Promise.race([exit, sleep(seconds_to_stop * 1000, undefined, { ref: false })])
      signal(child, 'SIGKILL')
      await exit
    },
  }
}

/** Runs a program to its end. @throws Error if it fails or takes longer */
export async function run(command: readonly [string, ...string[]], place: Place & { seconds: number }): Promise<void> {
  const { child, exit } = launch(command, place)
  child.stdin?.end()
  const code = await withDeadline(exit, place.seconds, `${command.join(' ')} did not end`).finally(() => signal(child, 'SIGKILL'))
  if (code !== 0) throw new Error(`${command.join(' ')} ended with ${code}. The end of ${place.log}:\n${endOf(place.log)}`)
}

function launch([file, ...args]: readonly [string, ...string[]], { cwd, env, log }: Place) {
  const output = openSync(log, 'a')
  const child = spawn(file, args, { cwd, env, detached: true, stdio: ['pipe', output, output] })
  closeSync(output)
  running.add(child)
  const exit = once(child, 'exit')
    .then(([code, by]): unknown => code ?? by)
    .finally(() => running.delete(child))
  return { child, exit }
}

const endOf = (log: string) => readFileSync(log, 'utf8').slice(-2_000)

export async function withDeadline<T>(work: Promise<T>, seconds: number, what: string): Promise<T> {
  const done = new AbortController()
  const late = sleep(seconds * 1000, undefined, { signal: done.signal }).then((): never => {
    throw new Error(`${what} within ${seconds} seconds.`)
  })
  return Promise.race([work, late]).finally(() => done.abort())
}

/** Waits until a condition holds. It may throw meanwhile; the last error is the cause. */
export async function eventually(what: string, seconds: number, condition: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + seconds * 1000
  let cause: unknown
  while (performance.now() < end) {
    try {
      if (await condition()) return
      cause = undefined
    } catch (error) {
      cause = error
    }
    await sleep(250)
  }
  throw new Error(`${what} within ${seconds} seconds.`, { cause })
}

/** Waits until an address answers with a page or a redirect. Some products give 401 to a program that asks for a page. */
export const answers = (url: string, seconds: number) =>
  eventually(`${url} did not answer`, seconds, async () => {
    const { status } = await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(5_000) })
    return status < 400 || status === 401
  })
