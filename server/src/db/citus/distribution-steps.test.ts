/** Which step comes next, from what Citus says about the tables. `cli/src/distribute.citus.test.ts` runs the steps. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Distribution, every_marked_index, misplaced, stepsOf, unplaced } from './distribution-steps.ts'
import { type Place, placeOf, tables_of } from './placement.ts'

const every_table = Object.values(tables_of).flat()
const wanted = { shards: 8, program: 46 }
type Table = Distribution['tables'] extends ReadonlyMap<string, infer T> ? T : never

const local: Table = { place: null, is_temporary: false, colocation: 0, shards: 0, bytes: 8192 }
const placed = (place: Place): Table => ({
  place,
  is_temporary: false,
  colocation: place === 'environment' || place === 'scope' ? 7 : 0,
  shards: place === 'coordinator' ? 1 : 8,
  bytes: 0,
})
const placeOfTable = (table: string): Place => placeOf(table) ?? assert.fail(table)

const plain: Distribution = {
  tables: new Map(every_table.map((table) => [table, local])),
  shards: null,
  state: null,
  oldest_program: 43,
  stale_indexes: every_marked_index,
}
const whole: Distribution = {
  tables: new Map(every_table.map((table) => [table, placed(placeOfTable(table))])),
  shards: 8,
  state: 'whole',
  oldest_program: 46,
  stale_indexes: [],
}
const with_tables = (of: Distribution, tables: Record<string, Partial<Table>>): Distribution => ({
  ...of,
  tables: new Map([...of.tables].map(([table, found]) => [table, { ...found, ...tables[table] }])),
})
const texts = (distribution: Distribution, of: typeof wanted | null = wanted) => stepsOf(distribution, of).map(({ text }) => text)

test('a filled database begins by its oldest program, and ends when each table is in its place and no first copy is left', () => {
  const steps = texts(plain)
  assert.match(steps[0] ?? '', /oldest/)
  assert.deepEqual(steps.slice(1, 1 + every_marked_index.length + 4), [
    ...every_marked_index.map((index) => `index ${index} without marks`),
    ...['tenants', 'projects', 'environments', 'issuer_origins'].map((table) => `${table} on every node`),
  ])
  assert.equal(
    steps.filter((text) => / (on every node|by environment_id|by scope_id|on the coordinator)$/.test(text)).length,
    every_table.length,
  )
  assert.equal(steps.at(-1), 'all tables are in place')
})

test('the first table gets the shards, and the others go beside it', () => {
  const statements = stepsOf(plain, wanted).flatMap((step) => step.statements.filter((text) => text.includes('create_distributed_table')))
  const [first = '', ...others] = statements
  assert.match(first, /'application_origins', 'environment_id', colocate_with => 'none', shard_count => 8/)
  for (const text of others) assert.match(text, /colocate_with => 'application_origins'\)/)
  const moved = with_tables(plain, { users: placed('environment') })
  const beside_users = stepsOf({ ...moved, shards: 8 }, wanted).flatMap(({ statements }) => statements)
  assert.ok(beside_users.includes(`select create_distributed_table('application_origins', 'environment_id', colocate_with => 'users')`))
})

test('a distributed database has no step left, and a migration puts only its new tables in place', () => {
  assert.deepEqual(texts(whole), [])
  assert.deepEqual(texts(whole, null), [])
  const newer = with_tables(whole, { webhooks: { ...local, bytes: 0 }, promotions: local })
  assert.deepEqual(texts(newer, null), ['webhooks by environment_id', 'promotions on the coordinator'])
})

test('a table that Citus made known by itself gets its place', () => {
  const known = with_tables(whole, {
    members: { is_temporary: true },
    users: { ...placed('coordinator'), is_temporary: true },
  })
  assert.deepEqual(unplaced(known), ['users', 'members'])
  assert.deepEqual(misplaced(known), [])
})

test('a first copy that is left is removed, even if all tables are in place', () =>
  assert.deepEqual(texts(with_tables(whole, { users: { bytes: 8192 } })), ['the first copy of users is removed']))

test('a run that was cut short goes on, and a later program names itself', () => {
  const begun: Distribution = { ...with_tables(whole, { refused_calls: { ...local } }), state: 'begun' }
  assert.deepEqual(texts(begun), ['refused_calls by scope_id', 'the first copy of refused_calls is removed', 'all tables are in place'])
  assert.match(texts({ ...begun, oldest_program: 45 })[0] ?? '', /oldest/)
})

test('a copy that was restored into a PostgreSQL without distributed tables begins again', () => {
  const [first, ...others] = texts({ ...plain, state: 'whole', oldest_program: 46 })
  assert.match(first ?? '', /oldest/)
  assert.equal(others.at(-1), 'all tables are in place')
})

const by_hand: [string, Partial<Table>, RegExp][] = [
  ['users', placed('everywhere'), /^users is on every node and belongs to the nodes by environment_id$/],
  ['users', { place: 'elsewhere' }, /^users is distributed in another way/],
  ['users', { colocation: 9 }, /^users is not beside application_origins$/],
  ['refused_calls', { colocation: 9 }, /^refused_calls is not beside application_origins$/],
  ['tenants', placed('environment'), /^tenants is distributed by environment_id and belongs on every node$/],
  ['jobs', placed('environment'), /^jobs is distributed by environment_id and belongs on the coordinator$/],
]
for (const [table, found, words] of by_hand)
  test(`a table that was distributed by hand is named: ${words.source}`, () => {
    const [first, ...others] = misplaced(with_tables(whole, { [table]: found }))
    assert.match(first?.text ?? '', words)
    assert.deepEqual(others, [])
  })
