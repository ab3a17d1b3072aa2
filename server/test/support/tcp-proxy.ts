/** A TCP proxy in front of a server: it can delay everything, hold answers, drop everything, or break its connections. */
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

export interface Line {
  /** The URL of the server through the proxy. */
  url: string
  /** Holds the answers of the server until the returned function is called. */
  holdAnswers(): () => void
  /** A dead proxy accepts connections and data, and forwards nothing. */
  is_dead: boolean
  /** Drops everything on the connections of now, or on so many of the oldest, and closes none. Later ones work. */
  forget(oldest?: number): void
  /** How long each direction takes. */
  delay_ms: number
  /** Called with the data that is sent to the server. */
  onSent: (data: Buffer) => void
  /** Called when data of the server is delivered. */
  onAnswered: () => void
  /** Breaks every connection. */
  cut(): void
  close(): void
}

export async function openLine(to: string): Promise<Line> {
  const target = new URL(to)
  const sockets = new Set<Socket>()
  const forgotten = new WeakSet<Socket>()
  let held: (() => void)[] | null = null
  const server = createServer((near) => {
    const far = connect(Number(target.port), target.hostname)
    const pass = (from: Socket, into: Socket) => {
      sockets.add(from.setNoDelay(true))
      from.on('data', (data) => {
        const deliver = () => {
          if (from === far) line.onAnswered()
          if (into.writable) into.write(data)
        }
        if (line.is_dead || forgotten.has(from)) return
        if (from === near) line.onSent(data)
        if (held && from === far) held.push(deliver)
        else if (line.delay_ms > 0) setTimeout(deliver, line.delay_ms)
        else deliver()
      })
      from.on('error', () => {}) // 'close' follows
      from.on('close', () => {
        sockets.delete(from)
        into.destroy()
      })
    }
    pass(near, far)
    pass(far, near)
  })
  await once(server.unref().listen(0, '127.0.0.1'), 'listening')
  const url = new URL(to)
  url.port = String((server.address() as { port: number }).port)

  const line: Line = {
    url: url.href,
    is_dead: false,
    delay_ms: 0,
    forget(oldest) {
      for (const socket of [...sockets].slice(0, oldest && 2 * oldest)) forgotten.add(socket) // two of a connection, one after the other
    },
    onSent() {},
    onAnswered() {},
    holdAnswers() {
      const kept: (() => void)[] = []
      held = kept
      return () => {
        held = null
        for (const deliver of kept) deliver()
      }
    },
    cut() {
      for (const socket of sockets) socket.resetAndDestroy()
    },
    close() {
      server.close()
      line.cut()
    },
  }
  return line
}

/**
 * Counts the round trips on a line: what is sent after an answer was delivered begins the next. The delay of the line must be long enough
 * for what goes out in one turn to be on its way before the first answer. Returns a function that returns those since its last call.
 */
export function countTrips(line: Line): () => number {
  let trips = 0
  let is_answered = true
  line.onSent = () => {
    if (is_answered) trips += 1
    is_answered = false
  }
  line.onAnswered = () => {
    is_answered = true
  }
  return () => {
    const since = trips
    trips = 0
    is_answered = true
    return since
  }
}
