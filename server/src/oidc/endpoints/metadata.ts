/**
 * One file per endpoint, each the whole story of it: parse, load, judge, write, answer. Judging is in `../protocol`, storing in
 * `../store`. This one answers what everybody may know of an issuer.
 */
import { hash } from 'node:crypto'
import { locales } from '../../pages/locale.ts'
import { type Answer, header, type OidcCall, type OidcEndpoint } from '../call.ts'
import type { Issuer } from '../issuer.ts'
import { discoveryDocument } from '../protocol/discovery.ts'
import { publishedKeys } from '../protocol/key-states.ts'
import { jwks_max_age_seconds } from '../signing-keys.ts'

/** OIDC Discovery 1.0 §4 and RFC 8414 §3: one document, two addresses. */
export const discovery: OidcEndpoint = async (_, call) =>
  cacheable(
    call,
    textOf(call.issuer, 'discovery', () => discoveryDocument(call.issuer.url, call.issuer.settings, locales)),
  )

/** RFC 7517 §5: the keys that sign, will sign, or signed tokens that still live. */
export const jwks: OidcEndpoint = async (_, call) => {
  const keys = publishedKeys(call.issuer.keys, call.now)
  const name = keys.map((key) => key.kid).join(' ')
  return cacheable(
    call,
    textOf(call.issuer, name, () => ({ keys: keys.map((key) => key.public_jwk) })),
  )
}

interface Text {
  readonly body: string
  readonly etag: string
}

const texts = new WeakMap<Issuer, Map<string, Text>>()

/** A document as it is sent, made once for an issuer as it is: any change of the environment makes it another issuer. */
function textOf(issuer: Issuer, name: string, make: () => object): Text {
  const known = texts.get(issuer) ?? new Map<string, Text>()
  texts.set(issuer, known)
  let text = known.get(name)
  if (!text) {
    const body = JSON.stringify(make())
    text = { body, etag: `"${hash('sha256', body, 'base64url').slice(0, 22)}"` }
    known.set(name, text)
  }
  return text
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
