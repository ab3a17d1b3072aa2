/** The sign-in of a profile: its access token, renewed before it expires, and signed in again where the service asks for that. */
import { postForm } from './discovery.ts'
import type { Io } from './io.ts'
import { changeProfiles, type Profile, type Profiles, readProfiles, type Tokens } from './profiles.ts'
import { Refused } from './refused.ts'
import { readTokens, type SignedIn, signIn, TokenRefused } from './sign-in.ts'

/** A token that expires within this time is renewed first, so that it lasts for the call. */
const margin_ms = 60_000

export interface Session {
  readonly profile_name: string
  readonly profile: Profile
  /** An access token that is valid now. */
  token(): Promise<string>
  /** An access token other than the refused one. */
  renew(refused: string): Promise<string>
  /** Signs the same person in again. */
  signInAgain(max_age: number): Promise<void>
}

export function openSession(io: Io, profile_name: string): Session | null {
  const profile = readProfiles(io.folder).profiles[profile_name]
  if (profile === undefined) return null
  let tokens = profile.tokens

  /** Takes the tokens of the file if another command renewed them. Only the holder of the lock spends a refresh token. */
  const renewUnless = async (isGood: (tokens: Tokens) => boolean): Promise<string> => {
    tokens = await changeProfiles(io.folder, async (profiles) => {
      const stored = profiles.profiles[profile_name]
      if (!stored?.tokens) throw ended(profile_name)
      if (isGood(stored.tokens)) return { profiles, result: stored.tokens }
      const result = await refreshed(io, stored, stored.tokens)
      return { profiles: withTokens(profiles, profile_name, result), result }
    })
    if (tokens === null) throw ended(profile_name)
    return tokens.access_token
  }
  const isCurrent = ({ expires_at }: Tokens) => Date.parse(expires_at) - io.now().getTime() > margin_ms

  return {
    profile_name,
    profile,
    token: async () => (tokens !== null && isCurrent(tokens) ? tokens.access_token : renewUnless(isCurrent)),
    renew: (refused) => renewUnless((stored) => stored.access_token !== refused && isCurrent(stored)),
    async signInAgain(max_age) {
      const signed_in = await signIn(io, { base_url: profile.base_url, max_age, opens_browser: true })
      if (signed_in.user_id !== profile.user_id) {
        await revoke(profile, signed_in.tokens)
        throw new Refused('Another person signed in. Nothing was changed. "ostiary login" signs in as that person.')
      }
      tokens = signed_in.tokens
      await keepSignIn(io, profile_name, signed_in)
    },
  }
}

const ended = (name: string) => new Refused(`The sign-in of the profile "${name}" has ended. Run "ostiary login".`)

/** New tokens, or `null` if the sign-in has ended. Then the file keeps no tokens, so the next command says so at once. */
async function refreshed(io: Io, profile: Profile, { refresh_token }: Tokens): Promise<Tokens | null> {
  if (refresh_token === null) return null
  const form = { grant_type: 'refresh_token', refresh_token, client_id: profile.client_id }
  try {
    return readTokens(io, await postForm(profile.token_endpoint, form), refresh_token).tokens
  } catch (error) {
    if (error instanceof TokenRefused && ['invalid_grant', 'invalid_client'].includes(error.code)) return null
    throw error
  }
}

function withTokens(profiles: Profiles, name: string, tokens: Tokens | null): Profiles {
  const profile = profiles.profiles[name]
  return profile === undefined ? profiles : { ...profiles, profiles: { ...profiles.profiles, [name]: { ...profile, tokens } } }
}

/** Stores a sign-in as the current profile, and revokes the tokens that it replaces. */
export async function keepSignIn(io: Io, name: string, { service, user_id, tokens }: SignedIn): Promise<void> {
  const before = await changeProfiles(io.folder, async ({ profiles }) => {
    const known = profiles[name]
    const is_same_service = known?.issuer === service.issuer
    const profile: Profile = {
      base_url: service.base_url,
      issuer: service.issuer,
      client_id: service.client_id,
      token_endpoint: service.token_endpoint,
      revocation_endpoint: service.revocation_endpoint,
      user_id,
      tokens,
      defaults: is_same_service ? known.defaults : { tenant: null, project: null, env: null },
    }
    return { profiles: { current: name, profiles: { ...profiles, [name]: profile } }, result: known }
  })
  // A token that the service no longer knows needs no revocation, and the new sign-in is complete without it.
  if (before?.tokens) await revoke(before, before.tokens).catch(() => {})
}

/** RFC 7009: the refresh token ends its grant, and the access tokens of it. */
export async function revoke({ revocation_endpoint, client_id }: Profile, { refresh_token, access_token }: Tokens): Promise<void> {
  const { status } = await postForm(revocation_endpoint, { token: refresh_token ?? access_token, client_id })
  if (status !== 200) throw new Refused(`The service did not revoke the tokens (status ${status}). They expire by themselves.`)
}

/** Removes the tokens of a profile. Returns the profile as it was. */
export const forgetTokens = (io: Io, name: string): Promise<Profile | null> =>
  changeProfiles(io.folder, async (profiles) => ({
    profiles: withTokens(profiles, name, null),
    result: profiles.profiles[name] ?? null,
  }))
