/**
 * The part of OSTIARY_OTLP_URL in each process: a log that also keeps each line, and a span for each answered request, until `workers/telemetry.ts`
 * sends them. Keeping them costs no call and is bounded, so a collector that is away slows nobody down. Events are not kept here: they are in
 * the database (`domain/events/export-cursors.ts`). See docs/decisions/0199.
 */
import { type AnsweredRequest, describe, type Log, type LogFields, type LogLevel, log_levels } from '../../base/log.ts'
import { type Bounded, createBounded } from './bounded.ts'

export interface LogLine {
  readonly at: Date
  readonly level: LogLevel
  readonly message: string
  readonly fields: LogFields
  readonly trace: { readonly trace_id: string; readonly span_id: string } | null
}

export interface RequestSpan {
  readonly began_at_ms: number
  readonly ended_at_ms: number
  readonly trace_id: string
  readonly span_id: string
  /** `null` where the caller sent no trace. */
  readonly parent_id: string | null
  readonly request: Pick<AnsweredRequest, 'request_id' | 'method' | 'route' | 'status' | 'environment_id'>
}

const signals = ['events', 'logs', 'traces'] as const
export type Signal = (typeof signals)[number]

export interface Telemetry {
  readonly log: Log
  readonly lines: Bounded<LogLine>
  readonly spans: Bounded<RequestSpan>
  /** Counts a request that the collector did not take. */
  failed(signal: Signal): void
  /** The counts of this process since its start, for the metrics. */
  counts(): { readonly dropped: Readonly<Record<'logs' | 'traces', number>>; readonly failed: Readonly<Record<Signal, number>> }
}

/** Several seconds of a busy process. */
const most = 8_192
const most_bytes = 8_000_000
/** Of an object, beside its text. */
const own_bytes = 200

export function createTelemetry(
  least: LogLevel | 'silent',
  { now, random }: { now: () => Date; random: (bytes: number) => Buffer },
): Telemetry {
  const lines = createBounded<LogLine>({ most, most_bytes })
  const spans = createBounded<RequestSpan>({ most, most_bytes })
  const threshold = least === 'silent' ? log_levels.length : log_levels.indexOf(least)
  const keep = (line: LogLine) => lines.add(line, own_bytes + line.message.length + lengthOf(line.fields))
  const at = (level: LogLevel): Log[LogLevel] => {
    if (log_levels.indexOf(level) < threshold) return () => {}
    return (message, fields = {}, cause) =>
      keep({ at: now(), level, message, fields: cause === undefined ? fields : { ...fields, cause: describe(cause) }, trace: null })
  }
  const keeps_requests = log_levels.indexOf('info') >= threshold
  function answered(answer: AnsweredRequest): void {
    const { request_id, method, route, status, environment_id, trace: given } = answer
    const trace = given ?? { trace_id: random(16).toString('hex'), span_id: random(8).toString('hex'), parent_id: null }
    const ended_at = now()
    const { trace_id, span_id, parent_id } = trace
    const span = { trace_id, span_id, parent_id, began_at_ms: ended_at.getTime() - answer.duration_ms, ended_at_ms: ended_at.getTime() }
    spans.add({ ...span, request: { request_id, method, route, status, environment_id } }, own_bytes + 2 * route.length)
    if (keeps_requests) keep({ at: ended_at, level: 'info', message: 'request', fields: fieldsOf(answer), trace: { trace_id, span_id } })
  }
  const failed: Record<Signal, number> = { events: 0, logs: 0, traces: 0 }
  return {
    log: { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error'), answered },
    lines,
    spans,
    failed(signal) {
      failed[signal] += 1
    },
    counts: () => ({ dropped: { logs: lines.dropped(), traces: spans.dropped() }, failed }),
  }
}

/** The fields of the line that the access log writes. */
function fieldsOf({ trace: _, refused, ...answer }: AnsweredRequest): LogFields {
  return { ...answer, ...refused }
}

const lengthOf = (fields: LogFields): number =>
  Object.entries(fields).reduce((sum, [name, value]) => sum + name.length + (typeof value === 'string' ? value.length : 8), 0)

/** A log that writes each line to both. */
export function bothLogs(one: Log, other: Log): Log {
  const at =
    (level: LogLevel): Log[LogLevel] =>
    (message, fields, cause) => {
      one[level](message, fields, cause)
      other[level](message, fields, cause)
    }
  return {
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    answered(request) {
      one.answered(request)
      other.answered(request)
    },
  }
}
