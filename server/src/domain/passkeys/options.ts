/** The options of ceremonies, in the JSON of WebAuthn §5.1 that `parseRequestOptionsFromJSON` and `parseCreationOptionsFromJSON` read. */
import type { PublicKeyCredentialCreationOptionsJSON, PublicKeyCredentialRequestOptionsJSON } from '@simplewebauthn/server'

/** EdDSA, ES256 and RS256 (RFC 9053, RFC 8812), which all browsers and runtimes know. */
export const algorithms = [-8, -7, -257]

/** How long a browser waits for the person, in milliseconds: less than a challenge lives. */
const timeout = 300_000

/** A passkey of an account, as a browser finds it. */
export interface Credential {
  credential_id: string
  transports: readonly string[]
}

type Descriptors = NonNullable<PublicKeyCredentialRequestOptionsJSON['allowCredentials']>

const descriptors = (credentials: readonly Credential[]): Descriptors =>
  credentials.map(({ credential_id, transports }) => ({
    id: credential_id,
    type: 'public-key',
    transports: [...transports] as NonNullable<Descriptors[number]['transports']>, // as: the values of `known_transports`
  }))

/** Without credentials the person chooses one: a discoverable sign-in. */
export function requestOptions(
  rp_id: string,
  challenge: string,
  credentials: readonly Credential[] = [],
): PublicKeyCredentialRequestOptionsJSON {
  return { challenge, rpId: rp_id, timeout, userVerification: 'required', allowCredentials: descriptors(credentials) }
}

export interface EnrollingUser {
  /** See `users.passkey_handle`. */
  handle: string
  email: string
  name: string | null
}

/**
 * We choose: no attestation, since a passkey of any maker is accepted. An authenticator that has one of `excluded` makes no other. A browser
 * that creates one by itself (`is_automatic`) verifies nobody.
 */
export function creationOptions(
  rp: { id: string; name: string },
  challenge: string,
  { handle, email, name }: EnrollingUser,
  { excluded, is_automatic }: { excluded: readonly Credential[]; is_automatic: boolean },
): PublicKeyCredentialCreationOptionsJSON {
  return {
    challenge,
    rp,
    user: { id: handle, name: email, displayName: name ?? email },
    pubKeyCredParams: algorithms.map((alg) => ({ alg, type: 'public-key' })),
    timeout,
    excludeCredentials: descriptors(excluded),
    authenticatorSelection: {
      residentKey: 'required',
      requireResidentKey: true,
      userVerification: is_automatic ? 'preferred' : 'required',
    },
    attestation: 'none',
    extensions: { credProps: true },
  }
}
