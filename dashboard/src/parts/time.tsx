/** Times and durations in words. The tip of a time has local time and UTC with milliseconds. */
import { Tooltip } from '@mantine/core'
import { clockTime } from './clock.ts'
import { useTicking } from './ticking.ts'

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

interface TimeProps {
  at: string
  /** Whether it is part of a button, which has the focus then. */
  in_button?: boolean
}

/** The exact time is in a tooltip, for the pointer and for the focus. Within a button only the pointer reaches it. */
function Moment({ at, in_button = false, children }: TimeProps & { children: string }) {
  const tip = `${exact.format(new Date(at))} · ${at}`
  if (in_button)
    return (
      <time dateTime={at} title={tip}>
        {children}
      </time>
    )
  return (
    <Tooltip
      label={tip}
      events={{ hover: true, focus: true, touch: true }}
      multiline
      maw="min(340px, 92vw)"
      portalProps={{ target: '#content' }} // within the main landmark
    >
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what the pointer shows must be there for the keyboard too */}
      <time dateTime={at} tabIndex={0}>
        {children}
      </time>
    </Tooltip>
  )
}

export const Time = ({ at, empty = 'Never', ...rest }: Omit<TimeProps, 'at'> & { at: string | null; empty?: string }) =>
  at === null ? <span className="faint">{empty}</span> : <Relative at={at} {...rest} />

const Relative = (props: TimeProps) => <Moment {...props}>{useTicking((now) => inWords(props.at, now))}</Moment>

/** A time of day, with its date where that is not today. */
export const ClockTime = (props: TimeProps) => <Moment {...props}>{clockTime(props.at, new Date())}</Moment>

export const shortId = (id: string) => (id.length > 24 ? `${id.slice(0, 14)}…${id.slice(-6)}` : id)
