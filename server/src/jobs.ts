/** Work that no request waits for: writing the uses of keys, removing what has expired. One failure never ends the loop. */
import { sql } from './db/db.ts'
import type { Deployment } from './deployment.ts'
import { createSequencer, startSequencer } from './events/sequencer.ts'
import { removeOldEvents } from './events/store.ts'
import type { KeyStore } from './keys/store.ts'
import { removeOldMails } from './mail/store.ts'
import { link_kept_ms } from './members/invitations.ts'
import { createBackchannelLogoutJobs } from './oidc/backchannel-logout.ts'
import type { Issuers } from './oidc/issuer.ts'
import { type KeyPool, rotateAgedKeys } from './oidc/signing-keys.ts'
import { startRunner } from './outbound/runner.ts'
import { createWebhookJobs } from './webhooks/deliver.ts'
import { createWebhookFanOut } from './webhooks/fan-out.ts'

const use_interval_ms = 2_000
const sweep_interval_ms = 60_000
const rotation_interval_ms = 3_600_000
/** An access token may outlive the refresh token that bought it, and needs its grant until then. */
const grant_keep_ms = 86_400_000

interface Needs {
  keys: KeyStore
  key_pool: KeyPool
  issuers: Issuers
}

interface Jobs {
  /** Outgoing calls in flight finish, and no more are begun. Ends with the requests in flight, within one limit for both. */
  stopDeliveries(): Promise<void>
  /** Afterwards: the rest, with what requests have left behind. */
  stop(): Promise<void>
}

export function startJobs(deployment: Deployment, { keys, key_pool, issuers }: Needs): Jobs {
  const { log } = deployment
  const every = (interval_ms: number, name: string, work: () => Promise<void>) => {
    let running: Promise<void> | null = null
    const run = () => {
      running ??= work()
        .catch((error) => log.error('A job failed and will be tried again.', { job: name }, error))
        .finally(() => {
          running = null
        })
    }
    const timer = setInterval(run, interval_ms)
    timer.unref()
    return async () => {
      clearInterval(timer)
      await running
    }
  }
  const sequencer = startSequencer(deployment, createSequencer(deployment, [createWebhookFanOut(deployment)]))
  const runner = startRunner(deployment, [
    createBackchannelLogoutJobs(deployment, issuers),
    ...createWebhookJobs(deployment, deployment.outbound),
  ])
  const stops = [
    every(use_interval_ms, 'key uses', keys.writeUses),
    every(use_interval_ms, 'counters', deployment.counters.write),
    every(sweep_interval_ms, 'sweep', () => sweep(deployment)),
    every(rotation_interval_ms, 'key rotation', () => rotateAgedKeys(deployment, key_pool)),
  ]
  return {
    stopDeliveries: () => runner.stop(runner_limit_ms),

    async stop() {
      await Promise.all(stops.map((stop) => stop()))
      await sequencer.stop()
      await deployment.counters.write().catch((error) => log.error('The last counts could not be written.', {}, error))
      await keys.writeUses().catch((error) => log.error('The last uses of keys could not be written.', {}, error))
    },
  }
}

/** What is in flight when the service stops gets this long; the rest is handed back. */
const runner_limit_ms = 5_000

/** How long deliveries can be looked up: as long as events. */
const delivery_keep_ms = 90 * 86_400_000

/** Two years and a little, so that a month can be compared with the same one before. */
const counter_keep_ms = 760 * 86_400_000

const slice = 1_000

/**
 * Removes what has expired and can mean nothing any more, a slice at a time so that nobody waits. Spent refresh tokens
 * stay until they expire: their return is a sign of theft.
 */
async function sweep({ db, now }: Pick<Deployment, 'db' | 'now'>): Promise<void> {
  const at = now()
  const kept_from = new Date(at.getTime() - grant_keep_ms)
  const count_from = new Date(at.getTime() - counter_keep_ms)
  const links_from = new Date(at.getTime() - link_kept_ms)
  const long_ago = new Date(at.getTime() - delivery_keep_ms)
  // biome-ignore format: this table is read by column
  const slices = [
    sql`delete from authorization_codes   where (environment_id, code_hash) in (select environment_id, code_hash from authorization_codes where expires_at < ${kept_from} limit ${slice})`,
    sql`delete from refresh_tokens        where (environment_id, token_hash) in (select environment_id, token_hash from refresh_tokens where expires_at < ${kept_from} limit ${slice})`,
    sql`delete from opaque_access_tokens  where (environment_id, token_hash) in (select environment_id, token_hash from opaque_access_tokens where expires_at < ${at} limit ${slice})`,
    sql`delete from revoked_access_tokens where (environment_id, jti) in (select environment_id, jti from revoked_access_tokens where expires_at < ${at} limit ${slice})`,
    sql`delete from sign_in_attempts      where (environment_id, account, source) in (select environment_id, account, source from sign_in_attempts where expires_at < ${at} limit ${slice})`,
    sql`delete from grants                where (environment_id, id) in (select environment_id, id from grants where expires_at < ${kept_from} limit ${slice})`,
    sql`delete from sessions              where (environment_id, id) in (select environment_id, id from sessions where absolute_expires_at < ${kept_from} limit ${slice})`,
    sql`delete from invitation_links      where token_hash in (select token_hash from invitation_links where created_at < ${links_from} limit ${slice})`,
    sql`delete from invitations           where (tenant_id, id) in (select tenant_id, id from invitations where updated_at < ${links_from} and (ended_at is not null or expires_at < ${links_from}) limit ${slice})`,
    sql`delete from used_assertions       where (environment_id, client_id, jti_hash) in (select environment_id, client_id, jti_hash from used_assertions where expires_at < ${at} limit ${slice})`,
    sql`delete from webhook_attempts      where (environment_id, message_id, number) in (select environment_id, message_id, number from webhook_attempts where at < ${long_ago} limit ${slice})`,
    sql`delete from webhook_messages      where (environment_id, id) in (select environment_id, id from webhook_messages where created_at < ${long_ago} limit ${slice})`,
    sql`delete from upstream_sign_ins     where (environment_id, state_hash) in (select environment_id, state_hash from upstream_sign_ins where expires_at < ${at} limit ${slice})`,
    removeOldMails(at, slice),
    sql`delete from counters              where (environment_id, hour, metric, label) in (select environment_id, hour, metric, label from counters where hour < ${count_from} limit ${slice})`,
    sql`delete from idempotency_records   where (credential_id, method, path, idempotency_key) in
          (select credential_id, method, path, idempotency_key from idempotency_records where expires_at < ${at} limit ${slice})`,
  ]
  for (const removal of slices) while ((await db.run(removal)) === slice);
  while (await removeOldEvents(db, at));
}
