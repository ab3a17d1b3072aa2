/** The page of an organization for its members: nobody gives what they do not have (decision 0180). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { z } from 'zod'
import { sql } from '../../src/db/db.ts'
import { type Agent, createAgent, followPages, reloaded } from '../support/cookie-browser.ts'
import { givenBy, giving_roles } from '../support/giving-table.ts'
import { mailsTo } from '../support/mailed.ts'
import { organizationsOf } from '../support/organizations.ts'
import { expectStatus, type Reply, world } from '../support/world.ts'

const w = await world({
  env: { OSTIARY_LIMITS: '{"organization_invitations_per_day":100000,"organization_invitations_pending":100000}' },
})
const environment = w.test
const { db } = w.deployment
const api = await organizationsOf(w, environment)
const at = (path: string) => `${environment.path}/${path}`
const scopes = (...names: string[]) => names.map((name) => ({ name, description: name }))
const server = expectStatus(
  201,
  await w.call('POST', at('resource-servers'), {
    body: { slug: 'api', identifier: 'https://api.example.com', name: 'API', scopes: scopes('read', 'write', 'delete', 'old') },
  }),
)
const role = (slug: string, names: string[], fields: object = {}) =>
  api.role(slug, { permissions: names.length === 0 ? [] : [{ resource_server: 'api', scopes: names }], ...fields })
const administrates = { administers: true }
await role('owner', ['read', 'write', 'delete'], administrates)
await role('manager', ['read', 'write'], administrates)
await role('steward', [], administrates)
await role('janitor', ['old'], administrates)
await role('editor', ['read', 'write'])
await role('viewer', ['read'])
await role('deleter', ['delete'])
await role('keeper', ['old'])
// The scope goes and comes back under its old name: the roles from before do not give the present one.
for (const names of [
  ['read', 'write', 'delete'],
  ['read', 'write', 'delete', 'old'],
])
  expectStatus(200, await w.call('PATCH', at(`resource-servers/${server.id}`), { body: { scopes: scopes(...names) } }))
await role('renewed', ['old'])
await role('badge', [])
await role('guest', ['read'])
await role('door', [], administrates)
await w.createApplication(environment, { allowed_roles: ['guest', 'door'] })

async function signedIn(user: { email: string; password: string }): Promise<Agent> {
  const agent = createAgent()
  await followPages(agent, await agent.submit(await agent.get(`${environment.issuer}/account`), { ...user, method: 'password' }))
  return agent
}
const person = async (name = 'Ada Example') => {
  const user = await w.createUser(environment, { name })
  return { ...user, agent: await signedIn(user) }
}
const organization = await api.create({ name: 'Acme Customer' })
const page_url = `${environment.issuer}/organizations/${organization.id}`
const rolesOf = async (user_id: string, of = organization): Promise<string[] | null> => {
  const reply = await api.auth('GET', `organizations/${of.id}/members/${user_id}`)
  return reply.status === 404 ? null : expectStatus(200, reply).roles
}
const csrfOf = ({ body }: Reply) => /name="csrf" value="([^"]*)"/.exec(body)?.[1] ?? ''

const tokens = new Map<Agent, string>()

/** Sends a form of the page, whatever the page shows, as if it was loaded again before. */
async function send(of: { agent: Agent; id: string }, fields: Record<string, string>, url = page_url) {
  const csrf = tokens.get(of.agent) ?? csrfOf(await of.agent.get(`${environment.issuer}/account`))
  tokens.set(of.agent, csrf)
  return of.agent.post(url, reloaded({ csrf, user: of.id, ...fields }))
}
const isDone = ({ status, headers }: Reply, notice: string) => status === 303 && (headers.get('location') ?? '').includes(`done=${notice}`)

const target = await w.createUser(environment, { name: 'Target' })
expectStatus(201, await api.add(organization.id, target.id))
const setRoles = async (user_id: string, roles: string[]) =>
  expectStatus(200, await api.auth('PATCH', `organizations/${organization.id}/members/${user_id}`, { roles }))

for (const own of giving_roles)
  test(`a member who is ${own} gives, takes, invites with and removes exactly what the table allows`, async () => {
    const member = await person()
    expectStatus(201, await api.add(organization.id, member.id, [own]))
    const allowed = givenBy(own)
    for (const slug of giving_roles) {
      const may = allowed.includes(slug)
      await setRoles(target.id, [])
      const given = await send(member, { action: 'change-roles', member: target.id, roles: slug })
      assert.deepEqual(await rolesOf(target.id), may ? [slug] : [], `${own} gives ${slug}`)
      // A form that names a role which the person may not touch leaves it as it was.
      if (may) assert.ok(isDone(given, 'change-roles'))
      await setRoles(target.id, [slug])
      await send(member, { action: 'change-roles', member: target.id })
      assert.deepEqual(await rolesOf(target.id), may ? [] : [slug], `${own} takes ${slug}`)
      await setRoles(target.id, [slug])
      await send(member, { action: 'remove-member', member: target.id })
      assert.equal((await rolesOf(target.id)) === null, may, `${own} removes ${slug}`)
      if (may) expectStatus(201, await api.add(organization.id, target.id))
      const email = `by-${own}-with-${slug}@example.com`
      const invited = await send(member, { action: 'invite', email, roles: slug })
      assert.equal(isDone(invited, 'invite'), may, `${own} invites with ${slug}`)
      assert.equal((await mailsTo(w, environment, email)).length, may ? 1 : 0)
    }
    const page = await member.agent.get(page_url)
    const offered = [...page.body.matchAll(/name="roles" value="([^"]*)"/g)].map(([, slug]) => slug)
    assert.deepEqual(offered.sort(), [...allowed].sort(), 'the page offers what it would do')
    expectStatus(204, await api.remove(organization.id, member.id))
  })

test('a member who does not administer sees their own roles alone, and a stranger sees nothing', async () => {
  const member = await person()
  expectStatus(201, await api.add(organization.id, member.id, ['viewer']))
  const page = await member.agent.get(page_url)
  assert.equal(page.status, 200)
  assert.match(page.body, /data-step="organization"/)
  assert.match(page.body, /data-action="leave-organization"/)
  for (const part of ['Target', 'data-action="invite"', 'data-action="change-roles"']) assert.ok(!page.body.includes(part), part)
  const stranger = await person()
  assert.equal((await stranger.agent.get(page_url)).status, 404)
  assert.equal((await stranger.agent.get(`${environment.issuer}/organizations/org_01m7wwr5ftevtv5yxb47hmb4ht`)).status, 404)
  const nobody = await createAgent().get(page_url)
  assert.match(nobody.headers.get('location') ?? '', /\/account\?action=organization/)
  for (const fields of [
    { action: 'invite', email: 'x@example.com' },
    { action: 'remove-member', member: target.id },
  ]) {
    assert.ok((await send(stranger, fields)).status >= 400)
    assert.notEqual((await send(member, fields)).status, 303)
  }
  assert.deepEqual(await rolesOf(target.id), [])
})

test('a member who administers finds members by name, page by page, and sees pending invitations', async () => {
  const of = await api.create({ name: 'Large Ltd' })
  const owner = await person('Olga Owner')
  expectStatus(201, await api.add(of.id, owner.id, ['owner']))
  for (let n = 0; n < 55; n++) {
    const { id } = await api.user({ name: `Member Number${n}` })
    expectStatus(201, await api.add(of.id, id))
  }
  expectStatus(201, await api.invite(of.id, 'waiting@example.com', { roles: ['viewer'] }))
  const url = `${environment.issuer}/organizations/${of.id}`
  const first = await owner.agent.get(url)
  const rows = (page: Reply) => [...page.body.matchAll(/data-id="(usr_[^"]*)"/g)].map(([, id]) => id)
  assert.equal(rows(first).length, 50)
  assert.ok(first.body.includes('waiting@example.com'))
  const more = /href="([^"]*)" data-action="more"/.exec(first.body)?.[1]?.replaceAll('&amp;', '&') ?? assert.fail('There is no more.')
  const second = await owner.agent.get(more)
  assert.equal(new Set([...rows(first), ...rows(second)]).size, 56)
  const found = await owner.agent.get(`${url}?q=number7`)
  assert.equal(rows(found).length, 1)
  assert.ok(found.body.includes('Number7'))
  assert.equal((await owner.agent.get(`${url}?q=number&after=broken`)).status, 200)
})

test('on the page the last member who administers and is not blocked keeps the role', async () => {
  const of = await api.create({ name: 'Two Ltd' })
  const [one, two] = [await person(), await person()]
  for (const { id } of [one, two]) expectStatus(201, await api.add(of.id, id, ['owner']))
  const url = `${environment.issuer}/organizations/${of.id}`
  expectStatus(200, await api.auth('POST', `users/${two.id}/block`))
  const refused = await send(one, { action: 'change-roles', member: one.id, roles: 'viewer' }, url)
  assert.equal(refused.status, 409)
  assert.deepEqual(await rolesOf(one.id, of), ['owner'])
  assert.ok(isDone(await send(one, { action: 'remove-member', member: two.id }, url), 'remove-member'), 'a blocked one can be removed')
})

test('a change needs a sign-in of the last ten minutes, and leaving does not', async () => {
  const of = await api.create({ name: 'Stale Ltd' })
  const [owner, other] = [await person(), await person()]
  for (const { id } of [owner, other]) expectStatus(201, await api.add(of.id, id, ['owner']))
  w.advance(601)
  const url = `${environment.issuer}/organizations/${of.id}`
  assert.equal((await owner.agent.get(url)).status, 200)
  for (const fields of [
    { action: 'invite', email: 'late@example.com' },
    { action: 'change-roles', member: other.id },
    { action: 'remove-member', member: other.id },
  ]) {
    const reply = await send(owner, fields as Record<string, string>, url)
    assert.match(reply.headers.get('location') ?? '', /action=manage-organization/)
  }
  assert.deepEqual(await rolesOf(other.id, of), ['owner'])
  const form = await owner.agent.get(`${environment.issuer}/account?action=leave-organization&id=${of.id}&user=${owner.id}`)
  assert.match((await owner.agent.submit(form, {})).headers.get('location') ?? '', /done=leave-organization/)
})

test('the invitation of a member names them, and ends when they lose its role', async () => {
  const of = await api.create({ name: 'Inviting Ltd' })
  const [owner, guest] = [await person('Olga Owner'), await person()]
  expectStatus(201, await api.add(of.id, owner.id, ['owner']))
  const url = `${environment.issuer}/organizations/${of.id}`
  assert.ok(isDone(await send(owner, { action: 'invite', email: guest.email, roles: 'editor' }, url), 'invite'))
  const [mail] = await mailsTo(w, environment, guest.email)
  assert.match(mail?.text ?? '', /Olga Owner/)
  const invitation = expectStatus(200, await api.auth('GET', `organizations/${of.id}/invitations`)).data[0]
  assert.deepEqual([invitation.invited_by, invitation.roles], [{ type: 'user', id: owner.id }, ['editor']])
  const page = await guest.agent.get(mail?.link ?? '')
  assert.ok(page.body.includes('Olga Owner'))
  expectStatus(200, await api.auth('PATCH', `organizations/${of.id}/members/${owner.id}`, { roles: ['steward'] }))
  assert.equal((await guest.agent.submit(page, { action: 'accept' })).status, 410)
  assert.equal(await rolesOf(guest.id, of), null)
})

test('two changes of one member at once are one after the other, and both judge the roles of their moment', async () => {
  const of = await api.create({ name: 'Racing Ltd' })
  const [owner, second] = [await person(), await person()]
  for (const { id } of [owner, second]) expectStatus(201, await api.add(of.id, id, ['owner']))
  const url = `${environment.issuer}/organizations/${of.id}`
  const [a, b] = await Promise.all([
    send(owner, { action: 'remove-member', member: second.id }, url),
    send(second, { action: 'remove-member', member: owner.id }, url),
  ])
  const left = [await rolesOf(owner.id, of), await rolesOf(second.id, of)].filter((roles) => roles !== null)
  assert.equal(left.length, 1, `${a.status} ${b.status}`)
})

test('what a member changes on the page is an event with the actor and the roles before and after, and no entry of the audit log', async () => {
  const of = await api.create({ name: 'Events Ltd' })
  const [owner, other] = [await person('Olga Owner'), await person('Otto Other')]
  expectStatus(201, await api.add(of.id, owner.id, ['owner']))
  expectStatus(201, await api.add(of.id, other.id, ['viewer']))
  const Entry = z.object({ id: z.string() })
  const entries = async () => (await db.all(Entry, sql`select id from audit_log where tenant_id = ${w.tenant_id}`)).length
  const logged = await entries()
  const url = `${environment.issuer}/organizations/${of.id}`
  for (const fields of [
    { action: 'change-roles', member: other.id, roles: 'owner' },
    { action: 'remove-member', member: other.id },
    { action: 'invite', email: 'invited-by-olga@example.com', roles: 'viewer' },
  ])
    assert.equal((await send(owner, fields, url)).status, 303)
  const Found = z.object({ type: z.string(), actor_type: z.string(), actor_id: z.string(), data: z.record(z.string(), z.unknown()) })
  const found = await db.all(
    Found,
    sql`select type, actor_type, actor_id, data from events
         where environment_id = ${environment.id} and actor_id = ${owner.id} and type like 'organization%' order by id`,
  )
  const by = { type: 'user', id: owner.id }
  const member = { organization_id: of.id, user_id: other.id, roles: ['owner'] }
  assert.deepEqual(
    found.map(({ type, actor_type, actor_id, data: { invitation_id: _, ...data } }) => ({
      type,
      actor: { type: actor_type, id: actor_id },
      data,
    })),
    [
      { type: 'organization_member.updated', actor: by, data: { ...member, previous_roles: ['viewer'], administrators: 2 } },
      { type: 'organization_member.removed', actor: by, data: { ...member, administrators: 1 } },
      { type: 'organization_invitation.created', actor: by, data: { organization_id: of.id, roles: ['viewer'] } },
    ],
  )
  assert.equal(await entries(), logged)
})

test('the account page shows the organizations of a person 100 at a time', async () => {
  const member = await person()
  const made = []
  for (let n = 0; n < 102; n++) made.push(await api.create({ name: `Customer ${n}`, members: [{ user_id: member.id }] }))
  const countOf = ({ body }: Reply) => [...body.matchAll(/data-action="leave-organization"/g)].length
  const page = await member.agent.get(`${environment.issuer}/account`)
  const [, more = ''] = /href="([^"]*)" data-action="more"/.exec(page.body) ?? []
  const rest = await member.agent.get(more.replaceAll('&amp;', '&'))
  assert.deepEqual([countOf(page), countOf(rest)], [100, 2])
  for (const { id } of made.slice(0, 2)) assert.ok(rest.body.includes(id) && !page.body.includes(id))
  assert.ok(!rest.body.includes('data-action="more"'))
})
