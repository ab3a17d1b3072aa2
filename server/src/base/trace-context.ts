// pure
/**
 * W3C Trace Context: the headers `traceparent` and `tracestate`, by which the spans of one call through several services find each other.
 * Ostiary takes part with one span for each request: its id is in the log line, and outgoing calls name it as their parent. docs/decisions/0053 says which calls.
 */

export interface Trace {
  readonly trace_id: string
  /** The span of this request. */
  readonly span_id: string
  /** The span of the caller. */
  readonly parent_id: string
  /** Two hexadecimal digits. */
  readonly flags: string
  /** The caller's `tracestate`; empty where it has none, or an invalid one. */
  readonly state: string
}

/** §2.2.1: a header of version 00 has 55 characters. Later versions may append fields. */
const shortest = 55
const longest = 256
const most_members = 32
const longest_state = 512

const pattern = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/
/** §2.2.5: sampled. Level 2 §2.2.5.2: random. Other bits are reserved, and are sent as zero. */
const known_flags = 0b11

const key = /(?:[a-z0-9][a-z0-9_*/-]{0,255}|[a-z0-9][a-z0-9_*/-]{0,240}@[a-z][a-z0-9_*/-]{0,13})/
/** §3.3.1.3: printable characters without comma and equals sign; the last one is not a space. */
const value = /[\x20-\x2b\x2d-\x3c\x3e-\x7e]{0,255}[\x21-\x2b\x2d-\x3c\x3e-\x7e]/
const member = new RegExp(`^(${key.source})=${value.source}$`)

/**
 * Reads the trace of a request. Returns `null` for a header that is missing or invalid, which then has no effect.
 *
 * §2.2.2: lower case, version ff is invalid, ids of zeros are invalid, and version 00 has no further fields
 * §4.3:   a header of a later version is read by the fields of version 00
 */
export function readTrace(traceparent: string | undefined, tracestate: string | undefined, span_id: () => string): Trace | null {
  if (traceparent === undefined || traceparent.length < shortest || traceparent.length > longest) return null
  const [, version, trace_id = '', parent_id = '', flags = '', rest] = pattern.exec(traceparent) ?? []
  if (version === undefined || version === 'ff' || (version === '00' && rest !== undefined)) return null
  if (/^0+$/.test(trace_id) || /^0+$/.test(parent_id)) return null
  const kept = (Number.parseInt(flags, 16) & known_flags).toString(16).padStart(2, '0')
  return { trace_id, span_id: span_id(), parent_id, flags: kept, state: readState(tracestate) }
}

/** §3.3: at most 32 members with distinct keys, and here at most 512 characters. An invalid list is dropped as a whole. */
function readState(tracestate: string | undefined): string {
  if (tracestate === undefined || tracestate.length > longest_state) return ''
  const members = tracestate
    .split(',')
    .map((text) => text.replace(/^[ \t]+|[ \t]+$/g, ''))
    .filter((text) => text !== '')
  const keys = members.map((text) => member.exec(text)?.[1])
  const is_valid = members.length <= most_members && !keys.includes(undefined) && new Set(keys).size === keys.length
  return is_valid ? members.join(',') : ''
}

/** The header of a call that this request causes: its parent is the span of this request. It has 55 characters. */
export const traceparentOf = ({ trace_id, span_id, flags }: Trace): string => `00-${trace_id}-${span_id}-${flags}`

/** The headers of an outgoing call. */
export function traceHeaders(trace: Trace): Record<string, string> {
  return { traceparent: traceparentOf(trace), ...(trace.state === '' ? {} : { tracestate: trace.state }) }
}
