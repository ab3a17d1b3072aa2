/**
 * JSON lines on standard output, one per happening. Nothing secret may get here: callers name fields one by one, never
 * a request, a header, a query or a body.
 */
import { stackOf } from './stack.ts'

export type LogLevel = 'debug' | 'info' | 'warn' | 'error'
export type LogFields = Readonly<Record<string, string | number | boolean | null | undefined>>
export interface Log extends Readonly<Record<LogLevel, (message: string, fields?: LogFields, cause?: unknown) => void>> {
  /** The line of a request that was answered. */
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
}

const levels = ['debug', 'info', 'warn', 'error'] as const

export function createLog(least: LogLevel | 'silent', now: () => Date, write: (line: string) => void): Log {
  const threshold = least === 'silent' ? levels.length : levels.indexOf(least)
  const timeText = createTimeText(now)
  const at = (level: LogLevel) => {
    if (levels.indexOf(level) < threshold) return () => {}
    return (message: string, fields: LogFields = {}, cause?: unknown) => {
      // The fields are written as they are: to put them into one object with the rest takes longer than all of the writing.
      const text = JSON.stringify(cause === undefined ? fields : { ...fields, cause: describe(cause) })
      const more = text === '{}' ? text.slice(1) : `,${text.slice(1)}`
      write(`{"time":"${timeText()}","level":"${level}","message":${JSON.stringify(message)}${more}\n`)
    }
  }

  /** Put together by hand: `JSON.stringify` takes four times as long, and this is done for every request. */
  function answered({ request_id, method, route, status, duration_ms, ip, environment_id, key_id }: AnsweredRequest): void {
    const what = `"request_id":"${request_id}","method":"${method}","route":${textOf(route)},"status":${status},"duration_ms":${duration_ms}`
    const from = ip === null ? 'null' : `"${ip}"`
    const about = environment_id === undefined ? '' : `,"environment_id":${textOf(environment_id)}`
    const by = key_id === undefined ? '' : `,"key_id":"${key_id}"`
    write(`{"time":"${timeText()}","level":"info","message":"request",${what},"ip":${from}${about}${by}}\n`)
  }
  const tells_requests = levels.indexOf('info') >= threshold
  return {
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    answered: tells_requests ? answered : () => {},
  }
}

/** RFC 8259 §7. What comes from outside may hold what has to be escaped; nearly all does not. */
const textOf = (text: string) => (/^[ !#-[\]-~]*$/.test(text) ? `"${text}"` : JSON.stringify(text))

/** The time as text, made once for each millisecond. */
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

const gather_ms = 10

/**
 * Writes the lines of a moment together: each write is a system call, and every request makes a line.
 * `flush` writes what is gathered at once, for the last moment of a process.
 */
export function gatherLines(write: (text: string) => void): { write(line: string): void; flush(): void } {
  let gathered = ''
  const flush = () => {
    if (gathered === '') return
    const text = gathered
    gathered = ''
    write(text)
  }
  return {
    write(line) {
      if (gathered === '') setTimeout(flush, gather_ms)
      gathered += line
    },
    flush,
  }
}

/** An error with its causes, as text. */
function describe(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause)
  const own = stackOf(cause)
  return cause.cause === undefined ? own : `${own}\ncaused by: ${describe(cause.cause)}`
}
