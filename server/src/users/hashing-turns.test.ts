import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { createTurns, type Place } from './hashing-turns.ts'

const place = (change: Partial<Place> = {}): Place => ({
  tenant_id: 'ten_1',
  environment_id: 'env_1',
  network: '192.0.2',
  source: '192.0.2.1',
  has_mark: false,
  ...change,
})

/** Adds hashes, each named by its part and number, and returns the names in the order of their turns. */
function order(...places: readonly [name: string, place: Place, count: number][]): string[] {
  const turns = createTurns<string>()
  for (const [name, at, count] of places) for (let i = 1; i <= count; i++) turns.add(at, `${name}${i}`)
  return drain(turns)
}

function drain<T>(turns: ReturnType<typeof createTurns<T>>): T[] {
  const taken: T[] = []
  for (let one = turns.next(); one; one = turns.next()) taken.push(one.value)
  return taken
}

// biome-ignore format: this table is read by column
const levels: [what: string, here: Place, there: Place][] = [
  ['tenants',                                   place(), place({ tenant_id: 'ten_2' })],
  ['environments of a tenant',                  place(), place({ environment_id: 'env_2' })],
  ['networks of an environment',                place(), place({ network: '198.51.100', source: '198.51.100.1' })],
  ['sources of a network',                      place(), place({ source: '192.0.2.2' })],
  ['marked browsers and others of a source',    place(), place({ has_mark: true })],
]
for (const [what, here, there] of levels) {
  test(`${what} take turns, and within each the oldest comes first`, () => {
    assert.deepEqual(order(['a', here, 4], ['b', there, 2]), ['a1', 'b1', 'a2', 'b2', 'a3', 'a4'])
  })
}

test('a network gets no more turns by having more sources, nor an environment by more networks, nor a tenant by more environments', () => {
  const source = (i: number): [string, Place, number] => ['a', place({ source: `192.0.2.${i}` }), 1]
  const network = (i: number): [string, Place, number] => ['a', place({ network: `192.0.${i}`, source: `192.0.${i}.1` }), 1]
  const environment = (i: number): [string, Place, number] => ['a', place({ environment_id: `env_${i}` }), 1]
  const many = [1, 2, 3, 4, 5, 6]
  const elsewhere = place({ tenant_id: 'ten_2' })
  const other_environment = place({ environment_id: 'env_b' })
  const other_network = place({ network: '198.51.100', source: '198.51.100.1' })
  for (const [crowd, beside] of [
    [many.map(source), other_network],
    [many.map(network), other_environment],
    [many.map(environment), elsewhere],
  ] as const) {
    const taken = order(...crowd, ['b', beside, 3])
    assert.deepEqual(
      ['b1', 'b2', 'b3'].map((name) => taken.indexOf(name)),
      [1, 3, 5],
    )
  }
})

test('of the source with the most waiting the newest gives way', () => {
  const turns = createTurns<string>()
  for (const name of ['a1', 'a2', 'a3']) turns.add(place(), name)
  turns.add(place({ source: '192.0.2.2' }), 'b1')
  turns.add(place({ environment_id: 'env_2', has_mark: true }), 'a4')
  assert.equal(turns.givesWayTo(place({ source: '192.0.2.3' }))?.value, 'a4', 'a source is the same in every environment')
  assert.equal(turns.givesWayTo(place({ source: '192.0.2.2' }))?.value, 'a4')
})

test('the newcomer gives way where no source has more than its own', () => {
  const turns = createTurns<string>()
  assert.equal(turns.givesWayTo(place()), null)
  turns.add(place(), 'a1')
  assert.equal(turns.givesWayTo(place({ source: '192.0.2.2' })), null, 'each has one')
  turns.add(place(), 'a2')
  assert.equal(turns.givesWayTo(place()), null, 'its own source has the most')
  assert.equal(turns.givesWayTo(place({ source: '192.0.2.2' }))?.value, 'a2')
})

test('a hash that leaves moves up those behind it, and leaving twice changes nothing', () => {
  const turns = createTurns<string>()
  const [first, second] = [turns.add(place(), 'a1'), turns.add(place(), 'a2')]
  turns.add(place(), 'a3')
  turns.add(place({ source: '192.0.2.2' }), 'b1')
  turns.remove(second)
  turns.remove(second)
  assert.equal(turns.waiting, 3)
  assert.equal(turns.next()?.value, first.value)
  turns.remove(first)
  assert.deepEqual(drain(turns), ['b1', 'a3'])
  assert.equal(turns.waiting, 0)
  assert.equal(turns.next(), null)
})

// biome-ignore format: this table is read by column
const newcomers: [what: string, crowd: (i: number) => Place, newcomer: Place][] = [
  ['a source beside a flood of another one',       () => place(),                                                            place({ source: '192.0.2.2' })],
  ['a network beside many sources of another one', (i) => place({ source: `192.0.2.${i}` }),                                 place({ network: '198.51.100', source: '198.51.100.1' })],
  ['an environment beside many networks',          (i) => place({ network: `192.0.${i}`, source: `192.0.${i}.1` }),          place({ environment_id: 'env_2' })],
  ['a tenant beside many environments',            (i) => place({ environment_id: `env_${i}` }),                             place({ tenant_id: 'ten_2' })],
  ['a marked browser beside others of its source', () => place(),                                                            place({ has_mark: true })],
]
for (const [what, crowd, newcomer] of newcomers) {
  test(`${what} waits only for the hash that runs: the others have their turn now`, () => {
    const turns = createTurns<string>()
    for (let i = 0; i < 20; i++) turns.add(crowd(i), `crowd ${i}`)
    assert.equal(turns.next()?.value, 'crowd 0')
    assert.equal(turns.turnsBefore(newcomer), 0)
    turns.add(newcomer, 'newcomer')
    assert.equal(turns.next()?.value, 'newcomer')
    turns.ended(crowd(0))
    assert.equal(turns.next()?.value, 'crowd 1')
  })
}

test('sources that come again after each of their turns alternate with one that waits, and do not pass it by', () => {
  for (const comers of [1, 2, 5]) {
    const turns = createTurns<string>()
    const places = Array.from({ length: comers }, (_, i) => place({ source: `198.51.100.${i}` }))
    for (let i = 0; i < 20; i++) turns.add(place(), 'waits')
    const taken: string[] = []
    for (const at of places) turns.add(at, at.source)
    for (let i = 0; i < 10 * (comers + 1); i++) {
      const one = turns.next() ?? assert.fail()
      taken.push(one.value)
      turns.ended(one.place)
      if (one.value !== 'waits') turns.add(one.place, one.value)
    }
    assert.equal(taken.filter((value) => value === 'waits').length, 10, `${taken}`)
  }
})

test('a part that waits again while its own hash runs comes after those that began to wait meanwhile', () => {
  const turns = createTurns<string>()
  const [one, other] = [place(), place({ source: '192.0.2.2' })]
  turns.begins(one)
  turns.add(one, 'again')
  turns.add(other, 'other')
  assert.deepEqual(drain(turns), ['other', 'again'])
})

test('of two parts that wait again while their own hashes run, the first to wait comes first', () => {
  const turns = createTurns<string>()
  const [one, other] = [place(), place({ source: '192.0.2.2' })]
  turns.begins(one)
  turns.begins(other)
  turns.add(other, 'other')
  turns.add(one, 'one')
  assert.deepEqual(drain(turns), ['other', 'one'])
})

test('a part whose hash has ended is no longer at its turn, so one that begins to wait comes after it', () => {
  const turns = createTurns<string>()
  for (const value of ['first', 'second']) turns.add(place(), value)
  assert.equal(turns.next()?.value, 'first')
  turns.ended(place())
  turns.add(place({ source: '192.0.2.2' }), 'newcomer')
  assert.deepEqual(drain(turns), ['second', 'newcomer'])
})

const few = (...values: string[]) => fc.constantFrom(...values)
const places: fc.Arbitrary<Place> = fc.record({
  tenant_id: few('t1', 't2', 't3'),
  environment_id: few('e1', 'e2'),
  network: few('n1', 'n2', 'n3'),
  source: few('s1', 's2', 's3', 's4'),
  has_mark: fc.boolean(),
})
/** What happens: an arrival, a turn, or a departure of one that waits. */
const happenings = fc.array(fc.oneof(places, fc.constant('turn' as const), fc.nat(50)), { maxLength: 150 })

/** Plays what happens, and returns what waits then, in the order of arrival. */
function play(happened: readonly (Place | 'turn' | number)[]) {
  const turns = createTurns<number>()
  const waiting: ReturnType<typeof turns.add>[] = []
  const running: Place[] = []
  const take = () => {
    if (running.length === 2) turns.ended(running.shift() ?? assert.fail())
    const one = turns.next()
    if (one) running.push(one.place)
    return one
  }
  const leave = (one: (typeof waiting)[number] | null | undefined) => one && waiting.splice(waiting.indexOf(one), 1)
  for (const [i, what] of happened.entries()) {
    if (what === 'turn') leave(take())
    else if (typeof what === 'object') waiting.push(turns.add(what, i))
    else {
      const one = waiting[what % (waiting.length || 1)]
      if (one) turns.remove(one)
      leave(one)
    }
  }
  return { turns, waiting }
}

test('whatever arrives, has its turn and leaves: each that waits gets exactly one turn', () => {
  fc.assert(
    fc.property(happenings, (happened) => {
      const { turns, waiting } = play(happened)
      assert.equal(turns.waiting, waiting.length)
      assert.deepEqual(
        drain(turns).sort((a, b) => a - b),
        waiting.map(({ value }) => value),
      )
    }),
  )
})

test('the turns before a newcomer are as many as it then waits for', () => {
  fc.assert(
    fc.property(happenings, places, (happened, newcomer) => {
      const { turns } = play(happened)
      const expected = turns.turnsBefore(newcomer)
      turns.add(newcomer, -1)
      assert.equal(drain(turns).indexOf(-1), expected)
    }),
  )
})

/** The parts of a place, from the tenant on, each by the names of all levels down to it. */
const partsOf = ({ tenant_id, environment_id, network, source, has_mark }: Place): string[] => {
  const names = [tenant_id, environment_id, network, source, String(has_mark)]
  return names.map((_, level) => names.slice(0, level + 1).join('/'))
}

test('at every level, two parts that both have hashes never differ by more than one turn', () => {
  fc.assert(
    fc.property(happenings, (happened) => {
      const { turns } = play(happened)
      const taken: { value: number; parts: string[] }[] = []
      for (let one = turns.next(); one; one = turns.next()) taken.push({ value: one.value, parts: partsOf(one.place) })
      for (let level = 0; level < 5; level++) {
        const above = (parts: readonly string[]) => parts[level - 1] ?? ''
        for (const parent of new Set(taken.map(({ parts }) => above(parts)))) {
          const turns_of = taken.filter(({ parts }) => above(parts) === parent).map(({ parts }) => parts[level] ?? '')
          assertEven(turns_of)
        }
      }
    }),
  )
})

/** As long as two parts still have turns to come, neither has had two more than the other. */
function assertEven(turns_of: readonly string[]): void {
  const names = [...new Set(turns_of)]
  const had = new Map(names.map((name) => [name, 0]))
  const last = new Map(names.map((name) => [name, turns_of.lastIndexOf(name)]))
  for (const [at, name] of turns_of.entries()) {
    had.set(name, (had.get(name) ?? 0) + 1)
    const counts = names.filter((one) => (last.get(one) ?? 0) >= at).map((one) => had.get(one) ?? 0)
    assert.ok(Math.max(...counts) - Math.min(...counts) <= 1, turns_of.join(' '))
  }
}

test('what gives way is the newest of a source that has more waiting than any other, and than the newcomer', () => {
  fc.assert(
    fc.property(happenings, places, (happened, newcomer) => {
      const { turns, waiting } = play(happened)
      const count = (source: string) => waiting.filter(({ place }) => place.source === source).length
      const most = Math.max(count(newcomer.source) + 1, ...waiting.map(({ place }) => count(place.source)))
      const expected = most === count(newcomer.source) + 1 ? undefined : waiting.findLast(({ place }) => count(place.source) === most)
      assert.equal(turns.givesWayTo(newcomer)?.value, expected?.value)
      assert.equal(turns.waiting, waiting.length, 'judging changes nothing')
    }),
  )
})
