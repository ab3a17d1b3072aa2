// pure
import { isClaimTaken } from '@ostiary/contract/jwt-claims.ts'
import type { Settings } from '@ostiary/contract/settings.ts'
import type { User } from '@ostiary/contract/user.ts'
import { sha256 } from '../base/digest.ts'
import { includesScope } from './scope.ts'
import { by_passkey, one_factor, two_factors } from './second-factor.ts'

/** OIDC Core §5.4: the claims of each scope. Discovery lists the same table. */
export const claimsOfScope = {
  profile: ['name', 'given_name', 'family_name', 'nickname', 'preferred_username', 'picture', 'locale', 'zoneinfo', 'updated_at'],
  email: ['email', 'email_verified'],
  phone: ['phone_number', 'phone_number_verified'],
} as const

/**
 * In characters: longer than any ID token, also one with the longest profile in letters of three bytes, a nonce of 1,024 characters of ASCII, 25
 * roles, an organization, all data and a `sub` of 255 quotation marks (21,600), and than any access token (`refuseTooWide`). A query has room for it (`longest_query`).
 */
export const longest_jwt = 22_528

type ScopedClaim = (typeof claimsOfScope)[keyof typeof claimsOfScope][number]

/** The claims of a user, as the row of a grant has them. */
type ClaimsSource = Pick<User, ScopedClaim | 'sub'>

type UserClaims = { sub: string } & Record<string, string | boolean | number>

/** The claim that has the roles of the person, by the name that the tenant chose; empty where there is none. */
export type RoleClaims = Readonly<Record<string, readonly string[]>>

/**
 * RFC 9068 §2.2.3.1: `roles` and `groups` are lists of texts; we choose the slugs of the roles, and an empty list without any.
 * @param name as `roles_claim` of an application or a resource server
 */
export const roleClaims = (name: string | null, slugs: () => readonly string[]): RoleClaims => (name === null ? {} : { [name]: slugs() })

/** Data of the user and of the organization of a grant; `null` where the grant has no organization. */
interface WithData {
  user_claims: Readonly<Record<string, unknown>>
  organization_claims: Readonly<Record<string, unknown>> | null
}

/** Claims that backends chose, by names of their own. */
export type DataClaims = Readonly<Record<string, unknown>>

export const no_data: DataClaims = {}

/** Where both have a name, the organization's value counts as a whole: a grant is for the organization. */
export const dataOf = ({ user_claims, organization_claims }: WithData): DataClaims => ({ ...user_claims, ...organization_claims })

/**
 * The data as claims of a token or of UserInfo. A name that was free when the data was written can be taken since, by a longer list of standard
 * names or by a claim of roles: there a reader would take what a backend wrote for something else.
 * @param reserved names of claims of roles
 */
export const dataClaims = (grant: WithData, reserved: readonly (string | null)[]): DataClaims =>
  Object.fromEntries(Object.entries(dataOf(grant)).filter(([name]) => !isClaimTaken(name) && !reserved.includes(name)))

/** The organization of a grant, as its row has it; all `null` where it has none. */
interface OfOrganization {
  organization_id: string | null
  organization_slug: string | null
  organization_name: string | null
}

/** The claims of UserInfo and of full ID tokens about the organization of a grant. We choose the names, which no standard defines. */
export const organizationClaims = ({ organization_id, organization_slug, organization_name }: OfOrganization): Record<string, string> =>
  organization_id === null ? {} : { org_id: organization_id, org_slug: organization_slug ?? '', org_name: organization_name ?? '' }

/** The facts that all tokens of a grant share: one user, one client, one sign-in. */
interface Grant {
  grant_id: string
  client_id: string
  /** Of the user. */
  sub: string
  session_id: string
  auth_time: Date
  /** The authentication methods (RFC 8176), and the level that they reach. */
  amr: readonly string[]
  acr: string
  organization_id: string | null
}

/**
 * The claims of a user that a scope gives to a client, with standard names and types.
 *
 * OIDC Core §5.3.2: sub is always present; a claim without a value is left out, never null or empty
 * OIDC Core §5.1:   updated_at is a number of seconds; phone_number_verified is left out without phone_number
 * We choose:        where the settings say so, the address takes the place of a missing name, but only a proved one: products take a user
 *                   name for an identity, and anybody can sign up with an address of another person
 */
export function userClaims(user: ClaimsSource, scope: string, settings: Settings['claims']): UserClaims {
  const updated_at = Math.floor(Date.parse(user.updated_at) / 1_000)
  const phone_number_verified = user.phone_number ? user.phone_number_verified : null
  const proved = user.email_verified ? user.email : null
  const stand_in = {
    preferred_username: settings.preferred_username === 'email' ? proved : null,
    name: settings.name === 'email' ? proved : null,
  }
  const preferred_username = user.preferred_username || stand_in.preferred_username
  const name = user.name || stand_in.name
  const values = { ...user, updated_at, phone_number_verified, preferred_username, name }
  const claims: UserClaims = { sub: user.sub }

  for (const [scope_name, members] of Object.entries(claimsOfScope)) {
    if (!includesScope(scope, scope_name)) continue
    for (const member of members) {
      const value = values[member]
      if (value !== null && value !== '') claims[member] = value
    }
  }
  return claims
}

/** The claims of a token that are not the same for every environment. The claims of the protocol and of roles win over data. */
interface Chosen {
  roles?: RoleClaims
  data?: DataClaims
}

/**
 * The payload of an ID token. `claims` are those of the user, or null where the settings keep ID tokens minimal.
 *
 * OIDC Core §2, §3.1.3.6: iss, sub, aud, exp, iat, auth_time, nonce as it was sent, acr, amr, at_hash; no azp, because
 *                         the client is the only audience
 * OIDC Core §12.2:        after a refresh auth_time does not change, and nonce (null) is left out
 * RFC 8176 §2:            amr names methods that were used. We know none of a sign-in at a provider, so it is left out
 * Back-Channel Logout 1.0 §2.1: sid
 */
export function idTokenClaims(
  issuer: string,
  grant: Grant,
  token: { claims: UserClaims | null; nonce: string | null; access_token: string; ttl_seconds: number } & Chosen,
  now: Date,
) {
  return {
    ...token.data,
    ...token.claims,
    iss: issuer,
    sub: grant.sub,
    aud: grant.client_id,
    ...lifetime(now, token.ttl_seconds),
    auth_time: seconds(grant.auth_time),
    ...(token.nonce !== null && { nonce: token.nonce }),
    acr: grant.acr,
    ...(grant.amr.length > 0 && { amr: grant.amr }),
    sid: grant.session_id,
    at_hash: atHash(token.access_token),
    ...(grant.organization_id !== null && { org_id: grant.organization_id }),
    ...token.roles,
  }
}

/**
 * The payload of an access token. `scope` and `resource` may be narrower than the grant's.
 *
 * RFC 9068 §2.2: iss, exp, aud, sub, client_id, iat, jti; auth_time, acr and scope
 * RFC 9068 §3:   aud is the requested resource servers and the issuer, because its UserInfo endpoint accepts the token too; of a request
 *                without openid the resource servers alone
 * RFC 6749 §3.3: a scope has at least one name, so there is no claim where none was granted
 * `grant_id` finds the grant, whose end revokes the token.
 */
export function accessTokenClaims(
  issuer: string,
  grant: Grant,
  token: { jti: string; scope: string; resource: readonly string[]; ttl_seconds: number; without_openid?: boolean } & Chosen,
  now: Date,
) {
  const { resource, without_openid = false } = token
  const audiences = without_openid ? resource : [...resource, issuer]
  const [only, ...others] = audiences
  return {
    ...token.data,
    iss: issuer,
    sub: grant.sub,
    aud: only !== undefined && others.length === 0 ? only : audiences,
    client_id: grant.client_id,
    ...(token.scope !== '' && { scope: token.scope }),
    ...lifetime(now, token.ttl_seconds),
    jti: token.jti,
    auth_time: seconds(grant.auth_time),
    acr: grant.acr,
    sid: grant.session_id,
    grant_id: grant.grant_id,
    ...(grant.organization_id !== null && { org_id: grant.organization_id }),
    ...token.roles,
  }
}

/** OIDC Core §3.1.3.6: the left half of the digest that the signature algorithm uses, SHA-256 for RS256. */
export function atHash(access_token: string): string {
  return Buffer.from(sha256(access_token, 'hex').slice(0, 32), 'hex').toString('base64url')
}

/** The acr of a session, from its authentication methods: two factors, a passkey that verified its user, or one factor. */
export function acrOf(amr: readonly string[]): string {
  if (amr.includes('mfa')) return two_factors
  const is_passkey = (amr.includes('hwk') || amr.includes('swk')) && amr.includes('user')
  return is_passkey ? by_passkey : one_factor
}

const seconds = (time: Date) => Math.floor(time.getTime() / 1_000)

const lifetime = (now: Date, ttl_seconds: number) => ({ exp: seconds(now) + ttl_seconds, iat: seconds(now) })
