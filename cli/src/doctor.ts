/** `ostiary doctor`: checks everything that a start needs, changes nothing it checks, and says what to repair. */
import { join } from 'node:path'
import { verifyChains } from '@ostiary/server/audit/verify.ts'
import type { Config } from '@ostiary/server/config.ts'
import { DatabaseUnavailable, sql } from '@ostiary/server/db/db.ts'
import { exposedFiles, isWritableByOthers } from '@ostiary/server/db/private-files.ts'
import type { Deployment } from '@ostiary/server/deployment.ts'
import { sharedStoreProblem } from '@ostiary/server/http/rate-limit-redis.ts'
import { describeLimits } from '@ostiary/server/limits.ts'
import { openDatabase, openDeployment } from '@ostiary/server/main.ts'
import { z } from 'zod'
import { checkDatabase, checkSchema } from './doctor-database.ts'
import { checkMail } from './doctor-mail.ts'
import type { Finding } from './finding.ts'

export async function doctor(config: Config): Promise<number> {
  const findings = [...checkConfiguration(config), ...(await checkWithDatabase(config))]
  for (const { level, text } of findings) process.stdout.write(`${signs[level]} ${text}\n`)
  return findings.some(({ level }) => level === 'problem') ? 1 : 0
}

async function checkWithDatabase(config: Config): Promise<Finding[]> {
  try {
    const outdated = await checkSchemaOnly(config)
    return outdated ? [outdated] : await checkDeployment(config)
  } catch (error) {
    if (error instanceof DatabaseUnavailable) return [{ level: 'problem', text: error.message }]
    throw error
  }
}

/** Checks the schema without migrating it. */
async function checkSchemaOnly(config: Config): Promise<Finding | null> {
  const db = await openDatabase(config)
  return checkSchema(db).finally(() => db.close())
}

async function checkDeployment(config: Config): Promise<Finding[]> {
  const deployment = await openDeployment(config)
  try {
    return [
      { level: 'ok', text: 'The database opens, its schema is current, and the master key unseals its secrets.' },
      ...(await checkDatabase(deployment)),
      ...(await checkAuditLogs(deployment)),
      ...checkFiles(config),
      await checkIssuers(deployment),
      ...(await checkRedis(config)),
      ...(await checkMail(deployment)),
      checkClock(deployment),
    ]
  } finally {
    await deployment.db.close()
  }
}

const signs = { ok: 'ok      ', warning: 'warning ', problem: 'PROBLEM ' }

function checkConfiguration(config: Config): Finding[] {
  return [...checkBaseUrl(config), { level: 'ok', text: `The limits are ${describeLimits(config.limits)}.` }]
}

function checkBaseUrl({ base_url }: Config): Finding[] {
  const { protocol, hostname } = new URL(base_url)
  if (protocol === 'https:') return [{ level: 'ok', text: `Public address ${base_url}.` }]
  const is_here = hostname === 'localhost' || hostname.startsWith('127.') || hostname === '[::1]'
  if (is_here) return [{ level: 'ok', text: `Public address ${base_url}: this machine only.` }]
  return [
    {
      level: 'warning',
      text: `OSTIARY_BASE_URL is ${base_url}: without https, passwords and tokens can be read in transit, and browsers send no secure cookies.`,
    },
  ]
}

/** Runs after the deployment was opened, which removes the rights of other users where it can. */
function checkFiles({ data_dir, database_url, master_keys }: Config): Finding[] {
  if (database_url !== null) return []
  const exposed = exposedFiles(data_dir)
  const path = join(data_dir, 'master.key')
  return [
    ...exposed.map(
      (file): Finding => ({ level: 'problem', text: `${file} can be read or written by other users. Run: chmod 600 ${file}` }),
    ),
    ...(isWritableByOthers(data_dir)
      ? [{ level: 'problem', text: `Other users can replace files in the data directory ${data_dir}. Run: chmod 700 ${data_dir}` } as const]
      : []),
    ...(exposed.length === 0 ? [{ level: 'ok', text: `The files in ${data_dir} are accessible to this user only.` } as const] : []),
    ...(master_keys === null
      ? [
          {
            level: 'ok',
            text: `The master key is in ${path}. Keep a copy elsewhere: without it, a backup of the database is useless.`,
          } as const,
        ]
      : []),
  ]
}

async function checkAuditLogs(deployment: Deployment): Promise<Finding[]> {
  const { tenants, entries, problems } = await verifyChains(deployment)
  if (problems.length === 0) return [{ level: 'ok', text: `The audit logs are whole (tenants: ${tenants}, entries: ${entries}).` }]
  return problems.map(({ tenant_id, problem }) => ({
    level: 'problem',
    text: `The audit log of ${tenant_id} was tampered with or damaged: ${problem}. Keep this database, and compare it with an export or a backup.`,
  }))
}

async function checkRedis({ redis_url }: Config): Promise<Finding[]> {
  if (redis_url === null) return []
  const problem = await sharedStoreProblem(redis_url)
  if (problem === null) return [{ level: 'ok', text: 'Redis answers: all processes count rate limits together.' }]
  return [
    {
      level: 'problem',
      text: `OSTIARY_REDIS_URL cannot be used (${problem}). Until it works, each process counts rate limits on its own.`,
    },
  ]
}

const Count = z.object({ count: z.int() })

async function checkIssuers({ db, config }: Deployment): Promise<Finding> {
  const row = await db.maybeOne(Count, sql`select count(*) as count from environments where issuer not like ${`${config.base_url}/%`}`)
  if (!row || row.count === 0) return { level: 'ok', text: 'Every issuer is under the public address.' }
  return {
    level: 'warning',
    text: `${row.count} issuers are not under ${config.base_url}. Issuers never change: route their addresses to this service, or restore OSTIARY_BASE_URL.`,
  }
}

/** Tokens and codes expire by the clock. A clock that is years off was never set. */
function checkClock({ now }: Deployment): Finding {
  const year = now().getUTCFullYear()
  if (year >= 2026 && year < 2100) return { level: 'ok', text: `The clock says ${now().toISOString()}.` }
  return { level: 'problem', text: `The clock says ${now().toISOString()}. Set it, if possible by NTP.` }
}
