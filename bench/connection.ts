/**
 * A keep-alive connection with one request at a time. It implements only the part of HTTP/1.1 that the measured servers use,
 * because a complete client would need more processor time than the server it measures.
 */
import { connect, type Socket } from 'node:net'

export interface Answer {
  readonly status: number
  /** Status line and headers as received. */
  readonly head: string
  readonly body: string
}

export interface Connection {
  send(request: string | Uint8Array): Promise<Answer>
  /** False once the server has closed it, as it does with one that was idle for long. */
  isOpen(): boolean
  close(): void
}

export interface Address {
  readonly host: string
  readonly port: number
}

const end_of_head = Buffer.from('\r\n\r\n')

export async function openConnection({ port }: Address): Promise<Connection> {
  const socket = await new Promise<Socket>((resolve, reject) => {
    const opened = connect({ host: '127.0.0.1', port, noDelay: true }, () => resolve(opened)).once('error', reject)
  })
  let received: Buffer | null = null
  let waiting: { resolve(answer: Answer): void; reject(error: Error): void } | null = null

  const fail = (error: Error) => {
    waiting?.reject(error)
    waiting = null
  }
  socket.on('error', fail)
  socket.on('close', () => fail(new Error('The server closed the connection.')))
  socket.on('data', (chunk) => {
    received = received === null ? chunk : Buffer.concat([received, chunk])
    const end = received.indexOf(end_of_head)
    if (end === -1) return
    const head = received.toString('latin1', 0, end)
    const from = end + end_of_head.length
    const length = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0)
    if (/\r\ntransfer-encoding:/i.test(head)) return fail(new Error(`An answer without a length: ${head}`))
    if (received.length < from + length) return
    const answer = { status: Number(head.slice(9, 12)), head, body: received.toString('utf8', from, from + length) }
    received = received.length > from + length ? received.subarray(from + length) : null
    const request_done = waiting
    waiting = null
    request_done?.resolve(answer)
  })

  return {
    send: (request) =>
      new Promise((resolve, reject) => {
        if (socket.destroyed) return reject(new Error('The server closed the connection.'))
        waiting = { resolve, reject }
        socket.write(request)
      }),
    isOpen: () => !socket.destroyed && socket.readyState === 'open',
    close: () => socket.destroy(),
  }
}

interface Sent {
  headers?: Record<string, string>
  body?: string
}

/** Formats a request for the wire. */
export function request(address: Address, method: string, path: string, { headers = {}, body = '' }: Sent = {}): string {
  const all = {
    host: `${address.host}:${address.port}`,
    ...headers,
    ...(method === 'GET' ? {} : { 'content-length': String(Buffer.byteLength(body)) }),
  }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`
}

export function headerOf({ head }: Answer, name: string): string | null {
  return new RegExp(`\r\n${name}: ([^\r]*)`, 'i').exec(head)?.[1] ?? null
}

/** The cookies that an answer sets, as pairs for a Cookie header. */
export function cookiesOf({ head }: Answer): string[] {
  return [...head.matchAll(/\r\nset-cookie: ([^;\r]*)/gi)].map(([, pair = '']) => pair)
}

/** Returns the answer, or throws an error that contains it. */
export function expectStatus(status: number, answer: Answer): Answer {
  if (answer.status !== status) throw new Error(`Expected ${status}, got: ${answer.head.slice(0, 300)} ${answer.body.slice(0, 500)}`)
  return answer
}

/** Reports whether a form was refused: its POST leads to the page of its step, which has the status of the refusal (decision 0156). */
export const isRefusedForm = (answer: Answer): boolean => cookiesOf(answer).some((pair) => /ostiary_refused_[^=]*=./.test(pair))
