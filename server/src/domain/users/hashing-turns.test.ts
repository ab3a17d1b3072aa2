import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { createTurns, type HashOrigin } from './hashing-turns.ts'

const place = (change: Partial<HashOrigin> = {}): HashOrigin => ({
  tenant_id: 'ten_1',
  environment_id: 'env_1',
  network: '192.0.2',
  source: '192.0.2.1',
  marked_account: null,
  ...change,
})

/** Adds hashes, each named by its part and number, and returns the names in the order of their turns. */
function order(...places: readonly [name: string, place: HashOrigin, count: number][]): string[] {
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
const levels: [what: string, here: HashOrigin, there: HashOrigin][] = [
  ['tenants',                                   place(), place({ tenant_id: 'ten_2' })],
  ['environments of a tenant',                  place(), place({ environment_id: 'env_2' })],
  ['networks of an environment',                place(), place({ network: '198.51.100', source: '198.51.100.1' })],
  ['sources of a network',                      place(), place({ source: '192.0.2.2' })],
]
for (const [what, here, there] of levels) {
  test(`${what} take turns, and within each the oldest comes first`, () => {
    assert.deepEqual(order(['a', here, 4], ['b', there, 2]), ['a1', 'b1', 'a2', 'b2', 'a3', 'a4'])
  })
}

const marked = (account: string, change: Partial<HashOrigin> = {}) => place({ marked_account: account, ...change })

test('of four turns of an environment one is that of a browser with a mark, however many networks the others have', () => {
  const turns = createTurns<string>()
  const flood = (i: number) => place({ network: `198.51.${i}`, source: `198.51.${i}.1` })
  for (let i = 0; i < 40; i++) turns.add(flood(i), 'flood')
  const first = turns.next() ?? assert.fail()
  assert.equal(turns.turnsBefore(marked('usr_1', { network: '203.0.113', source: '203.0.113.1' })).turns, 0, 'the next turn')
  // Each in a network of its own, behind those of the flood.
  for (let i = 0; i < 6; i++) turns.add(marked(`usr_${i}`, { network: `203.0.${i}`, source: `203.0.${i}.1` }), `usr_${i}`)
  first.ended()
  const taken = drain(turns)
  assert.deepEqual(
    ['usr_0', 'usr_1', 'usr_2', 'usr_3', 'usr_4', 'usr_5'].map((name) => taken.indexOf(name)),
    [0, 4, 8, 12, 16, 20],
  )
})

test('accounts take turns, so one with many browsers does not pass another by', () => {
  const turns = createTurns<string>()
  for (let i = 0; i < 30; i++) turns.add(place({ network: `n${i}`, source: `s${i}` }), 'flood')
  for (let i = 0; i < 5; i++) turns.add(marked('usr_a', { network: `a${i}`, source: `a${i}` }), `a${i}`)
  for (let i = 0; i < 2; i++) turns.add(marked('usr_b', { network: `b${i}`, source: `b${i}` }), `b${i}`)
  assert.deepEqual(
    drain(turns).filter((name) => name !== 'flood'),
    ['a0', 'b0', 'a1', 'b1', 'a2', 'a3', 'a4'],
  )
})

test('within a source browsers with a mark and all others take turns, in three turns of four', () => {
  assert.deepEqual(order(['other ', place(), 5], ['marked ', marked('usr_1'), 5]), [
    ...['marked 1', 'other 1', 'marked 2', 'other 2'],
    ...['marked 3', 'marked 4', 'other 3', 'marked 5'],
    ...['other 4', 'other 5'],
  ])
})

test('a turn of the accounts counts in no network', () => {
  const turns = createTurns<string>()
  turns.add(place(), 'a1')
  turns.add(marked('usr_1'), 'a2')
  turns.add(place({ network: 'b', source: 'b' }), 'b1')
  assert.deepEqual(drain(turns), ['a2', 'a1', 'b1'])
})

test('the turn of a hash by its account and that by its network are one', () => {
  const turns = createTurns<string>()
  turns.add(marked('usr_1'), 'once')
  assert.equal(turns.waiting, 1)
  assert.deepEqual(drain(turns), ['once'])
  assert.equal(turns.waiting, 0)
})

test('a network gets no more turns by having more sources, nor an environment by more networks, nor a tenant by more environments', () => {
  const source = (i: number): [string, HashOrigin, number] => ['a', place({ source: `192.0.2.${i}` }), 1]
  const network = (i: number): [string, HashOrigin, number] => ['a', place({ network: `192.0.${i}`, source: `192.0.${i}.1` }), 1]
  const environment = (i: number): [string, HashOrigin, number] => ['a', place({ environment_id: `env_${i}` }), 1]
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
  turns.add(place({ environment_id: 'env_2', marked_account: 'usr_1' }), 'a4')
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
const newcomers: [what: string, crowd: (i: number) => HashOrigin, newcomer: HashOrigin][] = [
  ['a source beside a flood of another one',       () => place(),                                                            place({ source: '192.0.2.2' })],
  ['a network beside many sources of another one', (i) => place({ source: `192.0.2.${i}` }),                                 place({ network: '198.51.100', source: '198.51.100.1' })],
  ['an environment beside many networks',          (i) => place({ network: `192.0.${i}`, source: `192.0.${i}.1` }),          place({ environment_id: 'env_2' })],
  ['a tenant beside many environments',            (i) => place({ environment_id: `env_${i}` }),                             place({ tenant_id: 'ten_2' })],
  ['a marked browser beside others of its source', () => place(),                                                            place({ marked_account: 'usr_1' })],
]
for (const [what, crowd, newcomer] of newcomers) {
  test(`${what} waits only for the hash that runs: the others have their turn now`, () => {
    const turns = createTurns<string>()
    for (let i = 0; i < 20; i++) turns.add(crowd(i), `crowd ${i}`)
    const first = turns.next() ?? assert.fail()
    assert.equal(first.value, 'crowd 0')
    assert.equal(turns.turnsBefore(newcomer).turns, 0)
    turns.add(newcomer, 'newcomer')
    assert.equal(turns.next()?.value, 'newcomer')
    first.ended()
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
      one.ended()
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
  const first = turns.next() ?? assert.fail()
  assert.equal(first.value, 'first')
  first.ended()
  turns.add(place({ source: '192.0.2.2' }), 'newcomer')
  assert.deepEqual(drain(turns), ['second', 'newcomer'])
})

const elsewhere = place({ tenant_id: 'ten_2' })

test('while a foreign hash runs, the turns pass other foreign ones by, also within a source', () => {
  const turns = createTurns<string>()
  const running = turns.begins(elsewhere, true)
  assert.equal(turns.foreignRuns, true)
  turns.add(place(), 'foreign', true)
  turns.add(place(), 'ours')
  assert.deepEqual(drain(turns), ['ours'])
  assert.equal(turns.waiting, 1)
  running()
  assert.equal(turns.foreignRuns, false)
  assert.deepEqual(drain(turns), ['foreign'])
})

for (const [what, here, there] of levels)
  test(`of ${what}, one that waited for the end of a foreign hash comes first when it has run`, () => {
    const turns = createTurns<string>()
    const running = turns.begins(elsewhere, true)
    turns.add(here, 'foreign', true)
    for (let i = 1; i <= 4; i++) turns.add(there, `ours ${i}`)
    assert.deepEqual([turns.next()?.value, turns.next()?.value], ['ours 1', 'ours 2'])
    running()
    assert.deepEqual(drain(turns), ['foreign', 'ours 3', 'ours 4'])
  })

test('the turn of the accounts goes to the networks while only a foreign hash waits for it', () => {
  const turns = createTurns<string>()
  const running = turns.begins(elsewhere, true)
  turns.add(marked('usr_1'), 'foreign', true)
  turns.add(place({ network: 'b', source: 'b' }), 'ours')
  assert.equal(turns.next()?.value, 'ours')
  running()
  assert.equal(turns.next()?.value, 'foreign')
})

test('the turns before a newcomer say how many are foreign, in the proportions of each part', () => {
  const turns = createTurns<string>()
  for (let i = 0; i < 4; i++) turns.add(elsewhere, 'foreign', true)
  for (let i = 0; i < 4; i++) turns.add(place({ tenant_id: 'ten_3' }), 'half', i % 2 === 0)
  for (let i = 0; i < 2; i++) turns.add(place(), 'ours')
  assert.deepEqual(turns.turnsBefore(place()), { turns: 2 + 3 + 3, foreign: 3 + 1.5 })
  assert.deepEqual(turns.turnsBefore(place({ tenant_id: 'ten_4' })), { turns: 3, foreign: 1.5 })
})

const few = (...values: string[]) => fc.constantFrom(...values)
const places: fc.Arbitrary<HashOrigin> = fc.record({
  tenant_id: few('t1', 't2', 't3'),
  environment_id: few('e1', 'e2'),
  network: few('n1', 'n2', 'n3'),
  source: few('s1', 's2', 's3', 's4'),
  marked_account: few('u1', 'u2', '').map((id) => id || null),
})
/** A step is an arrival, a turn, or a departure of one that waits. */
const happenings = fc.array(fc.oneof(places, fc.constant('turn' as const), fc.nat(50)), { maxLength: 150 })

/** Plays what happens, and returns what waits then, in the order of arrival. */
function play(happened: readonly (HashOrigin | 'turn' | number)[]) {
  const turns = createTurns<number>()
  const waiting: ReturnType<typeof turns.add>[] = []
  const running: (() => void)[] = []
  const environments = new Map<string, number>()

  function leave(one: (typeof waiting)[number]): void {
    waiting.splice(
      waiting.findIndex(({ value }) => value === one.value),
      1,
    )
    if (!waiting.some(isBeside(one))) environments.delete(nameOf(one))
  }
  /** Takes the next one, and says whether the turn was that of the accounts. */
  function take() {
    if (running.length === 2) running.shift()?.()
    const one = turns.next()
    if (!one) return null
    running.push(one.ended)
    const since = environments.get(nameOf(one)) ?? 3
    const beside = waiting.filter(isBeside(one))
    const of_accounts = since >= 3 && beside.some(({ place }) => place.marked_account !== null)
    environments.set(nameOf(one), of_accounts ? 0 : since + 1)
    leave(one)
    return { ...one, beside, of_accounts }
  }
  for (const [i, what] of happened.entries()) {
    if (what === 'turn') take()
    else if (typeof what === 'object') waiting.push(turns.add(what, i))
    else {
      const one = waiting[what % (waiting.length || 1)]
      if (one) turns.remove(one)
      if (one) leave(one)
    }
  }
  return { turns, waiting, take }
}

const nameOf = ({ place }: { place: HashOrigin }) => `${place.tenant_id}/${place.environment_id}`
const isBeside = (one: { place: HashOrigin }) => (other: { place: HashOrigin }) => nameOf(one) === nameOf(other)

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

test('whatever arrives and has its turn: never do two foreign hashes run, and none that may run is left waiting', () => {
  const steps = fc.array(fc.oneof(fc.tuple(places, fc.boolean()), fc.constant('turn' as const), fc.constant('end' as const)), {
    maxLength: 150,
  })
  fc.assert(
    fc.property(steps, (happened) => {
      const turns = createTurns<number>()
      const running: NonNullable<ReturnType<typeof turns.next>>[] = []
      let [foreign, ours] = [0, 0]
      for (const [i, what] of happened.entries()) {
        if (what === 'end') running.shift()?.ended()
        else if (what === 'turn') {
          const one = turns.next()
          const runs = running.some(({ is_foreign }) => is_foreign)
          assert.equal(one === null, runs ? ours === 0 : ours + foreign === 0)
          assert.ok(!(one?.is_foreign && runs))
          if (one?.is_foreign) foreign -= 1
          else if (one) ours -= 1
          if (one) running.push(one)
        } else {
          const [at, is_foreign] = what
          turns.add(at, i, is_foreign)
          if (is_foreign) foreign += 1
          else ours += 1
        }
        assert.equal(
          turns.foreignRuns,
          running.some(({ is_foreign }) => is_foreign),
        )
        assert.equal(turns.waiting, foreign + ours)
      }
      for (const { ended } of running) ended()
      for (let one = turns.next(); one; one = turns.next()) one.ended()
      assert.equal(turns.waiting, 0)
    }),
  )
})

test('the turns before a newcomer are as many as it then waits for, or more where hashes of marked browsers wait', () => {
  fc.assert(
    fc.property(happenings, places, (happened, newcomer) => {
      const { turns, waiting } = play(happened)
      const expected = turns.turnsBefore(newcomer).turns
      turns.add(newcomer, -1)
      const waited = drain(turns).indexOf(-1)
      const are_marked = [newcomer, ...waiting.map(({ place }) => place)].some(({ marked_account }) => marked_account !== null)
      assert.ok(are_marked ? expected >= waited && expected <= waiting.length : expected === waited, `${expected} for ${waited}`)
    }),
  )
})

test('the turns before a newcomer count those of accounts whose hashes its network would not have passed', () => {
  const turns = createTurns<string>()
  for (let i = 0; i < 12; i++) turns.add(place({ network: `n${i}`, source: `s${i}` }), 'flood')
  for (let i = 0; i < 4; i++) turns.add(marked(`usr_${i}`, { network: 'm', source: 'm' }), `usr_${i}`)
  const newcomer = place({ network: 'new', source: 'new' })
  const expected = turns.turnsBefore(newcomer).turns
  turns.add(newcomer, 'newcomer')
  const waited = drain(turns).indexOf('newcomer')
  assert.equal(waited, 16, 'all four had turns of the accounts')
  assert.ok(expected >= waited)
})

/** The parts in which a hash waits by its network, each by the names of all levels down to it. */
const partsOf = ({ tenant_id, environment_id, network, source, marked_account }: HashOrigin): string[] => {
  const names = [tenant_id, environment_id, network, source, String(marked_account !== null)]
  return names.map((_, level) => names.slice(0, level + 1).join('/'))
}
const accountOf = (place: HashOrigin): string[] => [`${place.tenant_id}/${place.environment_id}`, String(place.marked_account)]

test('the order obeys each sentence: tenants, environments, one turn of four to accounts in turn, the rest by network and source', () => {
  fc.assert(
    fc.property(happenings, (happened) => {
      const { take } = play(happened)
      const taken: NonNullable<ReturnType<typeof take>>[] = []
      for (let one = take(); one; one = take()) taken.push(one)
      for (const one of taken) {
        // Of those that wait in the same part, the oldest has the turn.
        const isOfItsPart = ({ place }: { place: HashOrigin }) =>
          one.of_accounts ? place.marked_account === one.place.marked_account : partsOf(place)[4] === partsOf(one.place)[4]
        if (one.of_accounts) assert.notEqual(one.place.marked_account, null, 'a turn of the accounts goes to a marked browser')
        assert.equal(one.value, one.beside.find(isOfItsPart)?.value)
      }
      for (const level of [0, 1]) assertEven(taken, ({ place }) => partsOf(place), level)
      const by_network = taken.filter(({ of_accounts }) => !of_accounts)
      for (const level of [2, 3, 4]) assertEven(by_network, ({ place }) => partsOf(place), level)
      assertEven(
        taken.filter(({ of_accounts }) => of_accounts),
        ({ place }) => accountOf(place),
        1,
      )
    }),
    { numRuns: 500 },
  )
})

interface Taken {
  readonly place: HashOrigin
  /** The hashes that waited in the environment, itself included. */
  readonly beside: readonly { readonly place: HashOrigin }[]
}

/** As long as two parts of one have hashes that wait, neither has two turns more than the other. */
function assertEven<T extends Taken>(taken: readonly T[], parts: (one: { place: HashOrigin }) => string[], level: number): void {
  const nameAt = (one: { place: HashOrigin }, at: number) => parts(one)[at] ?? ''
  for (const above of new Set(taken.map((one) => nameAt(one, level - 1)))) {
    const turns_of = taken.filter((one) => nameAt(one, level - 1) === above)
    const last = new Map(turns_of.map((one, at) => [nameAt(one, level), at]))
    const had = new Map([...last.keys()].map((name) => [name, 0]))
    for (const [at, one] of turns_of.entries()) {
      had.set(nameAt(one, level), (had.get(nameAt(one, level)) ?? 0) + 1)
      const waits = [...had].filter(([name]) => (last.get(name) ?? 0) >= at)
      const counts = waits.map(([, count]) => count)
      assert.ok(Math.max(...counts) - Math.min(...counts) <= 1, turns_of.map((each) => nameAt(each, level)).join(' '))
    }
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
