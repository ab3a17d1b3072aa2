/** A promotion and the route of an object write the same about a change of it: the same audit entry and the same event. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ObjectKind, object_descriptions } from '@ostiary/contract/objects/objects.ts'
import { z } from 'zod'
import { sql } from '../../src/db/db.ts'
import { ownOf, type Project, promoting, public_keys } from '../support/promotions.ts'
import { expectStatus, type TestEnvironment, world } from '../support/world.ts'

const w = await world()
const { createProject, planned, step } = promoting(w)

type Fields = Record<string, unknown>

interface Lived {
  kind: ObjectKind
  born: Fields
  /** A document names these in every change; the routes refuse them in one. */
  set_at_birth: readonly string[]
  changes: readonly [name: string, fields: Fields, back: Fields][]
}

const secret = { name: `\${OSTIARY_SECRET_ONE}`, value: 'a secret of the provider' }

const lives: Lived[] = [
  {
    kind: 'resource_server',
    born: { name: 'Orders', identifier: 'https://orders.example', scopes: [{ name: 'read', description: null }] },
    set_at_birth: ['identifier'],
    changes: [
      ['name', { name: 'Other' }, { name: 'Orders' }],
      [
        'scopes and format',
        { scopes: [], access_token_format: 'opaque' },
        { scopes: [{ name: 'read', description: null }], access_token_format: 'jwt' },
      ],
    ],
  },
  {
    kind: 'role',
    born: { name: 'Support', kind: 'organization' },
    set_at_birth: ['kind'],
    changes: [
      ['name', { name: 'Other' }, { name: 'Support' }],
      ['administers', { administers: true, description: 'They invite' }, { administers: false, description: null }],
    ],
  },
  {
    kind: 'application',
    born: { application_type: 'web', name: 'Shop', redirect_uris: ['https://shop.example/cb'] },
    set_at_birth: ['application_type'],
    changes: [
      ['name', { name: 'Other' }, { name: 'Shop' }],
      ['disable', { disabled: true }, { disabled: false }],
      ['logout', { backchannel_logout_uri: 'https://shop.example/logout' }, { backchannel_logout_uri: null }],
    ],
  },
  {
    kind: 'application',
    born: { application_type: 'spa', name: 'Page', redirect_uris: ['https://page.example/cb'] },
    set_at_birth: ['application_type'],
    changes: [['disable', { disabled: true }, { disabled: false }]],
  },
  {
    kind: 'provider',
    born: { type: 'google', client_id: 'live.apps', client_secret: secret.value, display_name: 'G' },
    set_at_birth: ['type'],
    changes: [
      ['name', { display_name: 'Other' }, { display_name: 'G' }],
      ['name, beside a field that stays', { display_name: 'Other', client_id: 'live.apps' }, { display_name: 'G', client_id: 'live.apps' }],
      ['disable', { enabled: false }, { enabled: true }],
    ],
  },
  {
    kind: 'webhook',
    born: { url: 'https://hooks.example/', events: ['user.created'] },
    set_at_birth: [],
    changes: [
      ['url', { url: 'https://other.example/' }, { url: 'https://hooks.example/' }],
      ['disable', { disabled: true }, { disabled: false }],
    ],
  },
]

const Entry = z.object({
  id: z.string(),
  object_type: z.string(),
  before: z.string().nullable(),
  after: z.string().nullable(),
})
const Event = z.object({ id: z.string(), type: z.string(), application_id: z.string().nullable(), data: z.record(z.string(), z.unknown()) })

/** Ids, times and the issuer are those of the environment. */
const alike = ({ issuer, id }: TestEnvironment, value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value)
      .replaceAll(issuer, 'ISSUER')
      .replaceAll(id, 'ENVIRONMENT')
      .replace(/\b(rs|rol|app|prv|whk|prj)_[0-9a-z]{26}/g, '$1')
      .replace(/"\d{4}-\d\d-\d\dT[^"]*Z"/g, '"TIME"'),
  )

/** Returns the entries about objects since the last call. */
function reader(environment: TestEnvironment) {
  const seen = new Set<string>()
  return async () => {
    const entries = await w.deployment.db.all(
      Entry,
      sql`select id, object_type, before_change as before, after_change as after from audit_log where environment_id = ${environment.id} order by id`,
    )
    const events = await w.deployment.db.all(
      Event,
      sql`select id, type, application_id, data from events where environment_id = ${environment.id} and type not like 'promotion.%' order by id`,
    )
    const fresh = <T extends { id: string }>(rows: T[]) =>
      rows.filter(({ id }) => !seen.has(id) && seen.add(id)).map(({ id: _, ...row }) => alike(environment, row))
    return {
      entries: fresh(
        entries
          .filter(({ object_type }) => object_type !== 'promotion')
          .map(({ before, after, ...entry }) => ({ ...entry, before: before && JSON.parse(before), after: after && JSON.parse(after) })),
      ),
      events: fresh(events),
    }
  }
}

const slug = 'one'

for (const { kind, born, set_at_birth, changes } of lives) {
  const { section } = object_descriptions[kind]
  const documented = (fields: Fields) => ({ ...fields, ...(fields.client_secret ? { client_secret: secret.name } : {}) })
  const carry = async (project: Project, fields: Fields | null): Promise<string> => {
    const prune = fields === null ? { prune: [{ object: kind, slug }] } : {}
    const document = fields === null ? {} : { [section]: { [slug]: documented(fields) } }
    const { id, needed_secrets } = await planned(project, { ...ownOf(project.test, document), ...prune })
    const secrets = Object.fromEntries(needed_secrets.map(({ name }: { name: string }) => [name, secret.value]))
    expectStatus(200, await step([project, id], 'apply', { secrets }))
    return id
  }
  const kept = Object.fromEntries(set_at_birth.map((name) => [name, born[name]]))

  test(`${kind} (${born.application_type ?? born.name ?? born.type ?? 'its life'}): route, apply and revert write the same about it`, async () => {
    const [routed, applied, reverted] = [await createProject(), await createProject(), await createProject()]
    const read = { routed: reader(routed.test), applied: reader(applied.test), reverted: reader(reverted.test) }
    for (const one of Object.values(read)) await one()
    const collection = `${routed.test.path}/${section.replace('_', '-')}`

    const { id } = expectStatus(201, await w.call('POST', collection, { body: { slug, ...born } }))
    await carry(applied, born)
    const created = await read.routed()
    assert.equal(created.entries.length, 1)
    assert.deepEqual(await read.applied(), created, 'created by apply')
    await carry(reverted, born)
    await read.reverted()

    for (const [name, there, back] of changes) {
      expectStatus(200, await w.call('PATCH', `${collection}/${id}`, { body: there }))
      const changed = await read.routed()
      await carry(applied, { ...kept, ...there })
      assert.deepEqual(await read.applied(), changed, `${name} by apply`)

      expectStatus(200, await w.call('PATCH', `${collection}/${id}`, { body: back }))
      const returned = await read.routed()
      await carry(applied, { ...kept, ...back })
      assert.deepEqual(await read.applied(), returned, `${name} back by apply`)
      const plan = await carry(reverted, { ...kept, ...there })
      await read.reverted()
      expectStatus(200, await step([reverted, plan], 'revert'))
      assert.deepEqual(await read.reverted(), returned, `${name} back by revert`)
    }

    expectStatus(204, await w.call('DELETE', `${collection}/${id}`))
    const deleted = await read.routed()
    await carry(applied, null)
    assert.deepEqual(await read.applied(), deleted, 'deleted by apply')
  })

  test(`${kind} (${born.application_type ?? born.name ?? born.type ?? 'its life'}): a revert of its creation writes what its deletion writes`, async () => {
    const [routed, reverted] = [await createProject(), await createProject()]
    const read = { routed: reader(routed.test), reverted: reader(reverted.test) }
    const collection = `${routed.test.path}/${section.replace('_', '-')}`
    const { id } = expectStatus(201, await w.call('POST', collection, { body: { slug, ...born } }))
    const plan = await carry(reverted, born)
    for (const one of Object.values(read)) await one()
    expectStatus(204, await w.call('DELETE', `${collection}/${id}`))
    expectStatus(200, await step([reverted, plan], 'revert'))
    assert.deepEqual(await read.reverted(), await read.routed())
  })
}

test('an application that gets or loses its secret by a promotion says so as its routes do', async () => {
  const project = await createProject()
  const read = reader(project.test)
  const carry = async (token_endpoint_auth_method: string, jwks: object | null) => {
    const shop = { application_type: 'web', name: 'Shop', redirect_uris: ['https://shop.example/cb'], token_endpoint_auth_method, jwks }
    const { id } = await planned(project, ownOf(project.test, { applications: { shop } }))
    expectStatus(200, await step([project, id], 'apply'))
    const { entries } = await read()
    return (entries as { after: Fields }[]).at(-1)?.after
  }
  await carry('client_secret_basic', null)
  const without = await carry('private_key_jwt', public_keys('one'))
  assert.equal(without?.has_client_secret, false)
  const again = await carry('client_secret_basic', null)
  assert.deepEqual([again?.has_client_secret, again?.secret_rotated_at], [true, 'TIME'])
})

const settings_changes: readonly [name: string, there: Fields, back: Fields][] = [
  ['one field', { password: { min_length: 14 } }, { password: { min_length: 12 } }],
  ['two groups', { password: { min_length: 15 }, tokens: { id_token_ttl_seconds: 900 } }, { password: null, tokens: null }],
  ['one group, beside one that stays', { tokens: { id_token_ttl_seconds: 900 }, password: {} }, { tokens: null, password: null }],
  ['a list', { email: { delivery: 'none' } }, { email: null }],
]
for (const [name, there, back] of settings_changes)
  test(`settings (${name}): route, apply and revert write the same about them`, async () => {
    const [routed, applied, reverted] = [await createProject(), await createProject(), await createProject()]
    const read = { routed: reader(routed.test), applied: reader(applied.test), reverted: reader(reverted.test) }
    for (const one of Object.values(read)) await one()
    const carry = async (project: Project, settings: Fields): Promise<string> => {
      const { id } = await planned(project, ownOf(project.test, { settings }))
      expectStatus(200, await step([project, id], 'apply'))
      return id
    }
    const change = async (body: Fields) => {
      expectStatus(200, await w.call('PATCH', `${routed.test.path}/settings`, { body }))
      return read.routed()
    }
    const changed = await change(there)
    assert.equal(changed.entries.length, 1)
    await carry(applied, there)
    assert.deepEqual(await read.applied(), changed, 'by apply')
    const returned = await change(back)
    const plan = await carry(reverted, there)
    await read.reverted()
    expectStatus(200, await step([reverted, plan], 'revert'))
    assert.deepEqual(await read.reverted(), returned, 'back by revert')
  })
