/** People on their way to a provider and back: what has to fit on return, for ten minutes, once, in the same browser. */
import type { EnvironmentId } from '@ostiary/contract/ids.ts'
import { z } from 'zod'
import { sql } from '../db/db.ts'
import type { Deployment } from '../deployment.ts'
import { digestOf } from '../digest.ts'
import { sealed_columns } from '../sealed-columns.ts'
import type { Departure } from './profile.ts'

const kept_ms = 600_000

const Payload = z.object({
  issuer: z.string().default(''),
  query: z.string(),
  nonce: z.string(),
  code_verifier: z.string(),
  browser: z.string(),
})

interface Journey extends Departure {
  provider_id: string
  /** See `issuerOf`. */
  issuer: string
  /** The authorization request that goes on afterwards. */
  query: string
  /** The seed of the browser's form tokens: whoever comes back must be who left. */
  browser: string
}

const { associatedData } = sealed_columns.upstream_sign_ins

export async function storeDeparture(
  { db, secrets, now }: Pick<Deployment, 'db' | 'secrets' | 'now'>,
  environment_id: EnvironmentId,
  journey: Journey,
): Promise<void> {
  const { provider_id, issuer, state, query, nonce, code_verifier, browser } = journey
  const payload = secrets.seal(
    JSON.stringify({ issuer, query, nonce, code_verifier, browser: digestOf(browser) }),
    associatedData(environment_id),
  )
  await db.run(sql`insert into upstream_sign_ins (environment_id, state_hash, provider_id, payload, expires_at)
    values (${environment_id}, ${digestOf(state)}, ${provider_id}, ${payload}, ${new Date(now().getTime() + kept_ms)})`)
}

const Row = z.object({ payload: z.string(), expires_at: z.date() })

/** Whoever left to this provider with this state in this browser; `null` for anybody else, and the second time. */
export async function takeDeparture(
  { db, secrets, now }: Pick<Deployment, 'db' | 'secrets' | 'now'>,
  environment_id: EnvironmentId,
  provider_id: string,
  state: string,
  browser: string | null,
): Promise<Journey | null> {
  const row = await db.changeOne(
    Row,
    sql`delete from upstream_sign_ins where environment_id = ${environment_id} and state_hash = ${digestOf(state)} and provider_id = ${provider_id} returning payload, expires_at`,
  )
  if (!row || row.expires_at <= now()) return null
  const payload = Payload.parse(JSON.parse(secrets.unseal(row.payload, associatedData(environment_id))))
  if (browser === null || payload.browser !== digestOf(browser)) return null
  return { ...payload, provider_id, state, browser }
}
