/** Formats the figures as tables: medians over the rounds, ratios within each round. */
import type { ContestantName } from './contestants.ts'
import { median } from './load.ts'
import { type Measurement, most_disturbed } from './rounds.ts'

/** How many times faster `a` is than `b`: the median of the ratios of each round, by elapsed time or by processor time. */
export function ratio(
  measurements: readonly Measurement[],
  [a, a_scenario]: readonly [ContestantName, string],
  [b, b_scenario]: readonly [ContestantName, string],
  { in_flight, by = 'time' }: { in_flight: number; by?: 'time' | 'processor' },
): number {
  const of = (name: ContestantName, scenario: string) =>
    measurements.filter((each) => each.contestant === name && each.scenario === scenario && each.in_flight === in_flight)
  const others = of(b, b_scenario)
  const ratios = of(a, a_scenario).flatMap((mine) => {
    const other = others.find(({ round }) => round === mine.round)
    if (!other) return []
    return [by === 'time' ? mine.per_second / other.per_second : other.cpu_us / mine.cpu_us]
  })
  return median(ratios)
}

export function tableOf(measurements: readonly Measurement[]): string {
  const rows = [['scenario', 'in flight', 'contestant', 'per s', 'spread', 'p50 ms', 'p99 ms', 'CPU µs', 'x peer', 'x peer CPU', '']]
  for (const group of Map.groupBy(measurements, (each) => `${each.scenario} ${each.in_flight}`).values()) {
    for (const [contestant, own] of Map.groupBy(group, (each) => each.contestant)) {
      const [first] = own
      if (!first) continue
      const of = (figure: (each: Measurement) => number) => median(own.map(figure))
      const per_second = own.map((each) => each.per_second)
      const spread = (Math.max(...per_second) - Math.min(...per_second)) / median(per_second)
      const beside = (by: 'time' | 'processor') =>
        contestant === 'peer'
          ? Number.NaN
          : ratio(group, [contestant, first.scenario], ['peer', first.scenario], { in_flight: first.in_flight, by })
      rows.push([
        first.scenario,
        String(first.in_flight),
        contestant,
        rounded(of((each) => each.per_second)),
        `${Math.round(spread * 100)} %`,
        rounded(of((each) => each.p50_ms)),
        rounded(of((each) => each.p99_ms)),
        rounded(of((each) => each.cpu_us)),
        rounded(beside('time')),
        rounded(beside('processor')),
        remarks(own),
      ])
    }
  }
  return aligned(rows)
}

/** Warnings about the reliability of a row. */
function remarks(own: readonly Measurement[]): string {
  const disturbed = own.filter(({ others_share }) => others_share > most_disturbed).length
  const by_loader = own.filter(({ loader_share }) => loader_share > 0.9).length
  return [
    ...(disturbed > 0 ? [`disturbed in ${disturbed} of ${own.length}`] : []),
    ...(by_loader > 0 ? [`the loader was the bottleneck in ${by_loader} of ${own.length}`] : []),
  ].join(', ')
}

export function rounded(value: number): string {
  if (Number.isNaN(value)) return '·'
  return value >= 100 ? String(Math.round(value)) : value.toPrecision(3)
}

export function aligned(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? []
  const is_number = (text: string) => /^[\d.·]/.test(text)
  return rows
    .map((row) =>
      row
        .map((cell, i) => (is_number(cell) ? cell.padStart(widths[i] ?? 0) : cell.padEnd(widths[i] ?? 0)))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}
