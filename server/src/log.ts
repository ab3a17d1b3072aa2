/**
 * JSON lines on standard output, one per happening. Nothing secret may get here: callers name fields one by one, never
 * a request, a header, a query or a body.
 */
export type LogLevel = 'debug' | 'info' | 'warn' | 'error'
export type LogFields = Readonly<Record<string, string | number | boolean | null | undefined>>
export type Log = Readonly<Record<LogLevel, (message: string, fields?: LogFields, cause?: unknown) => void>>

const levels = ['debug', 'info', 'warn', 'error'] as const

export function createLog(least: LogLevel | 'silent', now: () => Date, write: (line: string) => void): Log {
  const threshold = least === 'silent' ? levels.length : levels.indexOf(least)
  const at = (level: LogLevel) => {
    if (levels.indexOf(level) < threshold) return () => {}
    return (message: string, fields: LogFields = {}, cause?: unknown) => {
      const line = { time: now().toISOString(), level, message, ...fields }
      write(`${JSON.stringify(cause === undefined ? line : { ...line, cause: describe(cause) })}\n`)
    }
  }
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
}

/**
 * Writes the lines of one turn of the event loop together: each write is a system call, and every request makes a line.
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
      if (gathered === '') setImmediate(flush)
      gathered += line
    },
    flush,
  }
}

/** An error with its causes, as text. */
function describe(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause)
  const own = cause.stack ?? cause.message
  return cause.cause === undefined ? own : `${own}\ncaused by: ${describe(cause.cause)}`
}
