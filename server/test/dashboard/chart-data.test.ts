/** The data of the dashboard's charts, computed from the statistics. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { everyInterval, fewOf, type Interval, stack, topOf, totalOf } from '../../../dashboard/src/parts/chart-data.ts'

const empty = { sign_ins: [], tokens: [], webhook_attempts: [], refused_calls: [], mails: [], key_uses: [] }
const counted = (start: string, tokens: [grant_type: string, count: number][]): Interval => ({
  ...empty,
  start,
  tokens: tokens.map(([grant_type, count]) => ({ grant_type, count })),
})
const countsOf = ({ tokens }: Interval) => tokens.map(({ grant_type, count }) => [grant_type, count] as const)

const at = (hour: number) => `2026-11-20T${String(hour).padStart(2, '0')}:00:00.000Z`

test('every interval of the range has a bar, also without counts', () => {
  const statistics = {
    environment_id: 'env_1',
    interval: 'hour',
    from: '2026-11-20T10:40:00.000Z',
    to: '2026-11-20T14:40:00.000Z',
    active_users: 1,
  } as const
  const intervals = everyInterval({ ...statistics, data: [counted(at(12), [['code', 3]])] })
  assert.deepEqual(
    intervals.map(({ start, tokens }) => [start, tokens.length]),
    [10, 11, 12, 13, 14].map((hour) => [at(hour), hour === 12 ? 1 : 0]),
  )
})

test('a range of days begins at midnight UTC', () => {
  const statistics = {
    environment_id: 'env_1',
    interval: 'day',
    from: '2026-11-18T10:00:00.000Z',
    to: '2026-11-20T00:00:00.000Z',
    active_users: null,
    data: [],
  } as const
  assert.deepEqual(
    everyInterval({ ...statistics, data: [] }).map(({ start }) => start.slice(0, 10)),
    ['2026-11-18', '2026-11-19'],
  )
})

test('named series come first, the others by size, and the smallest of many together', () => {
  const intervals = [
    counted(at(1), [
      ['a', 1],
      ['b', 5],
      ['c', 2],
      ['d', 3],
    ]),
    counted(at(2), [
      ['e', 4],
      ['a', 1],
    ]),
  ]
  const { series, bars } = stack(intervals, countsOf, ['none'])
  assert.deepEqual(series, [
    { name: 'none', total: 0 },
    { name: 'b', total: 5 },
    { name: 'e', total: 4 },
    { name: 'others', total: 7 },
  ])
  assert.deepEqual(
    bars.map(({ values }) => values),
    [
      [0, 5, 0, 6],
      [0, 0, 4, 1],
    ],
  )
})

// biome-ignore format: this table is read by column
const tops: [greatest: number, top: number][] = [[0, 1], [1, 1], [2, 2], [3, 5], [5, 5], [6, 10], [10, 10], [11, 20], [49, 50], [51, 100], [1_200, 2_000]]
for (const [greatest, top] of tops)
  test(`a chart whose greatest bar is ${greatest} ends at ${top}`, () => assert.equal(topOf([{ start: at(1), values: [greatest] }]), top))

// biome-ignore format: this table is read by column
const charts: [string, number[], number | null][] = [
  ['no interval',     [0, 0, 0],    0],
  ['one interval',    [0, 4, 0],    1],
  ['two intervals',   [2, 0, 4],    2],
  ['three intervals', [2, 1, 4, 0], null],
]
for (const [counts_in, counts, expected] of charts)
  test(`counts in ${counts_in} are ${expected === null ? 'a chart' : 'too few for one'}`, () => {
    const bars = counts.map((count, hour) => ({ start: at(hour), values: [count] }))
    assert.equal(fewOf(bars)?.length ?? null, expected)
  })

test('the total has the counts of all intervals', () =>
  assert.equal(
    totalOf(
      [
        counted(at(1), [['code', 3]]),
        counted(at(2), [
          ['code', 1],
          ['refresh', 2],
        ]),
      ],
      countsOf,
    ),
    6,
  ))
