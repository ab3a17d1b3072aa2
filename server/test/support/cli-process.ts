/** `ostiary` as a process of its own, for what happens to processes: signals, crashes, refusals to start. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { after } from 'node:test'
import { commandLineTool } from '../../../launch.mjs'

const main = await commandLineTool('serve') // what users run, not the sources
const started = new Set<ChildProcess>()
after(() => {
  for (const child of started) child.kill('SIGKILL')
})

export interface Child {
  process: ChildProcess
  /** What it ended with, once it has. */
  ended: Promise<{ code: number | null; signal: NodeJS.Signals | null; stdout: string; stderr: string }>
}

/** Starts a command. Only the variables given here begin with OSTIARY_. */
export function run(command: string, env: Record<string, string>): Child {
  const inherited = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('OSTIARY_')))
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', main, command], { env: { ...inherited, ...env } })
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
export async function serve(env: Record<string, string>): Promise<Child> {
  const child = run('serve', { OSTIARY_LOG_LEVEL: 'info', ...env })
  const listening = said(child, 'listening')
  const first = await Promise.race([listening, child.ended])
  if (first !== true) throw new Error(`serve ended with ${first.code}: ${first.stderr}`)
  return child
}

/** Waits for a line of the log. */
export function said(child: Child, message: string): Promise<true> {
  return new Promise((resolve) => {
    let text = ''
    child.process.stdout?.on('data', function look(chunk: string) {
      text += chunk
      if (!text.includes(`"message":"${message}"`)) return
      child.process.stdout?.off('data', look)
      resolve(true)
    })
  })
}
