/** Reads the message of a command of the service if its database refuses. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import { run } from './cli-process.ts'
import { freePort } from './free-port.ts'

const folder = mkdtempSync(join(tmpdir(), 'ostiary-refused-'))
after(() => rmSync(folder, { recursive: true, force: true }))

export const environment = async (OSTIARY_DATABASE_URL: string) => ({
  OSTIARY_DATABASE_URL,
  OSTIARY_MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
  OSTIARY_DATA_DIR: folder,
  OSTIARY_PORT: String(await freePort()),
})

export const commands: Record<string, readonly string[]> = {
  migrate: [],
  doctor: [],
  serve: [],
  start: [],
  bootstrap: ['--email', 'a@example.com', '--tenant', 'Acme', '--password-stdin'],
  recover: ['--tenant', 'acme', '--email', 'a@example.com'],
}

/** Runs a command to its end. */
export async function outcomeOf(command: string, url: string) {
  const child = run(command, await environment(url), undefined, commands[command])
  child.process.stdin?.end('correct horse battery staple\n')
  return child.ended
}

/** Runs a command, and returns what it says. It must end with 1, in one line, without a stack. */
export async function refusalOf(command: string, url: string): Promise<string> {
  const { code, stdout, stderr } = await outcomeOf(command, url)
  assert.equal(code, 1, stderr)
  const said = command === 'doctor' ? stdout : stderr
  assert.doesNotMatch(said, /\n\s+at |cannot be reached/)
  return said
}

export const changed = (url: string, change: Partial<Record<'username' | 'password' | 'pathname' | 'search', string>>) =>
  Object.assign(new URL(url), change).href
