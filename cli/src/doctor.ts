/** `ostiary doctor`: checks everything that a start needs, changes nothing it checks, and says what to repair. */
import { join } from 'node:path'
import { CannotStart } from '@ostiary/server/base/cannot-start.ts'
import type { Config, ConfigMistake } from '@ostiary/server/base/config/config.ts'
import { describeLimits } from '@ostiary/server/base/config/limits.ts'
import { DatabaseUnavailable } from '@ostiary/server/db/db.ts'
import { WrongSchema } from '@ostiary/server/db/migrate.ts'
import { withoutOutcome } from '@ostiary/server/db/outcome.ts'
import { exposedFiles, isWritableByOthers } from '@ostiary/server/db/sqlite/private-files.ts'
import type { Deployment } from '@ostiary/server/deployment/deployment.ts'
import { findDroppedLines } from '@ostiary/server/deployment/dropped-lines.ts'
import { findUntrustedForwarder } from '@ostiary/server/deployment/forwarders.ts'
import { WrongMasterKey } from '@ostiary/server/deployment/secrets/secrets.ts'
import { verifyChains } from '@ostiary/server/domain/audit/verify.ts'
import { sharedStoreProblem } from '@ostiary/server/http/rate-limit-redis.ts'
import { openDatabase, openDeployment } from '@ostiary/server/main.ts'
import { countStale } from '@ostiary/server/setup/reseal.ts'
import type { commands, Values } from './commands.ts'
import { checkDatabase, checkSchema, checkWrites } from './doctor-database.ts'
import { checkEgress } from './doctor-egress.ts'
import { checkExpiry } from './doctor-expiry.ts'
import { checkIssuers } from './doctor-issuers.ts'
import { checkMail } from './doctor-mail.ts'
import { checkNodes } from './doctor-nodes.ts'
import { checkProviderAddresses } from './doctor-providers.ts'
import { checkRestored } from './doctor-restored.ts'
import { checkTelemetry } from './doctor-telemetry.ts'
import { type Finding, type NamedFinding, named } from './finding.ts'

type DoctorValues = Values<typeof commands.doctor>

export async function doctor(config: Config, values: DoctorValues): Promise<number> {
  return report([...named('configuration', checkConfiguration(config)), ...(await checkWithDatabase(config))], values)
}

/** Reports the mistakes of a configuration with which no other check can run. */
export function reportMisconfiguration(mistakes: readonly ConfigMistake[], values: DoctorValues): number {
  const findings = mistakes.map(({ variable, problem }): Finding => ({ level: 'problem', text: `${variable}: ${problem}` }))
  return report(named('configuration', findings), values)
}

const levels = ['problem', 'warning', 'ok'] as const

/** Prints the findings. Returns 1 if there is a problem. */
function report(findings: readonly NamedFinding[], { json }: DoctorValues): number {
  const status = levels.find((level) => findings.some((finding) => finding.level === level)) ?? 'ok'
  const lines = findings.map(({ level, text }) => `${signs[level]} ${text}\n`)
  process.stdout.write(json ? `${JSON.stringify({ status, findings })}\n` : lines.join(''))
  return status === 'problem' ? 1 : 0
}

async function checkWithDatabase(config: Config): Promise<NamedFinding[]> {
  const found: NamedFinding[] = []
  try {
    const { findings, is_placed } = await checkNodes(config)
    found.push(...named('database', findings))
    if (!is_placed) return found
    const { outdated, writes } = await checkSchemaOnly(config)
    found.push(...named('database', writes))
    return [...found, ...(outdated ? named('schema', [outdated]) : await checkDeployment(config))]
  } catch (error) {
    const problem = unusable.find(([kind]) => error instanceof kind)
    if (!problem || !(error instanceof Error)) throw error
    const text = error instanceof DatabaseUnavailable ? withoutOutcome(error) : error.message
    return [...found, ...named(problem[1], [{ level: 'problem', text }])]
  }
}

/** Errors that are findings: they say what to repair. */
const unusable = [
  [DatabaseUnavailable, 'database'],
  [CannotStart, 'database'],
  [WrongSchema, 'schema'],
  [WrongMasterKey, 'database'],
] as const

/** Checks the schema without migrating it, and whether the database takes changes. */
async function checkSchemaOnly(config: Config): Promise<{ outdated: Finding | null; writes: Finding[] }> {
  const db = await openDatabase(config)
  try {
    const outdated = await checkSchema(db)
    return { outdated, writes: await checkWrites(db, outdated !== null) }
  } finally {
    await db.close()
  }
}

async function checkDeployment(config: Config): Promise<NamedFinding[]> {
  // Standard output belongs to the findings.
  const deployment = await openDeployment(config, { write: (line) => process.stderr.write(line) })
  try {
    return [
      ...named('database', [{ level: 'ok', text: 'The database opens, its schema is current, and the master key unseals its secrets.' }]),
      ...named('database', await checkDatabase(deployment)),
      ...named('database', await checkMasterKeys(deployment)),
      ...named('refresh_tokens', await checkRestored(deployment.db)),
      ...named('audit_log', await checkAuditLogs(deployment)),
      ...named('files', checkFiles(config)),
      ...named('issuers', await checkIssuers(deployment)),
      ...named('providers', [await checkProviderAddresses(deployment)]),
      ...named('expiry', await checkExpiry(deployment)),
      ...named('proxies', await checkProxies(deployment)),
      ...named('egress', await checkEgress(config)),
      ...named('log', await checkLog(deployment)),
      ...named('telemetry', await checkTelemetry(config)),
      ...named('redis', await checkRedis(config)),
      ...named('mail', await checkMail(deployment)),
      ...named('clock', [checkClock(deployment)]),
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

/** Says whether the older master keys are still needed. */
async function checkMasterKeys(deployment: Deployment): Promise<Finding[]> {
  if ((deployment.config.master_keys ?? []).length < 2) return []
  const stale = await countStale(deployment)
  if (stale === 0) return [{ level: 'ok', text: 'Every secret is sealed under the first master key of OSTIARY_MASTER_KEY.' }]
  return [
    {
      level: 'warning',
      text: `Secrets are still sealed under an older master key (${stale}). Keep that key: the next start of the service with this OSTIARY_MASTER_KEY seals them again.`,
    },
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

async function checkProxies(deployment: Deployment): Promise<Finding[]> {
  const found = await findUntrustedForwarder(deployment)
  if (!found) return []
  const { address, at } = found
  return [
    {
      level: 'problem',
      text: `Requests with forwarded headers come from ${address}, which OSTIARY_TRUSTED_PROXIES does not name (the last at ${at}). If it is your proxy, name it: until then all visitors share its address, and its limits. If it is not, let only your proxy reach the port of the service.`,
    },
  ]
}

async function checkLog(deployment: Deployment): Promise<Finding[]> {
  const dropped = await findDroppedLines(deployment)
  if (!dropped) return []
  const { lines, at } = dropped
  return [
    {
      level: 'warning',
      text: `A process has dropped lines of its log (${lines} since its start, the last before ${at}): what reads its standard output or error has ended, does not keep up, or has no room on its disk. Repair that reader and start the service again.`,
    },
  ]
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

/** Tokens and codes expire by the clock. A clock that is years off was never set. */
function checkClock({ now }: Deployment): Finding {
  const year = now().getUTCFullYear()
  if (year >= 2026 && year < 2100) return { level: 'ok', text: `The clock says ${now().toISOString()}.` }
  return { level: 'problem', text: `The clock says ${now().toISOString()}. Set it, if possible by NTP.` }
}
