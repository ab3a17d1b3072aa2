/** Inviting administrators: a membership begins when a signed-in person accepts a link of the tenant. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { z } from 'zod'
import { sql } from '../../src/db/db.ts'
import { acceptInvitation, asAdministrator, signInAt } from '../support/administrator.ts'
import { createAgent, formOf } from '../support/cookie-browser.ts'
import { type Administrator, createAccount, createTenant, storedMembers, type Tenant } from '../support/invitations.ts'
import { until } from '../support/receiver.ts'
import { createAdministrator } from '../support/tenants.ts'
import { expectStatus, randomText, world } from '../support/world.ts'

const w = await world({ env: { OSTIARY_LIMITS: '{"tenants_per_person":1000}' } })
const olga = await createAdministrator(w, 'olga@example.com')
const adam = await createAdministrator(w, 'adam@example.com')
const paul = await createAdministrator(w, 'paul@example.com')
const shown = (html: string) => html.replace(/<style>.*?<\/style>/gs, '')

test('inviting answers 201 in the same shape for every email', async (t) => {
  const tenant = await createTenant(w, olga)
  const emails = { 'a new email': 'new@example.com', 'the email of an account': paul.email, 'the email of a member': olga.email }
  for (const [what, email] of Object.entries(emails))
    await t.test(what, async () => {
      const reply = await tenant.as(olga, 'POST', '', { email, role: 'developer' })
      const { id, created_at, updated_at, expires_at, invitation_url, ...rest } = expectStatus(201, reply)
      assert.match(id, /^inv_/)
      assert.equal(reply.headers.get('location'), `${w.base_url}/v1/tenants/${tenant.id}/members/${id}`)
      assert.equal(Date.parse(expires_at) - Date.parse(created_at), 7 * 86_400_000)
      assert.equal(created_at, updated_at)
      assert.match(invitation_url, new RegExp(`^${w.admin_issuer}/invitation\\?token=`))
      const none = { user_id: null, name: null, email_verified: null, accepted_at: null, last_sign_in_at: null }
      assert.deepEqual(rest, { tenant_id: tenant.id, email, role: 'developer', status: 'pending', ...none })
    })
})

test('two tenants that invite one new email in parallel both get 201', async () => {
  const [first, second] = [await createTenant(w, olga), await createTenant(w, adam)]
  const replies = await Promise.all([first, second].map((t) => t.as(t.owner, 'POST', '', { email: 'both@example.com', role: 'viewer' })))
  assert.deepEqual(
    replies.map(({ status }) => status),
    [201, 201],
  )
})

test('the page of a link shows the tenant, the inviter, the role and the account, and reading it changes nothing', async () => {
  const t = await createTenant(w, olga)
  const { invitation_url } = await t.invite('label@example.com', 'admin')
  const agent = createAgent()
  const stranger = expectStatus(200, await agent.get(invitation_url))
  for (const text of [t.name, 'Ada Example (olga@example.com)', 'as admin', 'data-step="invitation"', 'data-action="create-account"'])
    assert.ok(stranger.includes(text), `${text} in ${shown(stranger)}`)
  const page = expectStatus(200, await signInAt(invitation_url, paul, agent))
  for (const text of [t.name, 'olga@example.com', 'as admin', paul.email, 'data-step="invitation"', 'data-action="accept-invitation"'])
    assert.ok(page.includes(text), `${text} in ${shown(page)}`)
  assert.ok(!page.includes('<script'))
  for (let times = 0; times < 3; times++) expectStatus(200, await agent.get(invitation_url))
  assert.deepEqual(await storedMembers(w, t.id), [{ user_id: olga.user_id, role: 'owner' }])
})

test('the account that accepts becomes the member with its own email, and the link is 410 from then on', async () => {
  const t = await createTenant(w, olga)
  const { invitation_url } = await t.invite('label@example.com', 'developer')
  const agent = createAgent()
  const page = await signInAt(invitation_url, paul, agent)
  expectStatus(200, await agent.submit(page, {}))
  const [member] = await t.list()
  const { last_sign_in_at, ...rest } = member as typeof member & Record<string, unknown>
  assert.equal(typeof last_sign_in_at, 'string')
  assert.deepEqual(
    { ...rest, accepted_at: rest.accepted_at === rest.created_at, created_at: 0, updated_at: 0 },
    {
      id: paul.user_id,
      user_id: paul.user_id,
      tenant_id: t.id,
      email: paul.email,
      email_verified: true,
      name: 'Ada Example',
      role: 'developer',
      status: 'active',
      expires_at: null,
      accepted_at: true,
      created_at: 0,
      updated_at: 0,
    },
  )
  for (const reply of [await agent.get(invitation_url), await createAgent().get(invitation_url), await agent.submit(page, {})])
    assert.equal(reply.status, 410)
})

test('a person without an account creates one through a link while sign-up is closed, and its email is unverified', async () => {
  const t = await createTenant(w, olga)
  const { invitation_url } = await t.invite('grace@example.com', 'viewer')
  const agent = createAgent()
  const page = await createAccount(agent, invitation_url, 'grace@example.com')
  assert.equal((await storedMembers(w, t.id)).length, 1, 'creating an account accepts nothing')
  expectStatus(200, await agent.submit(page, {}))
  const [member] = await t.list()
  assert.deepEqual([member?.email, (member as unknown as { email_verified: boolean }).email_verified], ['grace@example.com', false])
})

test('sign-up through a link is 400 for the email of an account, whatever the password, and accepts another email', async () => {
  const t = await createTenant(w, adam)
  const { invitation_url } = await t.invite(paul.email, 'viewer')
  const agent = createAgent()
  for (const password of ['a password of the inviter', paul.password]) {
    const page = await createAccount(agent, invitation_url, paul.email, password)
    assert.equal(page.status, 400)
    assert.match(page.body, /You cannot create an account with this address\. Sign in, or use another\./)
    assert.doesNotMatch(page.body, /accept-invitation/)
  }
  assert.match((await signInAt(invitation_url, paul)).body, /accept-invitation/, 'the password is unchanged')
  const other = await createAccount(agent, invitation_url, 'paul.other@example.com')
  expectStatus(200, await agent.submit(other, {}))
  assert.equal((await t.list())[0]?.email, 'paul.other@example.com')
})

test('a member who opens a link keeps the role, and the invitation stays open for others', async () => {
  const t = await createTenant(w, olga)
  await t.join(paul, 'viewer')
  const { id, invitation_url } = await t.invite('label@example.com', 'admin')
  const page = await signInAt(invitation_url, paul)
  expectStatus(200, page)
  assert.match(page.body, /already a member of[^<]*<\/h1><p class="sub">Your role stays viewer/)
  assert.doesNotMatch(page.body, /accept-invitation/)
  const member = (await t.list()).find(({ user_id }) => user_id === paul.user_id)
  assert.equal(member?.role, 'viewer')
  assert.ok((await t.list()).some((each) => each.id === id && each.status === 'pending'))
  await acceptInvitation(invitation_url, adam)
  assert.ok((await t.list()).some(({ user_id, role }) => user_id === adam.user_id && role === 'admin'))
})

test('a person with two accounts in one browser accepts with the account that the page shows', async () => {
  const t = await createTenant(w, olga)
  const { invitation_url } = await t.invite('label@example.com', 'viewer')
  const agent = createAgent()
  const as_paul = await signInAt(invitation_url, paul, agent)
  const chooser = await agent.get(`${invitation_url}&prompt=select_account`)
  assert.match(chooser.body, new RegExp(paul.email))
  await signInAt(invitation_url, adam, agent)
  expectStatus(200, await agent.submit(as_paul, {}))
  assert.deepEqual(
    (await t.list()).map(({ email }) => email),
    [paul.email, olga.email],
  )
})

test('an acceptance without the form token, from another origin, with another role or without the session changes nothing', async () => {
  const t = await createTenant(w, olga)
  const { invitation_url } = await t.invite('label@example.com', 'viewer')
  const agent = createAgent()
  const page = await signInAt(invitation_url, paul, agent)
  assert.equal((await agent.submit(page, { csrf: randomText() })).status, 400)
  assert.equal((await agent.submit(page, {}, { origin: 'https://evil.example' })).status, 400)
  assert.equal((await agent.submit(page, { role: 'owner' })).status, 400)
  assert.equal((await agent.submit(page, { session: 'ses_01m7wwr5ftevtv5yxb47hmb4ht' })).status, 400)
  const { action, hidden } = formOf(page.body)
  assert.equal((await createAgent().post(action, hidden)).status, 400)
  assert.equal((await storedMembers(w, t.id)).length, 1)
})

interface Invited {
  id: string
  email: string
  invitation_url: string
}

/** Changes that end an invitation which an administrator of the tenant sent, each with the title of the page that follows. */
const ends: Record<string, [title: string, end: (t: Tenant, inviter: Administrator, invitation: Invited) => unknown]> = {
  'it was accepted': ['This invitation has been used', (_, __, { invitation_url }) => acceptInvitation(invitation_url, paul)],
  'it was deleted': [
    'This invitation has been withdrawn',
    async (t, _, { id }) => assert.equal((await t.as(olga, 'DELETE', `/${id}`)).status, 204),
  ],
  'it was replaced by a new one': ['There is a newer invitation', (t, _, { email }) => t.invite(email.toUpperCase(), 'viewer')],
  'it was resent': ['There is a newer invitation', async (t, _, { id }) => expectStatus(200, await t.as(olga, 'POST', `/${id}/resend`))],
  'its inviter was removed': [
    'This invitation has been withdrawn',
    async (t, { user_id }) => assert.equal((await t.as(olga, 'DELETE', `/${user_id}`)).status, 204),
  ],
  'its inviter left': [
    'This invitation has been withdrawn',
    async (t, inviter) => assert.equal((await t.as(inviter, 'DELETE', `/${inviter.user_id}`)).status, 204),
  ],
  'its inviter left and came back': [
    'This invitation has been withdrawn',
    async (t, inviter) => {
      assert.equal((await t.as(olga, 'DELETE', `/${inviter.user_id}`)).status, 204)
      await t.join(inviter, 'admin')
    },
  ],
  'its inviter may no longer grant the role': [
    'This invitation has been withdrawn',
    async (t, { user_id }) => expectStatus(200, await t.as(olga, 'PATCH', `/${user_id}`, { role: 'developer' })),
  ],
  'its role was raised above what its inviter may grant': [
    'This invitation has been withdrawn',
    async (t, _, { id }) => expectStatus(200, await t.as(olga, 'PATCH', `/${id}`, { role: 'owner' })),
  ],
}

for (const [why, [title, end]] of Object.entries(ends))
  test(`a link is 410 when ${why}, and pages that were open create no member and no account`, async () => {
    const t = await createTenant(w, olga)
    const inviter = await createAdministrator(w, `inviter.${t.slug}@example.com`)
    await t.join(inviter, 'admin')
    const invitation = await t.invite('label@example.com', 'developer', inviter)
    const reader = await createAdministrator(w, `reader.${t.slug}@example.com`)
    const agent = createAgent()
    const open = await signInAt(invitation.invitation_url, reader, agent)
    const sign_up_agent = createAgent()
    const sign_up = await sign_up_agent.get(invitation.invitation_url)
    expectStatus(200, sign_up)
    await end(t, inviter, invitation)

    for (const visitor of [agent, createAgent()]) {
      const page = await visitor.get(invitation.invitation_url)
      assert.equal(page.status, 410)
      assert.match(page.body, /data-step="error"/)
      assert.match(page.body, new RegExp(`<h1>${title}</h1>.*<a class="b" href="${w.base_url}/">Start page</a>`, 's'))
    }
    assert.equal((await agent.submit(open, {})).status, 410)
    assert.equal(
      (await sign_up_agent.submit(sign_up, { email: `late.${t.slug}@example.com`, password: 'a memorable sentence' })).status,
      410,
    )
    const members = await storedMembers(w, t.id)
    assert.ok(!members.some(({ user_id }) => user_id === reader.user_id))
  })

test('an invitation of the system stays open when an owner leaves', async () => {
  const t = await createTenant(w, olga)
  await t.join(adam, 'owner')
  const { invitation_url } = await t.recover('label@example.com')
  assert.equal((await t.as(adam, 'DELETE', `/${olga.user_id}`)).status, 204)
  const page = await signInAt(invitation_url, paul)
  assert.match(shown(page.body), /You are invited to Tenant \d+ as owner/)
  expectStatus(200, await acceptInvitation(invitation_url, paul))
  assert.ok((await storedMembers(w, t.id)).some(({ user_id, role }) => user_id === paul.user_id && role === 'owner'))
})

test('a link is 410 while its inviter is blocked', async () => {
  const t = await createTenant(w, olga)
  await t.join(adam, 'admin')
  const { invitation_url } = await t.invite('label@example.com', 'viewer', adam)
  await w.deployment.db.run(sql`update users set blocked_at = ${w.now()} where id = ${adam.user_id}`)
  assert.equal((await createAgent().get(invitation_url)).status, 410)
  await w.deployment.db.run(sql`update users set blocked_at = null where id = ${adam.user_id}`)
  assert.equal((await createAgent().get(invitation_url)).status, 200)
})

test('an unknown link is 404, and so is a link at the issuer of another environment', async () => {
  const t = await createTenant(w, olga)
  const { invitation_url } = await t.invite('label@example.com', 'viewer')
  const token = new URL(invitation_url).searchParams.get('token') ?? ''
  const changed = `${token.slice(0, -2)}${token.endsWith('AA') ? 'BB' : 'AA'}`
  for (const query of [`token=${randomText()}`, `token=${changed}`, 'token=', 'token=%00', `token=${'a'.repeat(9_000)}`, '', 'x=1']) {
    const page = await createAgent().get(`${w.admin_issuer}/invitation?${query}`)
    assert.equal(page.status, 404, query)
    assert.match(page.body, /data-step="error"/)
  }
  assert.equal((await createAgent().get(`${w.test.issuer}/invitation?token=${token}`)).status, 404)
})

test('a link creates at most five accounts', async () => {
  const t = await createTenant(w, olga)
  const { invitation_url } = await t.invite('label@example.com', 'viewer')
  for (let i = 0; i < 5; i++)
    assert.match((await createAccount(createAgent(), invitation_url, `many${i}@example.com`)).body, /accept-invitation/)
  const page = await createAgent().get(invitation_url)
  assert.match(page.body, /data-step="sign-in"/)
  assert.doesNotMatch(page.body, /create-account|prompt=create/)
})

test('a pending invitation can be changed, resent and deleted; one that is not pending is 404', async () => {
  const t = await createTenant(w, olga)
  const invited = await t.invite('label@example.com', 'viewer')
  const { invitation_url: _, ...before } = invited
  assert.deepEqual((await t.list())[0], before)
  const changed = expectStatus(200, await t.as(olga, 'PATCH', `/${invited.id}`, { role: 'developer' }))
  assert.deepEqual([changed.role, changed.status, changed.id], ['developer', 'pending', invited.id])
  assert.equal((await createAgent().get(invited.invitation_url)).status, 200)

  w.advance(60)
  const resent = expectStatus(200, await t.as(olga, 'POST', `/${invited.id}/resend`))
  assert.deepEqual([resent.id, resent.role], [invited.id, 'developer'])
  assert.notEqual(resent.invitation_url, invited.invitation_url)
  assert.ok(resent.expires_at > invited.expires_at)
  assert.equal((await createAgent().get(invited.invitation_url)).status, 410)
  assert.equal((await createAgent().get(resent.invitation_url)).status, 200)

  assert.equal((await t.as(olga, 'DELETE', `/${invited.id}`)).status, 204)
  for (const [method, path, body] of [
    ['DELETE', `/${invited.id}`],
    ['PATCH', `/${invited.id}`, { role: 'admin' }],
    ['POST', `/${invited.id}/resend`],
    ['POST', `/${olga.user_id}/resend`],
  ] as const)
    assert.equal((await t.as(olga, method, path, body)).body.code, 'not_found', `${method} ${path}`)
})

test('an admin can neither change nor create an invitation for the role owner', async () => {
  const t = await createTenant(w, olga)
  await t.join(adam, 'admin')
  const { id, email } = await t.invite('label@example.com', 'owner')
  for (const [method, path, body] of [
    ['POST', '', { email: 'x@example.com', role: 'owner' }],
    ['POST', '', { email: email.toUpperCase(), role: 'viewer' }],
    ['POST', `/${id}/resend`],
    ['PATCH', `/${id}`, { role: 'viewer' }],
    ['DELETE', `/${id}`],
  ] as const)
    assert.equal((await t.as(adam, method, path, body)).body.code, 'insufficient_role', `${method} ${path}`)
  const { id: lower } = await t.invite('lower@example.com', 'viewer')
  assert.equal((await t.as(adam, 'PATCH', `/${lower}`, { role: 'owner' })).body.code, 'insufficient_role')
  assert.deepEqual(
    (await t.list()).filter(({ status }) => status === 'pending').map(({ role }) => role),
    ['viewer', 'owner'],
  )
})

test('PATCH of an invitation whose link ends answers expires_at null', async () => {
  const t = await createTenant(w, olga)
  await t.join(adam, 'admin')
  const { id, expires_at } = await t.invite('raised@example.com', 'viewer', adam)
  const kept = expectStatus(200, await t.as(olga, 'PATCH', `/${id}`, { role: 'admin' }))
  assert.equal(kept.expires_at, expires_at)
  const raised = expectStatus(200, await t.as(olga, 'PATCH', `/${id}`, { role: 'owner' }))
  const listed = (await t.list()).find((member) => member.id === id)
  assert.deepEqual([raised.expires_at, listed], [null, raised])
  const [change] = await w.deployment.db.all(
    z.object({ after_change: z.string() }),
    sql`select after_change from audit_log where object_id = ${id} order by id desc limit 1`,
  )
  assert.deepEqual(JSON.parse(change?.after_change ?? ''), { role: 'owner', expires_at: null })
})

test('the administrator who resends an invitation becomes its inviter', async () => {
  const t = await createTenant(w, olga)
  await t.join(adam, 'admin')
  const { id } = await t.invite('label@example.com', 'viewer')
  const { invitation_url } = expectStatus(200, await t.as(adam, 'POST', `/${id}/resend`))
  assert.match((await createAgent().get(invitation_url)).body, /adam@example\.com/)
  assert.equal((await t.as(olga, 'DELETE', `/${adam.user_id}`)).status, 204)
  assert.equal((await createAgent().get(invitation_url)).status, 410)
})

test('the replay for a repeated Idempotency-Key has no link, and creates no second invitation', async () => {
  const t = await createTenant(w, olga)
  const repeating = { ...olga, headers: { 'idempotency-key': 'once' } }
  const body = { email: 'label@example.com', role: 'viewer' }
  const first = await t.as(repeating, 'POST', '', body)
  const again = await t.as(repeating, 'POST', '', body)
  assert.deepEqual(expectStatus(201, again), { ...expectStatus(201, first), invitation_url: null })
  assert.equal(again.headers.get('idempotent-replayed'), 'true')
  const resent = await t.as(repeating, 'POST', `/${first.body.id}/resend`)
  assert.deepEqual(expectStatus(200, await t.as(repeating, 'POST', `/${first.body.id}/resend`)), {
    ...expectStatus(200, resent),
    invitation_url: null,
  })
})

test('the audit log records inviting and accepting, without the token', async () => {
  const t = await createTenant(w, olga)
  const invited = await t.invite('label@example.com', 'viewer')
  await acceptInvitation(invited.invitation_url, paul)
  await t.recover('owner@example.com')
  const log = asAdministrator(w, olga.token, t.id)
  const entries = await until('four numbered entries', async () => {
    const { data }: { data: any[] } = expectStatus(200, await log('GET', `/v1/tenants/${t.id}/audit-log`))
    return data.length >= 4 && data
  })
  assert.deepEqual(
    entries.map(({ action, actor, object }) => [action, actor.type, actor.label, object.type]),
    [
      ['recover', 'system', null, 'invitation'],
      ['acceptInvitation', 'user', paul.email, 'member'],
      ['addMember', 'user', olga.email, 'invitation'],
      ['createTenant', 'user', olga.email, 'tenant'],
    ],
  )
  const [, accepted, added] = entries
  assert.deepEqual([accepted.after.invitation_id, accepted.after.role, accepted.object.id], [invited.id, 'viewer', paul.user_id])
  assert.equal(added.after.email, 'label@example.com')
  const token = new URL(invited.invitation_url).searchParams.get('token') ?? ''
  assert.ok(!JSON.stringify(entries).includes(token))
  assert.ok(!w.log.join('').includes(token))
})

test('only members of the tenant find an invitation by its id', async () => {
  const t = await createTenant(w, olga)
  const { id } = await t.invite('label@example.com', 'viewer')
  const found = expectStatus(200, await asAdministrator(w, olga.token, null)('GET', `/v1/lookup/${id}`))
  assert.deepEqual([found.object, found.tenant_id, found.project_id], ['invitation', t.id, null])
  assert.equal((await asAdministrator(w, paul.token, null)('GET', `/v1/lookup/${id}`)).status, 404)
})
