/** Stores sign-ins under way at a provider. Each is valid for ten minutes, once, in the browser that started it. */
import type { EnvironmentId } from '@ostiary/contract/ids.ts'
import { z } from 'zod'
import { digestOf } from '../base/digest.ts'
import { sql } from '../db/db.ts'
import type { Deployment } from '../deployment/deployment.ts'
import { sealed_columns } from '../secrets/sealed-columns.ts'
import type { UpstreamSecrets } from './profile.ts'

const kept_ms = 600_000

const Payload = z.object({
  issuer: z.string().default(''),
  query: z.string(),
  nonce: z.string(),
  code_verifier: z.string(),
  browser: z.string(),
})

/** A sign-in at a provider that has started and not yet returned. */
interface UpstreamSignIn extends UpstreamSecrets {
  provider_id: string
  /** See `issuerOf`. */
  issuer: string
  /** The query of the application's authorization request, which continues after the callback. */
  query: string
  /** The seed of the browser's form tokens. The callback must come from the same browser. */
  browser: string
}

const { associatedData } = sealed_columns.upstream_sign_ins

export async function storeUpstreamSignIn(
  { db, secrets, now }: Pick<Deployment, 'db' | 'secrets' | 'now'>,
  environment_id: EnvironmentId,
  sign_in: UpstreamSignIn,
): Promise<void> {
  const { provider_id, issuer, state, query, nonce, code_verifier, browser } = sign_in
  const payload = JSON.stringify({ issuer, query, nonce, code_verifier, browser: digestOf(browser) })
  const sealed = secrets.seal(payload, associatedData(environment_id))
  await db.run(sql`insert into upstream_sign_ins (environment_id, state_hash, provider_id, payload, expires_at)
    values (${environment_id}, ${digestOf(state)}, ${provider_id}, ${sealed}, ${new Date(now().getTime() + kept_ms)})`)
}

const Row = z.object({ payload: z.string(), expires_at: z.date() })

/**
 * Returns and deletes the sign-in that this browser started at this provider with this state. `null` for any other browser, and for
 * every later call with the same state.
 */
export async function takeUpstreamSignIn(
  { db, secrets, now }: Pick<Deployment, 'db' | 'secrets' | 'now'>,
  environment_id: EnvironmentId,
  provider_id: string,
  state: string,
  browser: string | null,
): Promise<UpstreamSignIn | null> {
  const row = await db.changeOne(
    Row,
    sql`delete from upstream_sign_ins
         where environment_id = ${environment_id} and state_hash = ${digestOf(state)} and provider_id = ${provider_id}
         returning payload, expires_at`,
  )
  if (!row || row.expires_at <= now()) return null
  const payload = Payload.parse(JSON.parse(secrets.unseal(row.payload, associatedData(environment_id))))
  if (browser === null || payload.browser !== digestOf(browser)) return null
  return { ...payload, provider_id, state, browser }
}
