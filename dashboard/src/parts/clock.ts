/** Points in time in words, with the date where it is another day. Pure functions; without a zone they use that of the browser. */

const time: Intl.DateTimeFormatOptions = { hour: '2-digit', minute: '2-digit' }
const date: Intl.DateTimeFormatOptions = { day: 'numeric', month: 'short' }

const textOf = (at: Date, options: Intl.DateTimeFormatOptions, timeZone: string | undefined) =>
  new Intl.DateTimeFormat('en-GB', { ...options, timeZone }).format(at)

/** `16:12:07` today, `16 Nov, 11:09` on another day, and with the year in another year. */
export function clockTime(at: string, now: Date, timeZone?: string): string {
  const then = new Date(at)
  const isSame = (part: Intl.DateTimeFormatOptions) => textOf(then, part, timeZone) === textOf(now, part, timeZone)
  if (!isSame({ year: 'numeric' })) return textOf(then, { ...date, year: 'numeric', ...time }, timeZone)
  return isSame(date) ? textOf(then, { ...time, second: '2-digit' }, timeZone) : textOf(then, { ...date, ...time }, timeZone)
}

/** Returns a time of the query as people read and enter it. Other text stays as it is. */
export const localTime = (text: string, timeZone?: string): string =>
  Number.isNaN(Date.parse(text)) ? text : `${textOf(new Date(text), { ...date, year: 'numeric', ...time }, timeZone)} local time`

/** A calendar day such as `2026-11-26`, which has no zone, as `26 Nov 2026`. */
export const calendarDay = (day: string): string => textOf(new Date(day), { ...date, year: 'numeric' }, 'UTC')

/** When an interval of the statistics begins. Its days are those of UTC, its hours are shown in local time. */
export function intervalStart(start: string, interval: 'hour' | 'day', timeZone?: string): string {
  return interval === 'day' ? `${textOf(new Date(start), date, 'UTC')} UTC` : textOf(new Date(start), time, timeZone)
}
/** As `intervalStart`, with the day of an hour: a list of 24 of them reaches into the day before. */
export const intervalStartWithDay = (start: string, interval: 'hour' | 'day', timeZone?: string): string =>
  interval === 'day' ? intervalStart(start, interval) : textOf(new Date(start), { ...date, ...time }, timeZone)

/** The units of durations, the largest first. `word` is for a choice, `short` for a text. */
export const durationUnits = [
  { word: 'days', short: 'd', seconds: 86_400 },
  { word: 'hours', short: 'h', seconds: 3_600 },
  { word: 'minutes', short: 'min', seconds: 60 },
  { word: 'seconds', short: 's', seconds: 1 },
] as const

/** The largest unit of which a duration is a whole number. */
export const unitOf = (seconds: number): (typeof durationUnits)[number] =>
  durationUnits.find((unit) => seconds >= unit.seconds && seconds % unit.seconds === 0) ?? durationUnits[3]

/** A duration as one number and its largest whole unit: 900 is `15 min`. */
export function duration(seconds: number): string {
  const unit = unitOf(seconds)
  return `${seconds / unit.seconds} ${unit.short}`
}

/** So many units in seconds: 1.1 hours are 3,960, not a trillionth more. A part of a second stays: the form says that it wants whole ones. */
export const secondsIn = (count: number, unit_seconds: number): number => Math.round(count * unit_seconds * 1_000) / 1_000
