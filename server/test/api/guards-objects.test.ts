/** What is not the caller's does not exist: every row of the table with every id that leads nowhere. Generated from the table; no route is named. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { prefixes } from '@ostiary/contract/ids.ts'
import type { Route } from '@ostiary/contract/route.ts'
import { ask, credentialHeaders, everything, type Ids, idsOf, parametersOf, pathOf, rightRequest, rows } from '../support/everything.ts'
import { type Reply, world } from '../support/world.ts'

const w = await world()
const { ours, theirs } = await everything(w)
const with_objects = rows.filter(({ route }) => parametersOf(route).length > 0)

/** Ids that nobody has: well-formed, and in every way that is not. */
function nowhere(parameter: string): string[] {
  const prefix = Object.entries(prefixes).find(([kind]) => parameter === `${kind}_id`)?.[1] ?? 'env'
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

/** Everything that a caller can tell an answer by, but for what is said to differ. */
function told({ status, headers, body }: Reply): string {
  const { request_id, ...rest } = body
  const own = ['x-request-id', 'date', 'ratelimit', 'ratelimit-policy', 'content-length']
  return JSON.stringify([status, rest, [...headers].filter(([name]) => !own.includes(name)), request_id === headers.get('x-request-id')])
}

const absent_answers = new Map<Route, string>()

/** The one 404 of a row: for its last parameter, well-formed and absent. */
async function absentAnswer(route: Route): Promise<string> {
  const known = absent_answers.get(route)
  if (known !== undefined) return known
  const right = rightRequest(route, ours)
  const last = parametersOf(route).at(-1) ?? ''
  const [id = ''] = nowhere(last)
  const reply = await ask(w, { ...right, path: pathOf(route, { ...idsOf(route, ours), [last]: id }) })
  assert.equal(`${reply.status} ${reply.body.code}`, '404 not_found', right.path)
  absent_answers.set(route, told(reply))
  return told(reply)
}

async function assertNotFound(about: string, route: Route, ids: Ids, headers = rightRequest(route, ours).headers): Promise<void> {
  const expected = await absentAnswer(route)
  const request = { ...rightRequest(route, ours), headers, path: pathOf(route, ids) }
  assert.equal(told(await ask(w, request)), expected, `${about}: ${request.method} ${request.path}`)
}

test('an id that is absent or malformed, wherever in the path, is the same 404', async () => {
  for (const { name, route } of with_objects) {
    for (const parameter of parametersOf(route)) {
      for (const id of nowhere(parameter)) await assertNotFound(name, route, { ...idsOf(route, ours), [parameter]: id })
    }
  }
})

test('an object of another tenant is the 404 of one that never existed, wherever in the path it stands', async () => {
  for (const { name, route } of with_objects) {
    const [mine, other] = [idsOf(route, ours), idsOf(route, theirs)]
    await assertNotFound(name, route, other)
    for (const parameter of parametersOf(route)) {
      await assertNotFound(name, route, { ...mine, [parameter]: other[parameter] ?? '' })
      if (parametersOf(route).length > 1) await assertNotFound(name, route, { ...other, [parameter]: mine[parameter] ?? '' })
    }
  }
})

test('an object of another environment or project of the same tenant does not exist in this one', async () => {
  const other = await w.createProject('sibling', { key: ours.platform })
  for (const { name, route } of with_objects) {
    const [mine, live] = [idsOf(route, ours), idsOf(route, ours, ours.live)]
    const last = parametersOf(route).at(-1) ?? ''
    if (mine.project_id !== undefined && mine.environment_id !== undefined) {
      await assertNotFound(name, route, { ...mine, project_id: other.id })
      await assertNotFound(name, route, { ...mine, environment_id: other.test.id })
    }
    const is_in_environment = mine[last] !== live[last] && last !== 'environment_id' && last !== 'id'
    if (is_in_environment) await assertNotFound(name, route, { ...mine, [last]: live[last] ?? '' })
  }
})

test('a secret key reaches the objects of its own environment only, and an administrator those of the one that is named', async () => {
  for (const { name, route } of with_objects.filter(({ route: { credential } }) => credential.kind === 'secret')) {
    const mine = idsOf(route, ours)
    for (const kind of ['secret', 'administrator'] as const) {
      await assertNotFound(`${name} as ${kind} of Live`, route, mine, credentialHeaders(kind, ours, ours.live))
      await assertNotFound(`${name} as ${kind} of another tenant`, route, mine, credentialHeaders(kind, theirs))
    }
  }
})

test('an administrator who names a tenant or environment that is not theirs gets the 404 of one that never existed', async () => {
  const foreign = { 'x-tenant-id': theirs.tenant_id, 'x-environment-id': theirs.test.id }
  for (const { name, route } of with_objects.filter(({ route: { credential } }) => ['secret', 'platform'].includes(credential.kind))) {
    const headers = credentialHeaders('administrator', ours)
    for (const [header, prefix] of [
      ['x-tenant-id', 'ten'],
      ['x-environment-id', 'env'],
    ] as const) {
      if (header === 'x-environment-id' && route.credential.kind === 'platform') continue
      for (const value of [foreign[header], `${prefix}_01m7wwr5ftevtv5yxb47hmb4ht`, 'x', `${ours.tenant_id}, ${theirs.tenant_id}`])
        await assertNotFound(`${name} with ${header}`, route, idsOf(route, ours), { ...headers, [header]: value })
    }
  }
})

test('If-Match, Idempotency-Key and a list’s parameters do not tell an object of another tenant from an absent one', async () => {
  for (const { name, route } of with_objects) {
    for (const extra of [{ 'if-match': '"1"' }, { 'if-match': '"999"' }, { 'idempotency-key': 'the same for all' }]) {
      const headers = { ...rightRequest(route, ours).headers, ...extra }
      await assertNotFound(name, route, idsOf(route, theirs), headers)
    }
  }
})
