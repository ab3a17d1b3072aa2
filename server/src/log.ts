/**
 * JSON lines on standard output, one per happening. Nothing secret may get here: callers name fields one by one, never
 * a request, a header, a query or a body.
 */
import { stackOf } from './stack.ts'

export type LogLevel = 'debug' | 'info' | 'warn' | 'error'
export type LogFields = Readonly<Record<string, string | number | boolean | null | undefined>>
export type Log = Readonly<Record<LogLevel, (message: string, fields?: LogFields, cause?: unknown) => void>>

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
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
}

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
