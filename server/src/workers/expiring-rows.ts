/**
 * The registry of rows that expire: each table, the column with the time, and how long a row is kept after it. The background
 * sweep removes what is past that. A table whose rows are to be removed is one more entry; `server/test/schema.test.ts` fails for a
 * table that is neither here nor in its list of lasting tables.
 */
import { day_ms, hour_ms } from '../base/durations.ts'
import { identifiers, type Statement, sql } from '../db/db.ts'
import type { Deployment } from '../deployment/deployment.ts'
import { refused_calls_kept_ms } from '../deployment/refused-calls/store.ts'
import { captured_mail_kept_ms } from '../domain/mail/store.ts'
import { link_kept_ms } from '../domain/members/invitations.ts'
import { over_kept_ms as invitation_kept_ms, link_kept_ms as organization_link_kept_ms } from '../domain/organizations/invitations.ts'
import { over_kept_ms } from '../domain/sessions/half-sign-ins.ts'

export interface ExpiringRows {
  readonly table: string
  readonly key: readonly string[]
  /** The column with the time that `kept_ms` counts from. */
  readonly time: string
  readonly kept_ms: number
  /** A further condition, for rows that were to be removed `before` a time. */
  readonly and?: (before: Date) => Statement
  /** Rows that one statement removes, so that no request waits for long. 1,000 if not set. */
  readonly slice?: number
}

/**
 * An access token may outlive its session by this long, and the session can be ended until then. For as long, token validation gives the
 * same reason for an expired token: the token and its revocation stay too.
 */
const grant_kept_ms = day_ms
/** Deliveries can be looked up for as long as events. */
const delivery_kept_ms = 90 * day_ms
/** The queue removes a mail whose life has ended. The sweep only finds one whose job was lost. */
const mail_kept_ms = day_ms
const event_kept_ms = 90 * day_ms
/** Long enough to see which addresses a key is used from, before its allowlist is set. */
const key_usage_kept_ms = 30 * day_ms
/** Two years and a month, so that a month can be compared with the same month of the year before last. */
const counter_kept_ms = 760 * day_ms

/** Long enough to read what became of it. */
const user_job_kept_ms = 7 * day_ms

/** The limits count the codes of the last hour, and a person who comes back to the page can ask for a new one. */
const code_kept_ms = hour_ms

/** Who still sends a key so long after its rotation gets the reason for an unknown key. */
const rotated_key_kept_ms = 90 * day_ms

/** A browser that was away for this long still learns that its passkey is gone. */
const removed_passkey_kept_ms = 400 * day_ms

/** Longer than a mail reaches back, so that none has a warning twice. */
const warning_kept_ms = 7 * day_ms

/** Of a source that reads once a day the days are counted, and it is shown for one. */
const reader_kept_ms = 2 * day_ms

const in_environment = (column: string) => ['environment_id', column]

// biome-ignore format: this table is read by column
export const expiring_rows: readonly ExpiringRows[] = [
  { table: 'authorization_codes',   key: in_environment('code_hash'),                   time: 'expires_at',          kept_ms: grant_kept_ms },
  { table: 'opaque_access_tokens',  key: in_environment('token_hash'),                  time: 'expires_at',          kept_ms: grant_kept_ms },
  { table: 'revoked_access_tokens', key: in_environment('jti'),                         time: 'expires_at',          kept_ms: grant_kept_ms },
  { table: 'expiry_warnings',       key: in_environment('object_id'),                   time: 'expires_at',          kept_ms: warning_kept_ms },
  { table: 'expiry_mails',          key: in_environment('tenant_id'),                   time: 'mailed_until',        kept_ms: warning_kept_ms },
  { table: 'jwks_readers',          key: in_environment('source'),                      time: 'last_read_at',        kept_ms: reader_kept_ms },
  { table: 'sign_in_attempts',      key: ['environment_id', 'account', 'source'],       time: 'expires_at',          kept_ms: 0 },
  { table: 'sessions',              key: in_environment('id'),                          time: 'absolute_expires_at', kept_ms: grant_kept_ms },
  { table: 'invitation_links',      key: ['token_hash'],                                time: 'created_at',          kept_ms: link_kept_ms },
  { table: 'invitations',           key: ['tenant_id', 'id'],                           time: 'updated_at',          kept_ms: link_kept_ms,
    and: (before) => sql`(ended_at is not null or expires_at < ${before})` },
  { table: 'organization_invitations', key: in_environment('id'),                       time: 'expires_at',          kept_ms: invitation_kept_ms },
  { table: 'organization_invitation_links', key: in_environment('token_hash'),          time: 'created_at',          kept_ms: organization_link_kept_ms },
  { table: 'used_assertions',       key: ['environment_id', 'client_id', 'jti_hash'],   time: 'expires_at',          kept_ms: 0 },
  { table: 'webhook_attempts',      key: ['environment_id', 'message_id', 'number'],    time: 'at',                  kept_ms: delivery_kept_ms },
  { table: 'webhook_messages',      key: in_environment('id'),                          time: 'created_at',          kept_ms: delivery_kept_ms },
  { table: 'upstream_sign_ins',     key: in_environment('state_hash'),                  time: 'expires_at',          kept_ms: 0 },
  { table: 'returned_upstream_states', key: in_environment('state_hash'),               time: 'expires_at',          kept_ms: 0 },
  { table: 'kept_answers',          key: in_environment('form_hash'),                   time: 'expires_at',          kept_ms: 0 },
  { table: 'shown_codes',           key: in_environment('user_id'),                     time: 'expires_at',          kept_ms: 0 },
  { table: 'half_sign_ins',         key: in_environment('secret_hash'),                 time: 'expires_at',          kept_ms: over_kept_ms },
  { table: 'trusted_browsers',      key: in_environment('id'),                          time: 'expires_at',          kept_ms: 0 },
  { table: 'dashboard_sessions',    key: ['session_hash'],                              time: 'expires_at',          kept_ms: 0 },
  { table: 'passkey_ceremonies',    key: in_environment('challenge_hash'),              time: 'expires_at',          kept_ms: 0 },
  { table: 'removed_passkeys',      key: in_environment('credential_id'),               time: 'removed_at',          kept_ms: removed_passkey_kept_ms },
  { table: 'captured_mails',        key: in_environment('id'),                          time: 'created_at',          kept_ms: captured_mail_kept_ms },
  { table: 'backchannel_logout_attempts', key: ['environment_id', 'message_id', 'number'], time: 'at',                  kept_ms: delivery_kept_ms },
  { table: 'backchannel_logouts',   key: in_environment('id'),                          time: 'created_at',          kept_ms: delivery_kept_ms },
  { table: 'key_usage',             key: ['key_id', 'hour', 'route', 'ip'],             time: 'hour',                kept_ms: key_usage_kept_ms },
  { table: 'user_jobs',             key: in_environment('id'),                          time: 'finished_at',         kept_ms: user_job_kept_ms },
  { table: 'mailed_codes',          key: in_environment('id'),                          time: 'expires_at',          kept_ms: code_kept_ms },
  { table: 'email_changes',         key: in_environment('user_id'),                     time: 'expires_at',          kept_ms: 0 },
  { table: 'mails',                 key: in_environment('id'),                          time: 'expires_at',          kept_ms: mail_kept_ms },
  { table: 'address_mails',         key: ['address', 'day', 'tenant_id'],               time: 'expires_at',          kept_ms: 0 },
  { table: 'counters',              key: ['environment_id', 'hour', 'metric', 'label'], time: 'hour',                kept_ms: counter_kept_ms },
  { table: 'refused_calls',         key: ['scope_id', 'id'],                            time: 'at',                  kept_ms: refused_calls_kept_ms },
  { table: 'dropped_calls',         key: ['scope_id', 'minute'],                        time: 'minute',              kept_ms: refused_calls_kept_ms },
  { table: 'rotated_keys',          key: ['digest'],                                    time: 'rotated_at',          kept_ms: rotated_key_kept_ms },
  { table: 'promotions',            key: ['project_id', 'id'],                          time: 'expires_at',          kept_ms: 0, slice: 5 },
  { table: 'idempotency_records',   key: ['credential_id', 'method', 'path', 'idempotency_key'], time: 'expires_at', kept_ms: 0 },
  { table: 'events',                key: in_environment('id'),                          time: 'created_at',          kept_ms: event_kept_ms,
    and: () => sql`sequence is not null`, slice: 200 },
]

/** Removes every row that is past its time, a slice at a time. */
export async function removeExpiredRows(db: Deployment['db'], now: Date): Promise<void> {
  for (const { table: name, key: columns, time: column, kept_ms, and, slice = 1_000 } of expiring_rows) {
    const [table, key, time] = [identifiers(name), identifiers(...columns), identifiers(column)]
    const before = new Date(now.getTime() - kept_ms)
    const removal = sql`delete from ${table} where (${key}) in
      (select ${key} from ${table} where ${time} < ${before} and ${and?.(before) ?? sql`1 = 1`} order by ${time} limit ${slice})`
    while ((await db.many.run(removal)) === slice);
  }
}
