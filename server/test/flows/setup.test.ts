/** The page of the first start. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { z } from 'zod'
import { sql } from '../../src/db/db.ts'
import { createPasswords } from '../../src/domain/users/password.ts'
import { createFirstTenant } from '../../src/setup/first-tenant.ts'
import { recover } from '../../src/setup/recover.ts'
import { createAgent, followPages } from '../support/cookie-browser.ts'
import { emptyService } from '../support/empty-service.ts'
import { createAccount } from '../support/invitations.ts'
import { expectStatus, owner } from '../support/world.ts'

const fields = { tenant_name: 'Acme Tools', slug: '', email: owner.email, password: owner.password }
const page = { accept: 'text/html' }

const s = await emptyService()
const tokenOf = (url: string | null) => new URL(url ?? '').searchParams.get('token') ?? ''
const token = tokenOf(s.service.setup_url)
const post = (form: Record<string, string>, headers: Record<string, string> = {}) =>
  createAgent().post(`${s.base_url}/setup`, form, { ...page, ...headers })

test('the link has a token of 32 random bytes', () => {
  assert.equal(s.service.setup_url, `${s.base_url}/setup?token=${token}`)
  assert.equal(Buffer.from(token, 'base64url').length, 32)
})

const tokens = ['', 'a', 'a'.repeat(43), `${token} `, token.slice(0, -1), token.toLowerCase(), `${token}A`]
for (const wrong of tokens)
  test(`the page with the token ${JSON.stringify(wrong).slice(0, 12)} of ${wrong.length} characters shows the command line only, and creates nothing`, async () => {
    const reply = await createAgent().get(`${s.base_url}/setup?${new URLSearchParams({ token: wrong })}`, page)
    assert.equal(reply.status, 200)
    assert.match(reply.body, /npx ostiary bootstrap/)
    assert.doesNotMatch(reply.body, /<form|<input/)
    const refused = await post({ ...fields, token: wrong })
    assert.equal(refused.status, 403)
    assert.doesNotMatch(refused.body, /<form|<input/)
    assert.deepEqual(await s.tenants(), ['ostiary'])
  })

test('the page is served under the policy of every page, and the token is in no log', async () => {
  const reply = await createAgent().get(s.service.setup_url ?? '', page)
  assert.equal(reply.status, 200)
  assert.match(
    reply.headers.get('content-security-policy') ?? '',
    /^default-src 'none'; style-src 'sha256-.*frame-ancestors 'none'; base-uri 'none'$/,
  )
  assert.equal(reply.headers.get('cache-control'), 'no-store')
  assert.ok(!s.log.join('').includes(token))
})

test('an address with letters beyond ASCII reaches the service, which accepts it, since the browser would refuse it', async () => {
  const email = 'käthe@bücher.example'
  const { body } = await post({ ...fields, token, email, password: 'short' })
  assert.match(body, /<form [^>]* novalidate>/)
  assert.doesNotMatch(body, /Enter an email address/)
  assert.ok(body.includes(`value="${email}"`), body)
})

// biome-ignore format: this table is read by column
const wrong: [field: string, value: string, text: RegExp][] = [
  ['tenant_name', '',                         /Enter a name/],
  ['tenant_name', 'x'.repeat(101),            /Enter a name/],
  ['slug',        'Acme Tools',               /Use 1 to 63/],
  ['slug',        'x'.repeat(64),             /Use 1 to 63/],
  ['slug',        'ostiary',                  /service itself has this short name/],
  ['email',       'owner',                    /Enter an email address/],
  ['email',       `${'a'.repeat(300)}@b.com`, /Enter an email address/],
  ['password',    '',                         /Choose a password/],
  ['password',    'short',                    /12 characters/],
  ['password',    'password1234',             /many people use|too common|guess/i],
  ['password',    'x'.repeat(2_000),          /1,?000|too long/i],
]
for (const [field, value, text] of wrong)
  test(`the form with ${field} ${JSON.stringify(value.slice(0, 12))} of ${value.length} characters says what to change, and keeps the other fields`, async () => {
    const reply = await post({ ...fields, token, [field]: value })
    assert.equal(reply.status, 400)
    assert.match(reply.body, text)
    if (field !== 'email') assert.match(reply.body, /value="owner@example\.com"/)
    assert.doesNotMatch(reply.body, /a long enough password/)
    assert.deepEqual(await s.tenants(), ['ostiary'])
  })

for (const headers of [
  { origin: 'https://evil.example' },
  { origin: 'null', 'sec-fetch-site': 'cross-site' },
  { 'sec-fetch-site': 'cross-site' },
  { 'sec-fetch-site': 'same-site' },
])
  test(`the form with ${JSON.stringify(headers)} creates nothing`, async () => {
    const reply = await post({ ...fields, token }, headers as Record<string, string>)
    assert.equal(reply.status, 400)
    assert.deepEqual(await s.tenants(), ['ostiary'])
  })

test('a first start with the address of an operator names the email', async () => {
  const other = await emptyService()
  const { deployment, setup_url } = other.service
  const email = 'operator@example.com'
  const { invitation_url } = await recover(deployment, { tenant: 'ostiary', email })
  const agent = createAgent()
  expectStatus(200, await agent.submit(await createAccount(agent, invitation_url, email), {}))
  const form = await createAgent().get(setup_url ?? '', page)
  const refused = await createAgent().submit(form, { ...fields, email })
  assert.equal(refused.status, 400)
  assert.match(refused.body, /<a href="#email">An operator of this deployment has this address already/)
  assert.doesNotMatch(refused.body, /#slug/)
  const first = { email, password: owner.password, tenant_name: 'Acme', slug: 'acme' }
  await assert.rejects(createFirstTenant(deployment, createPasswords(), first), { problem: 'email_taken' })
  assert.equal((await createAgent().submit(form, fields)).status, 303)
})

test('a restart ends the token', async () => {
  const other = await emptyService()
  const before = tokenOf(other.service.setup_url)
  await other.restart()
  assert.notEqual(tokenOf(other.service.setup_url), before)
  const reply = await createAgent().post(`${other.base_url}/setup`, { ...fields, token: before }, page)
  assert.equal(reply.status, 403)
})

test('a first tenant of the command line ends the page', async () => {
  const other = await emptyService()
  const link = other.service.setup_url ?? ''
  await createFirstTenant(other.service.deployment, createPasswords(), { ...owner, tenant_name: 'Acme', slug: 'acme' })
  assert.match((await createAgent().get(link, page)).body, /This deployment is set up/)
  const reply = await createAgent().post(`${other.base_url}/setup`, { ...fields, token: tokenOf(link) }, page)
  assert.equal(reply.status, 409)
  assert.deepEqual(await other.tenants(), ['acme', 'ostiary'])
})

test('of 50 parallel forms one creates the tenant and its owner; no key is created', async () => {
  const replies = await Promise.all(
    Array.from({ length: 50 }, (_, i) =>
      post({ ...fields, token, slug: `acme-${i}`, email: `owner${i}@example.com` }, { 'x-forwarded-for': `203.0.113.${i}` }),
    ),
  )
  const made = replies.flatMap((reply, i) => (reply.status === 303 ? [i] : []))
  assert.equal(made.length, 1)
  for (const { status } of replies) assert.ok([303, 403, 409, 503].includes(status), String(status))
  assert.deepEqual(await s.tenants(), [`acme-${made[0]}`, 'ostiary'])
  const { db } = s.service.deployment
  assert.deepEqual(await db.all(z.object({ id: z.string() }), sql`select id from api_keys`), [])
  const log = await db.all(z.object({ action: z.string(), ip: z.string().nullable() }), sql`select action, ip from audit_log`)
  assert.ok(log.length === 2 && log.every(({ action, ip }) => action === 'setup' && ip !== null))

  assert.equal((await post({ ...fields, token })).status, 403)
  await s.restart()
  assert.equal(s.service.setup_url, null)
})

test('a source visits the page at most 60 times a minute, and an IPv6 /64 is one source', async () => {
  const visitor = await emptyService()
  const visit = (ip: string) => createAgent().get(`${visitor.base_url}/setup`, { ...page, 'x-forwarded-for': ip })
  const replies = await Promise.all(Array.from({ length: 61 }, (_, i) => visit(`2001:db8:0:1::${(i + 1).toString(16)}`)))
  assert.deepEqual(
    [200, 429].map((status) => replies.filter((reply) => reply.status === status).length),
    [60, 1],
  )
  assert.equal((await visit('2001:db8:0:2::1')).status, 200)
})

test('after the form the owner is signed in to the dashboard by an ordinary session, without the password again', async () => {
  const other = await emptyService()
  const agent = createAgent()
  const begun = await agent.submit(await agent.get(other.service.setup_url ?? '', page), fields)
  assert.match(begun.headers.get('location') ?? '', /\/oauth\/authorize\?/)
  const authorized = await agent.get(begun.headers.get('location') ?? '')
  const callback = await agent.get(authorized.headers.get('location') ?? '')
  assert.equal(callback.headers.get('location'), `${other.base_url}/dashboard`)
  const session = JSON.parse((await agent.get(`${other.base_url}/dashboard/session`)).body)
  assert.equal(session.email, owner.email)
  assert.deepEqual(
    session.memberships.map(({ role }: { role: string }) => role),
    ['owner', 'owner'],
  )
  const { db } = other.service.deployment
  const kinds = await db.all(z.object({ type: z.string() }), sql`select type from events order by type`)
  assert.deepEqual(
    kinds.map(({ type }) => type),
    ['session.created', 'sign_in.succeeded', 'user.created'],
  )
})

test('before the first tenant the dashboard leads to the page of the first start, unless an operator can sign in', async () => {
  const other = await emptyService()
  const at = async (path: string) => (await createAgent().get(other.base_url + path, page)).headers.get('location')
  const paths = ['/dashboard', '/dashboard/t/acme', '/dashboard/sign-in?return_to=%2Fdashboard']
  for (const path of paths) assert.equal(await at(path), `${other.base_url}/setup`, path)

  const { invitation_url } = await recover(other.service.deployment, { tenant: 'ostiary', email: 'operator@example.com' })
  const agent = createAgent()
  expectStatus(200, await agent.submit(await createAccount(agent, invitation_url, 'operator@example.com'), {}))
  for (const path of paths) assert.notEqual(await at(path), `${other.base_url}/setup`, path)

  // The mark, and one name.
  const sign_in = await followPages(createAgent(), await createAgent().get((await at('/dashboard/sign-in')) ?? '', page))
  assert.match(sign_in.body, /<title>Sign in · Ostiary<\/title>/)
  assert.match(sign_in.body, /<div class="org"><svg[\s\S]*?<\/svg><span>Ostiary<\/span>/)
})
