/**
 * Two tenants and an attacker who administers the first. Over random sequences of invitations, acceptances, recoveries, removals and
 * address changes the attacker has in the second tenant exactly what its owner gave to an account of the attacker, and nothing else.
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
  /** Every link that a person has been handed, or has created. */
  known: Record<Name, Link[]>
  invitations: Invitation[]
  /** The roles in each tenant as they should be. */
  roles: Record<Side, Map<Name, string>>
}

const side = fc.constantFrom<Side>('first', 'second')
const who = fc.constantFrom(...names)
const place = fc.nat({ max: 3 })
const role = fc.constantFrom('viewer', 'developer')
const address = fc.constantFrom(...names.map((name) => `${name}@example.com`), 'nobody@example.com')
const command = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('invite' as const), side, address, role }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constant('accept' as const), who, place }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('resend' as const), side, place }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('delete' as const), side, place }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('recover' as const), side, who: fc.constantFrom<Name>('victim', 'colleague') }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('remove' as const), side, who }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('change role' as const), side, who, role }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('change address' as const), who, address }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('trespass' as const), who: fc.constantFrom(...attackers), place }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('sign up' as const), address, place }) },
)
type Command = typeof command extends fc.Arbitrary<infer C> ? C : never

const w = await world()
const people = Object.fromEntries(
  await Promise.all(names.map(async (name) => [name, { ...(await createAdministrator(w, `${name}@example.com`)), agent: createAgent() }])),
) as State['people'] // as: one for each name
const meeting = await createTenant(w, people.victim)
const { invitation_url: any_link } = await meeting.invite('sign.in@example.com', 'viewer')
for (const person of Object.values(people)) await signInAt(any_link, person, person.agent)

const Id = z.object({ id: z.string() })
let runs = 0

test('an attacker who administers one tenant gets nothing in another but what its owner gave', async () => {
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

/** Fresh tenants for people who keep their accounts and browsers. */
async function begin(): Promise<State> {
  const owners = { first: people.attacker, second: people.victim }
  const tenants = { first: await createTenant(w, owners.first), second: await createTenant(w, owners.second) }
  for (const name of names) await setAddress(people[name].user_id, `${name}@example.com`)
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
      return accept(state, each.who, state.known[each.who].at(-1 - each.place))
    case 'resend':
    case 'delete':
      return endOne(state, each)
    case 'recover':
      return recover(state, each)
    case 'remove':
    case 'change role':
      return changeMember(state, each)
    case 'change address':
      return setAddress(state.people[each.who].user_id, each.address)
    case 'trespass':
      return trespass(state, each)
    case 'sign up':
      return signUp(state, each)
  }
}

const ownerOf = ({ people: all }: State, where: Side) => (where === 'first' ? all.attacker : all.victim)

/** The link is handed to the person whose own address was meant; the attacker keeps those of the first tenant, and hands them out too. */
function handOut(state: State, invitation: Invitation): void {
  const link = { url: invitation.current_url, invitation }
  const meant = names.find((name) => `${name}@example.com` === invitation.email)
  const readers = new Set<Name>([...(invitation.side === 'first' ? attackers : []), ...(meant ? [meant] : [])])
  if (readers.has('attacker') || readers.has('alias')) for (const name of attackers) readers.add(name)
  for (const name of readers) state.known[name].push(link)
}

async function invite(state: State, { side: where, address: email, role: given }: Command & { do: 'invite' }): Promise<void> {
  const reply = await state.tenants[where].as(ownerOf(state, where), 'POST', '', { email, role: given })
  if (reply.status === 422) return assert.equal(reply.body.code, 'quota_exceeded')
  const { id, invitation_url } = expectStatus(201, reply)
  replace(state, { side: where, id, email, role: given, open: true, current_url: invitation_url })
}

async function recover(state: State, { side: where, who: name }: Command & { do: 'recover' }): Promise<void> {
  const email = `${name}@example.com`
  const { invitation_id, invitation_url } = await state.tenants[where].recover(email)
  // Whoever runs the command hands the link to the person; the attacker of the first tenant gets none of the second.
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

async function endOne(state: State, { do: how, side: where, place: at }: Command & { do: 'resend' | 'delete' }): Promise<void> {
  const invitation = state.invitations.filter((one) => one.side === where).at(-1 - at)
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

/** Owners of the tenants stay, so that the sequences go on. */
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

/** As a backend would: the address of an account becomes another one, unless an account has it. */
async function setAddress(user_id: string, email: string): Promise<void> {
  await w.deployment.db.run(
    sql`update users set email = ${email}, email_key = ${email} where id = ${user_id} and not exists (select 1 from users o where o.email_key = ${email} and o.id <> ${user_id})`,
  )
}

/** What an attacker tries at the second tenant with the ids of its invitations, or through the first tenant's path. */
async function trespass(state: State, { who: name, place: at }: Command & { do: 'trespass' }): Promise<void> {
  const person = state.people[name]
  const target = state.invitations.filter((one) => one.side === 'second').at(-1 - at)
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

/** An attacker creates an account through a link of the first tenant, with the address of another person and a chosen password. */
async function signUp(state: State, { address: email, place: at }: Command & { do: 'sign up' }): Promise<void> {
  const link = state.known.attacker.filter(({ invitation }) => invitation.side === 'first').at(-1 - at)
  if (!link || !isOpen(link)) return
  const [before] = await w.deployment.db.all(Id, sql`select id from users where email_key = ${email}`)
  const agent = createAgent()
  const page = await createAccount(agent, link.url, email)
  if (before) assert.equal(page.status, 400)
  const signed_in = /data-action="accept-invitation"/.test((await agent.get(link.url)).body)
  assert.equal(signed_in, !before, 'a session only of the account that was just created')
}

/** Each account reads of the tenant what its role allows: `null` is none. */
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

/** Every password is what it was, and opens the account that it opened. */
async function checkSignIns(state: State): Promise<void> {
  for (const name of names) {
    await setAddress(state.people[name].user_id, `${name}.own@example.com`)
    const token = await administratorToken(w, { ...state.people[name], email: `${name}.own@example.com` })
    assert.equal(expectStatus(200, await asAdministrator(w, token, null)('GET', '/v1/me')).user_id, state.people[name].user_id)
  }
}
