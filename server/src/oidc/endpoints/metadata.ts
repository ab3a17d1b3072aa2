/**
 * The public documents of an issuer: its metadata and its signing keys.
 *
 * Each file of this folder answers the requests of one endpoint: it parses, loads, judges, writes and answers. Rules are in
 * `../protocol`, grant types in `../grants`, queries in `server/src/domain/sessions`. The steps of a sign-in, which have pages, are in `../flow`.
 */
import { sha256 } from '../../base/digest.ts'
import { isKnown } from '../../http/if-none-match.ts'
import { locales } from '../../pages/locale.ts'
import { discoveryDocument } from '../../protocol/discovery.ts'
import { publishedKeys, statesEndAt } from '../../protocol/key-states.ts'
import { type Answer, header, type OidcCall, type OidcEndpoint } from '../call.ts'
import type { Issuer } from '../issuer.ts'
import { jwks_max_age_seconds } from '../signing-keys.ts'

/** OIDC Discovery 1.0 §4 and RFC 8414 §3: one document at two addresses. */
export const discovery: OidcEndpoint = (_, call) =>
  cacheable(
    call,
    discoveries.textOf(call, ({ issuer }) => ({
      document: discoveryDocument(issuer.url, issuer.settings, locales),
      until_ms: Number.POSITIVE_INFINITY,
    })),
  )

/** RFC 7517 §5: keys that sign, keys that will sign, and keys that signed tokens which are still valid. */
export const jwks: OidcEndpoint = ({ jwks_readers }, call) => {
  jwks_readers.note(call.issuer.environment_id, call.ip, header(call, 'user-agent'), call.now)
  return cacheable(
    call,
    keySets.textOf(call, ({ issuer: { keys, es256_keys }, now }) => ({
      document: { keys: [...publishedKeys(keys, now), ...publishedKeys(es256_keys, now)].map((key) => key.public_jwk) },
      until_ms: Math.min(statesEndAt(keys, now), statesEndAt(es256_keys, now)),
    })),
  )
}

interface Text {
  readonly body: string
  readonly etag: string
  readonly until_ms: number
}

const discoveries = createTexts()
const keySets = createTexts()

/** Caches the text of a document for each `Issuer` until the document expires. Any change of the environment makes a new `Issuer`. */
function createTexts() {
  const texts = new WeakMap<Issuer, Text>()
  return {
    textOf(call: OidcCall, make: (call: OidcCall) => { document: object; until_ms: number }): Text {
      const known = texts.get(call.issuer)
      if (known && call.now.getTime() < known.until_ms) return known
      const { document, until_ms } = make(call)
      const body = JSON.stringify(document)
      const text = { body, etag: `"${sha256(body, 'base64url').slice(0, 22)}"`, until_ms }
      texts.set(call.issuer, text)
      return text
    },
  }
}

/** Any cache may store the answer; a client that has it gets 304. */
function cacheable(call: OidcCall, { body, etag }: Text): Answer {
  const headers = { 'cache-control': `public, max-age=${jwks_max_age_seconds}`, etag }
  if (isKnown(header(call, 'if-none-match'), etag)) return { status: 304, headers, body: '' }
  return { status: 200, headers: { 'content-type': 'application/json; charset=utf-8', ...headers }, body }
}
