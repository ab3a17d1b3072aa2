import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { commandLineTool } from '../../launch.mjs'
import { acceptInvitation, asAdministrator } from '../../server/test/support/administrator.ts'
import { createAgent } from '../../server/test/support/cookie-browser.ts'
import { createAdministrator } from '../../server/test/support/tenants.ts'
import { expectStatus, type World, world } from '../../server/test/support/world.ts'

const main = await commandLineTool('serve') // the build, as users run it

/** Runs the command while the service of this process serves the same database. */
async function ostiary(w: World, ...args: string[]) {
  const env = { PATH: process.env.PATH, OSTIARY_DATA_DIR: w.data_dir, OSTIARY_PORT: new URL(w.base_url).port }
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', main, ...args], { env })
  const output = { stdout: '', stderr: '' }
  child.stdout.on('data', (chunk) => {
    output.stdout += chunk
  })
  child.stderr.on('data', (chunk) => {
    output.stderr += chunk
  })
  const status = await new Promise<number | null>((resolve) => child.once('close', resolve))
  return { status, ...output }
}

test('recover prints a link that makes the person who accepts it an owner, once, even while the service runs', async () => {
  const w = await world({ engine: 'sqlite' })
  const lost = await createAdministrator(w, 'lost@example.com')
  const { status, stdout } = await ostiary(w, 'recover', '--tenant', 'acme', '--email', 'Label@example.com', '--json')
  assert.equal(status, 0)
  const printed = JSON.parse(stdout)
  const { invitation_id, invitation_url, expires_at, ...rest } = printed
  assert.match(invitation_id, /^inv_/)
  assert.ok(Date.parse(expires_at) > Date.now())
  assert.deepEqual(rest, { tenant_id: w.tenant_id, email: 'Label@example.com', role: 'owner' })
  expectStatus(200, await acceptInvitation(invitation_url, lost))
  assert.equal((await createAgent().get(invitation_url)).status, 410)

  const owner = asAdministrator(w, lost.token)
  const { data } = expectStatus(200, await owner('GET', `/v1/tenants/${w.tenant_id}/members`))
  assert.ok(data.some((member: { user_id: string; role: string }) => member.user_id === lost.user_id && member.role === 'owner'))
})

test('recover with the slug of the root tenant creates an operator', async () => {
  const w = await world({ engine: 'sqlite' })
  const operator = await createAdministrator(w, 'operator@example.com')
  const { status, stdout } = await ostiary(w, 'recover', '--tenant', 'ostiary', '--email', operator.email)
  assert.equal(status, 0)
  const [invitation_url = ''] = stdout.split('\n')
  expectStatus(200, await acceptInvitation(invitation_url, operator))
  const { memberships, root_tenant_id } = expectStatus(200, await asAdministrator(w, operator.token, null)('GET', '/v1/me'))
  assert.deepEqual(memberships, [{ tenant_id: root_tenant_id, slug: 'ostiary', name: 'Ostiary', role: 'owner' }])
})

const mistakes = [
  {
    why: 'the tenant is unknown',
    args: ['--tenant', 'none', '--email', 'a@example.com'],
    status: 1,
    says: /no tenant with the slug "none"/,
  },
  { why: 'the tenant is missing', args: ['--email', 'a@example.com'], status: 2, says: /^--tenant SLUG is missing: slug of the tenant/m },
  { why: 'the email address is invalid', args: ['--tenant', 'acme', '--email', 'a'], status: 2, says: /--email takes the email address/ },
  { why: 'an option is unknown', args: ['--tenant', 'acme', '--role', 'owner'], status: 2, says: /--role/ },
]
for (const { why, args, status, says } of mistakes)
  test(`recover reports in one sentence that ${why}, and prints no link`, () => {
    const data_dir = mkdtempSync(join(tmpdir(), 'ostiary-recover-'))
    after(() => rmSync(data_dir, { recursive: true, force: true }))
    const env = { PATH: process.env.PATH, OSTIARY_DATA_DIR: data_dir }
    const command = [process.execPath, ['--disable-warning=ExperimentalWarning', main, 'recover', ...args]] as const
    const ended = spawnSync(...command, { env, encoding: 'utf8' })
    assert.deepEqual([ended.status, ended.stdout], [status, ''])
    assert.match(ended.stderr, says)
    assert.doesNotMatch(ended.stderr, /\n\s+at /)
  })
