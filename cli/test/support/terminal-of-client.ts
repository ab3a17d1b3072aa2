/** Runs commands of the client in this process, against the service of a test, and keeps what they print. */
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { after } from 'node:test'
import { createAgent, followToClient } from '../../../server/test/support/cookie-browser.ts'
import { owner, type World } from '../../../server/test/support/world.ts'
import { runClient } from '../../src/client/client.ts'
import type { Io } from '../../src/client/io.ts'
import { UsageError } from '../../src/usage.ts'

interface Options {
  /** OSTIARY_KEY; `null` for a sign-in. */
  key?: string | null
  input?: string | Readable
  is_interactive?: boolean
  openBrowser?: (url: string) => void
  signal?: AbortSignal
  /** The variables with secrets. */
  secrets?: Readonly<Record<string, string>>
  /** Gets each text of standard output as it is printed. */
  printed?: (text: string) => void
  said?: (text: string) => void
}

export interface Result {
  code: number
  out: string
  err: string
}

/** A configuration folder, and `ostiary` in it. */
export function openClient(w: World, variables: Partial<Io['variables']> = {}) {
  const home = mkdtempSync(join(tmpdir(), 'ostiary-client-'))
  after(() => rmSync(home, { recursive: true, force: true }))
  const folder = join(home, 'ostiary')

  async function ostiary(words: readonly string[], options: Options = {}): Promise<Result> {
    const texts = { out: '', err: '' }
    const io: Io = {
      out: (text) => {
        texts.out += text
        options.printed?.(text)
      },
      err: (text) => {
        texts.err += text
        options.said?.(text)
      },
      input: options.input instanceof Readable ? options.input : Readable.from(options.input === undefined ? [] : [options.input]),
      is_interactive: options.is_interactive ?? false,
      variables: { OSTIARY_KEY: options.key ?? null, OSTIARY_URL: w.base_url, OSTIARY_PROFILE: null, ...variables },
      secret: (name) => options.secrets?.[name] ?? null,
      folder,
      now: w.now,
      random: randomBytes,
      openBrowser: options.openBrowser ?? (() => {}),
      signal: options.signal ?? new AbortController().signal,
    }
    try {
      return { code: await runClient(io, words), ...texts }
    } catch (error) {
      if (!(error instanceof UsageError)) throw error
      return { code: 2, out: texts.out, err: `${texts.err}${error.message}\n` }
    }
  }

  return { ostiary, folder }
}

/** A person in a browser on this machine: signs in, and the browser goes back to the loopback port. */
export const browserOf =
  (w: World, user: { email: string; password: string } = owner, agent = createAgent(w.reach)) =>
  (url: string): void => {
    answerTo(url, user, agent).then((answer) => fetch(answer))
  }

/** Signs in at the address of a sign-in. Returns the address where the browser ends. */
export function answerTo(url: string, user: { email: string; password: string } = owner, agent = createAgent()): Promise<URL> {
  return followToClient(agent, { url, redirect_uri: new URL(url).searchParams.get('redirect_uri') ?? '' }, user)
}
