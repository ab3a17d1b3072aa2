/** Objects of others are 404: every row of the route table with every id that the caller cannot reach. Generated from the table; no route is named. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { prefixes } from '@ostiary/contract/ids.ts'
import type { Route } from '@ostiary/contract/route.ts'
import {
  ask,
  credentialHeaders,
  eachRow,
  type Ids,
  idsOf,
  parametersOf,
  pathOf,
  rows,
  testRows,
  validRequest,
  visible,
} from '../support/route-table.ts'
import { createTwoTenants } from '../support/tenants.ts'
import { world } from '../support/world.ts'

const w = await world()
const { ours, theirs } = await createTwoTenants(w)
const with_objects = rows.filter(({ route }) => parametersOf(route).length > 0)

/** Ids of no object: one well-formed, the others malformed. */
function unknownIds(parameter: string): string[] {
  const kinds = { ...prefixes, invitation: prefixes.organization_invitation } // no path has the id of an invitation to a tenant
  const prefix = Object.entries(kinds).find(([kind]) => parameter === `${kind}_id`)?.[1] ?? 'env'
  const absent = '01m7wwr5ftevtv5yxb47hmb4ht'
  const other = prefix === 'usr' ? 'app' : 'usr'
  return [
    `${prefix}_${absent}`,
    `${other}_${absent}`,
    `${prefix}_${absent.toUpperCase()}`,
    `${prefix}_${absent}0`,
    `${prefix}_8${absent.slice(1)}`,
    `${prefix}_`,
    absent,
    'x',
    '0',
    '-1',
    'null',
    '%00',
    `${prefix}_${absent}%00`,
    '%27%20or%201=1--',
    '%F0%9F%94%91',
    '..%2f..%2f',
    '*',
    'a'.repeat(190),
  ]
}

const absent_answers = new Map<Route, string>()

/** The 404 of a row for a well-formed id of no object as its last parameter. */
async function absentAnswer(route: Route): Promise<string> {
  const known = absent_answers.get(route)
  if (known !== undefined) return known
  const right = validRequest(route, ours)
  const last = parametersOf(route).at(-1) ?? ''
  const [id = ''] = unknownIds(last)
  const reply = await ask(w, { ...right, path: pathOf(route, { ...idsOf(route, ours), [last]: id }) })
  assert.equal(`${reply.status} ${reply.body.code}`, '404 not_found', right.path)
  absent_answers.set(route, visible(reply))
  return visible(reply)
}

async function assertNotFound(about: string, route: Route, ids: Ids, headers = validRequest(route, ours).headers): Promise<void> {
  const expected = await absentAnswer(route)
  const request = { ...validRequest(route, ours), headers, path: pathOf(route, ids) }
  assert.equal(visible(await ask(w, request)), expected, `${about}: ${request.method} ${request.path}`)
}

testRows('an unknown or malformed id is the same 404 at every position of the path', with_objects, async ({ name, route }) => {
  for (const parameter of parametersOf(route)) {
    for (const id of unknownIds(parameter)) await assertNotFound(name, route, { ...idsOf(route, ours), [parameter]: id })
  }
})

testRows(
  'an object of another tenant is the 404 of an unknown one, at every position of the path',
  with_objects,
  async ({ name, route }) => {
    const [mine, other] = [idsOf(route, ours), idsOf(route, theirs)]
    await assertNotFound(name, route, other)
    for (const parameter of parametersOf(route)) {
      await assertNotFound(name, route, { ...mine, [parameter]: other[parameter] ?? '' })
      if (parametersOf(route).length > 1) await assertNotFound(name, route, { ...other, [parameter]: mine[parameter] ?? '' })
    }
  },
)

test('an object of another environment or project of the tenant is the 404 of an unknown one', async (t) => {
  const other = await w.createProject('sibling', { key: ours.platform })
  await eachRow(t, with_objects, async ({ name, route }) => {
    const [mine, live] = [idsOf(route, ours), idsOf(route, ours, ours.live)]
    const last = parametersOf(route).at(-1) ?? ''
    if (mine.project_id !== undefined && mine.environment_id !== undefined) {
      await assertNotFound(name, route, { ...mine, project_id: other.id })
      await assertNotFound(name, route, { ...mine, environment_id: other.test.id })
    }
    const is_in_environment = mine[last] !== live[last] && last !== 'environment_id' && last !== 'id'
    if (is_in_environment) await assertNotFound(name, route, { ...mine, [last]: live[last] ?? '' })
  })
})

testRows(
  'a secret key reaches only its own environment, and an administrator only the named one',
  with_objects.filter(({ route: { credential } }) => credential.kind === 'secret'),
  async ({ name, route }) => {
    const mine = idsOf(route, ours)
    for (const kind of ['secret', 'administrator'] as const) {
      await assertNotFound(`${name} as ${kind} of Live`, route, mine, credentialHeaders(kind, ours, ours.live))
      await assertNotFound(`${name} as ${kind} of another tenant`, route, mine, credentialHeaders(kind, theirs))
    }
  },
)

test('a tenant or environment of others in a header is the 404 of an unknown one', async (t) => {
  const foreign = { 'x-tenant-id': theirs.tenant_id, 'x-environment-id': theirs.test.id }
  await eachRow(
    t,
    with_objects.filter(({ route: { credential } }) => ['secret', 'platform'].includes(credential.kind)),
    async ({ name, route }) => {
      const headers = credentialHeaders('administrator', ours)
      for (const [header, prefix] of [
        ['x-tenant-id', 'ten'],
        ['x-environment-id', 'env'],
      ] as const) {
        if (header === 'x-environment-id' && route.credential.kind === 'platform') continue
        for (const value of [foreign[header], `${prefix}_01m7wwr5ftevtv5yxb47hmb4ht`, 'x', `${ours.tenant_id}, ${theirs.tenant_id}`])
          await assertNotFound(`${name} with ${header}`, route, idsOf(route, ours), { ...headers, [header]: value })
      }
    },
  )
})

testRows(
  'If-Match and Idempotency-Key do not distinguish an object of another tenant from an unknown one',
  with_objects,
  async ({ name, route }) => {
    for (const extra of [{ 'if-match': '"1"' }, { 'if-match': '"999"' }, { 'idempotency-key': 'the same for all' }]) {
      const headers = { ...validRequest(route, ours).headers, ...extra }
      await assertNotFound(name, route, idsOf(route, theirs), headers)
    }
  },
)
