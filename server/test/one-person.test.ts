/** Lists about a person with 20,000 rows of each kind read a window of them (decision 0067). */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { EnvironmentId, SessionId, UserId } from '@ostiary/contract/ids.ts'
import { z } from 'zod'
import { createDb, type Db, rowOf, type Statement, sql } from '../src/db/db.ts'
import { migrate } from '../src/db/migrate.ts'
import { openPostgres } from '../src/db/postgres/postgres.ts'
import { listMethods } from '../src/domain/accounts/methods.ts'
import { listEvents } from '../src/domain/events/store.ts'
import * as lists from '../src/domain/sessions/account-lists.ts'
import * as bounds from '../src/domain/sessions/bounds.ts'
import { listConsents } from '../src/domain/sessions/consents.ts'
import * as grant_bounds from '../src/domain/sessions/grant-bounds.ts'
import * as grant_search from '../src/domain/sessions/grant-search.ts'
import * as visits from '../src/domain/sessions/grant-visits.ts'
import { listGrants } from '../src/domain/sessions/grants.ts'
import { listSessionRecords } from '../src/domain/sessions/session-records.ts'
import { findSessions } from '../src/domain/sessions/sessions.ts'
import { onlyMethods } from './support/db-methods.ts'
import { run } from './support/plain-batch.ts'
import { freshDatabase, noPostgres, runCommand } from './support/postgres.ts'

const rows = 20_000
const environment_id = 'e' as EnvironmentId // as: ids of this test
const [user_id, session_id] = ['u' as UserId, 's1' as SessionId] // as: ids of this test
const now = new Date(1_000)
const page = sql`order by id desc limit 101`
const user = { environment_id, id: user_id }
const place = { environment_id, user_id, session_id, application_id: 'a1' }

/** The rows that a use may read. */
const most = 4_000

// biome-ignore format: this table is read by column
const uses: [what: string, use: (db: Db) => Promise<unknown>][] = [
  ['the sessions of the account page',     (db) => lists.listLatestSessions(db, { environment_id, id: session_id, user_id }, 100, now)],
  ['the applications of the account page', (db) => lists.listConnected(db, environment_id, user_id, now)],
  ['the scopes of an application',         (db) => lists.listGrantedScopes(db, environment_id, { user_id, application_id: 'a1' }, now)],
  ['the account chooser',                  (db) => findSessions(db, environment_id, ['t1', 't2', 't3'])],
  ['the sessions of the API',              (db) => listSessionRecords(db, user, now, page)],
  ['the grants of the API',                (db) => listGrants(db, user, now, page)],
  ['the methods of the API',               (db) => listMethods(db, environment_id, user_id, page)],
  ['the events of the dashboard',          (db) => listEvents(db, environment_id, { user_id }, sql`order by v.sequence desc limit 101`)],
  ['the consents of the export',           (db) => listConsents(db, environment_id, user_id, { after: '', limit: 100 })],
  ['the sessions that are too many',       (db) => bounds.findUnseen(db, user, { limit: 200, added: 1, most: 10 }, now)],
  ['the grants that are too many',         (db) => grant_search.findReplaced(db, { ...place, is_offline: true }, { limit: 100, added: 1, most: 10 }, now)],
  ['the grants of a session',              (db) => grant_search.findReplaced(db, { ...place, is_offline: false }, { limit: 50, added: 1, most: 10 }, now)],
  ['one grant that is too many',           async (db) => db.batch([...grant_bounds.replacingOne({ ...place, is_offline: true }, 100, { except: 'new', ended: [] }, now).replace])],
  ['one grant of a session',               async (db) => db.batch([...grant_bounds.replacingOne({ ...place, is_offline: false }, 50, { except: 'new', ended: [] }, now).replace])],
  ['the grants whose visit is due',        (db) => visits.findDueGrants(db, now)],
]

const Read = z.object({ read: z.int() })
const rows_read = sql`select coalesce(sum(idx_tup_fetch + seq_tup_read), 0) as read from pg_stat_xact_user_tables`

for (const in_one_session of [true, false])
  test(
    `each list about a person reads a window of ${rows} rows, with ${in_one_session ? 'all grants in one session' : 'a grant in each session'}`,
    { skip: noPostgres },
    async (t) => {
      const url = await freshDatabase()
      const db = createDb(openPostgres(url, { connections: 1 }))
      after(() => db.close())
      await migrate(db)
      await fill(url, in_one_session)
      await runCommand(url, 'analyze')
      for (const [what, use] of uses)
        await t.test(what, async () => {
          for (const statement of await statementsOf(use)) {
            const results = await run(db, rows_read, statement, rows_read)
            const read = (at: number) => rowOf(Read, results?.[at])?.read ?? Number.NaN
            assert.ok(read(2) - read(0) <= most, `${read(2) - read(0)} rows by ${statement.parts.join('?')}`)
          }
        })
    },
  )

/** The statements that a use sends; each finds nothing. */
async function statementsOf(use: (typeof uses)[number][1]): Promise<Statement[]> {
  const sent: Statement[] = []
  const note = (answer: unknown) => (_: unknown, statement: Statement) => {
    sent.push(statement)
    return Promise.resolve(answer)
  }
  const batch = (statements: readonly Statement[]) => {
    sent.push(...statements)
    return Promise.resolve(null)
  }
  await use(onlyMethods({ all: note([]), maybeOne: note(null), batch }))
  assert.ok(sent.length > 0)
  return sent
}

/** Gives one user many rows of each kind: ten applications, half of the grants with `offline_access`. */
async function fill(url: string, in_one_session: boolean): Promise<void> {
  const many = `generate_series(1, ${rows}) as n`
  const later = 9_000_000
  const commands = [
    `insert into tenants (id, slug, name, created_at, updated_at) values ('t', 't', 't', 0, 0)`,
    `insert into projects (tenant_id, id, slug, name, created_at, updated_at) values ('t', 'p', 'p', 'p', 0, 0)`,
    `insert into environments (tenant_id, project_id, id, slug, name, type, issuer, created_at, updated_at, settings_updated_at)
      values ('t', 'p', 'e', 'e', 'e', 'test', 'i', 0, 0, 0)`,
    `insert into users (environment_id, id, email, email_key, email_verified, phone_number_verified, metadata, created_at, updated_at)
      values ('e', 'u', 'a@b', 'a@b', 1, 0, '{}', 0, 0)`,
    `insert into applications (environment_id, id, slug, name, application_type, redirect_uris, post_logout_redirect_uris,
                                  token_endpoint_auth_method, allowed_scopes, require_pkce, consent, allow_loopback_port, disabled, unknown_scopes, created_at, updated_at)
      select 'e', 'a' || n, 's' || n, 'A' || n, 'web', '[]', '[]', 'none', '[]', 1, 'skip', 0, 0, 'reject', 0, 0 from generate_series(0, 9) as n`,
    `insert into sessions (environment_id, id, user_id, token_hash, amr, acr, began_with, created_at, auth_time, last_seen_at, expires_at,
                              absolute_expires_at)
      select 'e', 's' || n, 'u', 't' || n, '[]', '', 'email_code', 0, 0, n, ${later}, ${later} from ${many}`,
    `insert into grants (environment_id, id, user_id, application_id, session_id, scope, resource, offline, auth_time, amr, acr, began_with,
                            created_at, expires_at, visit_at, code_hash)
      select 'e', 'g' || n, 'u', 'a' || (n % 10), 's' || ${in_one_session ? '1' : 'n'}, 'openid', '[]', n / 10 % 2, 0, '[]', '', 'email_code', n, ${later}, ${later}, 'c' || n
        from ${many}`,
    `insert into consents (environment_id, user_id, application_id, scope, created_at, updated_at)
      select 'e', 'u', 'a' || n, 'openid', 0, 0 from ${many}`,
    `insert into events (environment_id, id, sequence, type, created_at, actor_type, user_id, data)
      select 'e', 'v' || n, n, 'sign_in.succeeded', n, 'user', 'u', '{}' from ${many}`,
  ]
  // A slow machine needs longer than a request may wait for the database.
  await runCommand(url, commands.join(';'))
}
