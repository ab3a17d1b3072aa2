import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import { canonicalJson } from './canonical.ts'
import { beginning, type ChainEnd, type Link, linkAfter, linkProblem, type StoredEntry } from './chain.ts'

const entry: StoredEntry = {
  id: 'aud_1',
  tenant_id: 'ten_1',
  created_at: '2026-11-20T16:31:00.000Z',
  action: 'changeProject',
  actor_type: 'api_key',
  actor_id: 'key_1',
  actor_label: 'CI',
  object_type: 'project',
  object_id: 'prj_1',
  project_id: 'prj_1',
  environment_id: null,
  request_id: 'req_1',
  ip: '203.0.113.7',
  before_change: '{"name":"Old"}',
  after_change: '{"name":"New"}',
}
type Linked = StoredEntry & Link

function chain(entries: readonly StoredEntry[]): Linked[] {
  let end = beginning
  return entries.map((each) => {
    const link = linkAfter(end, each)
    end = link
    return { ...each, ...link }
  })
}

function problems(entries: readonly Linked[]): string[] {
  let end: ChainEnd = beginning
  return entries.flatMap((each) => {
    const problem = linkProblem(end, each)
    end = each
    return problem ? [problem] : []
  })
}

test('the hash of an entry is computed from the entry as the API returns it', () => {
  const [first] = chain([entry])
  const {
    hash: expected,
    before_change,
    after_change,
    actor_type,
    actor_id,
    actor_label,
    object_type,
    object_id,
    ...rest
  } = first ?? assert.fail()
  const shown = {
    ...rest,
    actor: { type: actor_type, id: actor_id, label: actor_label },
    object: { type: object_type, id: object_id },
    before: JSON.parse(before_change ?? 'null'),
    after: JSON.parse(after_change ?? 'null'),
  }
  assert.equal(hash('sha256', canonicalJson(shown), 'hex'), expected)
})

test('the previous hash of the first entry is 64 zeros', () => {
  assert.deepEqual(linkAfter(beginning, entry).previous_hash, '0'.repeat(64))
})

const five = () => chain([1, 2, 3, 4, 5].map((n) => ({ ...entry, id: `aud_${n}`, object_id: `prj_${n}` })))

test('an unaltered chain has no problem', () => assert.deepEqual(problems(five()), []))

for (const name of Object.keys(entry) as (keyof StoredEntry)[]) {
  test(`a changed ${name} is found`, () => {
    const entries = five()
    entries[2] = { ...(entries[2] ?? assert.fail()), [name]: `${entry[name] ?? ''}x` }
    assert.deepEqual(problems(entries), ['entry 3 was altered'])
  })
}

// biome-ignore format: this table is read by column
const damages: [what: string, damage: (entries: Linked[]) => Linked[], found: string[]][] = [
  ['an entry is removed',                    (e) => e.toSpliced(2, 1),                                                  ['entry 3 is missing']],
  ['two entries are removed',                (e) => e.toSpliced(1, 2),                                                  ['entries 2 to 3 are missing']],
  ['the first entry is removed',             (e) => e.slice(1),                                                         ['entry 1 is missing']],
  ['two entries are swapped',                ([a, b, c, d, f]) => [a!, { ...c!, sequence: 2 }, { ...b!, sequence: 3 }, d!, f!], ['entry 2 was moved or replaced', 'entry 3 was moved or replaced', 'entry 4 does not follow the one before it']],
  ['a space is added to a state',            ([a, ...r]) => [{ ...a!, after_change: '{"name": "New"}' }, ...r],         ['entry 1 was altered']],
  ['a link is recomputed',                   ([a, b, ...r]) => [a!, { ...b!, ...linkAfter(a!, { ...b!, ip: null }), ip: null }, ...r], ['entry 3 does not follow the one before it']],
  ['a null becomes the text null',           ([a, ...r]) => [{ ...a!, environment_id: 'null' }, ...r],                  ['entry 1 was altered']],
]
for (const [what, damage, found] of damages)
  test(`the damage is found when ${what}`, () => assert.deepEqual(problems(damage(five())), found))

const text = fc.string({ unit: 'binary' })
const anyEntry = fc.record({
  ...Object.fromEntries(Object.keys(entry).map((name) => [name, text])),
  before_change: fc.option(fc.jsonValue().map(canonicalJson)),
  after_change: fc.option(fc.jsonValue().map(canonicalJson)),
}) as fc.Arbitrary<StoredEntry> // as: every member is a text

test('an absent state that is replaced by the text "null" is found', () => {
  const intact = chain([{ ...entry, before_change: null }])
  assert.equal(problems(intact.map((link) => ({ ...link, before_change: 'null' }))).length, 1)
})

test('a chain of any entries is intact, and any changed value is found', () => {
  fc.assert(
    fc.property(
      fc.array(anyEntry, { minLength: 1, maxLength: 6 }),
      fc.nat(),
      fc.constantFrom(...(Object.keys(entry) as (keyof StoredEntry)[])),
      fc.option(text),
      (entries, n, name, value) => {
        const intact = chain(entries)
        assert.deepEqual(problems(intact), [])
        const index = n % intact.length
        const changed = intact.with(index, { ...(intact[index] ?? assert.fail()), [name]: value })
        const is_same = value === intact[index]?.[name]
        assert.equal(problems(changed).length, is_same ? 0 : 1)
      },
    ),
  )
})
