/** The message in the body of a request. Its length is bounded before it is parsed, and nothing more is kept of it. */

/** A body as a parser of the framework left it, or its bytes; `null` where it is too long or breaks off. */
export type Body = { parsed: unknown } | { bytes: Uint8Array | null }

export type Read = { message: object } | { problem: 'too_long' | 'encoded' | 'malformed' }

interface Readable {
  header(name: 'content-encoding' | 'content-length'): string | undefined
  readBody(longest: number): Promise<Body>
}

/**
 * Reads a JSON-RPC message, whatever the request says of its type: the application may parse it all the same. An encoded body is not read, since
 * another reader could find another message in it.
 */
export async function messageIn(received: Readable, longest: number): Promise<Read> {
  if (!/^(identity)?$/i.test(received.header('content-encoding') ?? '')) return { problem: 'encoded' }
  if (Number(received.header('content-length') ?? 0) > longest) return { problem: 'too_long' }
  const body = await received.readBody(longest)
  if ('bytes' in body && body.bytes === null) return { problem: 'too_long' }
  const value = 'parsed' in body ? body.parsed : parse(body.bytes)
  return typeof value === 'object' && value !== null && !ArrayBuffer.isView(value) ? { message: value } : { problem: 'malformed' }
}

function parse(bytes: Uint8Array | null): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes ?? undefined))
  } catch {
    return null // refused as malformed
  }
}

/** The parts of a stream of Node. */
export interface NodeStream {
  readonly readableEnded: boolean
  readonly destroyed: boolean
  on(event: string, listener: (value: Uint8Array) => void): unknown
  off(event: string, listener: (value: Uint8Array) => void): unknown
  resume(): unknown
}

/** Reads a stream of Node. One that breaks off is an empty body: nobody waits for the answer. */
export function bytesOfStream(stream: NodeStream, longest: number): Promise<Uint8Array | null> {
  return new Promise((resolve) => {
    const chunks: Uint8Array[] = []
    let length = 0
    const end = (bytes: Uint8Array | null) => {
      for (const [event, listener] of listeners) stream.off(event, listener)
      stream.resume() // the rest is thrown away, since the next request of the connection stands behind it
      resolve(bytes)
    }
    const listeners: [string, (value: Uint8Array) => void][] = [
      [
        'data',
        (chunk) => {
          length += chunk.length
          if (length > longest) end(null)
          else chunks.push(chunk)
        },
      ],
      ['end', () => end(joined(chunks, length))],
      ['error', () => end(new Uint8Array())],
      ['close', () => end(new Uint8Array())],
    ]
    for (const [event, listener] of listeners) stream.on(event, listener)
  })
}

/** Reads a copy of the body of a request of the Fetch standard: the application reads the request itself. */
export async function bytesOfRequest(request: Request, longest: number): Promise<Uint8Array | null> {
  const reader = request.clone().body?.getReader()
  const chunks: Uint8Array[] = []
  let length = 0
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true }
    if (done) return joined(chunks, length)
    length += value.length
    if (length > longest) {
      void reader?.cancel() // which ends only with the original
      return null
    }
    chunks.push(value)
  }
}

function joined(chunks: readonly Uint8Array[], length: number): Uint8Array {
  const bytes = new Uint8Array(length)
  let at = 0
  for (const chunk of chunks) {
    bytes.set(chunk, at)
    at += chunk.length
  }
  return bytes
}
