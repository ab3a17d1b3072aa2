/** A line to a server, for tests: it can keep answers back, go dead without a word, or break. */
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

export interface Line {
  /** The address of the server, through this line. */
  url: string
  /** Keeps what the server answers until the function that comes back is called. */
  holdAnswers(): () => void
  /** A dead line takes everything and passes nothing on, new connections included. */
  is_dead: boolean
  /** Hears what is sent to the server. */
  onSent: (data: Buffer) => void
  /** Breaks every connection. */
  cut(): void
  close(): void
}

export async function openLine(to: string): Promise<Line> {
  const target = new URL(to)
  const sockets = new Set<Socket>()
  let held: (() => void)[] | null = null
  const server = createServer((near) => {
    const far = connect(Number(target.port), target.hostname)
    const pass = (from: Socket, into: Socket) => {
      sockets.add(from.setNoDelay(true))
      from.on('data', (data) => {
        const deliver = () => void (into.writable && into.write(data))
        if (line.is_dead) return
        if (from === near) line.onSent(data)
        if (held && from === far) held.push(deliver)
        else deliver()
      })
      from.on('error', () => {}) // its 'close' says all
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
    onSent() {},
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
