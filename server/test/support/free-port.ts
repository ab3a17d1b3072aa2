/** The ports of the programs that tests and benchmarks start. */
import { randomInt } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer } from 'node:net'

/**
 * Below those that a system usually gives to outgoing connections and to servers without a port of their own, which could take one meanwhile:
 * Linux gives them from 32768 on, others from 49152 on.
 */
const range = { first: 20_000, last: 32_767 }

/**
 * A port that is free on both loopbacks, and that no other caller gets until this process ends, also in another process: a UDP socket of the
 * same number holds it, which the system closes even after a crash, and which leaves the port to a server of TCP.
 */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < 100; tries++) {
    const port = randomInt(range.first, range.last + 1)
    const claim = createSocket('udp4').bind({ port, address: '127.0.0.1', exclusive: true })
    if (await isTaken(claim)) continue
    if ((await canListen(port, '127.0.0.1')) && (await canListen(port, '::1'))) {
      claim.unref()
      return port
    }
    claim.close()
  }
  throw new Error(`No port from ${range.first} to ${range.last} was free in 100 tries.`)
}

async function canListen(port: number, host: string): Promise<boolean> {
  const server = createServer().listen({ port, host, exclusive: true })
  if (await isTaken(server)) return false
  server.close()
  if (server.listening) await once(server, 'close')
  return true
}

/** Whether the port that something binds is taken. A machine without the loopback of IPv6 has nothing there that could take it. */
async function isTaken(binding: NodeJS.EventEmitter): Promise<boolean> {
  try {
    await once(binding, 'listening')
    return false
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EADDRNOTAVAIL' || code === 'EAFNOSUPPORT') return false
    if (code === 'EADDRINUSE' || code === 'EACCES') return true
    throw error
  }
}
