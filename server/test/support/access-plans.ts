/** Plans that change what roles give: environments as short tables, the people in Live with their roles, and the warnings as lists of facts. */
import assert from 'node:assert/strict'
import { object_descriptions, object_kinds } from '@ostiary/contract/objects/objects.ts'
import type { PromotionCheck } from '@ostiary/contract/promotion-check.ts'
import fc from 'fast-check'
import { ownOf, promoting, upward } from './promotions.ts'
import { createAuthKey } from './tenants.ts'
import { expectStatus, type TestEnvironment, type World } from './world.ts'

type Fields = Record<string, unknown>
export interface AccessDocument {
  resource_servers: Record<string, Fields>
  roles: Record<string, Fields>
}

/** `api: read write` is a resource server that requires roles; `api?: read` requires none. */
export function servers(...texts: string[]): AccessDocument['resource_servers'] {
  return Object.fromEntries(
    texts.map((text) => {
      const [name = '', scopes = ''] = text.split(/: ?/)
      const slug = name.replace('?', '')
      const named = scopes === '' ? [] : scopes.split(' ').map((name) => ({ name, description: null }))
      const require_roles = !name.endsWith('?')
      return [slug, { identifier: `https://${slug}.example`, name: slug, scopes: named, require_roles }]
    }),
  )
}

/** `support: api.read api.write` gives two scopes of one resource server; everyone has a role with a star. */
export function roles(...texts: string[]): AccessDocument['roles'] {
  return Object.fromEntries(
    texts.map((text) => {
      const [name = '', given = ''] = text.split(/: ?/)
      const slug = name.replace('*', '')
      const scopes = given === '' ? [] : given.split(' ').map((one) => one.split('.') as [string, string]) // as: of two parts
      const permissions = [...Map.groupBy(scopes, ([server]) => server)].map(([resource_server, those]) => ({
        resource_server,
        scopes: those.map(([, scope]) => scope),
      }))
      return [slug, { kind: 'user', name: slug, default: name.endsWith('*'), permissions }]
    }),
  )
}

export const isOfAccess = ({ code }: { code: string }) => code === 'people_gain_access' || code === 'people_lose_access'

/** What the warnings say, each permission by itself: `2 lose api.read`, `Every gains api.write`. */
export function factsIn(checks: readonly PromotionCheck[]): string[] {
  const facts = checks.filter(isOfAccess).flatMap(({ code, detail }) => {
    const verb = code === 'people_gain_access' ? 'gain' : 'lose'
    const sentences = [
      ...detail.matchAll(/(Every|One|[\d,]+(?: or more)?) users? (gain|lose)s? ([^.]*?) of the resource server "([^"]+)"/g),
    ]
    return sentences.flatMap(([, who, said, names = '', server]) => {
      assert.equal(said, verb)
      return [...names.matchAll(/"([^"]+)"/g)].map(([, scope]) => `${who} ${verb} ${server}.${scope}`)
    })
  })
  return facts.sort()
}

export async function createAccessProject(w: World, most_people: number) {
  const { createProject, planned, step } = promoting(w)
  const project = await createProject()
  const { live } = project
  const { key } = await createAuthKey(w, live, 'auth_secret')
  const people: { id: string }[] = []
  for (let n = 0; n < most_people; n++)
    people.push(expectStatus(201, await w.call('POST', '/v1/auth/users', { key, body: { email: `person${n}@example.com` } })))

  const documentOf = async ({ path }: TestEnvironment): Promise<AccessDocument> =>
    expectStatus(200, await w.call('GET', `${path}/configuration`))
  /** A plan that makes an environment what a document says. */
  async function planTo(environment: TestEnvironment, document: AccessDocument) {
    const present = (await documentOf(environment)) as unknown as Record<string, Fields> // as: with all of its sections
    const wanted = document as unknown as Record<string, Fields> // as: the same
    const prune = object_kinds.flatMap((object) => {
      const { section } = object_descriptions[object]
      return wanted[section] === undefined
        ? []
        : Object.keys(present[section] ?? {}).flatMap((slug) => (wanted[section]?.[slug] ? [] : [{ object, slug }]))
    })
    return planned(project, { ...ownOf(environment, document), prune })
  }
  async function apply({ id, checks }: { id: string; checks: PromotionCheck[] }): Promise<void> {
    assert.deepEqual(
      checks.filter(({ level }) => level === 'error'),
      [],
    )
    expectStatus(200, await step([project, id], 'apply'))
  }

  return {
    project,
    live,
    people,
    planned: (body: object) => planned(project, body),
    planTo,
    documentOf,
    apply,
    become: async (environment: TestEnvironment, document: AccessDocument) => apply(await planTo(environment, document)),
    /** Each of the people has these roles; the others have none. */
    async give(...slugs: readonly string[][]) {
      for (const [n, { id }] of people.entries())
        expectStatus(200, await w.call('PATCH', `/v1/auth/users/${id}`, { key, body: { roles: slugs[n] ?? [] } }))
    },
    /** The scopes that a person can have, as `api.read`, and which of the resource servers require roles. */
    async accessOf({ id }: { id: string }) {
      const { permissions } = expectStatus(200, await w.call('GET', `/v1/auth/users/${id}/access`, { key }))
      const each: { resource_server: string; require_roles: boolean; scopes: { name: string }[] }[] = permissions
      return {
        scopes: new Set(each.flatMap(({ resource_server, scopes }) => scopes.map(({ name }) => `${resource_server}.${name}`))),
        requiring: new Set(each.flatMap(({ resource_server, require_roles }) => (require_roles ? [resource_server] : []))),
      }
    },
  }
}

const scopes_of = { a: ['a1', 'a2', 'a3'], b: ['b1', 'b2'] } as const
const slugs_of_servers = ['a', 'b'] as const
const slugs_of_roles = ['one', 'two', 'three'] as const
const all_scopes = slugs_of_servers.flatMap((slug) => scopes_of[slug].map((scope) => `${slug}.${scope}`))

const server = (slug: 'a' | 'b') =>
  fc.option(fc.record({ requires: fc.constantFrom(true, true, false), scopes: fc.subarray([...scopes_of[slug]]) }))
const role = fc.option(fc.record({ is_default: fc.constantFrom(false, false, false, true), scopes: fc.subarray(all_scopes) }), { freq: 4 })
const pair = fc.record({
  servers: fc.record({ a: server('a'), b: server('b') }),
  roles: fc.record({ one: role, two: role, three: role }),
  given: fc.array(fc.subarray([...slugs_of_roles]), { minLength: 3, maxLength: 3 }),
  by_promotion: fc.constantFrom(false, false, true),
})
type Pair = typeof pair extends fc.Arbitrary<infer T> ? T : never

/** @param stored the roles that may keep what they name, even if it is gone */
function documentOfPair({ servers: wanted, roles: of_roles }: Pair, stored: AccessDocument['roles']): AccessDocument {
  const made = slugs_of_servers.flatMap((slug) => {
    const one = wanted[slug]
    return one ? [`${slug}${one.requires ? '' : '?'}: ${one.scopes.join(' ')}`] : []
  })
  const known = new Set(slugs_of_servers.flatMap((slug) => (wanted[slug]?.scopes ?? []).map((scope) => `${slug}.${scope}`)))
  const namedBy = (slug: string) => {
    const permissions = (stored[slug]?.permissions ?? []) as { resource_server: string; scopes: string[] }[] // as: of a document
    return new Set(permissions.flatMap(({ resource_server, scopes }) => scopes.map((scope) => `${resource_server}.${scope}`)))
  }
  const given = slugs_of_roles.flatMap((slug) => {
    const one = of_roles[slug]
    if (!one) return []
    const kept = namedBy(slug)
    return [`${slug}${one.is_default ? '*' : ''}: ${one.scopes.filter((scope) => known.has(scope) || kept.has(scope)).join(' ')}`]
  })
  return { resource_servers: servers(...made), roles: roles(...given) }
}

/**
 * Plans from one environment to the next, each by a document or by a promotion, and compares the warnings with what each of four people can do
 * before and after it. The first has no role: what happens to that person happens to everyone.
 */
export async function comparePairs(w: World, count: number, seed: number): Promise<void> {
  const { project, live, people, planned, planTo, documentOf, apply, become, give, accessOf } = await createAccessProject(w, 4)
  let warned = 0
  for (const [n, one] of fc.sample(pair, { numRuns: count, seed }).entries()) {
    w.advance(120) // a project stores so many plans an hour
    const { roles: present } = await documentOf(live)
    await give([], ...one.given.map((slugs) => slugs.filter((slug) => present[slug])))
    const before = await Promise.all(people.map(accessOf))
    const plan = one.by_promotion ? await promoted() : await planTo(live, documentOfPair(one, present))
    await apply(plan)
    const after = await Promise.all(people.map(accessOf))

    async function promoted() {
      const document = documentOfPair(one, {})
      await become(project.test, document)
      const { resource_servers: there } = await documentOf(live)
      const missing = Object.entries(document.resource_servers).filter(([slug]) => !there[slug])
      const values = missing.map(([slug, { identifier: value }]) => ({ object: 'resource_server', slug, pointer: '/identifier', value }))
      return planned({ ...upward(project), values })
    }

    const facts = all_scopes.flatMap((permission) => {
      const [server = ''] = permission.split('.')
      if (![before, after].some(([nobody]) => nobody?.requiring.has(server))) return []
      const changes = people.map((_, i) => Number(after[i]?.scopes.has(permission)) - Number(before[i]?.scopes.has(permission)))
      if (changes[0] !== 0) return [`Every ${changes[0] === 1 ? 'gain' : 'lose'} ${permission}`]
      return ([1, -1] as const).flatMap((sign) => {
        const number = changes.filter((change) => change === sign).length
        return number === 0 ? [] : [`${number === 1 ? 'One' : number} ${sign === 1 ? 'gain' : 'lose'} ${permission}`]
      })
    })
    assert.deepEqual(factsIn(plan.checks), facts.sort(), `pair ${n + 1}: ${JSON.stringify(one)}`)
    warned += facts.length
  }
  assert.ok(warned > count, 'the pairs say something')
}
