/** Long computations in slices: steps are counted, with a clock that each step moves. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { application } from '@ostiary/contract/objects/application.ts'
import { defaultsOf } from '@ostiary/contract/objects/field.ts'
import { configurationOf, type Fields } from '../domain/configuration/configuration.ts'
import { documentSteps } from '../domain/configuration/document.ts'
import { planSteps } from '../domain/configuration/plan.ts'
import { documentReading } from '../domain/configuration/read-document.ts'
import { JsonError, jsonSteps } from './json.ts'
import { createSlices, finish, type Steps } from './steps.ts'

function* counting(steps: number): Steps<number> {
  for (let n = 0; n < steps; n++) yield
  return steps
}

/** A clock that each reading moves by a millisecond, and the number of slices so far. */
function counted() {
  let [now, turns] = [0, 0]
  const slices = createSlices({ elapsed: () => now++, nextTurn: async () => void turns++ })
  return { slices, turns: () => turns }
}

test('a slice has few steps, whatever the whole has', async () => {
  const { slices, turns } = counted()
  assert.equal(await slices.run(counting(3_000)), 3_000)
  assert.equal(turns(), 1_001, 'three steps of a millisecond in each')
})

test('computations at once take turns, and have one slice in each turn of the event loop', async () => {
  const order: string[] = []
  const { slices, turns } = counted()
  function* named(name: string): Steps<undefined> {
    for (let n = 0; n < 6; n++) {
      order.push(name)
      yield
    }
    return undefined
  }
  await Promise.all([slices.run(named('a')), slices.run(named('b')), slices.run(named('c'))])
  assert.equal(order.join(''), 'aaabbbcccaaabbbccc')
  assert.equal(turns(), 9)
})

test('an error of a step ends its computation alone', async () => {
  const { slices } = counted()
  function* failing(): Steps<undefined> {
    yield
    throw new Error('fails')
  }
  const [failed, done] = await Promise.allSettled([slices.run(failing()), slices.run(counting(10))])
  assert.deepEqual([failed.status, done.status], ['rejected', 'fulfilled'])
})

const many = Object.fromEntries(
  Array.from({ length: 1_000 }, (_, n): [string, Fields] => [
    `app-${n}`,
    { application_type: 'web', name: `App ${n}`, redirect_uris: [`https://a.example/${n}`], ...defaultsOf(application, 'web') },
  ]),
)
const none = { resource_server: [], role: [], application: [], provider: [], webhook: [] }
const empty = configurationOf({ slug: 'live', type: 'live', config_version: 1 }, {}, none)
const full = { ...empty, objects: { ...empty.objects, application: new Map(Object.entries(many)) } }
const context = {
  environment_type: 'live',
  base_url: 'https://id.example.com',
  issuer: 'https://id.example.com/e/env_live',
  allowed: [],
  most_role_permissions: 1_000,
  room: {},
  idOf: () => null,
  left: null,
} as const

function stepsIn(steps: Steps<unknown>): number {
  let count = 1
  while (!steps.next().done) count++
  return count
}

const document = { version: 1, applications: many }
const asked = { target: empty, source: full, is_own: true, keeps: [], values: [], only: null, prune: [] }

// biome-ignore format: this table is read by column
const computations: [what: string, steps: () => Steps<unknown>, least: number][] = [
  ['a plan, for each object: wanted, drafted, compared, judged, warned about, its secrets', () => planSteps(asked, context), 6_000],
  ['a document that is judged',                                   () => documentReading(document, 'live'),                   1_000],
  ['a document that is written',                                  () => documentSteps(full),                                 1_000],
  ['a body that is parsed, for each object',                      () => jsonSteps(Buffer.from(JSON.stringify({ document }))), 1_000],
]
for (const [what, steps, least] of computations)
  test(`${what}: at least ${least} steps for 1,000 objects`, () => assert.ok(stepsIn(steps()) >= least))

// biome-ignore format: this table is read by column
const bodies: [what: string, text: string][] = [
  ['a document',                       JSON.stringify({ document, note: null })],
  ['slugs that are numbers',           '{"document":{"applications":{"2":{"a":1},"1":{"b":[1,{"c":2}]}}}}'],
  ['lists and brackets in strings',    '{"values":[{"value":["]}{["]}],"document":{"settings":{"email":{"from":"[0]"}}}}'],
  ['lists of lists on every level',    '[[[[[[1]]],[2]]],[]]'],
  ['a value alone',                    '5'],
  ['text of several bytes',            JSON.stringify({ document: { applications: { a: { name: 'ü🦀'.repeat(100_000) } } } })],
]
for (const [what, text] of bodies)
  test(`a large body with ${what} is parsed like any other one`, () =>
    assert.deepEqual(finish(jsonSteps(Buffer.from(text))), JSON.parse(text)))

// biome-ignore format: this table is read by column
const refused: [what: string, text: string][] = [
  ['an object that never ends',        '{"document":{"applications":{"a":{"b":1}}'],
  ['brackets that do not fit',         '{"document":{"applications":{"a":[1}}}}'],
  ['a repeated name',                  '{"document":{"applications":{"a":{"b":1,"b":2}}}}'],
  ['too many values',                  `[${'1,'.repeat(200_000)}1]`],
  ['one object of 600,000 characters', `{"document":{"applications":{"a":{"b":["${'x'.repeat(300_000)}","${'x'.repeat(300_000)}"]}}}}`],
  ['one text of 600,000 characters',   `{"note":"${'x'.repeat(600_000)}"}`],
  ['600,000 characters around',        `{"only":[${'"xxxxxxxxxx",'.repeat(50_000)}1]}`],
]
for (const [what, text] of refused)
  test(`a large body with ${what} is refused`, () => assert.throws(() => finish(jsonSteps(Buffer.from(text))), JsonError))
