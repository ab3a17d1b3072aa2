/** The facts about tables for the laws of batches, and the statements that those allow for a stated reason (`recorded-laws.ts`). */

const names = (text: string): string[] => text.trim().split(/\s+/)

/** Tables whose rows are inserted under random keys, or under numbers that a held row gives out: such an insert waits for nobody. */
export const free_inserts: ReadonlySet<string> = new Set(
  names(`
    api_keys audit_log authorization_codes backchannel_logout_attempts backchannel_logouts captured_mails dashboard_sessions events grants
    half_sign_ins trusted_browsers invitation_links jobs mailed_codes mails opaque_access_tokens organization_invitation_links recovery_codes refresh_chains refused_calls sessions
    totp_methods upstream_sign_ins webhook_attempts webhook_messages`),
)

/** Tables whose rows belong to one user. */
export const rows_of_user: ReadonlySet<string> = new Set(
  names(`
    passkeys trusted_browsers removed_passkeys totp_methods recovery_codes identities sessions half_sign_ins shown_codes email_changes consents grants disconnections
    dashboard_sessions organization_consents organization_disconnections role_holders user_texts user_words`),
)

/** Tables whose rows belong to one environment, and change after its row in a batch that writes other tables too. */
export const rows_of_environment: ReadonlySet<string> = new Set(names('es256_keys application_secrets'))

/**
 * A batch holds these rows by the row of the user. A slice of an ending holds them by its row in `endings`: they are no longer valid, and a
 * batch about a user changes only valid rows.
 */
export const holders_of_user: readonly string[] = ['users', 'endings']

/** Those that change only after the row of the user, also in a batch of nothing else: ways in, and what begins with them. */
export const ways_in: ReadonlySet<string> = new Set(
  names('passkeys trusted_browsers totp_methods recovery_codes identities sessions half_sign_ins'),
)

/** Rows that are added only by batches that write a row of another table first. A guard after such a row reads all of them. */
export const held_by: Readonly<Record<string, readonly string[]>> = {
  api_keys: ['environments', 'tenants'],
  applications: ['environments'],
  endings: [
    'users',
    'sessions',
    'applications',
    'metadata_clients',
    'organizations',
    'organization_members',
    'providers',
    'disconnections',
    'organization_disconnections',
  ],
  environments: ['projects'],
  identities: ['providers'],
  invitation_links: ['tenants'],
  invitations: ['tenants'],
  mailed_codes: ['sign_in_attempts'],
  metadata_clients: ['environments'],
  members: ['tenants'],
  organization_invitation_links: ['organizations', 'sign_in_attempts'],
  organization_invitations: ['organizations'],
  organization_members: ['organizations'],
  organization_role_holders: ['organization_members', 'organizations'],
  organizations: ['organization_counts'],
  projects: ['tenants'],
  promotions: ['projects'],
  providers: ['environments'],
  resource_server_scopes: ['resource_servers'],
  resource_servers: ['environments'],
  role_resource_servers: ['roles'],
  roles: ['environments'],
  es256_keys: ['environments'],
  signing_keys: ['environments'],
  tenants: ['users'],
  user_jobs: ['environments'],
  webhooks: ['tenants'],
}

interface Stated {
  /** How the statement begins. */
  write: string
  why: string
}

const numbers = 'it counts only while the numbers that it reads are the present ones, which each acceptance compares (decision 0065)'
const numbered = names(`
  applications consents disconnections grants identities metadata_clients organization_consents organization_disconnections organization_members organizations
  passkeys providers sessions users`)
const inviter = 'to block an inviter ends no membership, so it may as well come after; the tenant holds the members'
const inviter_of_member = 'a role that changes at this very moment may as well change after: that ends no membership'
const consent = 'a consent alone admits nobody: the grant reads the application and the membership again'

/** Guards that read rows which nothing holds. */
export const stated_guards: readonly (Stated & { reads: readonly string[] })[] = [
  { write: 'update authorization_codes set spent_by', reads: numbered, why: numbers },
  { write: 'update refresh_tokens set spent_by', reads: numbered, why: numbers },
  { write: 'update refresh_chains set number', reads: numbered, why: numbers },
  { write: 'update sessions set', reads: numbered, why: numbers },
  { write: 'update grants set ended_at', reads: numbered, why: numbers },
  { write: 'update half_sign_ins set', reads: numbered, why: numbers },
  { write: 'insert into sessions', reads: ['providers', 'passkeys', 'identities'], why: numbers },
  { write: 'insert into half_sign_ins', reads: ['providers', 'passkeys', 'identities', 'sessions'], why: numbers },
  { write: 'insert into grants', reads: numbered, why: numbers },
  { write: 'insert into consents', reads: ['applications', 'metadata_clients'], why: consent },
  { write: 'update consents set scope', reads: ['applications', 'metadata_clients'], why: consent },
  { write: 'insert into organization_consents', reads: ['applications', 'metadata_clients', 'organization_members'], why: consent },
  { write: 'update organization_consents set scope', reads: ['applications', 'metadata_clients', 'organization_members'], why: consent },
  { write: 'delete from metadata_clients as m', reads: ['grants'], why: 'a grant of this very moment ends with its client' },
  { write: 'update invitations set accounts', reads: ['members'], why: inviter },
  { write: 'select 1 as held where exists (select 1 from users b', reads: ['users'], why: inviter },
  { write: 'select 1 as held where (select count(*) from roles', reads: ['roles'], why: inviter_of_member },
  {
    write: 'select 1 as held where (select count(*) from (select distinct user_id',
    reads: ['roles', 'users'],
    why: 'who administers by a role, or is blocked, from this very moment on may as well be so after',
  },
  { write: 'select 1 as held where not exists (select 1 from applications', reads: ['applications'], why: inviter_of_member },
  {
    write: 'select 1 as held where exists ( select 1 from sessions s',
    reads: ['providers'],
    why: 'to switch off a provider may as well come after',
  },
  { write: 'select 1 as held where (select count(*) from webhooks', reads: ['environments'], why: 'a new environment has no webhooks' },
  {
    write: 'select 1 as held where (select count(*) from members where user_id',
    reads: ['members'],
    why: 'every batch that adds a membership writes the user, whom the batch holds',
  },
  {
    write: 'insert into webhook_messages',
    reads: ['events', 'webhook_messages'],
    why: 'an event keeps its number, and after that its messages are made only by batches that hold the webhook',
  },
  { write: 'insert into mailed_codes', reads: ['environments'], why: 'an environment is never deleted' },
  { write: 'update users set email', reads: ['users'], why: 'the unique key of addresses decides, and the batch runs again' },
  {
    write: 'update users set sub',
    reads: ['users'],
    why: 'the unique key of subs decides, and the batch runs again; nobody chooses an id',
  },
  {
    write: 'update organizations set external_id',
    reads: ['organizations'],
    why: 'the unique key of external ids decides, and the batch runs again',
  },
  { write: 'update applications set version = version', reads: ['grants'], why: 'a grant of this very moment ends with its application' },
  {
    write: 'update roles set version = version',
    reads: ['role_holders'],
    why: 'a role that is given at this very moment goes like one of the moment before',
  },
  { write: 'update users set updated_at', reads: ['providers'], why: 'to switch off a provider may as well come after' },
  {
    write: 'select 1 as held where not exists (select 1 from tenants',
    reads: ['tenants'],
    why: 'every first tenant writes the row before',
  },
]

const touch = 'it notes a use'
const gives_way = 'the grant is over or gives way, and every batch takes its session, its code and then the grant'

/** Statements about a user whose batch does not begin with the user. `beside`: the batch may wait for other rows too. */
export const stated_writes: readonly (Stated & { beside?: boolean })[] = [
  { write: 'delete from user_texts where', beside: true, why: 'the walk finds a user who is gone, and no other user gets the id' },
  { write: 'delete from user_words where', beside: true, why: 'the walk finds a user who is gone, and no other user gets the id' },
  { write: 'update half_sign_ins set tries', beside: true, why: 'it counts a try' },
  { write: 'update sessions set last_seen_at = ?', beside: true, why: touch },
  { write: 'insert into grants', beside: true, why: numbers },
  { write: 'insert into dashboard_sessions', beside: true, why: 'its key is random' },
  { write: 'update grants set expires_at', beside: true, why: 'redemption and rotation keep the grant of what they have spent' },
  { write: 'update grants set last_used_at', beside: true, why: touch },
  { write: 'update grants set ended_at = ?, ended_by = ?', beside: true, why: 'every batch takes the chain and then its grant' },
  { write: 'update sessions set grant_count = (', beside: true, why: 'the batch wrote this row first' },
  { write: 'update sessions set counted', why: 'it notes that a person has no more than the bound' },
  { write: 'delete from grants where environment_id = ? and id', beside: true, why: gives_way },
  { write: 'update grants set visit_at', beside: true, why: gives_way },
  {
    write: 'update grants set used_since',
    beside: true,
    why: 'it writes bounds, after the grants that give way, and leaves those that a visit may hold',
  },
  { write: 'update totp_methods set secret', why: 'a new master key seals the same secret again' },
  { write: 'update sessions set upstream_id_token', why: 'a new master key seals the same token again' },
  { write: 'update half_sign_ins set signed_in', why: 'a new master key seals the same token again' },
  { write: 'delete from sessions where (environment_id, id) in (select', why: 'it has expired' },
  { write: 'delete from sessions where environment_id = ? and id in (', beside: true, why: 'it has expired' },
  { write: 'delete from half_sign_ins where (environment_id, secret_hash) in (select', why: 'it has expired' },
  { write: 'delete from trusted_browsers where (environment_id, id) in (select', why: 'it has expired' },
]

const few = 'a person has few'
const last = 'what was more has gone in slices'
const trimmed = 'each insert removes what is over the limit'
const hourly = 'an address has as many as the limit of an hour'

/** Updates and deletions of rows that are found by another key than a unique one. */
export const stated_sizes: readonly Stated[] = [
  { write: 'delete from user_words where rowid = ?', why: 'the row of one user: a full-text table has no other key' },
  { write: 'delete from user_job_parts where environment_id = ? and job_id = ?', why: 'a job has at most 20 parts' },
  { write: 'delete from passkeys where environment_id = ? and user_id = ?', why: few },
  { write: 'delete from totp_methods where environment_id = ? and user_id = ?', why: few },
  { write: 'delete from trusted_browsers where environment_id = ? and user_id = ?', why: 'a person has at most ten' },
  { write: "delete from trusted_browsers where user_id = ? and environment_id || '' = ?", why: 'a person has at most ten' },
  { write: 'delete from recovery_codes where environment_id = ? and user_id = ?', why: few },
  { write: 'delete from identities where environment_id = ? and user_id = ?', why: few },
  { write: "delete from identities where environment_id || '' = ? and id in (?", why: 'a list of ids' },
  { write: 'delete from members where user_id = ?', why: 'a person creates and joins few tenants' },
  { write: 'update invitations set ended_at', why: 'a tenant has at most 50 that are pending' },
  { write: 'update promotions set needs_approval', why: 'a project keeps its newest 100 plans' },
  { write: 'update mailed_codes set ended_at', why: hourly },
  { write: 'update metadata_clients set ending', why: 'an environment has at most as many as its quota' },
  { write: 'delete from application_secrets where environment_id = ? and application_id = ?', why: 'an application has at most two' },
  { write: 'delete from application_origins where environment_id = ? and application_id = ?', why: 'as many as redirect URIs' },
  { write: 'delete from resource_server_scopes where resource_server_id = ?', why: 'a resource server has at most 200 scopes' },
  { write: 'delete from role_resource_servers where role_id = ?', why: 'a role names each resource server once' },
  { write: 'delete from organization_consents where (', why: 'a list of keys' },
  { write: 'delete from organization_disconnections where (', why: 'a list of keys' },
  { write: 'delete from role_holders where user_id = ?', why: few },
  { write: 'delete from role_holders where role_id = ?', why: 'a slice of the holders of a role that is gone' },
  { write: 'delete from organization_role_holders where role_id = ?', why: 'a slice of the holders of a role that is gone' },
  {
    write: 'delete from organization_role_holders where user_id = ?',
    why: 'a member has at most 20 roles, and a slice is a list of members',
  },
  { write: 'delete from organization_role_holders where organization_id = ?', why: 'a list of members' },
  { write: 'delete from webhook_attempts where environment_id = ? and message_id in (select', why: last },
  { write: 'delete from webhook_attempts where environment_id = ? and message_id in (?', why: 'a list of messages' },
  { write: 'delete from webhook_messages where environment_id = ? and webhook_id = ?', why: last },
  { write: 'update webhook_messages set updated_at = ? where webhook_id', why: 'a window of 500 messages' },
  { write: "update webhook_messages set status = 'waiting'", why: 'a window of 500 messages' },
  { write: 'update grants set expires_at', why: 'the newest grant of each application' },
  { write: 'update es256_keys set unused_from', why: 'a key is made every ten minutes at most, and goes with its last token' },
  { write: 'update schema_migrations set oldest_program', why: 'the number is the key of a migration' },
  { write: 'update events set data', why: 'a window of 500 numbers' },
  { write: 'delete from captured_mails where environment_id', why: trimmed },
  { write: 'delete from refused_calls where scope_id', why: trimmed },
  { write: 'delete from rotated_keys where tenant_id', why: trimmed },
]

/** Statements that a test puts into a batch of the service. */
export const of_tests: readonly string[] = [
  "update leases set holder = holder where name = 'unknown'",
  "insert into deployment (name, value) values ('fanned out'",
  'insert into no_such_table',
]

const due = 'what is due or left in any environment'
const of_tenant = 'the environments of a tenant or a project'

/**
 * Statements about many environments at once. A distributed database asks each of its nodes. Beside them are walks over the key of a table
 * and sweeps of what is over, which `distributed-laws.ts` knows by their form.
 */
export const of_all_environments: readonly Stated[] = [
  { write: 'select environment_id, id from users where erase_at', why: 'the accounts of every environment that are to be erased' },
  { write: 'select environment_id, id from users where deletes_at', why: 'the same' },
  { write: 'select environment_id, id, action, total, position', why: 'a worker finds the jobs of all environments, which are few' },
  { write: 'select e.type, e.issuer from applications a', why: of_tenant },
  { write: 'select e.id from environments e join opaque_access_tokens', why: of_tenant },
  { write: 'select 1 as is_proven from users u join environments o', why: of_tenant },
  { write: 'select * from (select e.tenant_id, e.project_id, e.id as environment_id', why: of_tenant },
  { write: 'select * from ( select e.tenant_id, e.project_id, e.id as environment_id', why: of_tenant },
  { write: 'select count(*) as count from webhooks w join environments e', why: of_tenant },
  { write: 'select 1 as held where (select count(*) from webhooks', why: of_tenant },
  { write: 'select 1 as one where (select count(*) from webhooks', why: of_tenant },
  { write: "select environment_id, id, redirect_uris from applications where application_type = 'spa' and (environment_id >", why: due },
  { write: 'insert into deployment (name, value) select cast(? as text), case when exists (select 1 from grants)', why: due },
  { write: 'select count(*) as count from refresh_chains where ahead_at', why: due },
  { write: 'select scope_id, count(*) as count from refused_calls where scope_id in (', why: 'a list of scopes' },
  { write: 'select environment_id, id, user_id from (select * from sessions where coalesce(counted', why: due },
  { write: "select environment_id from signing_keys where private_key <> '' group by environment_id having", why: due },
  { write: 'select environment_id from es256_keys where unused_from is null group by environment_id having', why: due },
  { write: 'select environment_id, kid from signing_keys where', why: due },
  { write: 'select environment_id, kid from es256_keys where', why: due },
  { write: "update signing_keys set private_key = '' where environment_id in (", why: 'a list of environments' },
  { write: 'delete from signing_keys where environment_id in (', why: 'a list of environments' },
  { write: 'delete from es256_keys where environment_id in (', why: 'a list of environments' },
  { write: 'select due.environment_id, due.id, due.user_id', why: due },
  { write: 'select environment_id, kind, subject, number, user_id, ended_by', why: due },
  { write: 'select environment_id, id, scopes, version from resource_servers where scopes_version', why: due },
  { write: 'select environment_id, role_id from role_holders where role_id >', why: due },
  { write: 'select environment_id, role_id from organization_role_holders where role_id >', why: due },
  { write: 'select count(*) as count from endings', why: due },
  { write: 'with recursive waiting (id, position) as', why: due },
  { write: 'select e.id as environment_id, e.tenant_id as tenant_id, x.id as id', why: due },
  { write: 'select null as environment_id, e.tenant_id as tenant_id, x.environment_id as id', why: due },
  { write: 'select count(*) as count from ( select 1 as one from', why: due },
  { write: 'select environment_id, object_id, days, expires_at from expiry_warnings where object_id in (', why: 'a list of ids' },
  { write: 'select distinct tenant_id from expiry_warnings where warned_at >', why: due },
  { write: 'select w.kind, w.name, w.expires_at, w.environment_id, e.name', why: of_tenant },
  { write: 'select o.environment_id, o.issuer from issuer_origins o', why: due },
  { write: 'select c.environment_id, c.last, t.sequence as sent from event_counters', why: 'a walk with the cursor of each environment' },
  { write: 'select s.environment_id, s.provider_id, s.issuer, s.subject, s.user_id', why: due },
]
