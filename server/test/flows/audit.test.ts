import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { hash } from 'node:crypto'
import { test } from 'node:test'
import type { AuditEntry } from '@ostiary/contract/audit.ts'
import { routes } from '@ostiary/contract/routes.ts'
import { type Statement, sql } from '../../src/db/db.ts'
import { canonicalJson } from '../../src/domain/audit/canonical.ts'
import { verifyChains } from '../../src/domain/audit/verify.ts'
import { findWaitingOwners, outboxes } from '../../src/domain/events/outbox.ts'
import { insertEmailChange } from '../../src/domain/users/email-changes.ts'
import { administratorToken, asAdministrator } from '../support/administrator.ts'
import { organizationsOf } from '../support/organizations.ts'
import { storeTrustedBrowser } from '../support/tenants.ts'
import { expectStatus, owner, type Reply, world } from '../support/world.ts'

const w = await world()
const token = await administratorToken(w, owner)
const admin = asAdministrator(w, token)
const { db } = w.deployment
const log = `/v1/tenants/${w.tenant_id}/audit-log`

/** All entries, oldest first. Waits until every entry written so far has its place in the chain. */
async function entries(path = log): Promise<AuditEntry[]> {
  while ((await findWaitingOwners(db, outboxes.audit_log)).length > 0) await new Promise((resolve) => setTimeout(resolve, 10))
  const reply = await admin('GET', path, undefined, { accept: 'application/jsonl' })
  assert.match(reply.headers.get('content-type') ?? '', /^application\/jsonl/)
  return linesOf(reply)
}

const linesOf = ({ body }: Reply): AuditEntry[] =>
  (typeof body === 'string' ? body : '')
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line))

async function firstMessage(webhook: string): Promise<string> {
  for (;;) {
    const { data } = expectStatus(200, await w.call('GET', `/v1/platform/projects${webhook}/deliveries`))
    if (data.length > 0) return data[0].id ?? data[0].message_id
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

/** Calls every route that changes something. New routes belong here. */
async function changeEverything(): Promise<string[]> {
  const ok = (reply: Reply) => {
    if (reply.status >= 300) throw new Error(`${reply.status} ${JSON.stringify(reply.body)}`)
    return reply.body
  }
  const platform = async (method: string, path: string, body?: unknown) =>
    ok(await w.call(method, `/v1/platform/projects${path}`, { body }))
  const own = async (method: string, path: string, body?: unknown) => ok(await admin(method, `/v1/tenants${path}`, body))

  const project = await platform('POST', '', { slug: 'audited', name: 'Audited' })
  await platform('PATCH', `/${project.id}`, { name: 'Audited again' })
  const environment = await platform('POST', `/${project.id}/environments`, { slug: 'stage', name: 'Stage', type: 'test' })
  const at = `/${project.id}/environments/${environment.id}`
  await platform('PATCH', at, { name: 'Staging' })
  await platform('POST', `${at}/settings/email/test`, { to: 'Grace.Hopper@example.com' })
  await platform('PATCH', `${at}/settings`, {
    email: {
      delivery: 'capture',
      from: 'a@example.com',
      smtp: { host: 'mail.example.com', port: 587, username: 'u', password: 'mail secret', tls: 'starttls' },
    },
  })
  const application = await platform('POST', `${at}/applications`, {
    name: 'App',
    application_type: 'web',
    redirect_uris: ['https://a.example.com/'],
  })
  await platform('PATCH', `${at}/applications/${application.id}`, { name: 'Application' })
  const rotated = await platform('POST', `${at}/applications/${application.id}/rotate-secret`)
  const added = await platform('POST', `${at}/applications/${application.id}/secrets`, { label: 'Second' })
  await platform('DELETE', `${at}/applications/${application.id}/secrets/${added.id}`)
  const metadata_client = await platform('POST', `${at}/metadata-clients`, { client_id: 'https://agent.example.com/client.json' })
  await platform('PATCH', `${at}/metadata-clients/${metadata_client.id}`, { disabled: true })
  await platform('POST', `${at}/metadata-clients/${metadata_client.id}/read`)
  await platform('DELETE', `${at}/metadata-clients/${metadata_client.id}`)
  const resource_server = await platform('POST', `${at}/resource-servers`, {
    identifier: 'https://api.example.com',
    name: 'API',
    scopes: [],
  })
  await platform('PATCH', `${at}/resource-servers/${resource_server.id}`, { name: 'The API' })
  await platform('DELETE', `${at}/resource-servers/${resource_server.id}`)
  const role = await platform('POST', `${at}/roles`, { name: 'Editor', kind: 'organization' })
  await platform('PATCH', `${at}/roles/${role.id}`, { name: 'Editors' })
  const provider = await platform('POST', `${at}/providers`, { type: 'github', client_id: 'ours', client_secret: 'provider secret' })
  await platform('PATCH', `${at}/providers/${provider.id}`, { display_name: 'Our GitHub' })
  await platform('POST', `${at}/providers/${provider.id}/check`)
  await platform('DELETE', `${at}/providers/${provider.id}`)
  await platform('POST', `${at}/signing-keys/rotate`)
  const webhook = await platform('POST', `${at}/webhooks`, { url: 'https://hooks.invalid/' })
  await platform('PATCH', `${at}/webhooks/${webhook.id}`, { description: 'Orders' })
  const new_secret = await platform('POST', `${at}/webhooks/${webhook.id}/rotate-secret`)
  await platform('POST', `${at}/webhooks/${webhook.id}/test`)
  await platform('POST', `${at}/webhooks/${webhook.id}/deliveries/${await firstMessage(`${at}/webhooks/${webhook.id}`)}/resend`)
  await platform('POST', `${at}/webhooks/${webhook.id}/resend`, { since: '2026-01-01T00:00:00.000Z' })
  await platform('DELETE', `${at}/webhooks/${webhook.id}`)
  const auth_key = await platform('POST', `${at}/auth-keys`, { type: 'auth_secret', label: 'Backend' })
  await platform('PATCH', `${at}/auth-keys/${auth_key.id}`, { label: 'The backend' })
  const new_key = await platform('POST', `${at}/auth-keys/${auth_key.id}/rotate`)

  const backend = async (method: string, path: string, body?: unknown) =>
    ok(await w.call(method, `/v1/auth${path}`, { body, key: new_key.key }))
  const user = await backend('POST', '/users', { email: 'grace@example.com', name: 'Grace Hopper', password: 'a long enough password' })
  await backend('PATCH', `/users/${user.id}`, { name: 'Rear Admiral Hopper' })
  const organization = await backend('POST', '/organizations', { name: 'Acme', metadata: { contact: 'Grace Hopper' } })
  const members = `/organizations/${organization.id}/members`
  await backend('PATCH', `/organizations/${organization.id}`, { name: 'Acme Ltd' })
  await backend('POST', members, { user_id: user.id })
  await backend('PATCH', `${members}/${user.id}`, { roles: [role.slug] })
  await backend('DELETE', `${members}/${user.id}`)
  const invitations = `/organizations/${organization.id}/invitations`
  const invited = await backend('POST', invitations, { email: 'invited@example.com', roles: [role.slug] })
  await backend('POST', `${invitations}/${invited.id}/resend`)
  await backend('DELETE', `${invitations}/${invited.id}`)
  await backend('DELETE', `/organizations/${organization.id}`)
  await platform('DELETE', `${at}/roles/${role.id}`)
  await backend('POST', `/users/${user.id}/send-reset`)
  await backend('POST', `/users/${user.id}/send-verification`)
  await backend('POST', `/users/${user.id}/block`)
  await backend('POST', `/users/${user.id}/unblock`)
  await db.run(
    sql`update users set deletes_at = ${new Date(w.now().getTime() + 60_000)} where environment_id = ${environment.id} and id = ${user.id}`,
  )
  await backend('POST', `/users/${user.id}/restore`)
  for (const decision of ['approve', 'refuse'])
    await backend('POST', `/users/${(await w.createUser(environment, { waits: true })).id}/${decision}`)
  const session_id = w.deployment.newId('ses')
  const [now, later] = [w.now(), new Date(w.now().getTime() + 60_000)]
  await db.run(
    sql`insert into sessions (environment_id, id, user_id, token_hash, amr, acr, began_with, ending, created_at, auth_time, last_seen_at,
          expires_at, absolute_expires_at)
        select environment_id, ${session_id}, id, 'x', '[]', '', 'email_code', ending, ${now}, ${now}, ${now}, ${later}, ${later}
          from users where id = ${user.id}`,
  )
  await backend('DELETE', `/sessions/${session_id}`)
  const [grant_id, message_id] = [w.deployment.newId('grt'), w.deployment.newId('msg')]
  await db.batch([
    sql`insert into grants (environment_id, id, user_id, application_id, session_id, scope, resource, offline, auth_time, amr, acr,
          began_with, ending, application_ending, created_at, expires_at, visit_at, code_hash)
        select u.environment_id, ${grant_id}, u.id, a.id, 'gone', 'openid', '[]', 0, ${now}, '[]', '', 'email_code', u.ending, a.ending, ${now}, ${later}, ${later}, 'c'
          from users u join applications a on a.environment_id = u.environment_id and a.id = ${application.id}
         where u.environment_id = ${environment.id} and u.id = ${user.id}`,
    sql`insert into backchannel_logouts (environment_id, id, application_id, session_id, user_id, status, created_at, updated_at)
        values (${environment.id}, ${message_id}, ${application.id}, ${session_id}, ${user.id}, 'given_up', ${now}, ${now})`,
  ])
  await platform('POST', `${at}/backchannel-logouts/${message_id}/resend`)
  await backend('DELETE', `/users/${user.id}/grants/${grant_id}`)
  await platform('DELETE', `${at}/applications/${application.id}`)
  await backend('POST', `/users/${user.id}/end-sessions`)
  const { data: methods } = await backend('GET', `/users/${user.id}/methods`)
  await backend('DELETE', `/users/${user.id}/methods/${methods[0].id}`)
  await backend('DELETE', `/users/${user.id}/trusted-browsers/${await storeTrustedBrowser(w, environment, user.id)}`)
  await backend('POST', '/users/jobs', { action: 'end_sessions', user_ids: [w.deployment.newId('usr')] })
  await backend('DELETE', `/users/${user.id}`)
  await platform('DELETE', `${at}/auth-keys/${auth_key.id}`)

  const keys = `/${w.tenant_id}/platform-keys`
  const platform_key = await own('POST', keys, { label: 'CI', scopes: ['projects:read'] })
  await own('PATCH', `${keys}/${platform_key.id}`, { scopes: ['projects:read', 'environments:read'] })
  const new_platform_key = await own('POST', `${keys}/${platform_key.id}/rotate`)
  await own('DELETE', `${keys}/${platform_key.id}`)
  const member = await own('POST', `/${w.tenant_id}/members`, { email: 'ada@example.com', role: 'viewer' })
  await own('PATCH', `/${w.tenant_id}/members/${member.id}`, { role: 'developer' })
  const resent = await own('POST', `/${w.tenant_id}/members/${member.id}/resend`)
  await own('DELETE', `/${w.tenant_id}/members/${member.id}`)
  await own('PATCH', `/${w.tenant_id}`, { name: 'Acme Incorporated' })
  const [{ id: to_environment_id }] = project.environments
  const plan = { from_environment_id: environment.id, to_environment_id, only: [{ object: 'settings', pointer: '/password/min_length' }] }
  const { id: promotion_id } = await platform('POST', `/${project.id}/promotions`, plan)
  await platform('POST', `/${project.id}/promotions/${promotion_id}/apply`, {})
  await platform('POST', `/${project.id}/promotions/${promotion_id}/revert`, {})
  return [
    application.client_secret,
    rotated.client_secret,
    auth_key.key,
    new_key.key,
    platform_key.key,
    new_platform_key.key,
    member.invitation_url,
    resent.invitation_url,
    webhook.secret,
    new_secret.secret,
    'mail secret',
    'provider secret',
  ]
}

test('every call that changes something leaves one entry with action, actor, object, address, request and time, and without secrets', async (t) => {
  const before = await entries()
  const began_at = w.now()
  const secrets = await changeEverything()
  const added = (await entries()).slice(before.length)
  const ended_at = w.now()

  const changing = Object.entries(routes).filter(([, { method }]) => method !== 'GET')
  const elsewhere = ['validateToken', 'previewSettings', 'previewRole', 'createTenant', 'approvePromotion'] // the last one needs a second administrator
  const expected = changing.map(([name]) => name).filter((name) => !elsewhere.includes(name))
  const logged = added.map(({ action }) => action)
  const missing = expected.filter((name) => !logged.includes(name))
  assert.deepEqual(missing, [], `${missing} left no entry, or is not called by changeEverything`)
  assert.deepEqual(logged.sort(), expected.sort())

  for (const entry of added) {
    const { action, actor, object, ip, request_id, created_at } = entry
    await t.test(action, () => {
      assert.ok(actor.id && actor.label)
      assert.match(`${object.type} ${object.id}`, /^[a-z_]+ \S+$/)
      assert.match(request_id ?? '', /^req_/)
      assert.match(ip ?? '', /^(127\.0\.0\.1|::1)$/)
      assert.ok(Date.parse(created_at) >= began_at.getTime() && Date.parse(created_at) <= ended_at.getTime())
      for (const secret of secrets) assert.ok(!JSON.stringify(entry).includes(secret), 'the entry holds a secret')
      assert.ok(!JSON.stringify(entry).includes('Hopper'), "the entry holds a person's name")
    })
  }
  const by_action = new Map(added.map((entry) => [entry.action, entry]))
  assert.deepEqual(by_action.get('changeProject')?.before, { name: 'Audited' })
  assert.deepEqual(by_action.get('changeProject')?.after, { name: 'Audited again' })
  assert.deepEqual(by_action.get('changeProject')?.actor, { type: 'api_key', id: w.key_id, label: 'First key' })
  assert.deepEqual(by_action.get('changeMember')?.actor, { type: 'user', id: w.owner_id, label: owner.email })
  assert.deepEqual(by_action.get('revokeAuthKey')?.before, { revoked_at: null })
  assert.deepEqual(by_action.get('changeMember')?.object.type, 'invitation')
  assert.deepEqual(by_action.get('changeMember')?.after, { role: 'developer' })
})

test('every entry of a route below an environment names it', async () => {
  const below = Object.entries(routes)
    .filter(([, { path, credential }]) => path.includes('/environments/{environment_id}') || credential.kind === 'secret')
    .map(([name]) => name)
  const logged = (await entries()).filter(({ action }) => below.includes(action))
  assert.ok(logged.length > 20)
  const nameless = logged.filter(({ project_id, environment_id }) => project_id === null || environment_id === null)
  assert.deepEqual(nameless.map(({ action }) => action).sort(), [])
})

test('the audit log shows a change of the password policy and of sign_in.password', async () => {
  const settings = `${w.test.path}/settings`
  expectStatus(200, await w.call('PATCH', settings, { body: { sign_in: { email_code: true } } }))
  const change = { password: { min_length: 8, reject_common: false }, sign_in: { password: false } }
  expectStatus(200, await w.call('PATCH', settings, { body: change }))
  const entry = (await entries()).at(-1)
  assert.deepEqual(entry?.before, { password: { min_length: 12, reject_common: true }, sign_in: { password: true } })
  assert.deepEqual(entry?.after, change)
  expectStatus(200, await w.call('PATCH', settings, { body: { password: null, sign_in: null } }))
})

test('an entry has the roles before and after: of users, members and invitations, and the permissions of a role', async () => {
  const { role, user, create, add, auth } = await organizationsOf(w, w.test)
  const first = (await entries()).length
  const server = {
    slug: 'audited',
    identifier: 'https://audited.example.com',
    name: 'Audited',
    scopes: [{ name: 'read', description: 'r' }],
  }
  expectStatus(201, await w.call('POST', `${w.test.path}/resource-servers`, { body: server }))
  const permissions = [{ resource_server: 'audited', scopes: ['read'] }]
  const role_id = await role('owner', { permissions })
  expectStatus(200, await w.call('PATCH', `${w.test.path}/roles/${role_id}`, { body: { permissions: [] } }))
  await role('support', { kind: 'user' })
  const { id } = await user({ roles: ['support'] })
  expectStatus(200, await auth('PATCH', `users/${id}`, { roles: [] }))
  const organization = await create()
  expectStatus(201, await add(organization.id, id, ['owner']))
  expectStatus(200, await auth('PATCH', `organizations/${organization.id}/members/${id}`, { roles: [] }))
  expectStatus(204, await auth('DELETE', `organizations/${organization.id}/members/${id}`))
  const body = { email: 'audited@example.com', roles: ['owner'] }
  const invited = expectStatus(201, await auth('POST', `organizations/${organization.id}/invitations`, body))
  expectStatus(204, await auth('DELETE', `organizations/${organization.id}/invitations/${invited.id}`))
  expectStatus(204, await w.call('DELETE', `${w.test.path}/roles/${role_id}`))
  const held = (state: AuditEntry['before']) => state?.permissions ?? state?.roles
  const found = (await entries())
    .slice(first)
    .map(({ action, before, after }) => [action, held(before), held(after)])
    .filter(([, before, after]) => before !== undefined || after !== undefined)
  assert.deepEqual(found, [
    ['createRole', undefined, permissions],
    ['changeRole', permissions, []],
    ['createRole', undefined, []],
    ['createUser', undefined, ['support']],
    ['changeUser', ['support'], []],
    ['addOrganizationMember', undefined, ['owner']],
    ['changeOrganizationMember', ['owner'], []],
    ['removeOrganizationMember', [], undefined],
    ['inviteToOrganization', undefined, ['owner']],
    ['deleteOrganizationInvitation', ['owner'], undefined],
    ['deleteRole', [], undefined],
  ])
})

test('blocking and deleting a user with a pending address records no address and no sub', async () => {
  const key = expectStatus(201, await w.call('POST', `${w.test.path}/auth-keys`, { body: { type: 'auth_secret' } })).key
  const body = { email: 'old@example.com', email_verified: true, sub: 'auth0|audited' }
  const user = expectStatus(201, await w.call('POST', '/v1/auth/users', { key, body }))
  const wanted = { email: 'new@example.com', session_id: w.deployment.newId('ses') }
  await db.batch(insertEmailChange(w.test.id, user.id, wanted, w.now()))
  expectStatus(200, await w.call('POST', `/v1/auth/users/${user.id}/block`, { key }))
  await db.batch(insertEmailChange(w.test.id, user.id, wanted, w.now()))
  expectStatus(204, await w.call('DELETE', `/v1/auth/users/${user.id}`, { key }))
  const about = (await entries()).filter(({ object }) => object.id === user.id)
  assert.deepEqual(
    about.map(({ action }) => action),
    ['createUser', 'blockUser', 'deleteUser'],
  )
  assert.doesNotMatch(JSON.stringify(about), /@example\.com|auth0/)
  assert.deepEqual(
    about.map(({ before }) => before?.pending_email),
    [undefined, '[personal]', '[personal]'],
  )
})

test('a new tenant has its own log, which begins with createTenant', async () => {
  const tenant = expectStatus(201, await admin('POST', '/v1/tenants', { slug: 'mine', name: 'Mine' }))
  const [first, ...rest] = await entries(`/v1/tenants/${tenant.id}/audit-log`)
  assert.deepEqual(
    [first?.action, first?.sequence, first?.actor.label, first?.previous_hash, rest],
    ['createTenant', 1, owner.email, '0'.repeat(64), []],
  )
})

test('a call that is refused or changes nothing leaves no entry', async () => {
  const before = (await entries()).length
  expectStatus(409, await w.call('POST', '/v1/platform/projects', { body: { slug: 'shop', name: 'Again' } }))
  expectStatus(422, await w.call('POST', '/v1/platform/projects', { body: { slug: 'NO' } }))
  const project = expectStatus(200, await w.call('GET', `/v1/platform/projects/${w.project.id}`))
  expectStatus(200, await w.call('PATCH', `/v1/platform/projects/${w.project.id}`, { body: { name: project.name } }))
  expectStatus(
    412,
    await w.call('PATCH', `/v1/platform/projects/${w.project.id}`, { body: { name: 'X' }, headers: { 'if-match': '"999"' } }),
  )
  assert.equal((await entries()).length, before)
})

test('of parallel changes, each that succeeds leaves one entry', async () => {
  const path = `/v1/platform/projects/${w.project.id}`
  const before = (await entries()).length
  const { headers } = await w.call('GET', path)
  const etag = headers.get('etag') ?? ''
  const replies = await Promise.all(
    Array.from({ length: 20 }, (_, i) => w.call('PATCH', path, { body: { name: `Name ${i}` }, headers: { 'if-match': etag } })),
  )
  assert.equal(replies.filter(({ status }) => status === 200).length, 1)
  assert.equal((await entries()).length - before, 1)

  const renamed = await Promise.all(Array.from({ length: 20 }, (_, i) => w.call('PATCH', path, { body: { name: `Name of ${i}` } })))
  assert.ok(renamed.every(({ status }) => status === 200))
  assert.equal((await entries()).length - before, 21)

  const application = await w.createApplication(w.test)
  const deleted = await Promise.all(Array.from({ length: 20 }, () => w.call('DELETE', `${w.test.path}/applications/${application.id}`)))
  assert.deepEqual(
    deleted.map(({ status }) => status).sort((a, b) => a - b),
    [204, ...Array(19).fill(404)],
  )
  const deletions = (await entries()).filter(({ action, object }) => action === 'deleteApplication' && object.id === application.id)
  assert.equal(deletions.length, 1)
  const events = expectStatus(200, await w.call('GET', `${w.test.path}/events?type=application.deleted&application_id=${application.id}`))
  assert.equal(events.data.length, 1)
})

test('the hashes of an exported log follow from its entries', async () => {
  let previous = '0'.repeat(64)
  for (const [i, { hash: own, ...entry }] of (await entries()).entries()) {
    assert.equal(entry.sequence, i + 1)
    assert.equal(entry.previous_hash, previous)
    assert.equal(hash('sha256', canonicalJson(entry), 'hex'), own)
    previous = own
  }
})

test('pages run from the newest entry to the oldest', async () => {
  const whole = (await entries()).reverse()
  const collected: AuditEntry[] = []
  for (let cursor = ''; ; ) {
    const page = expectStatus(200, await admin('GET', `${log}?limit=7${cursor && `&cursor=${cursor}`}`))
    collected.push(...page.data)
    if (!page.has_more) break
    cursor = page.next_cursor
  }
  assert.deepEqual(collected, whole)
})

test('only owners and admins of the tenant read its log', async () => {
  expectStatus(403, await w.call('GET', log))
  const foreign = `/v1/tenants/${w.deployment.newId('ten')}/audit-log`
  assert.equal((await admin('GET', foreign)).status, 404)
})

/** Damages the log, compares what verification reports, and restores the log. */
async function expectProblem(damage: readonly Statement[], expected: RegExp): Promise<void> {
  await entries()
  const columns = sql`tenant_id, id, sequence, created_at, action, actor_type, actor_id, actor_label, object_type, object_id,
    project_id, environment_id, request_id, ip, before_change, after_change, previous_hash, hash`
  await db.batch([
    sql`create table kept_log as select ${columns} from audit_log`,
    sql`create table kept_heads as select tenant_id, sequence, hash, seal from audit_heads`,
  ])
  await db.batch(damage)
  const { problems } = await verifyChains(w.deployment)
  await db.batch([
    sql`delete from audit_log`,
    sql`delete from audit_heads`,
    sql`insert into audit_log (${columns}) select ${columns} from kept_log`,
    sql`insert into audit_heads (tenant_id, sequence, hash, seal) select tenant_id, sequence, hash, seal from kept_heads`,
    sql`drop table kept_log`,
    sql`drop table kept_heads`,
  ])
  assert.match(problems.map(({ tenant_id, problem }) => `${tenant_id}: ${problem}`).join('; '), expected)
  assert.ok(problems.every(({ tenant_id }) => tenant_id === w.tenant_id))
  assert.deepEqual((await verifyChains(w.deployment)).problems, [])
}

const mine = sql`tenant_id = ${w.tenant_id}`
const shift = 1_000_000
const damages: [what: string, damage: Statement[], found: RegExp][] = [
  [
    'one byte of a state is changed',
    [
      sql`update audit_log set after_change = replace(after_change, 'Audited again', 'Audited_again')
           where ${mine} and action = 'changeProject'`,
    ],
    /^ten_\w+: entry \d+ was altered(; .*)?$/,
  ],
  [
    'one byte of a label is changed',
    [sql`update audit_log set actor_label = 'first key' where ${mine} and sequence = 3`],
    /entry 3 was altered/,
  ],
  [
    'a time is moved by a millisecond',
    [sql`update audit_log set created_at = created_at + 1 where ${mine} and sequence = 2`],
    /entry 2 was altered/,
  ],
  ['an address is taken out', [sql`update audit_log set ip = null where ${mine} and sequence = 4`], /entry 4 was altered/],
  ['a row is deleted', [sql`delete from audit_log where ${mine} and sequence = 2`], /entry 2 is missing/],
  ['rows are deleted', [sql`delete from audit_log where ${mine} and sequence in (2, 3, 4)`], /entries 2 to 4 are missing/],
  [
    'two rows change places',
    [
      sql`update audit_log set sequence = sequence + ${shift} where ${mine} and sequence in (2, 3)`,
      sql`update audit_log set sequence = ${shift + 5} - sequence where ${mine} and sequence > ${shift}`,
    ],
    /entry 2 was moved or replaced; .*entry 3 was moved or replaced/,
  ],
  [
    'the newest row is deleted',
    [sql`delete from audit_log where ${mine} and sequence = (select sequence from audit_heads where ${mine})`],
    /the log was cut off after entry \d+: it had \d+/,
  ],
  [
    'the newest row and the head go',
    [
      sql`delete from audit_log where ${mine} and sequence = (select sequence from audit_heads where ${mine})`,
      sql`update audit_heads set sequence = sequence - 1, hash = (
              select hash from audit_log l where l.tenant_id = audit_heads.tenant_id and l.sequence = audit_heads.sequence - 1
            ) where ${mine}`,
    ],
    /the head of the chain was altered/,
  ],
  ['the head is deleted', [sql`delete from audit_heads where ${mine}`], /entry 1 is beyond the end of the chain/],
]
for (const [what, damage, found] of damages) test(`verification reports that ${what}`, () => expectProblem(damage, found))

test('a log without a tenant and without a head is verified too', async () => {
  const { db, newId } = w.deployment
  const tenant_id = newId('ten')
  const before = (await verifyChains(w.deployment)).tenants
  await db.run(sql`insert into audit_log (tenant_id, id, sequence, previous_hash, hash, created_at, action, actor_type, object_type, object_id)
    values (${tenant_id}, 'aud_1', 1, '', '', 1, 'planted', 'system', 'project', 'prj_1')`)
  const { tenants, problems } = await verifyChains(w.deployment)
  await db.run(sql`delete from audit_log where tenant_id = ${tenant_id}`)
  assert.equal(tenants, before + 1)
  assert.ok(problems.length > 0 && problems.every((found) => found.tenant_id === tenant_id))
})

test('ostiary doctor names the tenant and the altered entry, and exits with 1', async () => {
  const doctor = () => {
    const { data_dir, database_url, master_keys, base_url } = w.deployment.config
    const env = {
      ...process.env,
      OSTIARY_BASE_URL: base_url,
      OSTIARY_DATA_DIR: data_dir,
      OSTIARY_DATABASE_URL: database_url ?? '',
      OSTIARY_MASTER_KEY: master_keys?.map((key) => key.toString('base64')).join(',') ?? '',
    }
    const main = `${import.meta.dirname}/../../../cli/src/main.ts`
    const { status, stdout } = spawnSync(process.execPath, ['--disable-warning=ExperimentalWarning', main, 'doctor'], {
      env,
      encoding: 'utf8',
    })
    return { status, stdout }
  }
  const before = doctor()
  assert.equal(before.status, 0, before.stdout)
  assert.match(before.stdout, /^ok +The audit logs are whole/m)
  await db.run(sql`update audit_log set object_id = 'prj_another' where ${mine} and sequence = 2`)
  const { status, stdout } = doctor()
  assert.equal(status, 1)
  assert.match(stdout, new RegExp(`^PROBLEM +The audit log of ${w.tenant_id} was tampered with or damaged: entry 2 was altered\\.`, 'm'))
})

test('the log begins with the bootstrap that created the tenant', async () => {
  const [first] = await entries()
  assert.deepEqual([first?.action, first?.actor.type, first?.object], ['bootstrap', 'system', { type: 'tenant', id: w.tenant_id }])
})

test('lookup finds the id of a request that changed something, also without an event', async () => {
  const reply = await w.call('POST', '/v1/platform/projects', { body: { slug: 'found', name: 'Found' } })
  await entries()
  const found = expectStatus(200, await admin('GET', `/v1/lookup/${reply.headers.get('x-request-id')}`))
  assert.deepEqual([found.object, found.tenant_id, found.project_id], ['request', w.tenant_id, expectStatus(201, reply).id])
})
