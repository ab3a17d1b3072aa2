/**
 * Two tenants and an attacker who administers the first. After any random sequence of invitations, acceptances, recoveries,
 * removals and changes of email the attacker has only those rights in the second tenant that its owner granted.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { z } from 'zod'
import { sql } from '../../src/db/db.ts'
import { administratorToken, asAdministrator, signInAt } from '../support/administrator.ts'
import { type Agent, createAgent } from '../support/cookie-browser.ts'
import { type Administrator, createAccount, createTenant, type Tenant } from '../support/invitations.ts'
import { createAdministrator } from '../support/tenants.ts'
import { expectStatus, type World, world } from '../support/world.ts'

/** The attacker has two accounts; the victim owns the second tenant, and the colleague may become a member of it. */
const names = ['attacker', 'alias', 'victim', 'colleague'] as const
type Name = (typeof names)[number]
type Side = 'first' | 'second'
const attackers: readonly Name[] = ['attacker', 'alias']

interface Link {
  url: string
  invitation: Invitation
}

interface Invitation {
  side: Side
  id: string
  email: string
  role: string
  open: boolean
  /** The link that works; the others were replaced. */
  current_url: string
}

const isOpen = ({ url, invitation }: Link) => invitation.open && invitation.current_url === url

interface State {
  w: World
  tenants: Record<Side, Tenant>
  people: Record<Name, Administrator & { agent: Agent }>
  /** Every link that a person has received or created. */
  known: Record<Name, Link[]>
  invitations: Invitation[]
  /** The roles in each tenant as they should be. */
  roles: Record<Side, Map<Name, string>>
}

const side = fc.constantFrom<Side>('first', 'second')
const who = fc.constantFrom(...names)
const position = fc.nat({ max: 3 })
const role = fc.constantFrom('viewer', 'developer')
const email = fc.constantFrom(...names.map((name) => `${name}@example.com`), 'unknown@example.com')
const command = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('invite' as const), side, email, role }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constant('accept' as const), who, position }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('resend' as const), side, position }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('delete' as const), side, position }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('recover' as const), side, who: fc.constantFrom<Name>('victim', 'colleague') }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('remove' as const), side, who }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('change role' as const), side, who, role }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('change email' as const), who, email }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('trespass' as const), who: fc.constantFrom(...attackers), position }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('sign up' as const), email, position }) },
)
type Command = typeof command extends fc.Arbitrary<infer C> ? C : never

const w = await world()
const people = Object.fromEntries(
  await Promise.all(names.map(async (name) => [name, { ...(await createAdministrator(w, `${name}@example.com`)), agent: createAgent() }])),
) as State['people'] // as: one for each name
const meeting_point = await createTenant(w, people.victim)
const { invitation_url: any_link } = await meeting_point.invite('sign.in@example.com', 'viewer')
for (const person of Object.values(people)) await signInAt(any_link, person, person.agent)

const Id = z.object({ id: z.string() })
let runs = 0

test('an attacker who administers one tenant has only the granted rights in another', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(command, { minLength: 8, maxLength: 25 }), async (commands) => {
      const state = await begin()
      for (const each of commands) {
        await run(state, each)
        await checkAccess(state, 'second')
      }
      await checkAccess(state, 'first')
      if (runs++ % 5 === 0) await checkSignIns(state)
    }),
    { numRuns: 15, endOnFailure: true },
  )
})

/** Creates new tenants. The people keep their accounts and browsers. */
async function begin(): Promise<State> {
  w.advance(10) // for the rate limit of an administrator
  const owners = { first: people.attacker, second: people.victim }
  const tenants = { first: await createTenant(w, owners.first), second: await createTenant(w, owners.second) }
  for (const name of names) await setEmail(people[name].user_id, `${name}@example.com`)
  return {
    w,
    tenants,
    people,
    known: { attacker: [], alias: [], victim: [], colleague: [] },
    invitations: [],
    roles: { first: new Map([['attacker', 'owner']]), second: new Map([['victim', 'owner']]) },
  }
}

async function run(state: State, each: Command): Promise<void> {
  switch (each.do) {
    case 'invite':
      return invite(state, each)
    case 'accept':
      return accept(state, each.who, state.known[each.who].at(-1 - each.position))
    case 'resend':
    case 'delete':
      return endOne(state, each)
    case 'recover':
      return recover(state, each)
    case 'remove':
    case 'change role':
      return changeMember(state, each)
    case 'change email':
      return setEmail(state.people[each.who].user_id, each.email)
    case 'trespass':
      return trespass(state, each)
    case 'sign up':
      return signUp(state, each)
  }
}

const ownerOf = ({ people: all }: State, where: Side) => (where === 'first' ? all.attacker : all.victim)

/** Passes the link to the person with the invited email. The attacker also keeps every link of the first tenant. */
function handOut(state: State, invitation: Invitation): void {
  const link = { url: invitation.current_url, invitation }
  const invited = names.find((name) => `${name}@example.com` === invitation.email)
  const readers = new Set<Name>([...(invitation.side === 'first' ? attackers : []), ...(invited ? [invited] : [])])
  if (readers.has('attacker') || readers.has('alias')) for (const name of attackers) readers.add(name)
  for (const name of readers) state.known[name].push(link)
}

async function invite(state: State, { side: where, email, role: granted }: Command & { do: 'invite' }): Promise<void> {
  const reply = await state.tenants[where].as(ownerOf(state, where), 'POST', '', { email, role: granted })
  if (reply.status === 422) return assert.equal(reply.body.code, 'quota_exceeded')
  const { id, invitation_url } = expectStatus(201, reply)
  replace(state, { side: where, id, email, role: granted, open: true, current_url: invitation_url })
}

async function recover(state: State, { side: where, who: name }: Command & { do: 'recover' }): Promise<void> {
  const email = `${name}@example.com`
  const { invitation_id, invitation_url } = await state.tenants[where].recover(email)
  // The operator passes the link to the person; the attacker gets no link of the second tenant.
  replace(state, { side: where, id: invitation_id, email, role: 'owner', open: true, current_url: invitation_url })
}

function replace(state: State, invitation: Invitation): void {
  for (const other of state.invitations) if (other.side === invitation.side && other.email === invitation.email) other.open = false
  state.invitations.push(invitation)
  handOut(state, invitation)
}

async function accept(state: State, name: Name, link: Link | undefined): Promise<void> {
  if (!link) return
  const { invitation } = link
  const { agent } = state.people[name]
  const page = await agent.get(link.url)
  const roles = state.roles[invitation.side]
  if (!isOpen(link)) return assert.equal(page.status, 410)
  if (roles.has(name)) return assert.match(expectStatus(200, page), /already a member/)
  expectStatus(200, await agent.submit(page, {}))
  invitation.open = false
  roles.set(name, invitation.role)
}

async function endOne(state: State, { do: how, side: where, position }: Command & { do: 'resend' | 'delete' }): Promise<void> {
  const invitation = state.invitations.filter((one) => one.side === where).at(-1 - position)
  if (!invitation) return
  const path = `/${invitation.id}${how === 'resend' ? '/resend' : ''}`
  const reply = await state.tenants[where].as(ownerOf(state, where), how === 'resend' ? 'POST' : 'DELETE', path)
  if (!invitation.open) return assert.equal(reply.status, 404)
  if (reply.status === 422) return
  assert.ok(reply.status < 300)
  if (how === 'delete') invitation.open = false
  else {
    invitation.current_url = reply.body.invitation_url
    handOut(state, invitation)
  }
}

/** The owners stay members, so that the sequence can go on. */
async function changeMember(
  state: State,
  { side: where, who: name, ...change }: Command & { do: 'remove' | 'change role' },
): Promise<void> {
  const [owner, roles] = [ownerOf(state, where), state.roles[where]]
  const { user_id } = state.people[name]
  if (owner.user_id === user_id) return
  const tenant = state.tenants[where]
  const reply =
    change.do === 'remove'
      ? await tenant.as(owner, 'DELETE', `/${user_id}`)
      : await tenant.as(owner, 'PATCH', `/${user_id}`, { role: change.role })
  if (!roles.has(name)) return assert.equal(reply.status, 404)
  assert.ok(reply.status < 300)
  if (change.do === 'remove') roles.delete(name)
  else roles.set(name, change.role)
}

/** Changes the email of an account as a backend does, unless another account has it. */
async function setEmail(user_id: string, email: string): Promise<void> {
  await w.deployment.db.run(
    sql`update users set email = ${email}, email_key = ${email}
         where id = ${user_id} and not exists (select 1 from users o where o.email_key = ${email} and o.id <> ${user_id})`,
  )
}

/** The attacker uses ids of the second tenant's invitations, at its path and at the path of the first tenant. */
async function trespass(state: State, { who: name, position }: Command & { do: 'trespass' }): Promise<void> {
  const person = state.people[name]
  const target = state.invitations.filter((one) => one.side === 'second').at(-1 - position)
  const allowed = state.roles.second.get(name)
  const expected = allowed === undefined ? 404 : 403
  const { first, second } = state.tenants
  assert.equal((await second.as(person, 'POST', '', { email: 'alias@example.com', role: 'owner' })).status, expected)
  if (!target) return
  for (const [method, path, body] of [
    ['POST', `/${target.id}/resend`],
    ['PATCH', `/${target.id}`, { role: 'owner' }],
    ['DELETE', `/${target.id}`],
  ] as const) {
    assert.equal((await second.as(person, method, path, body)).status, expected, `${method} ${path}`)
    if (name === 'attacker') assert.equal((await first.as(person, method, path, body)).status, 404, `${method} ${path}`)
  }
}

/** The attacker creates an account through a link of the first tenant, with the email of another person. */
async function signUp(state: State, { email, position }: Command & { do: 'sign up' }): Promise<void> {
  const link = state.known.attacker.filter(({ invitation }) => invitation.side === 'first').at(-1 - position)
  if (!link || !isOpen(link)) return
  const [before] = await w.deployment.db.all(Id, sql`select id from users where email_key = ${email}`)
  const agent = createAgent()
  const page = await createAccount(agent, link.url, email)
  if (before) assert.equal(page.status, 400)
  const signed_in = /data-action="accept-invitation"/.test((await agent.get(link.url)).body)
  assert.equal(signed_in, !before, 'the browser is signed in only to the account that it just created')
}

/** Each account has the expected role in the tenant, and the attacker reads only what that role allows. */
async function checkAccess(state: State, where: Side): Promise<void> {
  const tenant = state.tenants[where]
  const check = async (name: Name) => {
    const { token, user_id } = state.people[name]
    const expected = state.roles[where].get(name) ?? null
    const as = asAdministrator(w, token, tenant.id)
    const me = expectStatus(200, await as('GET', '/v1/me'))
    assert.equal(me.user_id, user_id)
    const membership = me.memberships.find((one: { tenant_id: string }) => one.tenant_id === tenant.id)
    assert.equal(membership?.role ?? null, expected, `the role of ${name} in the ${where} tenant`)
    if (!attackers.includes(name)) return
    for (const path of [`/v1/tenants/${tenant.id}`, `/v1/tenants/${tenant.id}/members`, '/v1/platform/projects'])
      assert.equal((await as('GET', path)).status, expected === null ? 404 : 200, `${name} reads ${path}`)
  }
  await Promise.all(names.map(check))
}

/** Every password still signs in to its account. */
async function checkSignIns(state: State): Promise<void> {
  for (const name of names) {
    await setEmail(state.people[name].user_id, `${name}.own@example.com`)
    const token = await administratorToken(w, { ...state.people[name], email: `${name}.own@example.com` })
    assert.equal(expectStatus(200, await asAdministrator(w, token, null)('GET', '/v1/me')).user_id, state.people[name].user_id)
  }
}
