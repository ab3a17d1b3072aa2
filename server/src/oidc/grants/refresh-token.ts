/** Refresh tokens as clients send and get them: texts made and read with the keys of the deployment, beside their rows (decision 0125). */
import type { EnvironmentId, GrantId } from '@ostiary/contract/ids.ts'
import { digestOf } from '../../base/digest.ts'
import type { Deployment } from '../../deployment/deployment.ts'
import type { GrantRow } from '../../domain/sessions/grants.ts'
import { findChain } from '../../domain/sessions/refresh-tokens.ts'
import { first_number, random_bytes, readRefreshToken, refreshTokenOf } from '../../protocol/refresh-token.ts'
import type { Chain, PresentedToken } from '../../protocol/token-place.ts'

type Secrets = Deployment['secrets']

/** A refresh token that a client sent and that belongs to a grant. */
export interface FoundToken {
  text: string
  grant: GrantRow
  token: PresentedToken
  /** The text of the token that was derived from this one; `null`: there is none. A retry gets it where it is the live one. */
  successor: string | null
}

/** `null` for any text but a refresh token of the environment: without a read, unless it has the form of one. */
export async function findRefreshToken(
  { db, secrets }: Pick<Deployment, 'db' | 'secrets'>,
  environment_id: EnvironmentId,
  text: string,
): Promise<FoundToken | null> {
  const parts = readRefreshToken(text, environment_id, macOf(secrets))
  const found = parts && (await findChain(db, environment_id, grantIdOf(parts.chain)))
  if (!found) return null
  const { grant, chain } = found
  const successor = successorOf(secrets, environment_id, { text, id: parts.chain, chain })
  const successor_digest = successor === null ? null : digestOf(successor)
  return { text, grant, token: { number: parts.number, digest: digestOf(text), successor_digest, chain }, successor }
}

/** A new refresh token: its text for the client, and what is stored of it. */
export interface MadeToken {
  text: string
  stored: Pick<Chain, 'number' | 'digest' | 'salt'>
}

/**
 * Makes the first refresh token of a grant, or the successor of another token. With a retry window it is derived from that token and a salt,
 * because a retry gets the same one and the database keeps nothing but its digest. The salt is new each time: a second copy of the database
 * derives other tokens.
 */
export function makeRefreshToken(
  { secrets, random }: Pick<Deployment, 'secrets' | 'random'>,
  { environment_id, grant_id }: { environment_id: EnvironmentId; grant_id: GrantId },
  { after, is_repeatable }: { after: FoundToken | null; is_repeatable: boolean },
): MadeToken {
  const number = after ? after.token.number + 1 : first_number
  const salt = after && is_repeatable ? random(salt_bytes).toString('base64url') : null
  const bits = after && salt !== null ? derivedBits(secrets, environment_id, after.text, salt) : random(random_bytes).toString('base64url')
  const text = refreshTokenOf({ chain: chainIdOf(grant_id), number, random: bits }, environment_id, macOf(secrets))
  return { text, stored: { number, digest: digestOf(text), salt } }
}

const salt_bytes = 8
const grant_prefix = 'grt_'
const chainIdOf = (grant_id: GrantId): string => grant_id.slice(grant_prefix.length)
const grantIdOf = (chain: string): string => grant_prefix + chain

const macOf =
  ({ mac }: Secrets) =>
  (data: string) =>
    mac('refresh-token', data)

/** The live token of the chain, if it was derived from the token with this text; `null` where it is random. */
function successorOf(secrets: Secrets, environment_id: string, { text, id, chain }: { text: string; id: string; chain: Chain }) {
  if (chain.salt === null) return null
  const parts = { chain: id, number: chain.number, random: derivedBits(secrets, environment_id, text, chain.salt) }
  return refreshTokenOf(parts, environment_id, macOf(secrets))
}

/** The same at every retry. No one can compute it, because the key never leaves the service. */
const derivedBits = ({ mac }: Secrets, environment_id: string, text: string, salt: string): string =>
  mac('refresh-chain-successor', `${environment_id}.${text}.${salt}`).subarray(0, random_bytes).toString('base64url')
