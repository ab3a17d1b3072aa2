/** How many mails one address gets in a day, over all tenants (docs/decisions/0064). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { EnvironmentId, TenantId } from '@ostiary/contract/ids.ts'
import { z } from 'zod'
import { sql } from '../../src/db/db.ts'
import { countMail } from '../../src/domain/mail/address-limit.ts'
import { mailStatements } from '../../src/domain/mail/send.ts'
import type { Notice } from '../../src/domain/mail/texts/notice.ts'
import { insertEnvironment, insertProject, insertTenant } from '../../src/domain/tenancy/store.ts'
import { insertUser } from '../../src/domain/users/store.ts'
import { findRoot } from '../../src/setup/root.ts'
import { authorizationRequest, createAgent } from '../support/cookie-browser.ts'
import { createTenant } from '../support/invitations.ts'
import { startMailServer } from '../support/mail-server.ts'
import { createAdministrator } from '../support/tenants.ts'
import { expectStatus, world } from '../support/world.ts'

const w = await world({ resolve: async () => ['127.0.0.1'], env: { OSTIARY_WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' } })
const { db, newId } = w.deployment
const root = (await findRoot(db)) ?? assert.fail('There is no root environment.')
const root_environment = root.environment_id as EnvironmentId // as: stored by us
const server = await startMailServer({ disabledCommands: ['STARTTLS'] })
const email = { delivery: 'smtp', from: 'a@example.com', smtp: { host: 'mail.test', port: server.port, tls: 'none' } }
const configure = (id: string, settings: object) =>
  db.run(sql`update environments set settings = ${{ email, ...settings }}, settings_version = settings_version + 1 where id = ${id}`)

/** A tenant with one environment. */
async function newEnvironment(): Promise<EnvironmentId> {
  const [tenant_id, project_id, id] = [newId('ten') as TenantId, newId('prj'), newId('env') as EnvironmentId] // as: newId gives exactly these
  const named = { slug: id.slice(4).toLowerCase(), name: 'E' }
  await db.batch([
    insertTenant(tenant_id, named, w.now()),
    insertProject(tenant_id, project_id, named, w.now()),
    insertEnvironment(
      { tenant_id, project_id },
      { id, issuer: `https://issuer.example/${id}` },
      { slug: 'live', name: 'Live', type: 'live' },
      w.now(),
    ),
  ])
  return id
}

const addUser = (environment: EnvironmentId, address: string, email_verified: boolean) =>
  db.batch(insertUser({ environment_id: environment, id: newId('usr') }, { email: address, email_verified }, null, w.now()))

interface Mails {
  address: string
  is_known?: boolean
  is_decoy?: boolean
}

/** Counts up to this many mails. Returns how many went. */
async function send(environment: EnvironmentId, { address, ...mail }: Mails, count: number): Promise<number> {
  let sent = 0
  for (let i = 0; i < count; i++) if (await db.batch(await countMail(w.deployment, environment, { to: address, ...mail }, w.now()))) sent++
  return sent
}

test('all tenants without a proven account together send thirty mails a day to an address, and the first three of each always go', async () => {
  const environments = await Promise.all(Array.from({ length: 5 }, newEnvironment))
  const [address, other] = ['victim@example.com', 'another@example.com']
  const sent: number[] = []
  for (const environment of environments) sent.push(await send(environment, { address }, 15))
  assert.deepEqual(sent, [15, 15, 3, 3, 3])
  assert.equal(await send(environments[0] ?? root_environment, { address: other }, 1), 1)
  w.advance(86_400)
  assert.equal(await send(environments[0] ?? root_environment, { address }, 31), 30, 'the next day')
})

// biome-ignore format: a table
const spellings: [string, boolean][] = [
  ['plus@example.com',         true],
  ['plus+shop@example.com',    true],
  ['PLUS+a+b@Example.COM',     true],
  ['plus.shop@example.com',    false],
  ['plus@shop.example.com',    false],
  ['+plus@example.com',        false],
]
test('an address counts without its plus part and without regard to case', async () => {
  const environment = await newEnvironment()
  assert.equal(await send(environment, { address: 'plus+news@example.com' }, 31), 30)
  for (const [address, is_same] of spellings) assert.equal(await send(environment, { address }, 1), is_same ? 0 : 1, address)
})

test('a tenant in which the address has a proven account counts for itself, and its known browsers never count', async () => {
  const [shop, other, squatted] = await Promise.all([newEnvironment(), newEnvironment(), newEnvironment()])
  const address = 'proven@example.com'
  await addUser(shop, address, true)
  await addUser(squatted, address, false)
  assert.equal(await send(other, { address }, 40), 30)
  assert.equal(await send(shop, { address }, 40), 30)
  assert.equal(await send(shop, { address, is_known: true }, 40), 40)
  assert.equal(await send(squatted, { address }, 5), 3, 'an account without a proof')
  assert.equal(await send(squatted, { address, is_known: true }, 5), 0, 'a browser of an account without a proof')
})

test('the root tenant counts for itself', async () => {
  const environment = await newEnvironment()
  const address = 'administrator@example.com'
  assert.equal(await send(environment, { address }, 40), 30)
  assert.equal(await send(root_environment, { address }, 40), 30)
})

test('a decoy does not count', async () => {
  const environment = await newEnvironment()
  const address = 'decoy@example.com'
  assert.equal(await send(environment, { address, is_decoy: true }, 40), 40)
  assert.equal(await send(environment, { address }, 40), 30)
})

for (const is_proven of [false, true])
  test(`of fifty parallel mails to ${is_proven ? 'a proven' : 'an unknown'} address thirty go`, async () => {
    const environments = await Promise.all(Array.from({ length: is_proven ? 1 : 5 }, newEnvironment))
    const address = `raced-${is_proven}@example.com`
    const [first = root_environment] = environments
    if (is_proven) await addUser(first, address, true)
    // The first three of each tenant always go, so a tenant that comes late would get more than the rest of the thirty.
    for (const environment of environments) assert.equal(await send(environment, { address }, 3), 3)
    const turns = Array.from({ length: 50 }, (_, i) => send(environments[i % environments.length] ?? first, { address }, 1))
    const sent = (await Promise.all(turns)).reduce((sum, one) => sum + one, 0)
    assert.equal(3 * environments.length + sent, 30)
  })

test('a row holds a keyed digest of the address, never the address', async () => {
  await send(await newEnvironment(), { address: 'secretive@example.com' }, 1)
  const rows = await db.all(z.object({ address: z.string() }), sql`select address from address_mails`)
  assert.ok(rows.length > 0 && rows.every(({ address }) => /^[A-Za-z0-9_-]{43}$/.test(address)))
})

const dated = { expires_at: new Date(w.now().getTime() + 3_600_000), device: null }
const method = { method: 'totp', name: null, device: null } as const
const link = 'https://example.com/link'

/** Each kind of mail, and whether it is counted. Mails after a change of the account are always sent. */
// biome-ignore format: this table is read by column
const kinds: { [K in Notice['kind']]: [counts: boolean, notice: Extract<Notice, { kind: K }>] } = {
  sign_in_code:        [true,  { kind: 'sign_in_code', code: '123456', ...dated }],
  verify_email:        [true,  { kind: 'verify_email', code: '123456', link, ...dated }],
  existing_account:    [true,  { kind: 'existing_account', asked_for: 'sign_up', ways: [], ...dated }],
  sign_up_refused:     [true,  { kind: 'sign_up_refused', ...dated }],
  reset_password:      [true,  { kind: 'reset_password', link, ...dated }],
  change_email:        [true,  { kind: 'change_email', code: '123456', link, ...dated }],
  invitation:          [true,  { kind: 'invitation', link, tenant_name: 'T', inviter: 'I', role: 'developer', expires_at: dated.expires_at }],
  organization_invitation: [true, { kind: 'organization_invitation', link, organization_name: 'O', inviter: null, expires_at: dated.expires_at }],
  organization_invitation_code: [true, { kind: 'organization_invitation_code', code: '123456', organization_name: 'O', ...dated }],
  test:                [true,  { kind: 'test' }],
  change_email_notice: [false, { kind: 'change_email_notice', new_email: 'n@example.com', link, ...dated }],
  password_changed:    [false, { kind: 'password_changed', device: null }],
  method_added:        [false, { kind: 'method_added', ...method }],
  method_removed:      [false, { kind: 'method_removed', ...method }],
  recovery_code_used:  [false, { kind: 'recovery_code_used', left: 3, device: null }],
  recovery_codes_made: [false, { kind: 'recovery_codes_made', device: null }],
  new_sign_in:         [false, { kind: 'new_sign_in', link, application: null, browser: null }],
  data_exported:       [false, { kind: 'data_exported', device: null }],
  account_closed:      [false, { kind: 'account_closed', deletes_at: dated.expires_at, device: null }],
  account_restored:    [false, { kind: 'account_restored', device: null }],
  approved:            [false, { kind: 'approved' }],
  refused:             [false, { kind: 'refused', ends_at: dated.expires_at }],
  expiring:            [false, { kind: 'expiring', tenant_name: 'T', things: [], has_more: false, link }],
  account_deleted:     [false, { kind: 'account_deleted', device: null }],
}
for (const [kind, [counts, notice]] of Object.entries(kinds))
  test(`over the limit of an address a mail ${kind} ${counts ? 'does not go' : 'goes all the same'}, and always where mails are captured`, async () => {
    const [delivering, captured] = [await newEnvironment(), w.test.id as EnvironmentId] // as: an id of ours
    await configure(delivering, {})
    const to = `${kind}@example.com`
    const mail = async (environment: EnvironmentId) =>
      db.batch(await mailStatements(w.deployment, environment, { to, user_id: null, request_id: 'req_1', notice }, w.now()))
    for (let i = 0; i < 31; i++) assert.ok(await mail(captured))
    assert.ok(await mail(delivering), 'captured mails do not count')
    await send(delivering, { address: to }, 30)
    assert.equal((await mail(delivering)) !== null, !counts)
  })

test('over the limit a page answers as ever, calls are 429, and the statistics count it', async () => {
  await configure(w.live.id, { sign_in: { email_code: true } })
  const client = await w.createApplication(w.live)
  const key = expectStatus(201, await w.call('POST', `${w.live.path}/auth-keys`, { body: { type: 'auth_secret' } })).key as string
  const ask = async (address: string) => {
    const agent = createAgent()
    const page = await agent.get(authorizationRequest(w.live, client, { prompt: 'login' }).url)
    const asked = await agent.submit(page, { email: address, password: '', method: 'email_code' })
    return { status: asked.status, is_code: asked.body.includes('data-step="code"') }
  }
  /** A mail that was delivered has an event in place of its row. */
  const sent = sql`select id from mails where environment_id = ${w.live.id}
    union all select id from events where environment_id = ${w.live.id} and type = 'mail.sent'`
  const countSent = async () => (await db.all(z.object({ id: z.string() }), sent)).length
  const user = await w.createUser(w.live, { email_verified: false })
  const before = await ask('within@example.com')
  const count = await countSent()
  await send(w.live.id as EnvironmentId, { address: user.email }, 30) // as: an id of ours
  assert.deepEqual(await ask(user.email), before)
  assert.equal(await countSent(), count)
  for (const route of ['send-reset', 'send-verification']) {
    const refused = await w.call('POST', `/v1/auth/users/${user.id}/${route}`, { key })
    assert.deepEqual([refused.status, refused.body.code], [429, 'rate_limited'], route)
    assert.ok(Number(refused.headers.get('retry-after')) > 0)
  }
  const tested = await w.call('POST', `${w.live.path}/settings/email/test`, { body: { to: user.email } })
  assert.deepEqual([tested.status, tested.body.code], [429, 'rate_limited'])
  await w.deployment.counters.write()
  const { data } = expectStatus(200, await w.call('GET', `${w.live.path}/statistics`))
  const limited = data.flatMap(({ mails }: { mails: unknown[] }) => mails)
  assert.equal(limited[0]?.outcome, 'limited')
  assert.ok(limited[0].count >= 3)
})

test('an invitation to an address over the limit is 429 and leaves no invitation', async () => {
  await configure(root_environment, { sign_up: { mode: 'closed' } })
  const olga = await createAdministrator(w, 'olga-mails@example.com')
  const address = 'invited-too-often@example.com'
  const tenant = await createTenant(w, olga)
  await send(root_environment, { address }, 30)
  const refused = await tenant.as(olga, 'POST', '', { email: address, role: 'developer' })
  assert.deepEqual([refused.status, refused.body.code], [429, 'rate_limited'])
  assert.equal((await tenant.list()).length, 1)
})
