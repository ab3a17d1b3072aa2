/** The proof of an address in the root environment, where memberships never pass on, and sign-up through an invitation with mail (decision 0041). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EnvironmentId, TenantId } from '@ostiary/contract/ids.ts'
import { z } from 'zod'
import { sql } from '../../src/db/db.ts'
import { insertMember } from '../../src/domain/members/store.ts'
import { insertProvider } from '../../src/domain/providers/store.ts'
import { insertTenant } from '../../src/domain/tenancy/store.ts'
import { findRoot } from '../../src/setup/root.ts'
import { stepOn } from '../support/authenticator-app.ts'
import { createAgent, followPages, formOf } from '../support/cookie-browser.ts'
import { createTenant, storedMembers } from '../support/invitations.ts'
import { readMessage, startMailServer } from '../support/mail-server.ts'
import { until } from '../support/receiver.ts'
import { createAdministrator } from '../support/tenants.ts'
import { startUpstreams } from '../support/upstream-provider.ts'
import { expectStatus, world } from '../support/world.ts'

const upstreams = await startUpstreams()
const w = await world({
  outbound: upstreams.outbound,
  resolve: async () => ['127.0.0.1'],
  env: { OSTIARY_WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8', OSTIARY_LIMITS: '{"tenants_per_person":1000}' },
})
const { db } = w.deployment
const olga = await createAdministrator(w, 'olga@example.com')
const root = (await findRoot(db)) ?? assert.fail('There is no root environment.')
const server = await startMailServer({ disabledCommands: ['STARTTLS'] })
const smtp = { host: 'mail.test', port: server.port, tls: 'none' }
const email = { delivery: 'smtp', from: 'Ostiary <ostiary@example.com>', smtp }
const configure = (settings: object) =>
  db.run(sql`update environments set settings = ${{ email, ...settings }}, settings_version = settings_version + 1
              where id = ${root.environment_id}`)
await configure({ sign_in: { email_code: true } })

const provider_id = w.deployment.newId('prv')
const provider = {
  ...{ display_name: 'SSO', issuer: 'https://sso.example.com', client_id: 'o', scopes: ['openid', 'email'] },
  ...{
    enabled: true,
    link_by_verified_email: false,
    accept_preferred_username: false,
    sign_out: 'none' as const,
    team_id: null,
    key_id: null,
    secret_expires_at: null,
  },
}
const secrets = { client_secret: null, private_key: null }
await db.run(
  insertProvider(
    EnvironmentId.parse(root.environment_id),
    { id: provider_id, slug: 'sso', type: 'oidc' },
    { fields: provider, sealed: secrets },
    w.now(),
  ),
)

/** Returns the match of the pattern in the newest mail to an address whose text has one. */
const mailed = (to: string, pattern: RegExp) =>
  until(`a mail to ${to}`, () => {
    const texts = server.received.filter((mail) => mail.to.includes(to)).map((mail) => readMessage(mail.raw).text)
    return texts.flatMap((text) => pattern.exec(text)?.[0] ?? []).at(-1) ?? false
  })
const codeTo = (to: string) => mailed(to, /^\d{6}$|\b\d{6}\b/m)
const linkTo = (to: string) => mailed(to, /^https?:\S+$/m)

const accepts = /data-action="accept-invitation"/

const Account = z.object({ id: z.string(), email: z.string(), email_verified: z.boolean(), has_password: z.boolean() })
const accountsOf = (id: string, email: string) =>
  db.all(
    Account,
    sql`select id, email, email_verified, case when password_hash is null then 0 else 1 end as has_password from users
         where environment_id = ${root.environment_id} and (id = ${id} or email = ${email}) order by id`,
  )

test('a person without an account signs up through an invitation, and accepts only after the mailed code', async () => {
  const t = await createTenant(w, olga)
  const email = 'nora@example.com'
  await t.invite(email, 'developer')
  const link = await linkTo(email)
  const agent = createAgent()
  const form = await agent.get(`${link}&prompt=create`)
  assert.match(form.body, /data-action="create-account"/)
  const asked = await followPages(agent, await agent.submit(form, { email, password: 'a memorable sentence' }))
  assert.equal(stepOn(asked), 'code')
  assert.deepEqual(await accountsOf('', email), [], 'there is no account before the code')
  assert.doesNotMatch((await agent.get(link)).body, accepts)
  const wrong = await agent.submit(asked, { code: (await codeTo(email)) === '000000' ? '000001' : '000000' })
  assert.deepEqual([wrong.status, stepOn(wrong), await accountsOf('', email)], [400, 'code', []])

  const page = await followPages(agent, await agent.submit(asked, { code: await codeTo(email) }))
  assert.match(page.body, accepts)
  const [account] = await accountsOf('', email)
  assert.deepEqual([account?.email_verified, account?.has_password], [true, true])
  assert.equal((await storedMembers(w, t.id)).length, 1, 'an account accepts nothing')
  expectStatus(200, await agent.submit(page, {}))
  assert.ok((await storedMembers(w, t.id)).some(({ user_id, role }) => user_id === account?.id && role === 'developer'))
})

/** A person signs in through the provider, which claims this address, on the page of an invitation. Returns the page that asks whether to accept. */
async function acceptThroughProvider(invitation_url: string, claimed: string) {
  const agent = createAgent()
  const sign_in = await agent.get(`${invitation_url}&prompt=login`)
  const started = await agent.post(`${w.admin_issuer}/federate`, { ...formOf(sign_in.body).hidden, provider: provider_id })
  const claims = { sub: claimed, email: claimed, email_verified: true }
  const answer = new URLSearchParams(upstreams.agree(started.headers.get('location') ?? '', { claims }))
  const page = await followPages(agent, await agent.get(`${w.admin_issuer}/oauth/callback/${provider_id}?${answer}`))
  assert.match(page.body, accepts)
  const [account] = await accountsOf('', claimed)
  assert.equal(account?.email_verified, false, 'a provider of the root environment proves nothing')
  return { agent, page, user_id: account?.id ?? '' }
}

for (const email_code of [true, false])
  test(`a person invited through a provider proves the address by mail before accepting, with emailed codes ${email_code ? 'on' : 'off'}`, async () => {
    await configure({ sign_in: { email_code } })
    const t = await createTenant(w, olga)
    const invited = `paula-${email_code}@example.com`
    const claimed = `ceo-${email_code}@bigcorp.example`
    await t.invite(invited, 'admin')
    const { agent, page, user_id } = await acceptThroughProvider(await linkTo(invited), claimed)

    const asked = await agent.submit(page, {})
    assert.equal(stepOn(asked), 'code')
    assert.equal((await storedMembers(w, t.id)).length, 1, 'nobody has joined')
    const code = await codeTo(claimed)
    const wrong = await agent.submit(asked, { code: code === '000000' ? '000001' : '000000' })
    assert.deepEqual([wrong.status, stepOn(wrong)], [400, 'code'])
    const proved = await followPages(agent, await agent.submit(wrong, { code }))
    assert.match(proved.body, accepts)
    expectStatus(200, await agent.submit(proved, {}))
    assert.ok((await storedMembers(w, t.id)).some((member) => member.user_id === user_id && member.role === 'admin'))
    assert.equal((await accountsOf('', claimed))[0]?.email_verified, true)
  })

/** The account creates a tenant of its own, as `POST /v1/tenants` does. */
const createOwnTenant = (user_id: string) => {
  const id = TenantId.parse(w.deployment.newId('ten'))
  const slug = `own-${id.slice(-8)}`
  return db.batch([insertTenant(id, { slug, name: 'Own', created_by: user_id }, w.now()), insertMember(id, user_id, 'owner', w.now())])
}

test('an account that created a tenant of its own proves its address before it accepts an invitation', async () => {
  await configure({ sign_in: { email_code: true } })
  const t = await createTenant(w, olga)
  await t.invite('rita@example.com', 'admin')
  const { agent, page, user_id } = await acceptThroughProvider(await linkTo('rita@example.com'), 'cfo@bigcorp.example')
  await createOwnTenant(user_id)
  const asked = await agent.submit(page, {})
  assert.equal(stepOn(asked), 'code')
  assert.equal((await storedMembers(w, t.id)).length, 1, 'nobody has joined')
  const proved = await followPages(agent, await agent.submit(asked, { code: await codeTo('cfo@bigcorp.example') }))
  expectStatus(200, await agent.submit(proved, {}))
  assert.ok((await storedMembers(w, t.id)).some((member) => member.user_id === user_id))
})

test('without mail an account accepts without a code, and with mail later it is not asked for one', async () => {
  const [before, after, later] = [await createTenant(w, olga), await createTenant(w, olga), await createTenant(w, olga)]
  await before.invite('sara@example.com', 'admin')
  const first = await acceptThroughProvider(await linkTo('sara@example.com'), 'sara@example.com')
  await createOwnTenant(first.user_id)
  await configure({ email: { delivery: 'none' } })
  expectStatus(200, await first.agent.submit(first.page, {}))
  await configure({})
  await after.invite('sara2@example.com', 'developer')
  const page = await first.agent.get(await linkTo('sara2@example.com'))
  expectStatus(200, await first.agent.submit(page, {}))
  assert.ok((await storedMembers(w, after.id)).some((member) => member.user_id === first.user_id))

  // Members from before migration 0009 have no time of acceptance.
  await db.run(sql`update members set accepted_at = null where user_id = ${first.user_id}`)
  await later.invite('sara3@example.com', 'developer')
  expectStatus(200, await first.agent.submit(await first.agent.get(await linkTo('sara3@example.com')), {}))
  assert.ok((await storedMembers(w, later.id)).some((member) => member.user_id === first.user_id))
  assert.equal((await accountsOf('', 'sara@example.com'))[0]?.email_verified, false)
})

const ways: Record<string, (email: string) => Promise<unknown>> = {
  'an emailed code': async (email) => {
    const agent = createAgent()
    const asked = await agent.submit(await agent.get(`${w.admin_issuer}/account`), { email, password: '', method: 'email_code' })
    assert.equal(stepOn(asked), 'code')
    assert.equal(stepOn(await followPages(agent, await agent.submit(asked, { code: await codeTo(email) }))), 'account')
  },
  'a reset': async (email) => {
    const agent = createAgent()
    const sign_in = await agent.get(`${w.admin_issuer}/account`)
    const forgot = (/href="([^"]*\/forgot-password\?[^"]*)"/.exec(sign_in.body)?.[1] ?? '').replaceAll('&amp;', '&')
    await agent.submit(await agent.get(forgot), { email })
    const link = await agent.get(await linkTo(email))
    assert.equal(stepOn(await agent.submit(await agent.submit(link, {}), { password: 'another memorable sentence' })), 'new-password')
  },
}
let people = 0
for (const [how, prove] of Object.entries(ways))
  test(`proof by ${how} of an unproven administrator makes a new account, and the memberships stay with the old one`, async () => {
    await configure({ sign_in: { email_code: true } })
    const email = `planted${++people}@example.com`
    const planted = await createAdministrator(w, email)
    const t = await createTenant(w, planted)
    await db.run(sql`update users set email_verified = 0 where id = ${planted.user_id}`)
    const before = await storedMembers(w, t.id)
    assert.deepEqual(before, [{ user_id: planted.user_id, role: 'owner' }])
    await prove(email)

    const accounts = await accountsOf(planted.user_id, email)
    const old = accounts.find(({ id }) => id === planted.user_id)
    const own = accounts.find(({ id }) => id !== planted.user_id)
    assert.deepEqual(old, { id: planted.user_id, email: '', email_verified: false, has_password: false })
    assert.deepEqual([accounts.length, own?.email, own?.email_verified], [2, email, true])
    assert.deepEqual(await storedMembers(w, t.id), before)
    const agent = createAgent()
    const refused = await agent.submit(await agent.get(`${w.admin_issuer}/account`), { email, password: planted.password })
    assert.deepEqual([refused.status, stepOn(refused)], [400, 'sign-in'], 'the planted password opens nothing')
    assert.equal((await t.as(planted, 'GET')).status, 401, 'the tokens of the old account end')
  })
