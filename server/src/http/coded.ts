/** Compressed forms of texts that stay the same (RFC 9110 §8.4), and the choice of one for a client. */
import { promisify } from 'node:util'
import { brotliCompress, gzip, constants as zlib } from 'node:zlib'

/** By their content coding; a coding that does not make the text smaller is missing. */
export type Coded = Readonly<Record<string, Buffer>>

/** No client sends more; reading 30,000 characters would take milliseconds. */
const longest_list = 1_000

const brotli = promisify(brotliCompress)
const deflate = promisify(gzip)

/** Compressed on the thread pool. */
export async function codedForms(body: Buffer): Promise<Coded> {
  const params = { [zlib.BROTLI_PARAM_QUALITY]: 9, [zlib.BROTLI_PARAM_SIZE_HINT]: body.length }
  const [br, gz] = await Promise.all([brotli(body, { params }), deflate(body, { level: 9 })])
  return { ...(br.length < body.length && { br }), ...(gz.length < body.length && { gzip: gz }) }
}

/** RFC 9110 §12.5.3: the smallest form that the client accepts; `null` for the text as it is. A longer list than clients send is not read. */
export function codingFor(accept: string | undefined, coded: Coded): string | null {
  if (accept === undefined || accept.length > longest_list) return null
  const accepted = new Map(accept.split(',').map((each) => codingOf(each)))
  return ['br', 'gzip'].find((coding) => coded[coding] !== undefined && (accepted.get(coding) ?? 0) > 0) ?? null
}

/** Each form has an entity tag of its own. */
export const tagOf = (etag: string, coding: string | null): string => `"${etag}${coding === null ? '' : `-${coding}`}"`

function codingOf(text: string): [coding: string, weight: number] {
  const [coding = '', weight = 'q=1'] = text.split(';').map((part) => part.trim().toLowerCase())
  return [coding, Number(/^q=([01](?:\.\d{0,3})?)$/.exec(weight)?.[1] ?? 0)]
}
