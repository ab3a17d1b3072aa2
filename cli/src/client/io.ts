/** The client's access to its process: streams, variables, time, randomness and a browser. Only this file reads them. */
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { type ClientVariable, secret_variables } from '@ostiary/server/base/config/client-variables.ts'

export interface Io {
  /** Standard output: results only. */
  out(text: string): void
  /** Standard error: everything else. */
  err(text: string): void
  readonly input: NodeJS.ReadableStream
  /** A person can answer a question. */
  readonly is_interactive: boolean
  readonly variables: Readonly<Record<ClientVariable, string | null>>
  /** The value of a secret that a configuration names. Blanks around it are part of it. */
  secret(name: string): string | null
  /** The folder of profiles and cursors. */
  readonly folder: string
  now(): Date
  random(bytes: number): Buffer
  /** Tries to open an address. A machine without a browser does nothing. */
  openBrowser(url: string): void
  /** Aborts at Ctrl-C and SIGTERM. */
  readonly signal: AbortSignal
}

type Environment = Readonly<Record<string, string | undefined>>

export function ioOfProcess(signal: AbortSignal): Io {
  const environment: Environment = process.env
  const variable = (name: ClientVariable) => environment[name]?.trim() || null
  return {
    out: (text) => process.stdout.write(text),
    err: (text) => process.stderr.write(text),
    input: process.stdin,
    is_interactive: process.stdin.isTTY === true && process.stderr.isTTY === true,
    variables: {
      OSTIARY_KEY: variable('OSTIARY_KEY'),
      OSTIARY_URL: variable('OSTIARY_URL'),
      OSTIARY_PROFILE: variable('OSTIARY_PROFILE'),
    },
    // The service names secrets, too. It gets no other variable.
    secret: (name) => (name.startsWith(secret_variables) ? environment[name] || null : null),
    folder: join(configurationFolder(environment), 'ostiary'),
    now: () => new Date(),
    random: randomBytes,
    openBrowser,
    signal,
  }
}

/** XDG Base Directory Specification: a relative path is ignored. */
function configurationFolder({ XDG_CONFIG_HOME = '', APPDATA = '' }: Environment): string {
  if (XDG_CONFIG_HOME.startsWith('/')) return XDG_CONFIG_HOME
  return process.platform === 'win32' && APPDATA !== '' ? APPDATA : join(homedir(), '.config')
}

/** The address is an argument of its own and never passes through a shell. */
function openBrowser(url: string): void {
  const openers: Readonly<Record<string, [string, ...string[]]>> = {
    darwin: ['open'],
    win32: ['rundll32', 'url.dll,FileProtocolHandler'],
  }
  const [program, ...args] = openers[process.platform] ?? ['xdg-open']
  const child = spawn(program, [...args, url], { stdio: 'ignore', detached: true })
  child.on('error', () => {}) // there is no browser; the address is printed, too
  child.unref()
}
