/** Refresh tokens as clients send and get them: texts made and read with the keys of the deployment, beside their rows (decision 0125). */
import type { EnvironmentId, GrantId } from '@ostiary/contract/ids.ts'
import { digestOf } from '../../base/digest.ts'
import { type Deployment, newSecret } from '../../deployment/deployment.ts'
import type { GrantRow } from '../../domain/sessions/grants.ts'
import { findChain, findRefreshRow, type SpentToken } from '../../domain/sessions/refresh-tokens.ts'
import { first_number, isFromBeforeChains, random_bytes, readRefreshToken, refreshTokenOf } from '../../protocol/refresh-token.ts'
import type { Chain, PresentedToken } from '../../protocol/token-place.ts'

type Secrets = Deployment['secrets']

/** A refresh token that a client sent and that belongs to a grant. */
export interface FoundToken {
  text: string
  grant: GrantRow
  token: PresentedToken
  /** The token that a refresh with it spends. */
  spent: SpentToken
}

/** `null` for any text but a refresh token of the environment: without a read, unless it has the form of one. */
export async function findRefreshToken(
  { db, secrets }: Pick<Deployment, 'db' | 'secrets'>,
  environment_id: EnvironmentId,
  text: string,
): Promise<FoundToken | null> {
  const parts = readRefreshToken(text, environment_id, macOf(secrets))
  if (parts) {
    const found = await findChain(db, environment_id, grantIdOf(parts.chain))
    if (!found) return null
    const { grant, chain } = found
    const spent = { form: 'chain' as const, number: parts.number, digest: digestOf(text) }
    return {
      text,
      grant,
      token: { ...spent, successor_digest: derivedDigest(secrets, environment_id, { text, grant, chain }), chain },
      spent,
    }
  }
  if (!isFromBeforeChains(text)) return null
  const row = await findRefreshRow(db, environment_id, digestOf(text))
  if (!row) return null
  const { grant, chain, expires_at, spent_at, token_hash } = row
  const successor_digest = chain && derivedDigest(secrets, environment_id, { text, grant, chain })
  return { text, grant, token: { form: 'row', expires_at, spent_at, successor_digest, chain }, spent: { form: 'row', token_hash } }
}

/** A new refresh token: its text for the client, and what is stored of it. */
export interface MadeToken {
  text: string
  stored: ({ form: 'chain' } & Pick<Chain, 'number' | 'digest' | 'salt'>) | { form: 'row'; token_hash: string }
}

/**
 * Makes the first refresh token of a grant, or the successor of another token. With a retry window it is derived from that token and a salt,
 * because a retry gets the same one and the database keeps nothing but its digest. The salt is new each time: a second copy of the database
 * derives other tokens.
 */
export function makeRefreshToken(
  services: Pick<Deployment, 'secrets' | 'random' | 'chain_start'>,
  { environment_id, grant_id }: { environment_id: EnvironmentId; grant_id: GrantId },
  { after, is_repeatable }: { after: FoundToken | null; is_repeatable: boolean },
  now: Date,
): MadeToken {
  const { secrets, random, chain_start } = services
  const is_chained = after?.token.form === 'chain'
  if (!is_chained && !chain_start.hasBegun(now)) {
    const text = after && is_repeatable ? successorInRow(secrets, environment_id, after.text) : newSecret(services)
    return { text, stored: { form: 'row', token_hash: digestOf(text) } }
  }
  const number = after?.token.form === 'chain' ? after.token.number + 1 : first_number
  const salt = after && is_repeatable ? random(salt_bytes).toString('base64url') : null
  const bits = after && salt !== null ? derivedBits(secrets, environment_id, after.text, salt) : random(random_bytes).toString('base64url')
  const text = refreshTokenOf({ chain: chainIdOf(grant_id), number, random: bits }, environment_id, macOf(secrets))
  return { text, stored: { form: 'chain', number, digest: digestOf(text), salt } }
}

/** The token that replaced this one, for a retry. Whether it is the live one is known from its digest. */
export function replacementOf(secrets: Secrets, environment_id: EnvironmentId, found: FoundToken): string {
  const { text, grant, token } = found
  const derived = token.chain && derivedText(secrets, environment_id, { text, grant, chain: token.chain })
  return derived ?? successorInRow(secrets, environment_id, text)
}

const salt_bytes = 8
const grant_prefix = 'grt_'
const chainIdOf = (grant_id: GrantId): string => grant_id.slice(grant_prefix.length)
const grantIdOf = (chain: string): string => grant_prefix + chain

const macOf =
  ({ mac }: Secrets) =>
  (data: string) =>
    mac('refresh-token', data)

interface Replaced {
  text: string
  grant: Pick<GrantRow, 'grant_id'>
  chain: Chain
}

/** The live token of the chain, if it was derived from this one; `null` where it is random. */
function derivedText(secrets: Secrets, environment_id: string, { text, grant, chain }: Replaced): string | null {
  if (chain.salt === null) return null
  const parts = { chain: chainIdOf(grant.grant_id), number: chain.number, random: derivedBits(secrets, environment_id, text, chain.salt) }
  return refreshTokenOf(parts, environment_id, macOf(secrets))
}

function derivedDigest(secrets: Secrets, environment_id: string, replaced: Replaced): string | null {
  const text = derivedText(secrets, environment_id, replaced)
  return text === null ? null : digestOf(text)
}

/** The same at every retry. No one can compute it, because the key never leaves the service. */
const derivedBits = ({ mac }: Secrets, environment_id: string, text: string, salt: string): string =>
  mac('refresh-chain-successor', `${environment_id}.${text}.${salt}`).subarray(0, random_bytes).toString('base64url')

/** The same for a token with a row of its own. */
const successorInRow = ({ mac }: Secrets, environment_id: string, text: string): string =>
  mac('refresh-successor', `${environment_id}.${text}`).toString('base64url')
