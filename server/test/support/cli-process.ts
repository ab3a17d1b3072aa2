/** Runs `ostiary` as a separate process, for tests of signals, crashes and refusals to start. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { after } from 'node:test'
import { commandLineTool } from '../../../launch.mjs'

const main = await commandLineTool('serve') // the build that users run, not the sources
const started = new Set<ChildProcess>()
after(() => {
  for (const child of started) child.kill('SIGKILL')
})

export interface Child {
  process: ChildProcess
  /** Resolves when the process has ended. */
  ended: Promise<{ code: number | null; signal: NodeJS.Signals | null; stdout: string; stderr: string }>
}

/** Starts a command of this program, or of another one. Of the variables that begin with OSTIARY_ it inherits those of the test run. */
export function run(command: string, env: Record<string, string>, program = main, options: readonly string[] = []): Child {
  const inherited = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !name.startsWith('OSTIARY_') || name.startsWith('OSTIARY_TEST_')),
  )
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', program, command, ...options], {
    env: { ...inherited, ...env },
  })
  started.add(child)
  const texts = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      texts[name] += text
    })
  }
  const ended = once(child, 'close').then(([code, signal]) => {
    started.delete(child)
    return { code, signal, ...texts }
  })
  return { process: child, ended }
}

/** Starts `ostiary serve`, and waits until it listens. */
export async function serve(env: Record<string, string>, program = main): Promise<Child> {
  const child = run('serve', { OSTIARY_LOG_LEVEL: 'info', ...env }, program)
  const listening = logged(child, 'listening')
  const first = await Promise.race([listening, child.ended])
  if (first !== true) throw new Error(`serve ended with ${first.code}: ${first.stderr}`)
  return child
}

/** Waits for a message in the log. */
export function logged(child: Child, message: string): Promise<true> {
  return new Promise((resolve) => {
    let text = ''
    child.process.stdout?.on('data', function look(chunk: string) {
      text += chunk
      if (!text.includes(`"message":${JSON.stringify(message)}`)) return
      child.process.stdout?.off('data', look)
      resolve(true)
    })
  })
}
