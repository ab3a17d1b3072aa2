// pure
/** Dates as a page shows them. A page makes its formats once: two hundred of them took 20 ms of the thread. */
import { isTimeZone } from '@ostiary/contract/time-zone.ts'
import { type Html, html } from '../base/html.ts'

export interface Dates {
  day(at: Date): Html
  /** The day, and the time with its zone. */
  moment(at: Date): Html
}

/** @param zone a name of the tz database. UTC where it is null or this runtime does not know it, as that of an older record may be. */
export function datesOf(locale: string, zone: string | null): Dates {
  const timeZone = zone !== null && isTimeZone(zone) ? zone : 'UTC'
  const day = { day: 'numeric', month: 'short', year: 'numeric' } as const // `dateStyle` is 03.11.2026 in German
  const days = new Intl.DateTimeFormat(locale, { ...day, timeZone })
  const moments = new Intl.DateTimeFormat(locale, {
    ...day,
    hour: '2-digit',
    minute: '2-digit',
    timeZoneName: 'short',
    timeZone,
  })
  const show = (format: Intl.DateTimeFormat) => (at: Date) => html`<time datetime="${at.toISOString()}">${format.format(at)}</time>`
  return { day: show(days), moment: show(moments) }
}
