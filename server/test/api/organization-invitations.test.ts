/** The routes of invitations to organizations (decision 0180). What a person does with one is in `flows/organization-invitations.test.ts`. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { z } from 'zod'
import { sql } from '../../src/db/db.ts'
import { createAgent } from '../support/cookie-browser.ts'
import { rowsFollowed } from '../support/endings.ts'
import { mailsTo } from '../support/mailed.ts'
import { organizationsOf, pointersOf } from '../support/organizations.ts'
import { overlapping } from '../support/overlapping-batches.ts'
import { expectStatus, type Reply, world } from '../support/world.ts'

const names = ['organization_invitations_pending', 'organization_invitations_per_day', 'organization_invitations_per_address'] as const
const w = await world()
const roomy = Object.fromEntries(names.map((name) => [name, 100_000]))
const withLimits = (changed: Partial<Record<(typeof names)[number], number>> = {}) =>
  Object.assign(w.deployment.config.limits, roomy, changed)
withLimits()

const { test: environment } = w.project
const api = await organizationsOf(w, environment)
await api.role('editor')
await api.role('admin', { administers: true })
const day = 86_400

let addresses = 0
const address = () => `invited${++addresses}@example.com`
const statusOf = async (url: string) => (await createAgent().get(url)).status
const at = (id: string, invitation_id = '') => `organizations/${id}/invitations${invitation_id === '' ? '' : `/${invitation_id}`}`

test('an invitation is created, read, listed, sent again and deleted', async () => {
  const organization = await api.create()
  const application = await w.createApplication(environment)
  const email = address()
  const created = await api.invite(organization.id, email, {
    roles: ['editor', 'admin'],
    application_id: application.id,
    expires_in_seconds: 3_600,
  })
  const invitation = expectStatus(201, created)
  const { id, invitation_url, expires_at, created_at, updated_at, tenant_id, project_id, invited_by, ...rest } = invitation
  assert.match(id, /^oiv_/)
  assert.ok(invitation_url.startsWith(`${environment.issuer}/invitation?token=`))
  assert.equal(Date.parse(expires_at) - Date.parse(created_at), 3_600_000)
  assert.equal(invited_by.type, 'api_key')
  assert.match(invited_by.id, /^key_/)
  assert.deepEqual(rest, {
    organization_id: organization.id,
    environment_id: environment.id,
    email,
    roles: ['admin', 'editor'],
    status: 'pending',
    application_id: application.id,
    user_id: null,
  })
  assert.ok(created.headers.get('location')?.endsWith(`/v1/auth/${at(organization.id, id)}`))
  const shown = { ...invitation, invitation_url: null }
  const read = await api.auth('GET', at(organization.id, id))
  assert.deepEqual(expectStatus(200, read), shown)
  assert.deepEqual(expectStatus(200, await api.auth('GET', at(organization.id))).data, [shown])
  for (const path of [`${environment.path}/${at(organization.id)}`, `${environment.path}/${at(organization.id, id)}`]) {
    const body = expectStatus(200, await w.call('GET', path))
    assert.deepEqual(body.data?.[0] ?? body, shown)
  }

  w.advance(60)
  const resent = expectStatus(200, await api.auth('POST', `${at(organization.id, id)}/resend`))
  assert.notEqual(resent.invitation_url, invitation_url)
  assert.equal(Date.parse(resent.expires_at) - Date.parse(resent.updated_at), 3_600_000)
  assert.deepEqual([await statusOf(invitation_url), await statusOf(resent.invitation_url)], [410, 200])

  assert.equal((await api.auth('DELETE', at(organization.id, id), undefined, { 'if-match': '"1"' })).status, 412)
  assert.equal((await api.auth('DELETE', at(organization.id, id))).status, 204)
  assert.equal((await api.auth('DELETE', at(organization.id, id))).status, 404)
  assert.equal((await api.auth('POST', `${at(organization.id, id)}/resend`)).status, 404)
  assert.equal(expectStatus(200, await api.auth('GET', at(organization.id, id))).status, 'ended')
  assert.equal(await statusOf(resent.invitation_url), 410)
})

test('without more than an address an invitation has no roles, is mailed, and lasts 7 days', async () => {
  const organization = await api.create({ name: 'Acme evil.example/login' })
  const email = address()
  const invitation = expectStatus(201, await api.auth('POST', at(organization.id), { email }))
  assert.deepEqual([invitation.roles, invitation.invitation_url, invitation.application_id], [[], null, null])
  assert.equal(Date.parse(invitation.expires_at) - Date.parse(invitation.created_at), 7 * day * 1000)
  const [mail] = await mailsTo(w, environment, email)
  assert.equal(mail?.kind, 'organization_invitation')
  assert.ok(mail.link?.startsWith(`${environment.issuer}/invitation?token=`))
  assert.match(mail.text, /Acme evil/)
  assert.doesNotMatch(mail.text, /evil\.example/, 'the name is not a link')
  w.advance(1)
  const resent = expectStatus(200, await api.auth('POST', `${at(organization.id, invitation.id)}/resend`))
  assert.equal(resent.invitation_url, null)
  assert.equal((await mailsTo(w, environment, email)).length, 2)
})

test('a repeated request invites once, and its answer has no link', async () => {
  const organization = await api.create()
  const send = (email: string) =>
    api.auth('POST', at(organization.id), { email, send_email: false }, { 'idempotency-key': `invite-${organization.id}` })
  const email = address()
  const [first, again] = [expectStatus(201, await send(email)), expectStatus(201, await send(email))]
  assert.deepEqual(again, { ...first, invitation_url: null })
  assert.equal(expectStatus(200, await api.auth('GET', at(organization.id))).data.length, 1)
})

test('the answer is the same whether an account, or a member, has the address', async () => {
  const organization = await api.create()
  const [stranger, user, member] = [{ email: address() }, await api.user(), await api.user()]
  expectStatus(201, await api.add(organization.id, member.id))
  for (const { email } of [stranger, user, member]) {
    const { roles, status, user_id } = expectStatus(201, await api.invite(organization.id, email))
    assert.deepEqual([roles, status, user_id], [[], 'pending', null])
  }
})

test('another invitation to the same address, in any spelling, replaces the one before', async () => {
  const organization = await api.create()
  const first = expectStatus(201, await api.invite(organization.id, 'Replaced@Example.com'))
  const other = await api.create()
  const elsewhere = expectStatus(201, await api.invite(other.id, 'replaced@example.com'))
  const second = expectStatus(201, await api.invite(organization.id, 'replaced@example.com'))
  const statuses = Object.fromEntries(
    expectStatus(200, await api.auth('GET', at(organization.id))).data.map(({ id, status }: { id: string; status: string }) => [
      id,
      status,
    ]),
  )
  assert.deepEqual(statuses, { [first.id]: 'ended', [second.id]: 'pending' })
  assert.deepEqual(
    [await statusOf(first.invitation_url), await statusOf(second.invitation_url), await statusOf(elsewhere.invitation_url)],
    [410, 200, 200],
  )
})

// biome-ignore format: this table is read by column
const refused: [why: string, body: object, pointers: string[]][] = [
  ['it has no address',                    {},                                                       ['/email']],
  ['the address is malformed',             { email: 'a@' },                                          ['/email']],
  ['a role is unknown',                    { email: 'a@example.com', roles: ['none-such'] },         ['/roles/0']],
  ['a role is of users',                   { email: 'a@example.com', roles: ['admin', 'of-users'] }, ['/roles/1']],
  ['a role is named twice',                { email: 'a@example.com', roles: ['admin', 'admin'] },    ['/roles/1']],
  ['the application is of elsewhere',      { email: 'a@example.com', application_id: 'app_01m7wwr5ftevtv5yxb47hmb4ht' }, ['/application_id']],
  ['it would end within the hour',         { email: 'a@example.com', expires_in_seconds: 3_599 },    ['/expires_in_seconds']],
  ['it would last longer than 30 days',    { email: 'a@example.com', expires_in_seconds: 2_592_001 }, ['/expires_in_seconds']],
  ['it sets a field of the service',       { email: 'a@example.com', status: 'accepted' },           ['/status']],
  ['it names the user',                    { email: 'a@example.com', user_id: 'usr_01m7wwr5ftevtv5yxb47hmb4ht' }, ['/user_id']],
]
test('an invitation is refused where its body is wrong', async (t) => {
  const organization = await api.create()
  expectStatus(201, await w.call('POST', `${environment.path}/roles`, { body: { slug: 'of-users', name: 'Of users', kind: 'user' } }))
  for (const [why, body, pointers] of refused)
    await t.test(why, async () =>
      assert.deepEqual(pointersOf(await api.auth('POST', at(organization.id), body)), [422, 'validation_failed', ...pointers]),
    )
  const unknown = await api.invite('org_01m7wwr5ftevtv5yxb47hmb4ht', address())
  assert.equal(unknown.status, 404)
})

test('without mail nobody is invited, even if the link would be returned', async () => {
  const { live } = await w.createProject('no-mail')
  const silent = await organizationsOf(w, live)
  const organization = await silent.create()
  for (const send_email of [true, false]) {
    const reply = await silent.invite(organization.id, address(), { send_email })
    assert.deepEqual([reply.status, reply.body.code], [409, 'mail_not_set_up'])
  }
})

test('an invitation is found in its own organization alone', async () => {
  const [one, other] = [await api.create(), await api.create()]
  const { id } = expectStatus(201, await api.invite(one.id, address()))
  for (const method of ['GET', 'DELETE']) assert.equal((await api.auth(method, at(other.id, id))).status, 404)
  assert.equal((await api.auth('POST', `${at(other.id, id)}/resend`)).status, 404)
})

test('the list has the invitations with a status, and an expired one has ended', async () => {
  const organization = await api.create()
  const list = async (status: string) =>
    expectStatus(200, await api.auth('GET', `${at(organization.id)}?status=${status}`)).data.map(({ id }: { id: string }) => id)
  const short = expectStatus(201, await api.invite(organization.id, address(), { expires_in_seconds: 3_600 }))
  const deleted = expectStatus(201, await api.invite(organization.id, address()))
  const pending = expectStatus(201, await api.invite(organization.id, address()))
  expectStatus(204, await api.auth('DELETE', at(organization.id, deleted.id)))
  w.advance(3_601)
  assert.deepEqual(await list('pending'), [pending.id])
  assert.deepEqual(await list('ended'), [deleted.id, short.id])
  assert.deepEqual(await list('accepted'), [])
  assert.equal((await api.auth('GET', `${at(organization.id)}?status=gone`)).status, 422)
  assert.equal((await api.auth('DELETE', at(organization.id, short.id))).status, 404)
  assert.equal(await statusOf(short.invitation_url), 410)
})

test('a deleted role is left out of an invitation', async () => {
  const organization = await api.create()
  const role = await api.role('short-lived')
  const { id } = expectStatus(201, await api.invite(organization.id, address(), { roles: ['short-lived', 'editor'] }))
  expectStatus(204, await w.call('DELETE', `${environment.path}/roles/${role}`))
  assert.deepEqual(expectStatus(200, await api.auth('GET', at(organization.id, id))).roles, ['editor'])
})

const Event = z.object({ type: z.string(), user_id: z.string().nullable(), data: z.record(z.string(), z.unknown()) })

test('the events have no address, and the audit log has neither address nor link', async () => {
  const { test: own } = await w.createProject('invitation-events')
  const there = await organizationsOf(w, own)
  await there.role('editor')
  const organization = await there.create()
  const [first, second] = [
    expectStatus(201, await there.invite(organization.id, 'secretive@example.com', { roles: ['editor'] })),
    expectStatus(201, await there.invite(organization.id, 'secretive@example.com')),
  ]
  expectStatus(204, await there.auth('DELETE', at(organization.id, second.id)))
  const events = await w.deployment.db.all(
    Event,
    sql`select type, user_id, data from events where environment_id = ${own.id} and type like 'organization_invitation%' order by created_at, id`,
  )
  const data = (id: string, roles: string[] = []) => ({ organization_id: organization.id, invitation_id: id, roles })
  assert.deepEqual(
    events.map(({ type, data }) => [type, data]).toSorted(),
    [
      ['organization_invitation.created', data(first.id, ['editor'])],
      ['organization_invitation.created', data(second.id)],
      ['organization_invitation.ended', { ...data(first.id, ['editor']), reason: 'replaced' }],
      ['organization_invitation.ended', { ...data(second.id), reason: 'deleted' }],
    ].toSorted(),
  )
  const Text = z.object({ text: z.string() })
  const audit = await w.deployment.db.all(
    Text,
    sql`select coalesce(before_change, '') || coalesce(after_change, '') as text from audit_log where environment_id = ${own.id}`,
  )
  assert.ok(audit.length > 0)
  for (const { text } of audit) assert.doesNotMatch(text ?? '', /secretive|token=/)
})

test('invitations go with their organization, and the link of one is 410', async () => {
  const organization = await api.create()
  const { id, invitation_url } = expectStatus(201, await api.invite(organization.id, address()))
  expectStatus(204, await api.auth('DELETE', `organizations/${organization.id}`))
  assert.equal((await api.auth('GET', at(organization.id, id))).status, 404)
  assert.equal(await statusOf(invitation_url), 410)
  await rowsFollowed(w.deployment.db)
  const Count = z.object({ n: z.int() })
  const rows = await w.deployment.db.maybeOne(
    Count,
    sql`select count(*) as n from organization_invitations where organization_id = ${organization.id}`,
  )
  assert.equal(rows?.n, 0)
  assert.equal(await statusOf(invitation_url), 410)
})

test('a link of Test is unknown at Live, and so is an invented one', async () => {
  const organization = await api.create()
  const { invitation_url } = expectStatus(201, await api.invite(organization.id, address()))
  const { search } = new URL(invitation_url)
  assert.equal(await statusOf(`${w.project.live.issuer}/invitation${search}`), 404)
  assert.equal(await statusOf(`${environment.issuer}/invitation?token=${'a'.repeat(43)}`), 404)
  assert.equal(await statusOf(`${environment.issuer}/invitation?token=short`), 404)
})

/** Asserts that as many replies as `most` succeed, and every other one is refused by the limit. */
function exactly(replies: readonly Reply[], most: number, limit: string): void {
  const made = replies.filter(({ status }) => status === 201)
  assert.equal(made.length, most, JSON.stringify(replies.map(({ status, body }) => [status, body.code])))
  for (const { status, body } of replies.filter((reply) => !made.includes(reply))) {
    assert.deepEqual([status, body.code], [422, 'quota_exceeded'])
    assert.match(body.detail, new RegExp(`\\(${limit}\\)`))
  }
}

const fifty = (call: (n: number) => Promise<Reply>) => () => Array.from({ length: 50 }, (_, n) => call(n))

test('of 50 parallel invitations of an organization as many are made as may be pending', async () => {
  withLimits({ organization_invitations_pending: 3 })
  const organization = await api.create()
  const replies = await overlapping(
    w,
    fifty(() => api.invite(organization.id, address())),
  )
  exactly(replies, 3, 'organization_invitations_pending')
  const [first] = replies.filter(({ status }) => status === 201)
  const again = expectStatus(201, await api.invite(organization.id, first?.body.email))
  assert.equal(again.status, 'pending', 'one that replaces another takes its place')
  expectStatus(204, await api.auth('DELETE', at(organization.id, again.id)))
  expectStatus(201, await api.invite(organization.id, address()))
  exactly([await api.invite(organization.id, address())], 0, 'organization_invitations_pending')
  withLimits()
})

test('of 50 parallel invitations of an organization as many are made as a day allows, and a resend counts', async () => {
  withLimits({ organization_invitations_per_day: 3 })
  const organization = await api.create()
  const first = expectStatus(201, await api.invite(organization.id, address()))
  expectStatus(200, await api.auth('POST', `${at(organization.id, first.id)}/resend`))
  exactly(
    await overlapping(
      w,
      fifty(() => api.invite(organization.id, address())),
    ),
    1,
    'organization_invitations_per_day',
  )
  const resent = await api.auth('POST', `${at(organization.id, first.id)}/resend`)
  assert.deepEqual([resent.status, resent.body.code], [422, 'quota_exceeded'])
  expectStatus(204, await api.auth('DELETE', at(organization.id, first.id)))
  exactly([await api.invite(organization.id, address())], 0, 'organization_invitations_per_day')
  w.advance(day + 1)
  expectStatus(201, await api.invite(organization.id, address()))
  withLimits()
})

test('of 50 parallel invitations to one address, in any spelling and from any organization, as many are made as a day allows', async () => {
  withLimits({ organization_invitations_per_address: 3 })
  const organizations = await Promise.all(Array.from({ length: 10 }, () => api.create()))
  const email = address()
  const spellings = [email, email.toUpperCase(), email.replace('example', 'EXAMPLE')]
  const replies = await overlapping(
    w,
    fifty((n) => api.invite(organizations[n % 10]?.id ?? '', spellings[n % 3] ?? email)),
  )
  exactly(replies, 3, 'organization_invitations_per_address')
  const other = await organizationsOf(w, (await w.createProject('other-addresses')).test)
  expectStatus(201, await other.invite((await other.create()).id, email))
  withLimits()
})
