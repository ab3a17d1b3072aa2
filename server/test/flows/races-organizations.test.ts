/** Members who leave, are removed or lose a role, beside what they do at the same moment: in either order nobody does what they may no longer do. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { z } from 'zod'
import { sql } from '../../src/db/db.ts'
import { type Agent, createAgent, followPages, reloaded } from '../support/cookie-browser.ts'
import { organizationsOf } from '../support/organizations.ts'
import { amidBatch, overlapping } from '../support/overlapping-batches.ts'
import { expectStatus, type Reply, world } from '../support/world.ts'

const w = await world()
const { db } = w.deployment
const environment = w.test
await w.changeSettings(environment, { sign_in: { email_code: true } }) // else nobody could prove an address
const api = await organizationsOf(w, environment)
await api.role('boss', { administers: true })
await api.role('editor')

let made = 0
const people = (count: number) =>
  Promise.all(
    Array.from({ length: count }, async () => {
      const user = await w.createUser(environment, { email: `racing${++made}@example.com` })
      const agent = createAgent()
      const sign_in = await agent.get(`${environment.issuer}/account`)
      const page = await followPages(agent, await agent.submit(sign_in, { ...user, method: 'password' }))
      return { ...user, agent, csrf: /name="csrf" value="([^"]*)"/.exec(page.body)?.[1] ?? '' }
    }),
  )
type Person = Awaited<ReturnType<typeof people>>[number]

/** An organization of these people, each with these roles. */
async function organizationOf(members: readonly { id: string }[], roles: string[]) {
  const organization = await api.create({ name: 'Racing Ltd', members: members.map(({ id }) => ({ user_id: id, roles })) })
  const at = `organizations/${organization.id}/members`
  return {
    id: organization.id,
    setRoles: (of: { id: string }, roles: string[]) => api.auth('PATCH', `${at}/${of.id}`, { roles }),
    async rolesOf(of: { id: string }): Promise<string[] | null> {
      const reply = await api.auth('GET', `${at}/${of.id}`)
      return reply.status === 404 ? null : expectStatus(200, reply).roles
    },
    /** Sends a form of the page of the organization. */
    send: ({ agent, csrf, id }: Person, fields: Record<string, string>) =>
      agent.post(`${environment.issuer}/organizations/${organization.id}`, reloaded({ csrf, user: id, ...fields })),
    leave: ({ agent, csrf, id }: Person) =>
      agent.post(`${environment.issuer}/account/leave-organization`, reloaded({ csrf, user: id, id: organization.id })),
  }
}
const isDone = ({ status, headers }: Reply, notice: string) => status === 303 && (headers.get('location') ?? '').includes(`done=${notice}`)

const Count = z.object({ n: z.int() })
/** The events of an organization after which nobody administered it. */
async function eventsWithoutAdministrator(organization_id: string): Promise<number | undefined> {
  const found = await db.maybeOne(
    Count,
    sql`select count(*) as n from events where environment_id = ${environment.id} and data like ${`%${organization_id}%`}
           and data like '%"administrators":0%'`,
  )
  return found?.n
}

test('of 50 members who administer and leave at once, one stays', async () => {
  const members = await people(50)
  const of = await organizationOf(members, ['boss'])
  const replies = await overlapping(w, () => members.map(of.leave), 'events')
  const stays = replies.filter((reply) => !isDone(reply, 'leave-organization'))
  assert.equal(stays.length, 1)
  const left = expectStatus(200, await api.auth('GET', `organizations/${of.id}/members`)).data
  assert.deepEqual(
    left.map(({ roles }: { roles: string[] }) => roles),
    [['boss']],
  )
  assert.equal(await eventsWithoutAdministrator(of.id), 0)
})

test('of 50 members who leave, remove each other and take the role from each other at once, one who administers stays', async () => {
  const members = await people(50)
  const of = await organizationOf(members, ['boss'])
  const acts = members.map((member, n) => {
    const other = members[(n + 1) % members.length] ?? member
    const fields = { member: other.id }
    return () =>
      [
        () => of.leave(member),
        () => of.send(member, { ...fields, action: 'remove-member' }),
        () => of.send(member, { ...fields, action: 'change-roles' }),
      ][n % 3]?.() ?? assert.fail()
  })
  const replies = await overlapping(w, () => acts.map((act) => act()), 'events')
  assert.ok(replies.every(({ status }) => status < 500))
  const left = expectStatus(200, await api.auth('GET', `organizations/${of.id}/members?role=boss`)).data
  assert.ok(left.length >= 1)
  assert.equal(await eventsWithoutAdministrator(of.id), 0)
})

test('of 50 roles that a member gives while they lose the role, none is given after it', async () => {
  const [[giver = assert.fail()], targets] = [await people(1), await Promise.all(Array.from({ length: 50 }, () => api.user()))]
  const of = await organizationOf([giver], ['boss', 'editor'])
  for (const { id } of targets) expectStatus(201, await api.add(of.id, id))
  const give = (n: number) => of.send(giver, { action: 'change-roles', member: targets[n]?.id ?? '', roles: 'editor' })
  const lose = () => of.setRoles(giver, ['boss'])
  assert.ok(isDone(await give(0), 'change-roles'), 'the first one comes before')
  const between = Array.from({ length: 44 }, (_, n) => n + 1)
  const replies = await overlapping(w, () => [...between.slice(0, 5).map(give), lose(), ...between.slice(5).map(give)], 'events')
  expectStatus(200, replies[5] ?? assert.fail())
  for (const n of [45, 46, 47, 48, 49]) assert.ok(!isDone(await give(n), 'change-roles'), 'the last ones come after')
  const given = replies.filter((_, n) => n !== 5)
  for (const [i, n] of between.entries()) {
    const expected = isDone(given[i] ?? assert.fail(), 'change-roles') ? ['editor'] : []
    assert.deepEqual(await of.rolesOf(targets[n] ?? assert.fail()), expected)
  }
  for (const n of [45, 46, 47, 48, 49]) assert.deepEqual(await of.rolesOf(targets[n] ?? assert.fail()), [])
})

for (const first of ['giving', 'loss'] as const)
  test(`where the ${first} comes first and the other meanwhile, a member gives the role that they lose only if it is the giving`, async () => {
    const [giver = assert.fail()] = await people(1)
    const [one, two] = [await api.user(), await api.user()]
    const of = await organizationOf([giver], ['boss', 'editor'])
    for (const { id } of [one, two]) expectStatus(201, await api.add(of.id, id))
    const give = (to: { id: string }) => () => of.send(giver, { action: 'change-roles', member: to.id, roles: 'editor' })
    const lose = () => of.setRoles(giver, ['boss'])
    const lock = 'lock table events in share row exclusive mode'
    const [begins, ...follow] = first === 'giving' ? [give(one), lose, lose] : [lose, give(one), give(two)]
    const replies = await amidBatch<Reply, Reply>(w, lock, begins ?? lose, () => follow.map((act) => act()))
    assert.deepEqual(await of.rolesOf(giver), ['boss'])
    for (const [person, reply] of first === 'giving'
      ? ([[one, replies[0]]] as const)
      : ([
          [one, replies[1]],
          [two, replies[2]],
        ] as const)) {
      const is_given = isDone(reply ?? assert.fail(), 'change-roles')
      if (db.engine === 'postgres') assert.equal(is_given, first === 'giving')
      assert.deepEqual(await of.rolesOf(person), is_given ? ['editor'] : [])
    }
  })

test('of 50 invitations of a member who is removed meanwhile, none is accepted after it', async () => {
  const [[inviter = assert.fail()], guests] = [await people(1), await people(50)]
  const of = await organizationOf([inviter], ['boss', 'editor'])
  const links: { id: string; url: string }[] = []
  for (const { email } of guests) {
    const { id, invitation_url: url } = expectStatus(201, await api.invite(of.id, email, { roles: ['editor'] }))
    links.push({ id, url })
  }
  await invitedBy(of.id, inviter.id)
  const pages = await Promise.all(guests.map(({ agent }, n) => agent.get(links[n]?.url ?? '')))
  const accept = (n: number) => (guests[n]?.agent as Agent).submit(pages[n] ?? assert.fail(), { action: 'accept' }) // as: there are 50
  const [first, between, last] = [0, Array.from({ length: 44 }, (_, n) => n + 1), [45, 46, 47, 48, 49]]
  assert.equal((await accept(first)).status, 303)
  const replies = await overlapping(
    w,
    () => [...between.slice(0, 5).map(accept), api.remove(of.id, inviter.id), ...between.slice(5).map(accept)],
    'events',
  )
  assert.equal(replies[5]?.status, 204)
  const results = [303, ...replies.filter((_, n) => n !== 5).map(({ status }) => status)]
  for (const n of last) results.push((await accept(n)).status)
  assert.deepEqual(results.slice(45), [410, 410, 410, 410, 410])
  const now = new Set<string>()
  for (const member of expectStatus(200, await api.auth('GET', `organizations/${of.id}/members?limit=100`)).data) now.add(member.user_id)
  for (const [n, status] of results.entries()) {
    assert.ok([303, 410].includes(status), `${status}`)
    assert.equal(now.has(guests[n]?.id ?? ''), status === 303)
    const invitation = expectStatus(200, await api.auth('GET', `organizations/${of.id}/invitations/${links[n]?.id}`))
    assert.equal(invitation.status, status === 303 ? 'accepted' : 'ended')
  }
})

test('of 50 invitations that are accepted at once with room for one member, one is, and the others wait', async () => {
  const guests = await people(50)
  const of = await organizationOf([await api.user()], ['boss'])
  const links: { id: string; url: string }[] = []
  for (const { email } of guests) {
    const { id, invitation_url: url } = expectStatus(201, await api.invite(of.id, email, { roles: ['editor'] }))
    links.push({ id, url })
  }
  const pages = await Promise.all(guests.map(({ agent }, n) => agent.get(links[n]?.url ?? '')))
  const { limits } = w.deployment.config
  const { members_per_organization } = limits
  Object.assign(limits, { members_per_organization: 2 })
  const replies = await overlapping(
    w,
    () => guests.map(({ agent }, n) => agent.submit(pages[n] ?? assert.fail(), { action: 'accept' })),
    'events',
  )
  Object.assign(limits, { members_per_organization })
  assert.equal(replies.filter(({ status }) => status === 303).length, 1)
  for (const { status, body } of replies.filter(({ status }) => status !== 303)) {
    assert.equal(status, 400)
    assert.match(body, /no room/)
  }
  assert.equal((await api.read(of.id)).member_count, 2)
  const pending = expectStatus(200, await api.auth('GET', `organizations/${of.id}/invitations?status=pending&limit=100`)).data
  assert.equal(pending.length, 49)
})

/** The member is the inviter, as by the page of the organization. */
const invitedBy = (organization_id: string, user_id: string) =>
  db.batch([
    sql`update organization_invitations set inviter_type = 'user', inviter_id = ${user_id}, inviter_membership = (
          select m.membership from organization_members m where m.environment_id = ${environment.id}
             and m.organization_id = ${organization_id} and m.user_id = ${user_id})
         where organization_id = ${organization_id} and environment_id = ${environment.id}`,
  ])
