/**
 * Where each table lives when the database is distributed over several nodes (decision 0143): the rows of an environment on one node, beside
 * each other. The rules for statements (`scripts/recorded-laws.ts`) follow from it, on every engine. `server/test/schema.test.ts` fails for a
 * table that is missing here.
 */

/** `environment` and `scope` are kept on the node of the value of a column, `everywhere` on each node, `coordinator` on the first one. */
export type Place = 'environment' | 'scope' | 'everywhere' | 'coordinator'

const names = (text: string): string[] => text.trim().split(/\s+/)

export const tables_of: Readonly<Record<Place, readonly string[]>> = {
  environment: names(`
    application_origins application_secrets applications authorization_codes backchannel_logout_attempts backchannel_logouts captured_mails consents counters
    disconnections email_changes endings es256_keys event_counters events expiry_mails expiry_warnings grants half_sign_ins identities issuer_certificates jwks_readers kept_answers mailed_codes mails metadata_clients
    opaque_access_tokens organization_consents organization_counts organization_disconnections organization_invitation_links organization_invitations organization_members organization_role_holders organizations passkey_ceremonies passkeys promoted_states providers recovery_codes refresh_chains removed_passkeys
    resource_server_scopes resource_servers returned_upstream_states revoked_access_tokens role_holders role_resource_servers roles sessions shown_codes sign_in_attempts signing_keys
    telemetry_cursors totp_methods trusted_browsers upstream_holds upstream_sign_ins used_assertions user_job_parts user_jobs user_texts user_words users webhook_attempts webhook_messages webhooks`),
  scope: names('dropped_calls refused_calls'),
  everywhere: names('tenants projects environments issuer_origins'),
  coordinator: names(`
    address_mails api_keys audit_heads audit_log dashboard_sessions deployment idempotency_records invitation_links invitations jobs key_usage
    leases members promotions rotated_keys schema_migrations`),
}

/** The column by which the rows of a table are distributed. */
export const columns: Readonly<Record<Place, string | null>> = {
  environment: 'environment_id',
  scope: 'scope_id',
  everywhere: null,
  coordinator: null,
}

const places = new Map<string, Place>(
  (Object.keys(tables_of) as Place[]).flatMap((place) => tables_of[place].map((table): [string, Place] => [table, place])), // as: the keys of the table above
)

/** Where a table lives; `undefined` for one that is not of the schema. */
export const placeOf = (table: string): Place | undefined => places.get(table)

/** The column by which a table is distributed; `null` for one that is not. */
export function distributionColumn(table: string): string | null {
  const place = places.get(table)
  return place === undefined ? null : columns[place]
}

/** Indexes whose expression has a mark (`environment.ts`), as a distributed database has them. */
export const indexes_without_marks = {
  events_unnumbered: 'create index events_unnumbered on events (environment_id, id) where sequence is null',
  users_by_chance: 'create index users_by_chance on users (environment_id, substr(id, 19)) where password_hash is not null',
  users_by_last_sign_in: 'create index users_by_last_sign_in on users (environment_id, last_sign_in_day, id)',
} as const
