/**
 * Writes the log: JSON lines on standard output, or lines for a person at a terminal. It must contain no secret, so callers name single
 * fields and never pass a request, a header, a query or a body.
 */
import { stackOf } from './stack.ts'

/** `json` is for programs, `text` for a person who watches the service at a terminal. */
export type LogForm = 'json' | 'text'

export type LogLevel = 'debug' | 'info' | 'warn' | 'error'
export type LogFields = Readonly<Record<string, string | number | boolean | null | undefined>>
export interface Log extends Readonly<Record<LogLevel, (message: string, fields?: LogFields, cause?: unknown) => void>> {
  /** Writes the line of an answered request. */
  answered(request: AnsweredRequest): void
}

export interface AnsweredRequest {
  request_id: string
  method: string
  /** The pattern of the route. */
  route: string
  status: number
  duration_ms: number
  ip: string | null
  environment_id: string | undefined
  key_id: string | undefined
  /** The trace of the caller, the span of this request and that of the caller, in hexadecimal digits; `null` for a request without a trace. */
  trace: { trace_id: string; span_id: string; parent_id: string } | null
  /** Why the request was refused; `null` for an answer without an error. */
  refused: { code: string; reason: string; client_id: string | null; key_start: string | null } | null
}

export const log_levels = ['debug', 'info', 'warn', 'error'] as const

export function createLog(least: LogLevel | 'silent', now: () => Date, write: (line: string) => void, form: LogForm = 'json'): Log {
  if (form === 'text') return createTextLog(least, now, write)
  const threshold = least === 'silent' ? log_levels.length : log_levels.indexOf(least)
  const timeText = createTimeText(now)
  const at = (level: LogLevel) => {
    if (log_levels.indexOf(level) < threshold) return () => {}
    return (message: string, fields: LogFields = {}, cause?: unknown) => {
      // The fields become text on their own: copying them into one object with the rest takes longer than writing the line.
      const text = JSON.stringify(cause === undefined ? fields : { ...fields, cause: describe(cause) })
      const more = text === '{}' ? text.slice(1) : `,${text.slice(1)}`
      write(`{"time":"${timeText()}","level":"${level}","message":${JSON.stringify(message)}${more}\n`)
    }
  }

  /** Builds the JSON by hand, since `JSON.stringify` takes four times as long and every request writes a line. */
  function answered({ request_id, method, route, status, duration_ms, ip, environment_id, key_id, trace, refused }: AnsweredRequest): void {
    const what = `"request_id":"${request_id}","method":"${method}","route":${textOf(route)},"status":${status},"duration_ms":${duration_ms}`
    const from = ip === null ? 'null' : `"${ip}"`
    const about = environment_id === undefined ? '' : `,"environment_id":${textOf(environment_id)}`
    const by = key_id === undefined ? '' : `,"key_id":"${key_id}"`
    const within = trace === null ? '' : `,${JSON.stringify(trace).slice(1, -1)}`
    const why = refused === null ? '' : `,${JSON.stringify(refused).slice(1, -1)}`
    write(`{"time":"${timeText()}","level":"info","message":"request",${what},"ip":${from}${about}${by}${within}${why}}\n`)
  }
  const logs_requests = log_levels.indexOf('info') >= threshold
  return {
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    answered: logs_requests ? answered : () => {},
  }
}

/** The same lines for a terminal: the time of day, the level where it is not `info`, the message and the fields. */
function createTextLog(least: LogLevel | 'silent', now: () => Date, write: (line: string) => void): Log {
  const threshold = least === 'silent' ? log_levels.length : log_levels.indexOf(least)
  const clockTime = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' })
  const line = (level: LogLevel, words: string) =>
    write(`${clockTime.format(now())} ${level === 'info' ? '' : `${level.toUpperCase()} `}${words}\n`)
  const at = (level: LogLevel) => {
    if (log_levels.indexOf(level) < threshold) return () => {}
    return (message: string, fields: LogFields = {}, cause?: unknown) => {
      const shown = Object.entries(fields).filter(([, value]) => value !== undefined && value !== null)
      const words = shown.map(([name, value]) => ` ${name}=${word(String(value))}`).join('')
      line(level, `${sentence(message)}${words}${cause === undefined ? '' : `\n${describe(cause).split('\n').map(sentence).join('\n')}`}`)
    }
  }
  return {
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    answered({ request_id, method, route, status, duration_ms, refused }) {
      if (log_levels.indexOf('info') < threshold) return
      const why = refused === null ? '' : ` ${refused.code}: ${sentence(refused.reason)}`
      line('info', `${status} ${method} ${word(route)} ${duration_ms} ms ${request_id}${why}`)
    },
  }
}

/** Text as it is, or in quotes where it has characters that a terminal would obey. A word has no blanks either. */
const sentence = (text: string) => (/^[ -~]*$/.test(text) ? text : JSON.stringify(text))
const word = (text: string) => (/^[!#-~]+$/.test(text) ? text : JSON.stringify(text))

/** RFC 8259 §7. Text from a client may need escapes; nearly all text does not. */
const textOf = (text: string) => (/^[ !#-[\]-~]*$/.test(text) ? `"${text}"` : JSON.stringify(text))

/** Returns a function that formats the time, once for each millisecond. */
function createTimeText(now: () => Date): () => string {
  let at_ms = Number.NaN
  let text = ''
  return () => {
    const time = now()
    if (time.getTime() !== at_ms) {
      at_ms = time.getTime()
      text = time.toISOString()
    }
    return text
  }
}

const flush_after_ms = 10

/**
 * Buffers lines for 10 ms and writes them together, since each write is a system call and every request writes a line.
 * `flush` writes the buffer at once, before the process exits.
 */
export function bufferLines(write: (text: string) => void): { write(line: string): void; flush(): void } {
  let buffered = ''
  const flush = () => {
    if (buffered === '') return
    const text = buffered
    buffered = ''
    write(text)
  }
  return {
    write(line) {
      if (buffered === '') setTimeout(flush, flush_after_ms)
      buffered += line
    },
    flush,
  }
}

/** Formats an error with its causes. */
export function describe(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause)
  const own = stackOf(cause)
  return cause.cause === undefined ? own : `${own}\ncaused by: ${describe(cause.cause)}`
}
