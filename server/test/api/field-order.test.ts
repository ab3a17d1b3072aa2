/** Every answer has its members in the order of the schema. Generated from the table; no route is named. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Route } from '@ostiary/contract/route.ts'
import { z } from 'zod'
import { ask, rows, testRows, validRequest } from '../support/route-table.ts'
import { createTwoTenants } from '../support/tenants.ts'
import { world } from '../support/world.ts'

const w = await world()
const { ours } = await createTwoTenants(w)

interface Schema {
  properties?: Record<string, Schema>
  items?: Schema
  anyOf?: Schema[]
  $ref?: string
}

/** Compares the order of members with the published JSON Schema, which knows nothing of the code that orders them. */
function checkOrder(value: unknown, schema: Schema, path: string): void {
  if (Array.isArray(value)) {
    for (const [i, item] of value.entries()) checkOrder(item, schema.items ?? {}, `${path}/${i}`)
    return
  }
  if (typeof value !== 'object' || value === null) return
  const names = Object.keys(value)
  const fitting = [schema, ...(schema.anyOf ?? [])].find(({ properties }) => properties && names.every((name) => name in properties))
  if (!fitting?.properties) return
  const { properties } = fitting
  assert.deepEqual(
    names,
    Object.keys(properties).filter((name) => names.includes(name)),
    path,
  )
  for (const [name, inner] of Object.entries(value)) checkOrder(inner, properties[name] ?? {}, `${path}/${name}`)
}

const answering = rows.filter(({ route }) => route.returns[1] !== null && route.method !== 'DELETE')
/** A rotation ends the key that other rows need, so rotations come last. */
const turnOf = ({ method, path }: Route) => (path.endsWith('/rotate') ? 2 : method === 'GET' ? 0 : 1)
const sorted = answering.toSorted((a, b) => turnOf(a.route) - turnOf(b.route))
let answered = 0

testRows('the members of an answer are in the order of its schema', sorted, async ({ name, route }) => {
  const reply = await ask(w, validRequest(route, ours))
  if (reply.status === 404 || ['promotion_state', 'not_waiting', 'quota_exceeded'].includes(reply.body.code)) return // the tests have no such object, like a delivery, or not in this state
  assert.ok(reply.status < 300, `${name}: ${reply.status} ${JSON.stringify(reply.body)}`)
  const schema = z.toJSONSchema(route.returns[1] ?? z.never(), { io: 'output', unrepresentable: 'any', metadata: z.registry() }) as Schema // as: the part that is read here
  const is_empty = schema.properties !== undefined && Object.keys(schema.properties).length === 0
  assert.equal(Object.keys(reply.body).length === 0, is_empty)
  checkOrder(reply.body, schema, name)
  answered += 1
})

test('almost every row answers its valid request', () => assert.ok(answered > sorted.length * 0.9, `${answered} of ${sorted.length}`))

testRows(
  'each line of a list as application/jsonl is in the order of its schema',
  rows.filter(({ route }) => route.lines === 'application/jsonl'),
  async ({ name, route }) => {
    const right = validRequest(route, ours)
    const { body } = await ask(w, { ...right, headers: { ...right.headers, accept: 'application/jsonl' } })
    const lines = String(body).trim().split('\n')
    assert.ok(lines.length > 3)
    const { properties } = z.toJSONSchema(route.returns[1] ?? z.never(), {
      io: 'output',
      unrepresentable: 'any',
      metadata: z.registry(),
    }) as Schema // as: see above
    for (const line of lines) checkOrder(JSON.parse(line), properties?.data?.items ?? {}, name)
  },
)
