/** HTTP as bytes, for requests that no client library sends. */
import { connect } from 'node:net'
import { awaiting } from './awaited.ts'

export interface RawReply {
  status: number
  /** By lower-case name, each with the last value sent. */
  headers: Record<string, string>
  body: string
}

/** Sends these bytes and reads the answer until the service closes the connection. */
export function sendRaw(url: string, bytes: string | Buffer, host = '127.0.0.1'): Promise<RawReply> {
  const answered = new Promise<RawReply>((resolve, reject) => {
    const chunks: Buffer[] = []
    const socket = connect({ host, port: Number(new URL(url).port) }, () => socket.write(bytes))
    socket.on('data', (chunk: Buffer) => chunks.push(chunk))
    // The service may refuse the request and close the connection while we are still sending.
    socket.on('error', (error: NodeJS.ErrnoException) => (chunks.length > 0 && error.code !== undefined ? socket.destroy() : reject(error)))
    socket.on('close', () => resolve(parse(Buffer.concat(chunks).toString())))
  })
  return awaiting(`the service answers and closes the connection: ${String(bytes.slice(0, 60))}`, answered)
}

function parse(text: string): RawReply {
  const end = text.indexOf('\r\n\r\n')
  const [first = '', ...lines] = text.slice(0, end).split('\r\n')
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  )
  return { status: Number(first.split(' ')[1]), headers, body: text.slice(end + 4) }
}

/** The bytes of a request. A header of `null` is omitted. */
export function rawRequest(
  method: string,
  target: string,
  headers: Record<string, string | null> = {},
  body: string | Buffer = '',
): Buffer {
  const all = {
    host: 'localhost',
    connection: 'close',
    ...(body.length > 0 ? { 'content-length': String(Buffer.byteLength(body)) } : {}),
    ...headers,
  }
  const lines = Object.entries(all).flatMap(([name, value]) => (value === null ? [] : [`${name}: ${value}`]))
  return Buffer.concat([Buffer.from(`${method} ${target} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`, 'latin1'), Buffer.from(body)])
}
