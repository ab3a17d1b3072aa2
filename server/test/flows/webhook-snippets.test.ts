/** The receivers that the dashboard shows under "Verify signatures" accept what the service signs, and nothing else. */
import assert from 'node:assert/strict'
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { verifySnippets } from '../../../dashboard/src/pages/webhook/verify-code.ts'
import { makeWebhookSecret, signedHeaders } from '../../src/domain/webhooks/sign.ts'
import { freePort } from '../support/free-port.ts'
import { until } from '../support/receiver.ts'

const folder = mkdtempSync(join(tmpdir(), 'ostiary-receivers-'))
after(() => rmSync(folder, { recursive: true }))

const inFile = (name: string, code: string) => {
  writeFileSync(join(folder, name), code)
  return join(folder, name)
}
const is_installed = (command: string, ...args: string[]) => spawnSync(command, args).status === 0

/** How each receiver is started. A language that this machine lacks is skipped; Ruby's needs a package, so nothing here runs it. */
const languages: Record<string, { missing: boolean; start: (code: string) => [command: string, ...args: string[]] }> = {
  TypeScript: { missing: false, start: (code) => [process.execPath, '--input-type=module', '--eval', code] },
  Python: { missing: !is_installed('python3', '--version'), start: (code) => ['python3', '-c', code] },
  Go: { missing: !is_installed('go', 'version'), start: (code) => ['go', 'run', inFile('receiver.go', code)] },
  Java: { missing: !is_installed('java', '--version'), start: (code) => ['java', inFile('Receiver.java', code)] },
}

const [current, other] = [makeWebhookSecret(new Uint8Array(32).fill(1)), makeWebhookSecret(new Uint8Array(32).fill(2))]
const now = new Date()
const body = JSON.stringify({ type: 'user.created', note: 'ü' })
const signed = (secrets: string[], at = now) => ({ headers: signedHeaders('msg_1', body, secrets, at), body })
const moved = (seconds: number) => new Date(now.getTime() + seconds * 1_000)

// biome-ignore format: this table is read by column
const messages: [string, number, { headers: Record<string, string>; body: string }][] = [
  ['signed with the secret',              204, signed([current])],
  ['signed with the new and the old one', 204, signed([other, current])],
  ['signed with another secret',          400, signed([other])],
  ['with another body',                   400, { ...signed([current]), body: `${body} ` }],
  ['with another id',                     400, { body, headers: { ...signed([current]).headers, 'webhook-id': 'msg_2' } }],
  ['without a signature',                 400, { body, headers: { ...signed([current]).headers, 'webhook-signature': '' } }],
  ['from ten minutes ago',                400, signed([current], moved(-600))],
  ['from the future',                     400, signed([current], moved(600))],
]

for (const { name, code } of verifySnippets)
  test(`the receiver in ${name} takes what the service signs`, { skip: languages[name]?.missing ?? 'needs a package' }, async (t) => {
    const [command, ...args] = languages[name]?.start(code) ?? assert.fail()
    const port = await freePort()
    const env = { ...process.env, PORT: String(port), OSTIARY_WEBHOOK_SECRET: current }
    const child = spawn(command, args, { env, cwd: join(import.meta.dirname, '../../..'), detached: true, stdio: 'ignore' })
    t.after(() => endGroup(child))
    const send = (message: { headers: Record<string, string>; body: string }) =>
      fetch(`http://127.0.0.1:${port}/`, { method: 'POST', ...message }).then(({ status }) => status)
    await until('a receiver', () => send(signed([current])).catch(() => false as const))
    for (const [why, status, message] of messages) await t.test(why, async () => assert.equal(await send(message), status))
  })

/** Ends the process with those that it started: `go run` starts another one. */
function endGroup({ pid }: ChildProcess): void {
  if (pid !== undefined) process.kill(-pid, 'SIGKILL')
}
