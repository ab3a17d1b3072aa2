/**
 * Opens a connection through the proxy of OSTIARY_EGRESS_PROXY (RFC 9110 §9.3.6, CONNECT). The proxy resolves names and decides which addresses
 * it reaches; the caller judges addresses that are spelt out. See docs/decisions/0198.
 */
import { connect, type Socket } from 'node:net'
import type { EgressProxy } from '../../base/config/config.ts'

/** The proxy made no connection. `status` is its answer; `null` if it gave none. The message is for the log. */
export class ProxyFailed extends Error {
  override readonly name = 'ProxyFailed'
  readonly status: number | null

  constructor(message: string, status: number | null = null, options?: ErrorOptions) {
    super(message, options)
    this.status = status
  }
}

const most_head_bytes = 16_384
const end_of_head = '\r\n\r\n'

/**
 * @param target host and port
 * @param end destroys the connection, whatever its state is
 */
export function openTunnel({ host, port, authorization }: EgressProxy, target: string, end: AbortSignal): Promise<Socket> {
  const credentials = authorization === null ? '' : `Proxy-Authorization: ${authorization}\r\n`
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port })
    end.addEventListener('abort', () => socket.destroy(), { once: true })
    socket.on('error', (cause) => reject(new ProxyFailed('The egress proxy cannot be reached.', null, { cause })))
    socket.on('close', () => reject(new ProxyFailed('The egress proxy closed the connection.')))
    socket.write(`CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n${credentials}\r\n`)
    let head = Buffer.alloc(0)
    const fail = (message: string, status: number | null = null) => {
      reject(new ProxyFailed(message, status))
      socket.destroy()
    }
    const read = () => {
      for (let bytes: Buffer | null = socket.read(); bytes !== null; bytes = socket.read()) head = Buffer.concat([head, bytes])
      const length = head.indexOf(end_of_head)
      if (length < 0) return head.length > most_head_bytes ? fail('The answer of the egress proxy is too long.') : undefined
      socket.off('readable', read)
      const status = statusOf(head)
      if (status === null) fail('The egress proxy does not speak HTTP.')
      else if (status < 200 || status > 299) fail(`The egress proxy answered CONNECT with the status ${status}.`, status)
      // Nobody speaks before us, so this would be taken for an answer of the target.
      else if (head.length > length + end_of_head.length) fail('The egress proxy sent bytes behind its answer.', status)
      else resolve(socket)
    }
    socket.on('readable', read)
  })
}

/** RFC 9112 §4. */
function statusOf(head: Buffer): number | null {
  const [, digits] = /^HTTP\/1\.[01] ([0-9]{3})(?: |\r\n)/.exec(head.subarray(0, 64).toString('latin1')) ?? []
  return digits === undefined ? null : Number(digits)
}
