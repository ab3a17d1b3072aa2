/** The response of the token endpoint, the token itself and its validation agree with the rule, in some hundred situations. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
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
const names = [...new Set(letters.flatMap((letter) => [...scopes_of[letter]]))]
const identifierOf = (letter: Letter) => `https://${letter}.example.com`

const servers = { a: await create('a'), b: await create('b'), c: await create('c') }
function create(letter: Letter) {
  return roles.createServer(letter, scopes_of[letter], { roles_claim: letter === 'c' ? 'groups' : 'roles' })
}
const made = [await roles.createRole('one'), await roles.createRole('two'), await roles.createRole('three')]
const client = await w.createApplication(environment, { allowed_scopes: ['openid', 'offline_access', ...names], roles_claim: 'groups' })
const person = await roles.createPerson()
await person.tokens(client, { scope: 'openid' })

const permissions = fc.record({ a: fc.subarray([...scopes_of.a]), b: fc.subarray([...scopes_of.b]), c: fc.subarray([...scopes_of.c]) })
const situation = fc.record({
  requiring: fc.subarray(letters),
  permissions: fc.tuple(permissions, permissions, permissions),
  given: fc.subarray([0, 1, 2]),
  allowed: fc.subarray([0, 1, 2]),
  resource: fc.subarray(letters, { minLength: 1 }),
  asked: fc.subarray(names, { minLength: 1 }),
})
type Situation = typeof situation extends fc.Arbitrary<infer T> ? T : never

/** The scopes that stay, and the slugs of the roles. `null`: the person is not let in. */
function model({ requiring, permissions, given, allowed, resource, asked }: Situation): { scope: string[]; slugs: string[] } | null {
  if (allowed.length > 0 && !allowed.some((i) => given.includes(i))) return null
  const stays = (name: string) =>
    resource
      .filter((letter) => requiring.includes(letter) && (scopes_of[letter] as readonly string[]).includes(name)) // as: comparing with any string
      .every((letter) => given.some((i) => (permissions[i]?.[letter] as readonly string[]).includes(name))) // as: the same
  return { scope: asked.filter(stays), slugs: given.map((i) => made[i]?.slug).sort() }
}

test('access, response, token and validation agree with the rule', async () => {
  await fc.assert(
    fc.asyncProperty(situation, async (now) => {
      const known = now.resource.flatMap((letter) => [...scopes_of[letter]] as string[])
      const asked = now.asked.filter((name) => known.includes(name))
      fc.pre(asked.length > 0)
      w.advance(2) // calls of a key have a limit
      await reset()
      const scope = `openid offline_access ${asked.join(' ')}`
      const obtained = await person.code(client, { scope, resource: now.resource.map(identifierOf) })
      await establish(now)
      const expected = model({ ...now, asked })
      const can = await roles.accessOf(person)
      for (const letter of letters)
        assert.deepEqual(
          can[servers[letter].slug],
          model({ ...now, allowed: [], resource: [letter], asked: [...scopes_of[letter]] })?.scope,
        )

      const reply = await exchange(w, environment, client, obtained)
      if (expected === null) return assert.equal(reply.body.error, 'invalid_grant')
      if (expected.scope.length === 0) return assert.equal(reply.body.error, 'invalid_scope')
      const tokens = expectStatus(200, reply)
      const left = ['openid', 'offline_access', ...expected.scope].join(' ')
      const claim = new Set<string>(now.resource.map((letter) => (letter === 'c' ? 'groups' : 'roles')))
      const agree = async ({ scope, access_token, id_token }: { scope: string; access_token: string; id_token: string }) => {
        const payload = payloadOf(access_token)
        const verdict = await roles.validate(access_token)
        assert.deepEqual([scope, payload.scope, verdict.scope], [left, left, left])
        assert.deepEqual(verdict.roles, expected.slugs)
        for (const name of ['roles', 'groups'])
          assert.deepEqual(payload[name], claim.size === 1 && claim.has(name) ? expected.slugs : undefined)
        assert.deepEqual(payloadOf(id_token).groups, expected.slugs)
      }
      await agree(tokens)
      await agree(expectStatus(200, await refresh(w, environment, client, tokens.refresh_token)))
    }),
    { numRuns: 150 },
  )
})

/** Changes an object to this, unless it is so. */
const sent = new Map<string, string>()
async function set(list: 'roles' | 'resource-servers' | 'applications', object: { id: string }, body: object): Promise<void> {
  const text = JSON.stringify(body)
  if (sent.get(object.id) === text) return
  sent.set(object.id, text)
  await roles.change(list, object, body)
}

/** Everyone may do everything. */
async function reset(): Promise<void> {
  await set('applications', client, { allowed_roles: [] })
  for (const letter of letters) await set('resource-servers', servers[letter], { require_roles: false })
}

async function establish({ requiring, permissions, given, allowed }: Situation): Promise<void> {
  for (const [i, role] of made.entries()) {
    const of_role = Object.entries(permissions[i] ?? {}).flatMap(([resource_server, scopes]) =>
      scopes.length === 0 ? [] : [{ resource_server, scopes }],
    )
    await set('roles', role, { permissions: of_role })
  }
  for (const letter of requiring) await set('resource-servers', servers[letter], { require_roles: true })
  await set('applications', client, { allowed_roles: allowed.map((i) => made[i]?.slug) })
  await roles.give(person, ...given.flatMap((i) => made[i] ?? []))
}
