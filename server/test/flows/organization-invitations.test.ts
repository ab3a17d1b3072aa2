/** What people do with an invitation to an organization (decision 0179): the link proves nothing, and one code and one press let a person in. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { z } from 'zod'
import { sql } from '../../src/db/db.ts'
import { type Agent, authorizationRequest, createAgent, followPages, formOf } from '../support/cookie-browser.ts'
import { mailsTo, newestMail } from '../support/mailed.ts'
import { organizationsOf } from '../support/organizations.ts'
import { amidBatch, overlapping } from '../support/overlapping-batches.ts'
import { startUpstreams } from '../support/upstream-provider.ts'
import { expectStatus, type Reply, world } from '../support/world.ts'

const upstreams = await startUpstreams()
const w = await world({
  outbound: upstreams.outbound,
  env: {
    OSTIARY_LIMITS: '{"organization_invitations_per_address":1000,"organizations_per_user":50}',
    OSTIARY_TRUSTED_PROXIES: '127.0.0.0/8,::1',
  },
})
const { db } = w.deployment
const environment = w.test
await w.changeSettings(environment, { sign_up: { mode: 'closed' }, sign_in: { email_code: true } })
const api = await organizationsOf(w, environment)
await api.role('editor', { name: 'Editor of everything' })
const client = await w.createApplication(environment, {
  consent: 'skip',
  initiate_login_uri: 'https://app.example.com/login?from=ostiary',
})

let made = 0
const address = () => `guest${++made}@example.com`
const person = async (fields: object = {}) => {
  const user = await w.createUser(environment, fields)
  return { ...user, agent: await signedIn(user) }
}

/** A browser that is signed in to the account page. */
async function signedIn(user: { email: string; password: string }): Promise<Agent> {
  const agent = createAgent()
  await followPages(agent, await agent.submit(await agent.get(`${environment.issuer}/account`), { ...user, method: 'password' }))
  return agent
}

const invite = async (email: string, fields: object = {}, organization?: { id: string }) => {
  const of = organization ?? (await api.create({ name: 'Acme Customer' }))
  const { id, invitation_url } = expectStatus(201, await api.invite(of.id, email, { roles: ['editor'], ...fields }))
  return { id: id as string, url: invitation_url as string, organization: of }
}

const membersOf = async (organization: { id: string }): Promise<{ user_id: string; email: string; roles: string[] }[]> =>
  expectStatus(200, await api.auth('GET', `organizations/${organization.id}/members`)).data
const statusOf = async (organization: { id: string }, id: string) =>
  expectStatus(200, await api.auth('GET', `organizations/${organization.id}/invitations/${id}`)).status

const stepOf = ({ body }: Reply) => /<main[^>]*data-step="([^"]*)"/.exec(body)?.[1]
const actionsOf = ({ body }: Reply) => [...body.matchAll(/data-action="([^"]*)"/g)].map(([, action]) => action)
const accept = (agent: Agent, page: Reply) => agent.submit(page, { action: 'accept' })
const codeTo = async (email: string) => (await newestMail(w, environment, email)).code ?? assert.fail('The mail has no code.')
const wrongCode = async (email: string) => String((Number(await codeTo(email)) + 1) % 1_000_000).padStart(6, '0')
const locationOf = ({ status, headers }: Reply) => {
  assert.equal(status, 303)
  return headers.get('location') ?? ''
}

test('a person without an account is inside the application after the link, one press and one code, even while sign-up is closed', async () => {
  const email = address()
  const { id, url, organization } = await invite(email, { application_id: client.id })
  const agent = createAgent()
  const page = await agent.get(url)
  assert.equal(stepOf(page), 'invitation')
  assert.deepEqual(actionsOf(page), ['accept-invitation', 'sign-in'])
  for (const part of ['Acme Customer', 'Editor of everything', email]) assert.ok(page.body.includes(part), part)
  const asked = await accept(agent, page)
  assert.equal(stepOf(asked), 'code')
  const mail = await newestMail(w, environment, email)
  assert.equal(mail.kind, 'organization_invitation_code')
  assert.match(mail.text, /Acme Customer/)
  const joined = new URL(locationOf(await agent.submit(asked, { code: mail.code ?? '' })))
  assert.deepEqual(
    [joined.origin + joined.pathname, ...joined.searchParams],
    ['https://app.example.com/login', ['from', 'ostiary'], ['iss', environment.issuer], ['organization', organization.id]],
  )
  const [member, ...others] = await membersOf(organization)
  assert.deepEqual([member?.email, member?.roles, others], [email, ['editor'], []])
  assert.equal(await statusOf(organization, id), 'accepted')
  // The application asks for a sign-in, and the person sees no page.
  const request = authorizationRequest(environment, client)
  const answer = await agent.get(request.url)
  assert.ok(new URL(locationOf(answer)).searchParams.has('code'))
  const user = expectStatus(200, await api.auth('GET', `users?email=${email}`)).data[0]
  assert.deepEqual([user.id, user.email_verified], [member?.user_id, true])
})

test('an account that proved the address accepts with one press, without a code, and sees who invites whom to what', async () => {
  const { email, id: user_id, agent } = await person()
  const { url, organization } = await invite(email.toUpperCase())
  const page = await agent.get(url)
  assert.deepEqual(actionsOf(page), ['use-other-account', 'accept-invitation', 'decline-invitation'])
  assert.equal(locationOf(await accept(agent, page)), `${environment.issuer}/account`)
  assert.deepEqual(
    (await membersOf(organization)).map((member) => member.user_id),
    [user_id],
  )
  assert.equal((await mailsTo(w, environment, email)).length, 0)
  assert.equal((await createAgent().get(url)).status, 410)
})

test('a GET and a HEAD of the link change nothing', async () => {
  const { email, agent } = await person()
  const { id, url, organization } = await invite(email)
  for (let n = 0; n < 3; n++) assert.equal((await agent.get(url)).status, 200)
  const head = await fetch(w.reach(url), { method: 'HEAD' })
  assert.equal(head.status, 200)
  assert.deepEqual([await membersOf(organization), await statusOf(organization, id)], [[], 'pending'])
})

test('a forwarded link lets nobody in, since the code is mailed to the invited address', async () => {
  const email = address()
  const { id, url, organization } = await invite(email)
  const thief = await person()
  const page = await thief.agent.get(url)
  assert.ok(!actionsOf(page).includes('decline-invitation'))
  const asked = await accept(thief.agent, page)
  assert.equal(stepOf(asked), 'code')
  const refused = await thief.agent.submit(asked, { code: await wrongCode(email) })
  assert.equal(refused.status, 400)
  const forged = await thief.agent.submit(page, { action: 'decline' })
  assert.notEqual(forged.status, 200)
  assert.deepEqual([await membersOf(organization), await statusOf(organization, id)], [[], 'pending'])
  // The mailed code is bound to the browser that asked for it.
  const code = await codeTo(email)
  const owner = createAgent()
  const own = await accept(owner, await owner.get(url))
  assert.equal((await owner.submit(own, { code })).status, 400)
  assert.match(locationOf(await owner.submit(own, { code: await codeTo(email) })), /\/account$/)
})

test('a person joins with another account by the code that is mailed to the invited address', async () => {
  const email = address()
  const { url, organization } = await invite(email)
  const { agent, id: user_id, email: own } = await person()
  const asked = await accept(agent, await agent.get(url))
  assert.equal(locationOf(await agent.submit(asked, { code: await codeTo(email) })), `${environment.issuer}/account`)
  assert.deepEqual(
    (await membersOf(organization)).map((member) => [member.user_id, member.email]),
    [[user_id, own]],
  )
})

test('an account that registered the address before and did not prove it proves it by the code', async () => {
  const { email, agent, id } = await person({ email: address(), email_verified: false })
  const { url, organization } = await invite(email)
  const page = await agent.get(url)
  assert.ok(!actionsOf(page).includes('decline-invitation'))
  const asked = await accept(agent, page)
  locationOf(await agent.submit(asked, { code: await codeTo(email) }))
  assert.deepEqual(
    (await membersOf(organization)).map(({ user_id }) => user_id),
    [id],
  )
  assert.equal(expectStatus(200, await api.auth('GET', `users/${id}`)).email_verified, true)
})

test('an account with an address that another person never proved loses what was planted, and the invited person joins', async () => {
  const trap = await person({ email: address(), email_verified: false })
  const { url, organization } = await invite(trap.email)
  const agent = createAgent()
  const asked = await accept(agent, await agent.get(url))
  locationOf(await agent.submit(asked, { code: await codeTo(trap.email) }))
  const [member] = await membersOf(organization)
  assert.equal(member?.email, trap.email)
  const page = await trap.agent.get(`${environment.issuer}/account`)
  assert.equal(stepOf(page), 'sign-in', 'its session has ended')
})

test('an account of the address that is signed out joins by the code, which signs it in', async () => {
  const { email, id } = await person()
  const { url, organization } = await invite(email)
  const agent = createAgent()
  const asked = await accept(agent, await agent.get(url))
  locationOf(await agent.submit(asked, { code: await codeTo(email) }))
  assert.deepEqual(
    (await membersOf(organization)).map(({ user_id }) => user_id),
    [id],
  )
  assert.equal(stepOf(await agent.get(`${environment.issuer}/account`)), 'account')
})

test('a blocked account of the address does not join', async () => {
  const { email, id } = await person()
  const { url, organization } = await invite(email)
  expectStatus(200, await api.auth('POST', `users/${id}/block`))
  const agent = createAgent()
  const asked = await accept(agent, await agent.get(url))
  assert.equal((await agent.submit(asked, { code: await codeTo(email) })).status, 400)
  assert.deepEqual(await membersOf(organization), [])
})

test('a person signs in with a password from the page, and comes back to it', async () => {
  const user = await w.createUser(environment)
  const { url, organization } = await invite(user.email)
  const agent = createAgent()
  const form = await agent.get(`${url}&prompt=login`)
  assert.equal(stepOf(form), 'sign-in')
  const page = await followPages(agent, await agent.submit(form, { ...user, method: 'password' }))
  assert.equal(stepOf(page), 'invitation')
  locationOf(await accept(agent, page))
  assert.deepEqual(
    (await membersOf(organization)).map(({ user_id }) => user_id),
    [user.id],
  )
})

test('with closed sign-up the invitation makes no account of another address', async () => {
  const { url } = await invite(address())
  const other = address()
  const agent = createAgent()
  const form = await agent.get(`${url}&prompt=create`)
  assert.equal(stepOf(form), 'invitation')
  await agent.submit(form, { email: other, password: 'correct horse battery' })
  assert.ok(!(await mailsTo(w, environment, other)).some(({ code }) => code !== null))
  assert.deepEqual(expectStatus(200, await api.auth('GET', `users?email=${other}`)).data, [])
})

const google = { type: 'google', client_id: 'g', client_secret: 's', link_by_verified_email: true }
const provider = expectStatus(201, await w.call('POST', `${environment.path}/providers`, { body: google }))

/** Signs in at the provider from the page of an invitation. */
async function signInAtProvider(
  agent: Agent,
  url: string,
  claims: { email: string; email_verified: boolean; sub?: string },
): Promise<Reply> {
  const page = await agent.get(`${url}&prompt=login`)
  const started = await agent.post(`${environment.issuer}/federate`, { ...formOf(page.body).hidden, provider: provider.id })
  const sent = { sub: claims.email, ...claims }
  const answer = new URLSearchParams(upstreams.agree(started.headers.get('location') ?? '', { claims: sent }))
  return agent.get(`${environment.issuer}/oauth/callback/${provider.id}?${answer}`)
}
const accountsOf = async (email: string): Promise<number> => expectStatus(200, await api.auth('GET', `users?email=${email}`)).data.length

test('with closed sign-up a provider that verified the invited address makes an account, which accepts without a code', async () => {
  const email = address()
  const { url, organization } = await invite(email)
  const agent = createAgent()
  const page = await followPages(agent, await signInAtProvider(agent, url, { email, email_verified: true }))
  assert.ok(actionsOf(page).includes('accept-invitation'))
  locationOf(await accept(agent, page))
  assert.deepEqual(
    (await membersOf(organization)).map((member) => member.email),
    [email],
  )
  assert.equal((await mailsTo(w, environment, email)).length, 0)
})

for (const [why, claims] of Object.entries({
  'verified another address': (_: string) => ({ email: address(), email_verified: true }),
  'did not verify the invited address': (email: string) => ({ email, email_verified: false }),
}))
  test(`with closed sign-up a provider that ${why} makes no account`, async () => {
    const email = address()
    const { url, organization } = await invite(email)
    const sent = claims(email)
    assert.ok((await signInAtProvider(createAgent(), url, sent)).status >= 400)
    assert.deepEqual([await accountsOf(sent.email), await membersOf(organization)], [0, []])
  })

test('an account of a provider with another address joins by the code to the invited one', async () => {
  const email = address()
  const { url, organization } = await invite(email)
  const user = await w.createUser(environment)
  const agent = createAgent()
  const page = await followPages(agent, await signInAtProvider(agent, url, { email: user.email, email_verified: true }))
  const asked = await accept(agent, page)
  assert.equal(stepOf(asked), 'code')
  locationOf(await agent.submit(asked, { code: await codeTo(email) }))
  assert.deepEqual(
    (await membersOf(organization)).map(({ user_id }) => user_id),
    [user.id],
  )
})

test('with passwords alone the one press is that of a form with a password, and the person has a way back', async () => {
  const { test: own } = await w.createProject('passwords-alone')
  await w.changeSettings(own, { sign_up: { mode: 'closed' } })
  const there = await organizationsOf(w, own)
  const organization = await there.create({ name: 'Acme Customer' })
  const email = 'only@example.com'
  const { body } = await there.invite(organization.id, email)
  const agent = createAgent()
  const form = await agent.get(body.invitation_url)
  assert.equal(stepOf(form), 'invitation')
  for (const part of ['Acme Customer', email]) assert.ok(form.body.includes(part), part)
  const asked = await agent.submit(form, { email, password: 'correct horse battery' })
  const { code } = await newestMail(w, own, email)
  assert.equal(locationOf(await agent.submit(asked, { code: code ?? '' })), `${own.issuer}/account`)
  assert.equal(expectStatus(200, await there.auth('GET', `organizations/${organization.id}/members`)).data.length, 1)
  const later = createAgent()
  const page = await later.submit(await later.get(`${own.issuer}/account`), {
    email,
    password: 'correct horse battery',
    method: 'password',
  })
  assert.equal(page.status, 303)
})

test('a person declines by the link, and then it is 410', async () => {
  const { email, agent } = await person()
  const { id, url, organization } = await invite(email)
  const page = await agent.submit(await agent.get(url), { action: 'decline' })
  assert.equal(page.status, 200)
  assert.equal(stepOf(page), 'invitation')
  assert.deepEqual([await membersOf(organization), await statusOf(organization, id)], [[], 'ended'])
  assert.equal((await agent.get(url)).status, 410)
})

test('the account page shows invitations to a proved address, in any spelling, to accept and to decline', async () => {
  const { email, agent, id: user_id } = await person()
  const [one, two] = [await invite(email.toUpperCase(), { application_id: client.id }), await invite(email)]
  const account = () => agent.get(`${environment.issuer}/account`)
  const page = await account()
  const section = /<section class="cd" id="organizations".*?<\/section>/s.exec(page.body)?.[0] ?? assert.fail('There is no section.')
  assert.equal(section.match(/data-action="accept-invitation"/g)?.length, 2)
  const press = async (id: string, decision: string) => {
    const { body } = await account()
    const csrf = /name="csrf" value="([^"]*)"/.exec(body)?.[1] ?? ''
    return agent.post(`${environment.issuer}/account/invitation`, { csrf, user: user_id, id, decision })
  }
  assert.match(locationOf(await press(one.id, 'accept')), /^https:\/\/app\.example\.com\/login/)
  assert.deepEqual(
    (await membersOf(one.organization)).map((member) => member.user_id),
    [user_id],
  )
  assert.match(locationOf(await press(two.id, 'decline')), /done=decline-invitation/)
  assert.equal(await statusOf(two.organization, two.id), 'ended')
  assert.doesNotMatch((await account()).body, /data-action="(accept|decline)-invitation"/)
})

test('an account with an unproved address, or with another one, sees and answers no invitation on its account page', async () => {
  const email = address()
  const { id, organization } = await invite(email)
  for (const fields of [{ email, email_verified: false }, {}]) {
    const { agent, id: user_id } = await person(fields)
    const { body } = await agent.get(`${environment.issuer}/account`)
    assert.doesNotMatch(body, /accept-invitation/)
    const csrf = /name="csrf" value="([^"]*)"/.exec(body)?.[1] ?? ''
    for (const decision of ['accept', 'decline'])
      await agent.post(`${environment.issuer}/account/invitation`, { csrf, user: user_id, id, decision })
  }
  assert.deepEqual([await membersOf(organization), await statusOf(organization, id)], [[], 'pending'])
})

test('a member who opens an invitation keeps the roles, and the invitation stays', async () => {
  const { email, agent, id: user_id } = await person()
  const organization = await api.create()
  expectStatus(201, await api.add(organization.id, user_id))
  const { id, url } = await invite(email, {}, organization)
  const page = await agent.get(url)
  assert.equal(page.status, 200)
  assert.ok(!actionsOf(page).includes('accept-invitation'))
  assert.deepEqual(
    (await membersOf(organization)).map(({ roles }) => roles),
    [[]],
  )
  assert.equal(await statusOf(organization, id), 'pending')
})

test('a page that was open while the invitation ended ends with 410, and makes no member', async () => {
  const { email, agent } = await person()
  const { id, url, organization } = await invite(email)
  const page = await agent.get(url)
  expectStatus(204, await api.auth('DELETE', `organizations/${organization.id}/invitations/${id}`))
  const late = await accept(agent, page)
  assert.equal(late.status, 410)
  assert.deepEqual(await membersOf(organization), [])
})

test('an invitation of a disabled organization is 410, and works again when it is enabled', async () => {
  const { email, agent } = await person()
  const { url, organization } = await invite(email)
  const page = await agent.get(url)
  expectStatus(200, await api.auth('PATCH', `organizations/${organization.id}`, { disabled: true }))
  assert.equal((await agent.get(url)).status, 410)
  assert.equal((await accept(agent, page)).status, 410)
  expectStatus(200, await api.auth('PATCH', `organizations/${organization.id}`, { disabled: false }))
  locationOf(await accept(agent, await agent.get(url)))
})

test('wrong codes are counted over all browsers, so the right one is refused after thirty', async () => {
  const email = address()
  const { url, organization } = await invite(email)
  // Each browser has an address of its own: a source gets few codes, and few wrong tries.
  const browser = async (n: number) => {
    const agent = createAgent()
    const headers = { 'x-forwarded-for': `203.0.113.${n}` }
    const page = await agent.submit(await agent.get(url, headers), { action: 'accept' }, headers)
    return { enter: (code: string) => agent.submit(page, { code }, headers), code: await codeTo(email) }
  }
  const wrong = (n: number, right: string) => String((Number(right) + 1 + n) % 1_000_000).padStart(6, '0')
  const last = await browser(100)
  for (let n = 0; n < 6; n++) {
    w.advance(1)
    const { enter, code } = await browser(n)
    for (let tries = 0; tries < 5; tries++) assert.equal((await enter(wrong(tries, code))).status, 400)
  }
  assert.equal((await last.enter(last.code)).status, 400)
  assert.deepEqual(await membersOf(organization), [])
  w.advance(3_601)
  const later = await browser(101)
  locationOf(await later.enter(later.code))
})

test('a second press of Accept, and of the code, ends as the first one', async () => {
  const email = address()
  const { url, organization } = await invite(email, { application_id: client.id })
  const agent = createAgent()
  const page = await agent.get(url)
  const [first, second] = [await agent.press(page, { action: 'accept' }), await agent.press(page, { action: 'accept' })]
  assert.equal(locationOf(first), locationOf(second))
  assert.equal((await mailsTo(w, environment, email)).length, 1)
  const asked = await agent.get(locationOf(first))
  const code = await codeTo(email)
  const [joined, again] = [await agent.press(asked, { code }), await agent.press(asked, { code })]
  assert.equal(locationOf(joined), locationOf(again))
  assert.equal((await membersOf(organization)).length, 1)
})

test('of 50 people who press Accept at once for one link, one becomes a member', async () => {
  const email = address()
  const { url, organization } = await invite(email)
  const { agent } = await person({ email })
  const pages = await Promise.all(Array.from({ length: 50 }, () => agent.get(url)))
  const replies = await overlapping(w, () => pages.map((page) => accept(agent, page)), 'events')
  const joined = replies.filter(({ status, headers }) => status === 303 && headers.get('location') === `${environment.issuer}/account`)
  assert.equal(joined.length, 1)
  assert.equal((await membersOf(organization)).length, 1)
  const Count = z.object({ n: z.int() })
  const events = await db.maybeOne(
    Count,
    sql`select count(*) as n from events where environment_id = ${environment.id} and type = 'organization_invitation.accepted'
         and data like ${`%${organization.id}%`}`,
  )
  assert.equal(events?.n, 1)
})

test('of several accounts that enter right codes for one invitation at once, one becomes a member', async () => {
  const email = address()
  const { url, organization } = await invite(email)
  const asked: { agent: Agent; page: Reply; code: string; headers: Record<string, string> }[] = []
  for (let n = 0; n < 6; n++) {
    const { agent } = await person()
    const headers = { 'x-forwarded-for': `198.51.100.${n}` }
    w.advance(1)
    const page = await agent.submit(await agent.get(url, headers), { action: 'accept' }, headers)
    asked.push({ agent, page, headers, code: await codeTo(email) })
  }
  const enter = () => asked.map(({ agent, page, code, headers }) => agent.submit(page, { code }, headers))
  const replies = await overlapping(w, enter, 'events')
  assert.equal(replies.filter(({ status }) => status === 303).length, 1)
  assert.equal((await membersOf(organization)).length, 1)
})

/** Makes a member the inviter, as the page of the organization does. */
const inviteAs = async (user_id: string, id: string) => {
  const { n } =
    (await db.maybeOne(
      z.object({ n: z.int() }),
      sql`select membership as n from organization_members where user_id = ${user_id} and organization_id =
          (select organization_id from organization_invitations where id = ${id})`,
    )) ?? assert.fail('There is no member.')
  await db.batch([
    sql`update organization_invitations set inviter_type = 'user', inviter_id = ${user_id}, inviter_membership = ${n} where id = ${id} and environment_id = ${environment.id}`,
  ])
}

/** An organization with a member who administers and has `editor`, and who invites. */
const invitedByMember = async () => {
  const organization = await api.create()
  const inviter = await person({ name: 'Ada Inviter' })
  expectStatus(201, await api.add(organization.id, inviter.id, ['boss', 'editor']))
  const guest = await person()
  const { id, url } = await invite(guest.email, {}, organization)
  await inviteAs(inviter.id, id)
  return { organization, inviter, guest, id, url }
}
await api.role('boss', { administers: true })

test('the page names the member who invites', async () => {
  const { guest, url, inviter, organization } = await invitedByMember()
  const page = await guest.agent.get(url)
  assert.ok(page.body.includes('Ada Inviter') && page.body.includes(inviter.email))
  locationOf(await accept(guest.agent, page))
  assert.equal((await membersOf(organization)).length, 2)
})

// biome-ignore format: this table is read by column
const endings: [why: string, end: (of: Awaited<ReturnType<typeof invitedByMember>>) => Promise<Reply>][] = [
  ['left',                                  ({ organization, inviter }) => api.remove(organization.id, inviter.id)],
  ['is blocked',                            ({ inviter }) => api.auth('POST', `users/${inviter.id}/block`)],
  ['is deleted',                            ({ inviter }) => api.auth('DELETE', `users/${inviter.id}`)],
  ['lost the role',                         ({ organization, inviter }) => api.auth('PATCH', `organizations/${organization.id}/members/${inviter.id}`, { roles: ['boss'] })],
  ['administers no more',                   ({ organization, inviter }) => api.auth('PATCH', `organizations/${organization.id}/members/${inviter.id}`, { roles: ['editor'] })],
]
for (const [why, end] of endings)
  test(`an invitation ends when the member who sent it ${why}, also for a page that is open`, async () => {
    const of = await invitedByMember()
    const { organization, guest, id, url } = of
    const page = await guest.agent.get(url)
    assert.equal(page.status, 200)
    assert.ok((await end(of)).status < 300)
    assert.equal((await accept(guest.agent, page)).status, 410)
    assert.equal((await guest.agent.get(url)).status, 410)
    assert.equal(await statusOf(organization, id), 'ended')
    const listed = async (status: string) =>
      expectStatus(200, await api.auth('GET', `organizations/${organization.id}/invitations?status=${status}`)).data.length
    assert.deepEqual([await listed('pending'), await listed('ended')], [0, 1])
    assert.ok(!(await membersOf(organization)).some(({ user_id }) => user_id === guest.id))
    assert.doesNotMatch((await guest.agent.get(`${environment.issuer}/account`)).body, /accept-invitation/)
  })

test('a member who left and was added again did not send the invitation, which stays ended', async () => {
  const { organization, inviter, guest, url } = await invitedByMember()
  expectStatus(204, await api.remove(organization.id, inviter.id))
  expectStatus(201, await api.add(organization.id, inviter.id, ['boss', 'editor']))
  assert.equal((await guest.agent.get(url)).status, 410)
})

test('an invitation with a role that an application comes to name ends, unless its inviter holds it', async () => {
  const { guest, url, id, organization } = await invitedByMember()
  const badge = await api.role('named-later')
  await db.batch([sql`update organization_invitations set roles = ${[badge]} where id = ${id} and environment_id = ${environment.id}`])
  assert.equal((await guest.agent.get(url)).status, 410, 'a role without permissions')
  expectStatus(
    200,
    await w
      .call('DELETE', `${environment.path}/roles/${badge}`)
      .then(({ status }) => ({ status: status === 204 ? 200 : status, headers: new Headers(), body: null })),
  )
  assert.equal((await guest.agent.get(url)).status, 200, 'a deleted role is left out')
  locationOf(await accept(guest.agent, await guest.agent.get(url)))
  assert.deepEqual((await membersOf(organization)).find(({ user_id }) => user_id === guest.id)?.roles, [])
})

for (const first of ['acceptance', 'removal'] as const)
  test(`where the ${first} comes first, and the other one meanwhile, both are as if one followed the other`, async () => {
    const { organization, inviter, guest, id, url } = await invitedByMember()
    const pages = [await guest.agent.get(url), await guest.agent.get(url)]
    const acceptances = pages.map((page) => () => accept(guest.agent, page))
    const removal = () => api.remove(organization.id, inviter.id)
    const [one, others] = first === 'acceptance' ? [acceptances[0] ?? removal, [removal, removal]] : [removal, acceptances]
    const lock = 'lock table events in share row exclusive mode'
    const [early, ...late] = await amidBatch<Reply, Reply>(w, lock, one, () => others.map((other) => other()))
    const statuses = late.map(({ status }) => status).sort()
    const is_member = (await membersOf(organization)).some(({ user_id }) => user_id === guest.id)
    assert.ok(!(await membersOf(organization)).some(({ user_id }) => user_id === inviter.id))
    if (db.engine === 'postgres') assert.equal(is_member, first === 'acceptance')
    if (first === 'acceptance') assert.deepEqual([early.status, statuses], [is_member ? 303 : 410, [204, 404]])
    else assert.deepEqual([early.status, statuses], [204, is_member ? [303, 410] : [410, 410]])
    assert.equal(await statusOf(organization, id), is_member ? 'accepted' : 'ended')
  })

test('a person who is a member of as many organizations as the limit reads why, and the invitation stays', async () => {
  const { email, agent, id: user_id } = await person()
  const { id, url, organization } = await invite(email)
  const { limits } = w.deployment.config
  const most = limits.organizations_per_user
  Object.assign(limits, { organizations_per_user: 0 })
  const refused = await accept(agent, await agent.get(url))
  Object.assign(limits, { organizations_per_user: most })
  assert.equal(refused.status, 400)
  assert.match(refused.body, /no room/)
  assert.equal(await statusOf(organization, id), 'pending')
  locationOf(await accept(agent, await agent.get(url)))
  assert.deepEqual(
    (await membersOf(organization)).map((member) => member.user_id),
    [user_id],
  )
})

test('a member leaves on the account page, after a confirmation, but not the last one who administers', async () => {
  const { agent, id: user_id } = await person()
  const other = await person()
  const organization = await api.create({ name: 'Leaving Ltd' })
  expectStatus(201, await api.add(organization.id, user_id, ['boss']))
  const account = `${environment.issuer}/account`
  assert.match((await agent.get(account)).body, /data-action="leave-organization"/)
  const leave = async () => agent.submit(await agent.get(`${account}?action=leave-organization&id=${organization.id}&user=${user_id}`), {})
  const refused = await leave()
  assert.notEqual(refused.status, 303)
  assert.equal((await membersOf(organization)).length, 1)
  expectStatus(201, await api.add(organization.id, other.id, ['boss']))
  assert.match(locationOf(await leave()), /done=leave-organization/)
  assert.deepEqual(
    (await membersOf(organization)).map((member) => member.user_id),
    [other.id],
  )
})

test('the export has the organizations of the person', async () => {
  const user = await person()
  const organization = await api.create({ name: 'Exported Ltd' })
  expectStatus(201, await api.add(organization.id, user.id, ['editor']))
  const page = await user.agent.get(`${environment.issuer}/account?action=export&user=${user.id}`)
  const { organizations } = JSON.parse((await user.agent.submit(page, {})).body)
  assert.deepEqual(
    organizations.map((one: { organization: { name: string }; roles: string[] }) => [one.organization.name, one.roles]),
    [['Exported Ltd', ['editor']]],
  )
})

test('a page of every language says it', async () => {
  const { url } = await invite(address())
  const german = await createAgent().get(`${url}&ui_locales=de`)
  assert.match(german.body, /Acme Customer beitreten/)
})
