/**
 * One file per endpoint, each the whole story of it: parse, load, judge, write, answer. Judging is in `../protocol`, storing in
 * `../store`. This one answers what everybody may know of an issuer.
 */
import { hash } from 'node:crypto'
import { locales } from '../../pages/locale.ts'
import { type Answer, header, type OidcCall, type OidcEndpoint } from '../call.ts'
import type { Issuer } from '../issuer.ts'
import { discoveryDocument } from '../protocol/discovery.ts'
import { publishedKeys, statesEndAt } from '../protocol/key-states.ts'
import { jwks_max_age_seconds } from '../signing-keys.ts'

/** OIDC Discovery 1.0 §4 and RFC 8414 §3: one document, two addresses. */
export const discovery: OidcEndpoint = (_, call) =>
  cacheable(
    call,
    discoveries.textOf(call, ({ issuer }) => ({
      document: discoveryDocument(issuer.url, issuer.settings, locales),
      until_ms: Number.POSITIVE_INFINITY,
    })),
  )

/** RFC 7517 §5: the keys that sign, will sign, or signed tokens that still live. */
export const jwks: OidcEndpoint = (_, call) =>
  cacheable(
    call,
    keySets.textOf(call, ({ issuer: { keys }, now }) => ({
      document: { keys: publishedKeys(keys, now).map((key) => key.public_jwk) },
      until_ms: statesEndAt(keys, now),
    })),
  )

interface Text {
  readonly body: string
  readonly etag: string
  readonly until_ms: number
}

const discoveries = createTexts()
const keySets = createTexts()

/** A document as it is sent, made once for an issuer as it is (any change of the environment makes it another issuer), until time changes it. */
function createTexts() {
  const texts = new WeakMap<Issuer, Text>()
  return {
    textOf(call: OidcCall, make: (call: OidcCall) => { document: object; until_ms: number }): Text {
      const known = texts.get(call.issuer)
      if (known && call.now.getTime() < known.until_ms) return known
      const { document, until_ms } = make(call)
      const body = JSON.stringify(document)
      const text = { body, etag: `"${hash('sha256', body, 'base64url').slice(0, 22)}"`, until_ms }
      texts.set(call.issuer, text)
      return text
    },
  }
}

/** Public, and the same for everybody until it changes. */
function cacheable(call: OidcCall, { body, etag }: Text): Answer {
  const headers = { 'cache-control': `public, max-age=${jwks_max_age_seconds}`, etag }
  const known = header(call, 'if-none-match')
    ?.split(',')
    .map((tag) => tag.trim().replace(/^W\//, ''))
  if (known?.includes(etag) || known?.includes('*')) return { status: 304, headers, body: '' }
  return { status: 200, headers: { 'content-type': 'application/json; charset=utf-8', ...headers }, body }
}
