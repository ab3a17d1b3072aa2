/** Response, token, validation and what a user may do agree with the contract, for an organization and for none, in some hundred situations. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { OrganizationUse } from '@ostiary/contract/objects/organization-use.ts'
import fc from 'fast-check'
import { exchange, refresh } from '../support/cookie-browser.ts'
import { createRoleWorld, payloadOf } from '../support/role-person.ts'
import { expectStatus, world } from '../support/world.ts'

const w = await world()
const environment = w.test
const roles = await createRoleWorld(w, environment)

const scopes_of = { a: ['read', 'a:write'], b: ['read', 'b:write'], c: ['read', 'c:write'] } as const
type Letter = keyof typeof scopes_of
const letters = Object.keys(scopes_of) as Letter[] // as: the keys of the table
const defines = (letter: Letter, name: string) => (scopes_of[letter] as readonly string[]).includes(name) // as: comparing with any string
const names = [...new Set(letters.flatMap((letter) => [...scopes_of[letter]]))]
const identifierOf = (letter: Letter) => `https://${letter}.example.com`

const servers = { a: await create('a'), b: await create('b'), c: await create('c') }
function create(letter: Letter) {
  return roles.createServer(letter, scopes_of[letter], { roles_claim: letter === 'c' ? 'groups' : 'roles' })
}
const of_members = { kind: 'organization' }
/** Two roles of users, two of members, and one of each kind that everybody has. */
const made = [
  await roles.createRole('one'),
  await roles.createRole('two'),
  await roles.createRole('three', {}, of_members),
  await roles.createRole('four', {}, of_members),
  await roles.createRole('every-user', {}, { default: true }),
  await roles.createRole('every-member', {}, { ...of_members, default: true }),
]
const places = made.map((_, i) => i)
const own_scopes = ['openid', 'email', 'offline_access']
const client = await w.createApplication(environment, {
  allowed_scopes: [...own_scopes, ...names],
  roles_claim: 'groups',
  organizations: 'optional',
})
const person = await roles.createPerson()
const organization = await roles.createOrganization(person)
await person.tokens(client, { scope: 'openid', organization: 'none' })

const permissions = fc.record({ a: fc.subarray([...scopes_of.a]), b: fc.subarray([...scopes_of.b]), c: fc.subarray([...scopes_of.c]) })
const use = fc.constantFrom<OrganizationUse>('none', 'none', 'optional', 'required')
/** Seldom none of it. */
const rarely = <T>(some: fc.Arbitrary<T[]>) => fc.oneof({ weight: 3, arbitrary: fc.constant<T[]>([]) }, some)
const situation = fc.record({
  has_organization: fc.boolean(),
  requiring: fc.subarray(letters),
  permissions: fc.tuple(...made.map(() => permissions)),
  given: fc.subarray(places.slice(0, 4)),
  allowed: rarely(fc.subarray(places, { minLength: 1 })),
  /** The scopes that are made again under their names after the roles were written. */
  dormant: rarely(fc.subarray(letters)),
  organizations: fc.record({ client: use, a: use, b: use, c: use }),
  /** Those that the application may not request any more, and those that the environment has switched off. */
  lost: rarely(fc.subarray(names)),
  /** The environment has switched off a scope of OpenID Connect. */
  without_email: fc.boolean(),
  resource: fc.subarray(letters, { minLength: 1 }),
  asked: fc.subarray(names, { minLength: 1 }),
})
type Situation = typeof situation extends fc.Arbitrary<infer T> ? T : never

/** The places of the roles that count: of the user or of the member, with those that were not given to anybody. */
const heldIn = ({ has_organization, given }: Situation) =>
  places.filter((i) => (made[i]?.kind === 'organization') === has_organization && (given.includes(i) || made[i]?.default))

/** The scopes of resource servers that a token gets, or the error. */
function model(now: Situation): string[] | 'invalid_grant' | 'invalid_scope' {
  const { has_organization, requiring, permissions, allowed, dormant, organizations, lost, resource, asked } = now
  const held = heldIn(now)
  if (allowed.length > 0 && !allowed.some((i) => held.includes(i))) return 'invalid_grant'
  if (!has_organization && (['client', ...resource] as const).some((of) => organizations[of] === 'required')) return 'invalid_grant'
  const isGiven = (letter: Letter, name: string) =>
    !dormant.includes(letter) && held.some((i) => (permissions[i]?.[letter] as readonly string[]).includes(name)) // as: comparing with any string
  const requested = asked.filter((name) => !lost.includes(name))
  const left = requested.filter((name) =>
    resource.every((letter) => !requiring.includes(letter) || !defines(letter, name) || isGiven(letter, name)),
  )
  return requested.length > 0 && left.length === 0 ? 'invalid_scope' : left
}

/** The situations of a run share their beginning, in which everyone may do everything. */
const together = 6

test('access, response, token and validation agree with the rule', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(situation, { minLength: together, maxLength: together }), async (drawn) => {
      w.advance(15) // calls of a key have a limit
      await reset()
      const begun = []
      for (const one of drawn) {
        const now = { ...one, asked: one.asked.filter((name) => one.resource.some((letter) => defines(letter, name))) }
        if (now.asked.length === 0) continue
        const ask = { scope: [...own_scopes, ...now.asked].join(' '), resource: now.resource.map(identifierOf) }
        const named = { organization: now.has_organization ? organization.id : 'none' }
        begun.push({ now, obtained: await person.code(client, { ...ask, ...named }) })
      }
      for (const { now, obtained } of begun) await judge(now, obtained)
    }),
    { numRuns: 10 },
  )
})

async function judge(now: Situation, obtained: Parameters<typeof exchange>[3]): Promise<void> {
  await establish(now)
  const { has_organization, resource } = now
  const expected = model(now)
  const slugs = heldIn(now)
    .map((i) => made[i]?.slug)
    .sort()
  const can = await accessNow(has_organization)
  assert.deepEqual(can.roles, slugs)
  const anyone: Situation = { ...now, allowed: [], lost: [], organizations: { client: 'none', a: 'none', b: 'none', c: 'none' } }
  for (const letter of letters) {
    const alone = model({ ...anyone, resource: [letter], asked: [...scopes_of[letter]] })
    assert.deepEqual(can.scopes.get(letter), alone === 'invalid_scope' ? [] : alone)
  }

  const reply = await exchange(w, environment, client, obtained)
  if (typeof expected === 'string') return assert.deepEqual([reply.status, reply.body.error], [400, expected])
  const left = [...own_scopes.filter((name) => !now.without_email || name !== 'email'), ...expected].join(' ')
  const claim = new Set<string>(resource.map((letter) => (letter === 'c' ? 'groups' : 'roles')))
  const org_id = has_organization ? organization.id : null
  const agree = async ({ scope, access_token, id_token }: { scope: string; access_token: string; id_token: string }) => {
    const payload = payloadOf(access_token)
    const verdict = await roles.validate(access_token)
    assert.deepEqual([scope, payload.scope, verdict.scope], [left, left, left])
    assert.deepEqual([payload.org_id ?? null, verdict.org_id, payloadOf(id_token).org_id ?? null], [org_id, org_id, org_id])
    assert.deepEqual(verdict.roles, slugs)
    for (const name of ['roles', 'groups']) assert.deepEqual(payload[name], claim.size === 1 && claim.has(name) ? slugs : undefined)
    assert.deepEqual(payloadOf(id_token).groups, slugs)
  }
  const tokens = expectStatus(200, reply)
  await agree(tokens)
  await agree(expectStatus(200, await refresh(w, environment, client, tokens.refresh_token)))
}

/** What the person may do, by users/{id}/access. */
async function accessNow(has_organization: boolean) {
  const query = has_organization ? `?organization_id=${organization.id}` : ''
  const answer = expectStatus(200, await w.call('GET', `/v1/auth/users/${person.id}/access${query}`, { key: roles.key }))
  const listed: { resource_server: string; scopes: { name: string }[] }[] = answer.permissions
  return {
    roles: answer.roles,
    scopes: new Map(listed.map(({ resource_server, scopes }) => [resource_server, scopes.map(({ name }) => name)])),
  }
}

/** Changes what is not so yet. */
const sent = new Map<string, string>()
async function set(list: 'roles' | 'resource-servers' | 'applications', object: { id: string }, body: object): Promise<void> {
  const changed = Object.entries(body).filter(([field, value]) => sent.get(`${object.id} ${field}`) !== JSON.stringify(value))
  for (const [field, value] of changed) sent.set(`${object.id} ${field}`, JSON.stringify(value))
  if (changed.length > 0) await roles.change(list, object, Object.fromEntries(changed))
}

async function disableEmail(is_disabled: boolean): Promise<void> {
  if (sent.get('email') === String(is_disabled)) return
  sent.set('email', String(is_disabled))
  await w.changeSettings(environment, { scopes: { disabled: is_disabled ? ['email'] : [] } })
}

/** Everyone may do everything. */
const reset = () =>
  Promise.all([
    set('applications', client, { allowed_roles: [], organizations: 'optional', allowed_scopes: [...own_scopes, ...names] }),
    disableEmail(false),
    ...letters.map((letter) => set('resource-servers', servers[letter], { require_roles: false, organizations: 'none' })),
  ])

async function establish({
  requiring,
  permissions,
  given,
  allowed,
  dormant,
  organizations,
  lost,
  without_email,
}: Situation): Promise<void> {
  await Promise.all(
    made.map((role, i) => {
      const of_role = Object.entries(permissions[i] ?? {}).flatMap(([resource_server, scopes]) =>
        scopes.length === 0 ? [] : [{ resource_server, scopes }],
      )
      if (were_made_again) sent.delete(`${role.id} permissions`) // even if they are as before: they then mean the present scopes
      return set('roles', role, { permissions: of_role })
    }),
  )
  were_made_again = dormant.length > 0
  await Promise.all(dormant.map(makeAgain))
  const rolesOf = (kind: string) => given.flatMap((i) => (made[i]?.kind === kind ? made[i] : []))
  await Promise.all([
    ...letters.map((letter) =>
      set('resource-servers', servers[letter], { require_roles: requiring.includes(letter), organizations: organizations[letter] }),
    ),
    set('applications', client, {
      allowed_roles: allowed.map((i) => made[i]?.slug),
      organizations: organizations.client,
      allowed_scopes: [...own_scopes, ...names.filter((name) => !lost.includes(name))],
    }),
    disableEmail(without_email),
    roles.give(person, ...rolesOf('user')),
    roles.giveMember(organization, person, ...rolesOf('organization')),
  ])
}

/** In the situation before. */
let were_made_again = false

/** Its scopes are others under the same names. */
async function makeAgain(letter: Letter): Promise<void> {
  await roles.change('resource-servers', servers[letter], { scopes: [] })
  await roles.change('resource-servers', servers[letter], { scopes: scopes_of[letter].map((name) => ({ name })) })
}
