/** The API keys in the headers of a request, wherever a client may have put them. For requests that are refused before authentication. */
import type { IncomingHttpHeaders } from 'node:http'
import { digestOf } from '../../base/digest.ts'
import { recogniseKey, startOf } from './format.ts'

/** Returns the digest and the start of the first well-formed key, or `null`. */
export function sentKey({ authorization, ...headers }: IncomingHttpHeaders): { digest: string; start: string } | null {
  const texts = [headers['x-api-key'] ?? [], authorization ?? []].flat().flatMap((line) => line.split(/[\s,]+/))
  const key = texts.find((text) => recogniseKey(text) !== null)
  return key === undefined ? null : { digest: digestOf(key), start: startOf(key) }
}
