/** The checks of `ostiary doctor` in the database, for each engine. */
import type { Config } from '@ostiary/server/base/config/config.ts'
import { DatabaseUnavailable, type Db, sql } from '@ostiary/server/db/db.ts'
import { readMigrations, refuseUnreleased } from '@ostiary/server/db/migrate.ts'
import { withoutOutcome } from '@ostiary/server/db/outcome.ts'
import type { Deployment } from '@ostiary/server/deployment/deployment.ts'
import { z } from 'zod'
import type { Finding } from './finding.ts'

/** Returns a finding if the schema is older than this program, and `null` otherwise. */
export async function checkSchema(db: Db): Promise<Finding | null> {
  const current = await db.schema()
  refuseUnreleased(current)
  const { number: schema } = current
  const pending = readMigrations().filter(({ number }) => number > schema).length
  if (pending === 0) return null
  if (schema === 0)
    return { level: 'ok', text: 'The database is empty: the first start creates the schema. There is nothing else to check.' }
  return {
    level: 'warning',
    text: `The schema of the database is older than this Ostiary (missing migrations: ${pending}). Run "ostiary migrate" or start the service to update it. The other checks did not run.`,
  }
}

const Rights = z.object({ may_create: z.boolean(), may_try: z.boolean() })

/**
 * Finds a full disk, a read-only database and, where a migration is due, a missing right. It writes a table of some 100 KB that ends with its
 * own statement, so nothing stays. The embedded database is opened for changes by every check.
 */
export async function checkWrites({ runAlone, maybeOne }: Db, is_migration_due: boolean): Promise<Finding[]> {
  if (runAlone === null) return []
  const rights = await maybeOne(
    Rights,
    sql`select coalesce(has_schema_privilege(current_schema(), 'create'), false) as may_create,
          has_database_privilege(current_database(), 'temporary') as may_try`,
  )
  if (is_migration_due && !rights?.may_create) return [{ level: 'problem', text: no_right }]
  if (!rights?.may_try) return [] // a user without this right can serve
  try {
    await runAlone(filler, new AbortController().signal)
    return []
  } catch (error) {
    if (!(error instanceof DatabaseUnavailable)) throw error
    return [{ level: 'problem', text: withoutOutcome(error) }]
  }
}

const filler = sql`create temporary table ostiary_doctor on commit drop as select cast(n as text) as n from generate_series(1, 3000) as n`
const no_right =
  'The user of the database lacks a right: it may create no tables there, and a migration does. Make that user the owner of the database.'

export function checkDatabase(deployment: Deployment): Promise<Finding[]> {
  return deployment.db.engine === 'sqlite' ? checkFile(deployment) : checkServer(deployment)
}

const Answer = z.object({ result: z.string() })

async function checkFile({ db }: Deployment): Promise<Finding[]> {
  const row = await db.maybeOne(Answer, sql`select integrity_check as result from pragma_integrity_check limit 1`)
  if (row?.result === 'ok') return [{ level: 'ok', text: 'The embedded database is sound.' }]
  return [{ level: 'problem', text: `The embedded database is damaged (${row?.result}). Restore the data directory from a backup.` }]
}

const oldest_version = 140_000
const most_clock_skew_ms = 5_000

const Server = z.object({
  version: z.string(),
  version_number: z.number(),
  fsync: z.string(),
  synchronous_commit: z.string(),
  at: z.number(),
})

async function checkServer({ db, config, now }: Deployment): Promise<Finding[]> {
  const asked_at = now().getTime()
  const row = await db.maybeOne(
    Server,
    sql`select current_setting('server_version') as version, cast(current_setting('server_version_num') as integer) as version_number,
          current_setting('fsync') as fsync, current_setting('synchronous_commit') as synchronous_commit,
          floor(extract(epoch from clock_timestamp()) * 1000) as at`,
  )
  if (!row) throw new Error('The database returned no row for a query that always has one.')
  return [
    checkVersion(row),
    checkDurability(row),
    checkClocks(row.at - (asked_at + now().getTime()) / 2),
    ...(await checkProcesses(db, config)),
    ...(await checkEncryption(db, config)),
  ]
}

function checkVersion({ version, version_number }: z.infer<typeof Server>): Finding {
  if (version_number >= oldest_version) return { level: 'ok', text: `The database server is PostgreSQL ${version}.` }
  return {
    level: 'problem',
    text: `The database server is PostgreSQL ${version}. Upgrade it to 14 or later: older ones are not supported.`,
  }
}

function checkDurability({ fsync, synchronous_commit }: z.infer<typeof Server>): Finding {
  if (fsync === 'on' && synchronous_commit !== 'off')
    return { level: 'ok', text: 'The database server writes a commit to disk before it confirms it.' }
  const setting = fsync === 'on' ? `synchronous_commit is ${synchronous_commit}` : `fsync is ${fsync}`
  return { level: 'warning', text: `On the database server ${setting}, so a crash can lose confirmed commits. Set it to on.` }
}

function checkClocks(skew_ms: number): Finding {
  const skew = `${(Math.abs(skew_ms) / 1000).toFixed(1)} s`
  if (Math.abs(skew_ms) < most_clock_skew_ms)
    return { level: 'ok', text: `The clocks of this machine and of the database server agree (${skew}).` }
  const behind = skew_ms > 0 ? 'this machine is behind' : 'this machine is ahead'
  return {
    level: 'problem',
    text: `The clocks of this machine and of the database server are ${skew} apart (${behind}). Synchronise both by NTP.`,
  }
}

const Count = z.object({ count: z.int() })

async function checkProcesses(db: Db, { redis_url }: Config): Promise<Finding[]> {
  const row = await db.maybeOne(
    Count,
    sql`select count(distinct application_name) as count from pg_stat_activity
         where datname = current_database() and application_name like 'ostiary serve %'`,
  )
  if (!row || row.count < 2 || redis_url !== null) return []
  return [
    {
      level: 'warning',
      text: `Now ${row.count} processes serve, and each counts rate limits on its own, so a key can make ${row.count} times as many calls as its limit. Set OSTIARY_REDIS_URL to count them together.`,
    },
  ]
}

const Encryption = z.object({ encrypted: z.boolean(), here: z.boolean() })

async function checkEncryption(db: Db, { database_url }: Config): Promise<Finding[]> {
  const row = await db.maybeOne(
    Encryption,
    sql`select ssl as encrypted, case when a.client_addr is null or a.client_addr = inet_server_addr() then 1 else 0 end as here
          from pg_stat_ssl s join pg_stat_activity a on a.pid = s.pid where s.pid = pg_backend_pid()`,
  )
  const mode = new URL(database_url ?? 'postgres://').searchParams.get('sslmode')
  if (!row || row.here) return []
  if (!row.encrypted)
    return [
      {
        level: 'warning',
        text: 'The connection to the database server is not encrypted. Add sslmode=verify-full to OSTIARY_DATABASE_URL.',
      },
    ]
  if (mode?.startsWith('verify-'))
    return [{ level: 'ok', text: 'The connection to the database server is encrypted, and its certificate is checked.' }]
  return [
    {
      level: 'warning',
      text: 'The connection to the database server is encrypted, but the certificate of the server is not checked, so another machine could impersonate it. Add sslmode=verify-full to OSTIARY_DATABASE_URL.',
    },
  ]
}
