// pure
/** Writes the report at the end of `npm test`: one screen of totals, the slowest files, the skipped tests and why, and the failures. */
import type { Counts, Line } from './test-reporter.ts'

export interface Part {
  name: string
  ms: number
  lines: readonly Line[]
}

const slowest = 10
/** This many names are listed in one place; the full output above has the others. */
const most_names = 12

export function endReport(parts: readonly Part[], notes: readonly string[]): string {
  const totals = parts.map(({ lines }) => sumOf(lines))
  const all = totals.reduce(add, none)
  const rows = parts.map(({ name, ms, lines }, index) => {
    const { passed, failed, skipped } = totals[index] ?? none
    return [name, `${filesOf(lines).length} files`, `${passed} passed`, `${failed} failed`, `${skipped} skipped`, duration(ms)]
  })
  return [
    ...section('Parts', inColumns(rows)),
    ...section('Slowest files', inColumns(slowestOf(parts))),
    ...section('Skipped', skippedOf(parts)),
    ...section('Failed', failedOf(parts)),
    ...section('Notes', notes),
    `${all.passed} passed, ${all.failed} failed, ${all.skipped} skipped`,
  ].join('\n')
}

const none: Counts = { passed: 0, failed: 0, skipped: 0 }
const add = (a: Counts, b: Counts): Counts => ({
  passed: a.passed + b.passed,
  failed: a.failed + b.failed,
  skipped: a.skipped + b.skipped,
})
type Kind = Line['kind']
const ofKind = <K extends Kind>(lines: readonly Line[], ...kinds: readonly K[]) =>
  lines.filter((line): line is Extract<Line, { kind: K }> => (kinds as readonly Kind[]).includes(line.kind)) // as: a list of fewer kinds
const sumOf = (lines: readonly Line[]): Counts => ofKind(lines, 'counts').reduce(add, none)
const filesOf = (lines: readonly Line[]) => ofKind(lines, 'file')

const section = (title: string, lines: readonly string[]): string[] =>
  lines.length === 0 ? [] : [title, ...lines.map((line) => `  ${line}`), '']

const slowestOf = (parts: readonly Part[]): string[][] =>
  parts
    .flatMap(({ name, lines }) => filesOf(lines).map(({ file, ms }) => ({ name, file, ms })))
    .sort((a, b) => b.ms - a.ms)
    .slice(0, slowest)
    .map(({ name, file, ms }) => [duration(ms), file, name])

/** Each reason once, with the files. */
function skippedOf(parts: readonly Part[]): string[] {
  const skipped = parts.flatMap(({ lines }) => ofKind(lines, 'skipped'))
  return [...Map.groupBy(skipped, ({ reason }) => reason || 'no reason given')].map(
    ([reason, tests]) => `${tests.length} × ${reason}: ${listed([...new Set(tests.map(({ file }) => file))])}`,
  )
}

function failedOf(parts: readonly Part[]): string[] {
  const failed = parts.flatMap(({ name, lines }) => ofKind(lines, 'failed').map((line) => `${line.file} (${name}): ${line.title}`))
  return failed.length <= most_names ? failed : [...failed.slice(0, most_names), `and ${failed.length - most_names} others, see above`]
}

const listed = (names: readonly string[]): string =>
  names.length <= most_names ? names.join(', ') : `${names.slice(0, most_names).join(', ')} and ${names.length - most_names} others`

function duration(ms: number): string {
  const seconds = Math.round(ms / 1000)
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${String(seconds % 60).padStart(2, '0')} s`
}

/** Pads every column but the last to its longest text. */
function inColumns(rows: readonly (readonly string[])[]): string[] {
  const width = (column: number) => Math.max(...rows.map((row) => row[column]?.length ?? 0))
  return rows.map((row) => row.map((text, column) => (column === row.length - 1 ? text : text.padEnd(width(column)))).join('  '))
}
