/**
 * The authorization code flow with state, nonce and PKCE at a provider. `openid-client` validates the responses. All its requests
 * go through the SSRF-safe fetch.
 */
import { Email, WebUrl } from '@ostiary/contract/values.ts'
import { withoutUnseen } from '@ostiary/contract/visible.ts'
import { importPKCS8, SignJWT } from 'jose'
import * as client from 'openid-client'
import { reason } from '../../base/reason.ts'
import { isRecord } from '../../base/record.ts'
import { createSharedReads } from '../../base/shared-reads.ts'
import { asLine, isText } from '../../base/text.ts'
import type { Deployment } from '../../deployment/deployment.ts'
import type { Outbound } from '../../deployment/outbound/fetch.ts'
import { sealed_columns } from '../../deployment/secrets/sealed-columns.ts'
import { orFail, type Progress } from './causes.ts'
import { kinds } from './kinds.ts'
import { forSignIn, isLocal, need, optional, type ProviderMetadata, readMetadata } from './metadata.ts'
import { UpstreamFailed, type UpstreamProfile, type Upstreams } from './profile.ts'
import type { Upstream } from './store.ts'
import { createUpstreamKeys } from './upstream-keys.ts'

const timeout_ms = 8_000
/** A request with a logout token, which a stranger can send, waits for the metadata and the keys. */
const keys_timeout_ms = 3_000
/** A person who signs out waits for the metadata, where the cache has none. */
const sign_out_timeout_ms = 2_000
const limit_bytes = 512 * 1024
/** How long a discovery document is cached. The cache is by issuer, so a change of a provider's issuer takes effect at once. */
const discovery_ms = 300_000
/** After a failure, for logout tokens of strangers. */
const cool_down_ms = 10_000
const most_discovered = 200

export function createUpstreams({ secrets, now }: Pick<Deployment, 'secrets' | 'now'>, outbound: Outbound): Upstreams {
  const discovered = createSharedReads({ now }, { keep_ms: discovery_ms, cool_down_ms, most: most_discovered }, readDocument)

  const fetchFor =
    (issuer: string, progress: Progress, known: Places = {}): client.CustomFetch =>
    async (url, { method, headers, body, signal }) => {
      Object.assign(progress, { at: placeOf(url, known), status: null })
      const sent = body === undefined || body === null ? {} : { body: String(body) }
      const response = await outbound({
        method: method === 'POST' ? 'POST' : 'GET',
        url,
        headers,
        ...sent,
        https_only: !isLocal(issuer, new URL(url)),
        timeout_ms: progress.timeout_ms,
        limit_bytes,
        beyond_limit: 'fail',
        ...(signal ? { signal } : {}),
      })
      progress.status = response.status
      const header_pairs = Object.entries(response.headers).flatMap(([name, value]) =>
        value === undefined ? [] : [[name, String(value)] as const],
      )
      return new Response([204, 205, 304].includes(response.status) ? null : new Uint8Array(response.body), {
        status: response.status,
        headers: Object.fromEntries(header_pairs),
      })
    }

  const keys = createUpstreamKeys({ now }, async ({ issuer, jwks_uri }) => {
    const call = fetchFor(issuer, { at: 'keys', status: null, is_oidc: true, timeout_ms: keys_timeout_ms }, { jwks_uri })
    const answer = await call(jwks_uri, get_json)
    return answer.status === 200 ? answer.json() : null
  })

  async function configure(provider: Upstream, progress: Progress): Promise<client.Configuration> {
    const issuer = provider.issuer ?? kinds[provider.type].issuer ?? ''
    const unsealed = (name: 'client_secret' | 'private_key') => {
      const sealed = provider[name]
      return sealed === null
        ? null
        : secrets.unseal(sealed, sealed_columns.providers.associatedData(provider.environment_id, provider.id, name))
    }
    const client_secret =
      provider.type === 'apple' ? await appleSecret(provider, unsealed('private_key') ?? '', now()) : unsealed('client_secret')
    const authentication =
      client_secret === null
        ? client.None()
        : provider.type === 'apple'
          ? client.ClientSecretPost(client_secret)
          : client.ClientSecretBasic(client_secret)
    const metadata = kinds[provider.type].is_oidc ? forSignIn(await discover(issuer, progress, true)) : github
    const config = new client.Configuration(metadata, provider.client_id, undefined, authentication)
    config[client.customFetch] = fetchFor(issuer, progress, metadata)
    config.timeout = timeout_ms / 1000
    if (issuer.startsWith('http:')) client.allowInsecureRequests(config)
    if (kinds[provider.type].is_oidc) client.enableNonRepudiationChecks(config)
    Object.assign(progress, { at: 'callback', status: null })
    return config
  }

  /** `tries_again` after a failure: a person does, whose sign-ins are limited by their source. A stranger with a logout token does not. */
  const discover = (issuer: string, { timeout_ms }: Progress, tries_again: boolean) =>
    inTime(timeout_ms, discovered.find(issuer, issuer, timeout_ms, tries_again))

  /** One call at a time for each issuer, for all who cause it. */
  function readDocument(issuer: string, patience_ms: number): Promise<ProviderMetadata> {
    const progress: Progress = { at: 'metadata', status: null, is_oidc: true, timeout_ms: patience_ms }
    return orFail(progress, async () => {
      const config = await client.discovery(new URL(issuer), 'discovery', undefined, client.None(), {
        [client.customFetch]: fetchFor(issuer, progress),
        timeout: timeout_ms / 1000,
        ...(issuer.startsWith('http:') ? { execute: [client.allowInsecureRequests] } : {}),
      })
      return readMetadata(issuer, config.serverMetadata())
    })
  }

  return {
    authorizationUrl: (provider, { redirect_uri, state, nonce, code_verifier }, { login_hint, prompt: requested }) => {
      const progress = begun(provider)
      return orFail(progress, async () => {
        const { prompts } = kinds[provider.type]
        const prompt = requested && (prompts.find((known) => known === requested) ?? prompts[0])
        const config = await configure(provider, progress)
        const url = client.buildAuthorizationUrl(config, {
          redirect_uri,
          scope: provider.scopes.join(' '),
          state,
          code_challenge: await client.calculatePKCECodeChallenge(code_verifier),
          code_challenge_method: 'S256',
          ...(kinds[provider.type].is_oidc ? { nonce } : {}),
          ...(provider.type === 'apple' ? { response_mode: 'form_post' } : {}),
          ...(login_hint === undefined ? {} : { login_hint }),
          ...(prompt === undefined ? {} : { prompt }),
        })
        return url.href
      })
    },

    handleCallback: (provider, url, { state, nonce, code_verifier }) => {
      const progress = begun(provider)
      return orFail(progress, async () => {
        const config = await configure(provider, progress)
        const is_oidc = kinds[provider.type].is_oidc
        const tokens = await client.authorizationCodeGrant(config, url, {
          expectedState: state,
          pkceCodeVerifier: code_verifier,
          ...(is_oidc ? { expectedNonce: nonce, idTokenExpected: true } : {}),
        })
        if (!is_oidc) return githubProfile(config, tokens.access_token)
        const claims = tokens.claims()
        if (!claims) throw new UpstreamFailed({ cause: 'id_token', detail: reason`The provider sent no ID token.` })
        const has_userinfo = claims.email === undefined && config.serverMetadata().userinfo_endpoint !== undefined
        const more = has_userinfo ? await client.fetchUserInfo(config, tokens.access_token, claims.sub) : {}
        const profile = profileOf({ ...more, ...claims }, provider.type === 'apple' ? appleName(url) : {})
        return { ...profile, sid: sidOf(claims), id_token: hintOf(tokens.id_token) }
      })
    },

    signOutUrl: (provider, { post_logout_redirect_uri, state, id_token_hint }) => {
      const progress = { ...begun(provider), timeout_ms: sign_out_timeout_ms }
      return orFail(progress, async () => {
        if (!kinds[provider.type].is_oidc) return null
        const issuer = provider.issuer ?? kinds[provider.type].issuer ?? ''
        const end_session_endpoint = optional(await discover(issuer, progress, true), 'end_session_endpoint')
        if (end_session_endpoint === undefined) return null
        const url = new URL(end_session_endpoint)
        const parameters = {
          client_id: provider.client_id,
          post_logout_redirect_uri,
          state,
          ...(id_token_hint !== null && { id_token_hint }),
        }
        for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
        return url.href
      })
    },

    verifyToken: (provider, token, algorithms) => {
      const progress = { ...begun(provider), timeout_ms: keys_timeout_ms }
      return orFail(progress, async () => {
        const configured = provider.issuer ?? kinds[provider.type].issuer ?? ''
        const metadata = await discover(configured, progress, false)
        const jwks_uri = need(metadata, 'jwks_uri')
        const payload = await keys.verify({ issuer: configured, jwks_uri }, token, algorithms)
        const claims = payload && claimsIn(payload)
        return claims && { claims, issuer: metadata.issuer }
      })
    },

    check: (provider) => {
      const progress = begun(provider)
      return orFail(progress, async () => {
        if (!kinds[provider.type].is_oidc) return // GitHub has neither metadata nor keys
        const issuer = provider.issuer ?? kinds[provider.type].issuer ?? ''
        const read = await discovered.readAgain(issuer, issuer, progress.timeout_ms)
        const metadata = forSignIn(read)
        if (provider.sign_out !== 'none') optional(read, 'end_session_endpoint')
        await readKeys(fetchFor(issuer, progress, metadata), metadata.jwks_uri ?? '')
      })
    },
  }
}

/** Waits no longer than this for a call that another request began, and that may take longer. */
async function inTime<T>(timeout_ms: number, value: Promise<T>): Promise<T> {
  const ended = Promise.withResolvers<never>()
  const timer = setTimeout(() => ended.reject(too_slow()), timeout_ms + grace_ms)
  try {
    return await Promise.race([value, ended.promise])
  } finally {
    clearTimeout(timer)
  }
}

/** A call of our own ends first, with its own cause. */
const grace_ms = 100
const too_slow = () => new UpstreamFailed({ cause: 'timeout', detail: reason`The metadata did not answer in time.`, is_checked: true })

type Claims = Readonly<Record<string, unknown>>

const begun = ({ type }: Upstream): Progress => ({ at: 'metadata', status: null, is_oidc: kinds[type].is_oidc, timeout_ms })

type Places = Partial<Pick<client.ServerMetadata, 'token_endpoint' | 'jwks_uri' | 'userinfo_endpoint'>>

const placeOf = (url: string, { token_endpoint, jwks_uri, userinfo_endpoint }: Places): Progress['at'] => {
  if (url === token_endpoint) return 'token'
  if (url === jwks_uri) return 'keys'
  return url === userinfo_endpoint || url.startsWith(github_api) ? 'userinfo' : 'metadata'
}

const get_json = { method: 'GET', headers: { accept: 'application/json' }, body: undefined, redirect: 'manual' } as const

/** The claims of a JWT; `null` where the payload is not a JSON object (RFC 7519 §7.2). */
function claimsIn(payload: Uint8Array): Claims | null {
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(payload))
    return isRecord(value) ? value : null
  } catch {
    return null
  }
}

/** RFC 7517 §5: a set of keys has at least one that can be used. */
async function readKeys(call: client.CustomFetch, jwks_uri: string): Promise<void> {
  const answer = await call(jwks_uri, get_json)
  if (answer.status !== 200)
    throw new UpstreamFailed({
      cause: 'status',
      detail: reason`The address of the keys of the provider answered with the status ${answer.status}.`,
    })
  const read: unknown = await answer.json().catch(() => null)
  const has_keys = typeof read === 'object' && read !== null && 'keys' in read && Array.isArray(read.keys) && read.keys.length > 0
  if (!has_keys) throw new UpstreamFailed({ cause: 'keys', detail: reason`The address of the keys of the provider has no key.` })
}

/** In characters, all of them ASCII. OIDC Core §2. */
const longest_subject = 255
const longest_sid = 255
const longest_hint = 4_096

/**
 * The profile that claims describe. Names are shown only, so what a name cannot have is taken out. The subject and the address identify an
 * account: they are taken as they were sent or not at all, since a part of an address can be the address of another person.
 */
function profileOf(claims: Claims, name: { given_name?: string; family_name?: string }): UpstreamProfile {
  const text = (key: string) => (typeof claims[key] === 'string' ? visible(asLine(claims[key], 200)) : null)
  const subject = String(claims.sub)
  if (!isText(subject)) throw new UpstreamFailed({ cause: 'id_token', detail: reason`The subject contains control characters.` })
  if (subject.length > longest_subject)
    throw new UpstreamFailed({ cause: 'id_token', detail: reason`The subject is longer than ${longest_subject} characters.` })
  const given_name = name.given_name ?? text('given_name')
  const family_name = name.family_name ?? text('family_name')
  return {
    subject,
    email: Email.safeParse(claims.email).success ? String(claims.email) : null,
    // Apple sends a string.
    email_verified: claims.email_verified === true || claims.email_verified === 'true',
    name: text('name') ?? visible(asLine([given_name, family_name].filter(Boolean).join(' '), 200)),
    given_name,
    family_name,
    picture: WebUrl.safeParse(claims.picture).data ?? null,
    preferred_username:
      typeof claims.preferred_username === 'string' && claims.preferred_username !== '' ? claims.preferred_username : null,
    sid: null,
    id_token: null,
  }
}

/** A name that nobody can see counts as missing. */
const visible = (name: string): string | null => (withoutUnseen(name) === '' ? null : name)

/** OIDC Back-Channel Logout 1.0 §2.1: an opaque text. One that is too long is ignored. */
const sidOf = ({ sid }: Claims) => (typeof sid === 'string' && sid !== '' && sid.length <= longest_sid && isText(sid) ? sid : null)

const hintOf = (id_token: string | undefined) => (id_token !== undefined && id_token.length <= longest_hint ? id_token : null)

/** Makes the client secret for Apple: a JWT signed with the key of the team. Apple allows six months; this one expires in five minutes. */
async function appleSecret({ team_id, key_id, client_id }: Upstream, private_key: string, now: Date): Promise<string> {
  const issued_at = Math.floor(now.getTime() / 1000)
  return new SignJWT({})
    .setProtectedHeader({ alg: 'ES256', kid: key_id ?? '' })
    .setIssuer(team_id ?? '')
    .setSubject(client_id)
    .setAudience('https://appleid.apple.com')
    .setIssuedAt(issued_at)
    .setExpirationTime(issued_at + 300)
    .sign(await importPKCS8(private_key, 'ES256'))
}

/** Returns the name that Apple sends once, beside the code, as unsigned JSON. It is good enough for a display name only. */
function appleName(url: URL): { given_name?: string; family_name?: string } {
  try {
    const { name } = JSON.parse(url.searchParams.get('user') ?? '{}') as { name?: { firstName?: unknown; lastName?: unknown } } // as: every member is checked below
    const text = (value: unknown) => (typeof value === 'string' ? asLine(value, 100) : '')
    const given_name = text(name?.firstName)
    const family_name = text(name?.lastName)
    return { ...(given_name ? { given_name } : {}), ...(family_name ? { family_name } : {}) }
  } catch {
    return {} // not JSON: there is no name
  }
}

const github_api = 'https://api.github.com'

/** GitHub has no discovery document. These endpoints are from its documentation. */
const github: client.ServerMetadata = {
  issuer: 'https://github.com',
  authorization_endpoint: 'https://github.com/login/oauth/authorize',
  token_endpoint: 'https://github.com/login/oauth/access_token',
}

async function githubProfile(config: client.Configuration, access_token: string): Promise<UpstreamProfile> {
  const get = async (path: string): Promise<unknown> => {
    const headers = new Headers({ accept: 'application/vnd.github+json', 'user-agent': 'Ostiary' })
    const response = await client.fetchProtectedResource(config, access_token, new URL(`${github_api}${path}`), 'GET', undefined, headers)
    if (!response.ok) throw new UpstreamFailed({ cause: 'userinfo', detail: reason`GitHub answered with the status ${response.status}.` })
    return response.json()
  }
  const user = (await get('/user')) as Claims // as: every member is checked below
  const emails = (await get('/user/emails')) as readonly { email?: unknown; primary?: unknown; verified?: unknown }[] // as: see above
  const primary = Array.isArray(emails) ? emails.find((entry) => entry.primary === true) : undefined
  if (typeof user.id !== 'number') throw new UpstreamFailed({ cause: 'userinfo', detail: reason`GitHub did not send the id of the user.` })
  return profileOf(
    {
      sub: String(user.id),
      name: user.name ?? user.login,
      preferred_username: user.login,
      picture: user.avatar_url,
      email: primary?.email,
      email_verified: primary?.verified,
    },
    {},
  )
}
