// pure
/**
 * The documents that clients publish about themselves: which URLs are client ids, and what a document says.
 * `../oidc/client-documents.ts` fetches them.
 *
 * draft-ietf-oauth-client-id-metadata-document-02: the client_id is the URL of the document
 */
import { longest_redirect_uri, PublicKeySet } from '@ostiary/contract/objects/application.ts'
import { WebUrl } from '@ostiary/contract/values.ts'
import { z } from 'zod'
import { stretchesOf } from '../base/characters.ts'
import { JsonError, parseJsonText } from '../base/json.ts'
import { oneOf, type Reason, reason } from '../base/reason.ts'
import { isRecord } from '../base/record.ts'
import { redirectUriProblem } from './redirect-uris.ts'
import { isScopeToken, scopeNames } from './scope.ts'

export interface ClientMetadata {
  client_id: string
  client_name: string
  /** In ASCII, with a port that is not 443. */
  host: string
  /** Those that requests can use. */
  redirect_uris: readonly string[]
  token_endpoint_auth_method: 'none' | 'private_key_jwt'
  /** Both are `null` with the method `none`. */
  jwks: object | null
  jwks_uri: string | null
  /** The only scopes that the client may ask for; `null`: any. */
  scope: readonly string[] | null
  allows_refresh: boolean
}

/** In characters. */
const longest_client_url = 500
const longest_name = 100
const most_redirect_uris = 50

/**
 * Whether a client id is the URL of a document. Any other id is the id of an application, or unknown.
 *
 * draft-ietf-oauth-client-id-metadata-document-02 §3: https, with a path, without dot segments, user info and fragment
 * We choose: no query either, not the path / alone, and only the spelling that a URL parser returns, so that a client has one id
 */
export function isClientUrl(client_id: string): boolean {
  if (client_id.length > longest_client_url || !/^https:\/\/[\x21-\x7E]+$/.test(client_id) || /[?#]/.test(client_id)) return false
  const url = URL.parse(client_id)
  return url !== null && url.href === client_id && url.pathname !== '/' && url.username === '' && url.password === ''
}

const Words = z.array(z.string())

/** The members that are read. A secret is refused with every value, since everyone can read it. */
const Document = z.object({
  client_id: z.string(),
  client_name: z.string().optional(),
  redirect_uris: Words.min(1).max(most_redirect_uris),
  token_endpoint_auth_method: z.string().optional(),
  token_endpoint_auth_methods_supported: Words.optional(),
  jwks: PublicKeySet.refine(({ keys }) => keys.every(({ kty }) => kty !== 'oct')).optional(),
  jwks_uri: WebUrl.regex(/^https:/i).optional(),
  grant_types: Words.optional(),
  response_types: Words.optional(),
  scope: z.string().optional(),
  client_secret: z.never().optional(),
  client_secret_expires_at: z.never().optional(),
})
type Document = z.infer<typeof Document>

/**
 * Reads the document of this URL: the client, or the reason why it cannot be used. Members that are not in the table are ignored.
 *
 * RFC 7591 §2: the members and their defaults
 * RFC 8259 §4: names within an object are unique
 */
export function readClientMetadata(url: string, json_text: string): { client: ClientMetadata } | { invalid: Reason } {
  const document = readDocument(json_text)
  if ('invalid' in document) return document
  const { members } = document
  if (members.client_id !== url) return { invalid: reason`client_id of the document is not its URL.` }
  const { host } = new URL(url)
  const client_name = members.client_name === undefined ? host : readName(members.client_name)
  if (client_name === null)
    return { invalid: reason`client_name of the document needs 1 to ${longest_name} characters, of which one is visible.` }
  const redirect_uris = members.redirect_uris.filter(isUsable)
  if (redirect_uris.length === 0)
    return { invalid: reason`No redirect URI of the document can be used: they need https, or http on 127.0.0.1, [::1] or localhost.` }
  const method = methodOf(members)
  if (method === null) return { invalid: reason`The document offers neither none nor private_key_jwt as its token_endpoint_auth_method.` }
  const { jwks = null, jwks_uri = null } = members
  const has_keys = method === 'private_key_jwt'
  if (has_keys && (jwks === null) === (jwks_uri === null))
    return { invalid: reason`With private_key_jwt the document needs either jwks or jwks_uri.` }
  if (lacks(members.grant_types, 'authorization_code')) return { invalid: reason`grant_types of the document lacks authorization_code.` }
  if (lacks(members.response_types, 'code')) return { invalid: reason`response_types of the document lacks code.` }
  return {
    client: {
      client_id: url,
      client_name,
      host,
      redirect_uris,
      token_endpoint_auth_method: method,
      jwks: has_keys ? jwks : null,
      jwks_uri: has_keys ? jwks_uri : null,
      scope: members.scope === undefined ? null : scopeNames(members.scope).filter(isScopeToken), // no request can ask for another word
      allows_refresh: !lacks(members.grant_types, 'refresh_token'),
    },
  }
}

function readDocument(json_text: string): { members: Document } | { invalid: Reason } {
  const document = jsonOf(json_text)
  if (!isRecord(document)) return { invalid: reason`The document is not a JSON object in UTF-8 without repeated names.` }
  const { data, error } = Document.safeParse(document)
  if (data) return { members: data }
  const member = oneOf(Object.keys(Document.shape), String(error.issues[0]?.path[0]), 'A member')
  return { invalid: reason`${member} of the document is missing, or has a value that it cannot have.` }
}

/** `undefined` for a text that is not JSON, or that has more than one meaning. */
function jsonOf(json_text: string): unknown {
  try {
    return parseJsonText(json_text)
  } catch (error) {
    if (error instanceof JsonError) return undefined
    throw error
  }
}

/** Control, line and direction characters, which would make a page say something else. */
const disguising = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu

function readName(text: string): string | null {
  const name = text.replaceAll(disguising, '')
  return name.length <= longest_name && stretchesOf(name).some(({ unseen }) => !unseen) ? name : null
}

/** Live and native: https anywhere, http on this device, and a private-use scheme, which only an application can register. */
function isUsable(uri: string): boolean {
  const rules = { application_type: 'native', environment_type: 'live', base_url: '' } as const
  return uri.length <= longest_redirect_uri && /^https?:/.test(uri) && redirectUriProblem(uri, rules) === null
}

const isMethod = (name: string) => name === 'none' || name === 'private_key_jwt'

/** RFC 7591 §2 has client_secret_basic as the default, which a client without a secret cannot use. */
function methodOf({ token_endpoint_auth_method: named, token_endpoint_auth_methods_supported: several }: Document) {
  if (named === undefined && several === undefined) return 'none'
  return [...(named === undefined ? [] : [named]), ...(several ?? [])].find(isMethod) ?? null
}

const lacks = (words: readonly string[] | undefined, word: string) => words !== undefined && !words.includes(word)
