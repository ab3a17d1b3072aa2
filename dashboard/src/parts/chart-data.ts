/** Computes the data of a chart from the counters of an environment. Pure functions of answers of the API. */
import type { Statistics } from '@ostiary/sdk'

export type Interval = Statistics['data'][number]

const step_ms = { hour: 3_600_000, day: 86_400_000 }

/** Every interval of the range in order of time. The API leaves out those without counts. */
export function everyInterval({ from, to, interval, data }: Statistics): Interval[] {
  const step = step_ms[interval]
  const known = new Map(data.map((counted) => [Date.parse(counted.start), counted]))
  const all: Interval[] = []
  for (let at = Math.floor(Date.parse(from) / step) * step; at < Date.parse(to); at += step)
    all.push(
      known.get(at) ?? {
        start: new Date(at).toISOString(),
        sign_ins: [],
        tokens: [],
        webhook_attempts: [],
        refused_calls: [],
        mails: [],
        key_uses: [],
      },
    )
  return all
}

/** A name with a count, such as an outcome or a code. */
export type Counted = readonly [name: string, count: number]

export interface Series {
  name: string
  total: number
}

export interface Bar {
  start: string
  /** The counts in the order of the series. */
  values: number[]
}

/** More series cannot be kept apart by eye. The smaller ones are shown together. */
const most_series = 4
const others = 'others'

/**
 * Stacks the counts of each interval. `first` are the names that come first, also without counts; the others follow by size.
 */
export function stack(
  intervals: readonly Interval[],
  countsOf: (interval: Interval) => readonly Counted[],
  first: readonly string[] = [],
): { series: Series[]; bars: Bar[] } {
  const totals = new Map<string, number>(first.map((name) => [name, 0]))
  for (const [name, count] of intervals.flatMap(countsOf)) totals.set(name, (totals.get(name) ?? 0) + count)
  const by_size = [...totals.keys()].filter((name) => !first.includes(name)).sort((a, b) => (totals.get(b) ?? 0) - (totals.get(a) ?? 0))
  const names = [...first, ...by_size]
  const shown = names.length > most_series ? [...names.slice(0, most_series - 1), others] : names
  const bars = intervals.map((interval) => {
    const values = shown.map(() => 0)
    for (const [name, count] of countsOf(interval)) {
      const index = shown.includes(name) ? shown.indexOf(name) : shown.length - 1
      values[index] = (values[index] ?? 0) + count
    }
    return { start: interval.start, values }
  })
  const series = shown.map((name, index) => ({ name, total: bars.reduce((sum, { values }) => sum + (values[index] ?? 0), 0) }))
  return { series, bars }
}

/** The sum of the counts of all intervals. */
export const totalOf = (intervals: readonly Interval[], countsOf: (interval: Interval) => readonly Counted[]): number =>
  intervals.flatMap(countsOf).reduce((sum, [, count]) => sum + count, 0)

/** Fewer bars than this show nothing that a sentence does not say. */
const fewest_bars = 3

/** The intervals with counts where they are too few for a chart; `null` where a chart shows more. */
export function fewOf(bars: readonly Bar[]): Bar[] | null {
  const counted = bars.filter(({ values }) => values.some((value) => value > 0))
  return counted.length < fewest_bars ? counted : null
}

/** The least round number that is not below the greatest bar: 1, 2, 5, 10, 20, 50 … */
export function topOf(bars: readonly Bar[]): number {
  const greatest = Math.max(1, ...bars.map(({ values }) => values.reduce((sum, value) => sum + value, 0)))
  const power = 10 ** Math.floor(Math.log10(greatest))
  return power * ([1, 2, 5, 10].find((factor) => factor * power >= greatest) ?? 10)
}
