/**
 * 50 pairs of configurations through the API: what a promotion changes is exactly the difference of what travels, a second plan is empty, and a
 * revert gives back the same bytes. The pairs of the pure function are in `server/src/domain/configuration/plan.test.ts`.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { object_descriptions, object_kinds } from '@ostiary/contract/objects/objects.ts'
import fc from 'fast-check'
import { z } from 'zod'
import { sql } from '../../src/db/db.ts'
import { areEqual } from '../../src/domain/configuration/equal.ts'
import { fieldsOf, valueAt } from '../../src/domain/configuration/pointers.ts'
import { ownOf, promoting, upward } from '../support/promotions.ts'
import { expectStatus, type TestEnvironment, world } from '../support/world.ts'

const w = await world()
const { createProject, planned, step, documentOf } = promoting(w)

type Fields = Record<string, unknown>
type Document = Record<string, Record<string, Fields>>

const some = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined, freq: 2 })
const slug = fc.constantFrom('a', 'b', '123', 'true', 'x-1')

/** Documents whose owned values have a mark of their environment. */
function generated(type: 'test' | 'live') {
  const mark = `${type}.example`
  const url = fc.constantFrom(`https://one.${mark}/cb`, `https://two.${mark}/cb`)
  const objects = (fields: fc.Arbitrary<Fields>, of: (slug: string, fields: Fields) => Fields = (_, given) => given) =>
    fc
      .dictionary(slug, fields, { maxKeys: 4 })
      .map((made) => Object.fromEntries(Object.entries(made).map(([name, given]) => [name, of(name, given)])))
  return fc.record({
    settings: fc.record({
      tokens: fc.record({
        access_token_ttl_seconds: fc.constantFrom(60, 900, 3_600),
        access_token_format: fc.constantFrom('jwt', 'opaque'),
      }),
      password: fc.record({ min_length: fc.constantFrom(8, 12, 14) }),
      scopes: fc.record({ disabled: fc.constantFrom(['phone', 'email'], ['email', 'phone'], []) }),
      branding: fc.record({ display_name: fc.constantFrom('Shop', 'Store', null), logo_url: fc.option(url) }),
      links: fc.record({ terms_url: fc.option(url) }),
      cors: fc.record({ allowed_origins: fc.constantFrom([], [`https://${mark}`]) }),
    }),
    resource_servers: objects(
      fc.record({
        name: fc.constantFrom('A', 'B'),
        access_token_ttl_seconds: fc.constantFrom(null, 60),
        scopes: fc.constantFrom([], [{ name: 'read', description: null }], [{ name: 'read', description: 'Read' }]),
      }),
      (name, fields) => ({ ...fields, identifier: `https://${name}.${mark}` }),
    ),
    roles: objects(
      fc.record({
        name: fc.constantFrom('A', 'B'),
        description: fc.constantFrom(null, 'Note'),
        default: fc.boolean(),
      }),
      (name, fields) => ({ ...fields, kind: name === 'b' ? 'organization' : 'user' }),
    ),
    applications: objects(
      fc.record({
        name: fc.constantFrom('A', 'B'),
        redirect_uris: url.map((one) => [one]),
        consent: fc.constantFrom('ask', 'skip'),
        logo_uri: some(url),
        disabled: fc.boolean(),
      }),
      (name, fields) => ({ ...fields, application_type: name === 'b' ? 'spa' : 'web' }),
    ),
    providers: objects(
      fc.record({ display_name: fc.constantFrom('A', 'B'), client_id: fc.constant(`${mark}-client`), enabled: fc.boolean() }),
      (name, fields) => ({ ...fields, type: 'google', client_secret: `\${OSTIARY_SECRET_${name.toUpperCase().replaceAll('-', '_')}}` }),
    ),
    webhooks: objects(
      fc.record({
        url,
        events: fc.constantFrom([], ['user.created'], ['user.deleted', 'user.created']),
        description: fc.constantFrom(null, 'note'),
        disabled: fc.boolean(),
      }),
    ),
  })
}

const pairs = fc.sample(fc.record({ test: generated('test'), live: generated('live') }), { numRuns: 50, seed: 20_261_126 })
const project = await createProject()
const { test: source, live: target } = project
/** Each pair makes no more than so many plans, and no more applies and reverts, of 120 an hour. */
const stored_of_pair = 7

const read = async (environment: TestEnvironment): Promise<Document> => JSON.parse(await documentOf(environment))

/** Makes an environment what a document says. */
async function setUp(environment: TestEnvironment, wanted: Document): Promise<void> {
  const present = await read(environment)
  const prune = object_kinds.flatMap((object) => {
    const { section } = object_descriptions[object]
    return Object.keys(present[section] ?? {}).flatMap((slug) => (wanted[section]?.[slug] ? [] : [{ object, slug }]))
  })
  const { id, checks, needed_secrets } = await planned(project, { ...ownOf(environment, wanted), prune })
  assert.deepEqual(
    checks.filter(({ level }: { level: string }) => level === 'error'),
    [],
  )
  const secrets = Object.fromEntries(needed_secrets.map(({ name }: { name: string }) => [name, `${environment.type} ${name}`]))
  expectStatus(200, await step([project, id], 'apply', { secrets }))
}

const Sealed = z.object({ slug: z.string(), client_secret: z.string().nullable() })
const secretsOf = ({ id }: TestEnvironment) =>
  w.deployment.db.all(Sealed, sql`select slug, client_secret from providers where environment_id = ${id} order by slug`)

const owned_of_new = {
  resource_server: { identifier: 'https://new.example' },
  role: {},
  application: { redirect_uris: ['https://new.example/cb'] },
  provider: { client_id: 'new' },
  webhook: { url: 'https://new.example/hook' },
} as const

for (const [n, pair] of pairs.entries())
  test(`pair ${n + 1} of 50: nothing but the difference travels, a second plan is empty, and a revert gives back the same bytes`, async () => {
    if ((n * stored_of_pair) % 105 === 0) w.advance(3_600)
    await setUp(source, pair.test as unknown as Document)
    await setUp(target, pair.live as unknown as Document)
    const bytes = [await documentOf(source), await documentOf(target)]
    const [from, before, secrets] = [await read(source), await read(target), await secretsOf(target)]
    const values = object_kinds.flatMap((object) => {
      const { section } = object_descriptions[object]
      return Object.keys(from[section] ?? {}).flatMap((slug) =>
        before[section]?.[slug]
          ? []
          : Object.entries(owned_of_new[object]).map(([name, value]) => ({
              object,
              slug,
              pointer: `/${name}`,
              value: name === 'identifier' ? `${value}/${slug}` : value,
            })),
      )
    })
    const { id, changes } = await planned(project, { ...upward(project), values })
    expectStatus(200, await step([project, id], 'apply'))
    const text = await documentOf(target)
    const now = JSON.parse(text) as Document
    assert.doesNotMatch(text, /test\.example/)
    const kept = (await secretsOf(target)).filter(({ slug }) => before.providers?.[slug])
    assert.deepEqual(
      kept,
      secrets.filter(({ slug }) => kept.some((other) => other.slug === slug)),
    )
    assert.ok((await secretsOf(target)).every(({ slug, client_secret }) => before.providers?.[slug] || client_secret === null))

    const differences: string[] = []
    for (const object of ['settings', ...object_kinds] as const) {
      const objectsOf = (document: Document): Record<string, Fields> =>
        object === 'settings' ? { '': document.settings as Fields } : (document[object_descriptions[object].section] ?? {})
      const [of_source, of_target, of_now] = [objectsOf(from), objectsOf(before), objectsOf(now)]
      assert.deepEqual(Object.keys(of_now).sort(), [...new Set([...Object.keys(of_source), ...Object.keys(of_target)])].sort())
      for (const [slug, fields] of Object.entries(of_now))
        for (const { path, pointer, class: kind } of fieldsOf(object)) {
          const [wanted, was, is] = [of_source[slug], of_target[slug], fields].map((each) => valueAt(each, path) ?? null)
          const travels = of_source[slug] !== undefined && kind === 'travels'
          if (of_target[slug] || kind === 'travels' || kind === 'immutable')
            assert.ok(areEqual(is, travels || !of_target[slug] ? wanted : was), `${object} ${slug} ${pointer}`)
          if (!areEqual(is, was)) differences.push(`${object} ${slug} ${pointer} ${JSON.stringify([was, is])}`)
        }
    }
    type Change = { object: string; slug: string | null; fields: { pointer: string; from: unknown; to: unknown }[] }
    const planned_differences = (changes as Change[]).flatMap(({ object, slug, fields }) =>
      fields.map((field) => `${object} ${slug ?? ''} ${field.pointer} ${JSON.stringify([field.from, field.to])}`),
    )
    assert.deepEqual(planned_differences.sort(), differences.sort())

    const again = expectStatus(200, await w.call('POST', `${project.path}/promotions`, { body: { ...upward(project), dry_run: true } }))
    assert.deepEqual(again.changes, [])
    expectStatus(200, await step([project, id], 'revert'))
    assert.deepEqual([await documentOf(source), await documentOf(target)], bytes)
  })
