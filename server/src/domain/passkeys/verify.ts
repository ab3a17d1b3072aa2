/**
 * Verifies the responses of authenticators with @simplewebauthn/server, the only file that loads it. Its errors contain text of the
 * request, so they end here: the callers get a problem in words of ours.
 */
import { createPublicKey, type JsonWebKey } from 'node:crypto'
import { algorithms } from './options.ts'
import type { AssertionResponse, RegistrationResponse } from './response.ts'

export interface RelyingParty {
  rp_id: string
  origin: string
}

/** The facts of a credential that do not change, and those that each use brings. */
export interface VerifiedCredential {
  credential_id: string
  /** A COSE key (RFC 9052 §7) in base64url. */
  public_key: string
  counter: number
  backup_eligible: boolean
  backed_up: boolean
  aaguid: string
}

/**
 * WebAuthn §7.1. `null` if the response is not one to these options. One that a browser created by itself (`is_conditional`) says neither that the
 * person was there nor that they were verified.
 */
export async function verifyRegistration(
  { rp_id, origin }: RelyingParty,
  { id, type, challenge, response }: RegistrationResponse,
  is_conditional = false,
): Promise<VerifiedCredential | null> {
  const { verifyRegistrationResponse } = await load()
  const clean = {
    id,
    rawId: id,
    type,
    clientExtensionResults: {},
    response: { clientDataJSON: response.clientDataJSON, attestationObject: await withoutAttestation(response.attestationObject) },
  }
  const verified = await verifyRegistrationResponse({
    response: clean,
    expectedChallenge: challenge,
    expectedOrigin: origin,
    expectedRPID: rp_id,
    requireUserVerification: !is_conditional,
    requireUserPresence: !is_conditional,
    supportedAlgorithmIDs: algorithms,
  }).catch(refused)
  if (!verified?.verified) return null
  const { credential, credentialDeviceType, credentialBackedUp, aaguid } = verified.registrationInfo
  if (credential.id !== id || !(await isUsable(credential.publicKey))) return null
  return {
    credential_id: id,
    public_key: Buffer.from(credential.publicKey).toString('base64url'),
    counter: credential.counter,
    backup_eligible: credentialDeviceType === 'multiDevice',
    backed_up: credentialBackedUp,
    aaguid,
  }
}

/**
 * The response without its attestation statement, which the options did not ask for. To verify a statement, the library would parse
 * certificates of the sender and call the addresses in them.
 */
async function withoutAttestation(attestation_object: string): Promise<string> {
  const { decodeAttestationObject, isoCBOR } = await loadHelpers()
  try {
    const authData = decodeAttestationObject(new Uint8Array(Buffer.from(attestation_object, 'base64url'))).get('authData')
    if (!(authData instanceof Uint8Array)) return ''
    const none = new Map<string, Parameters<typeof isoCBOR.encode>[0]>([
      ['fmt', 'none'],
      ['attStmt', new Map()],
      ['authData', authData],
    ])
    return Buffer.from(isoCBOR.encode(none)).toString('base64url')
  } catch {
    return '' // no CBOR, or nested too deep: verification refuses an empty object
  }
}

/** RFC 9053 §7: reports whether a public key is complete, of a usual size, and on its curve. */
async function isUsable(public_key: Uint8Array): Promise<boolean> {
  const { decodeCredentialPublicKey } = await loadHelpers()
  const members = decodeCredentialPublicKey(new Uint8Array(public_key)) as Map<number, unknown> // as: the library names the members of each type
  const text = (label: number, least: number, most = least) => {
    const value = members.get(label)
    return value instanceof Uint8Array && value.length >= least && value.length <= most ? Buffer.from(value).toString('base64url') : ''
  }
  const of_algorithm: Record<number, { of: readonly unknown[]; jwk: JsonWebKey }> = {
    [-7]: { of: [2, 1], jwk: { kty: 'EC', crv: 'P-256', x: text(-2, 32), y: text(-3, 32) } },
    [-8]: { of: [1, 6], jwk: { kty: 'OKP', crv: 'Ed25519', x: text(-2, 32) } },
    [-257]: { of: [3], jwk: { kty: 'RSA', n: text(-1, 256, 512), e: text(-2, 1, 4) } },
  }
  const key = of_algorithm[Number(members.get(3))]
  const has_type = key?.of[0] === members.get(1) && (key?.of[1] === undefined || key.of[1] === members.get(-1))
  if (!key || !has_type || Object.values(key.jwk).includes('')) return false
  try {
    createPublicKey({ key: key.jwk, format: 'jwk' })
    return true
  } catch {
    return false // such as a point that is not on the curve
  }
}

/** A passkey as it was stored. */
export interface StoredCredential {
  credential_id: string
  public_key: string
  counter: number
  backup_eligible: boolean
  user_handle: string | null
}

export type Assertion = { counter: number; backed_up: boolean } | { problem: 'refused' | 'counter_went_back' | 'backup_changed' }

/**
 * WebAuthn §7.2. The signature is checked before the counter, so that only the authenticator itself can report a counter that went back.
 * `has_user`: the user is known, so the response need not name one.
 */
export async function verifyPasskey(
  { rp_id, origin }: RelyingParty,
  { id, type, challenge, response }: AssertionResponse,
  stored: StoredCredential,
  has_user: boolean,
): Promise<Assertion> {
  const { verifyAuthenticationResponse } = await load()
  const { userHandle } = response
  if (userHandle ? userHandle !== stored.user_handle : !has_user) return { problem: 'refused' }
  const { clientDataJSON, authenticatorData, signature } = response
  const flags = Buffer.from(authenticatorData, 'base64url').at(32) ?? 0
  const verified = await verifyAuthenticationResponse({
    response: { id, rawId: id, type, clientExtensionResults: {}, response: { clientDataJSON, authenticatorData, signature } },
    expectedChallenge: challenge,
    expectedOrigin: origin,
    expectedRPID: rp_id,
    requireUserVerification: true,
    credential: { id, publicKey: new Uint8Array(Buffer.from(stored.public_key, 'base64url')), counter: 0 }, // compared below
  }).catch((error) => {
    // Backed up without being eligible: the library stops before it checks the signature.
    if (error instanceof Error && error.name === 'InvalidBackupFlags') return 'backup_changed' as const
    return refused()
  })
  if (verified === 'backup_changed') return { problem: stored.backup_eligible ? 'backup_changed' : 'refused' }
  if (!verified?.verified) return { problem: 'refused' }
  const { newCounter, credentialBackedUp } = verified.authenticationInfo
  if (((flags & backup_eligible_flag) !== 0) !== stored.backup_eligible) return { problem: 'backup_changed' }
  if ((newCounter > 0 || stored.counter > 0) && newCounter <= stored.counter) return { problem: 'counter_went_back' }
  return { counter: newCounter, backed_up: credentialBackedUp }
}

/** WebAuthn §6.1. */
const backup_eligible_flag = 0b1000

/** The library throws for every response that it does not accept. */
const refused = (): null => null

/** Loaded with the first ceremony: a service without passkeys does not need it. */
const load = () => import('@simplewebauthn/server')
const loadHelpers = () => import('@simplewebauthn/server/helpers')
