/** Times and durations in words. The title of a time has local time and UTC with milliseconds. */
import { clockTime } from './clock.ts'

const relative = new Intl.RelativeTimeFormat('en', { style: 'short', numeric: 'always' })
const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric' })
const exact = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'long' })

const units = [
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const

export function inWords(at: string, now: Date): string {
  const seconds = (Date.parse(at) - now.getTime()) / 1_000
  if (Math.abs(seconds) >= 86_400) return day.format(new Date(at))
  const [unit, size] = units.find(([, size]) => Math.abs(seconds) >= size) ?? ['second', 1]
  const count = Math.trunc(seconds / size)
  return count === 0 ? 'now' : relative.format(count, unit).replaceAll('.', '')
}

export const Time = ({ at, empty = 'Never' }: { at: string | null; empty?: string }) =>
  at === null ? (
    <span className="faint">{empty}</span>
  ) : (
    <time dateTime={at} title={`${exact.format(new Date(at))} · ${at}`}>
      {inWords(at, new Date())}
    </time>
  )

/** A time of day, with its date where that is not today. */
export const ClockTime = ({ at }: { at: string }) => (
  <time dateTime={at} title={`${exact.format(new Date(at))} · ${at}`}>
    {clockTime(at, new Date())}
  </time>
)

const sizes = [
  ['d', 86_400],
  ['h', 3_600],
  ['min', 60],
  ['s', 1],
] as const

/** A duration as one number and its largest whole unit: 900 is `15 min`. */
export function duration(seconds: number): string {
  const [unit, size] = sizes.find(([, size]) => seconds >= size && seconds % size === 0) ?? ['s', 1]
  return `${seconds / size} ${unit}`
}

export const shortId = (id: string) => (id.length > 24 ? `${id.slice(0, 14)}…${id.slice(-6)}` : id)
