/**
 * Starts and stops one service: configuration → database → schema → secrets → application → listening → stopped. Only this file
 * takes the time and randomness from the system.
 */
import cluster from 'node:cluster'
import { randomBytes } from 'node:crypto'
import type { Server } from 'node:http'
import { hostname } from 'node:os'
import { createApp } from './app.ts'
import { dashboard_folder, sdk_folder } from './base/assets.ts'
import type { Config } from './base/config/config.ts'
import { readMasterKey } from './base/config/master-key.ts'
import { createIds } from './base/ids.ts'
import { bufferLines, createLog, type LogForm } from './base/log.ts'
import { droppedLines, outputTo } from './base/output.ts'
import { createRandomPool } from './base/random-pool.ts'
import { createDb, type Engine } from './db/db.ts'
import { migrate, newestMigration } from './db/migrate.ts'
import type { PostgresOptions } from './db/postgres/postgres.ts'
import { openDatabaseFile, takeDataDirectory } from './db/sqlite/data-directory.ts'
import type { SqliteOptions } from './db/sqlite/sqlite.ts'
import { createCounters } from './deployment/counters.ts'
import { type Deployment, newSecret } from './deployment/deployment.ts'
import { createForwarders } from './deployment/forwarders.ts'
import { createClientUses, createGrantUses, createSecretUses } from './deployment/grant-uses.ts'
import { createJwksReaders } from './deployment/jwks-readers.ts'
import { createOutbound, type Outbound } from './deployment/outbound/fetch.ts'
import type { Resolve } from './deployment/outbound/resolve.ts'
import { createSmtp, type DeliverBySmtp } from './deployment/outbound/smtp.ts'
import { createRefusedCalls } from './deployment/refused-calls/refused-calls.ts'
import { openSecrets } from './deployment/secrets/secrets.ts'
import { createTally } from './deployment/tally.ts'
import type { Otlp } from './deployment/telemetry/otlp.ts'
import { bothLogs, createTelemetry } from './deployment/telemetry/telemetry.ts'
import { createKeyStore } from './domain/keys/store.ts'
import { refuseUnboundHosts } from './domain/tenancy/issuer-origins.ts'
import { createPasswords, lanesOf, type Passwords } from './domain/users/password.ts'
import { createWebhookHistories } from './domain/webhooks/history.ts'
import { listenForMetrics, listenOnAll, refuseTakenPort } from './http/listen.ts'
import { createRateLimiter } from './http/rate-limit.ts'
import { createIssuers } from './oidc/issuer.ts'
import { createKeyPool, type KeyPool } from './oidc/key-pool.ts'
import { createFirstStart } from './setup/first-start.ts'
import { resealAll } from './setup/reseal.ts'
import { ensureRoot, type Root } from './setup/root.ts'
import { type DashboardClient, ensureDashboardClient } from './site/dashboard/client.ts'
import { startJobs } from './workers/jobs.ts'
import type { Metrics } from './workers/metrics.ts'

/** Opens the database and leaves its schema alone, which may be older or newer than this program. */
export async function openDatabase(config: Config, { postgres = {}, serves = false, database: before = as_it_is }: DatabaseOptions = {}) {
  if (config.database_url === null) return createDb(before(openDatabaseFile(config.data_dir, { serves })))
  const { openPostgres } = await import('./db/postgres/postgres.ts') // an embedded deployment does not load the driver
  return createDb(before(openPostgres(config.database_url, postgres)))
}

const as_it_is = (engine: Engine): Engine => engine

interface DatabaseOptions extends SqliteOptions {
  postgres?: PostgresOptions
  /** Stands before the database. */
  database?: (engine: Engine) => Engine
}

/** Replaces parts of a deployment, for tests. */
interface Overrides extends DatabaseOptions {
  now?: () => Date
  write?: (line: string) => void
  log_form?: LogForm
  resolve?: Resolve
  outbound?: Outbound
  smtp?: DeliverBySmtp
  /** The folder of the built dashboard. */
  dashboard_folder?: string
  sdk_folder?: string
}

interface ServiceOverrides extends Overrides {
  key_pool?: KeyPool
  check_answers?: boolean
  /** That of all workers of a deployment. */
  setup_token?: string
  passwords?: Passwords
  /** How many processes share the cores of this machine. Default: only this one. */
  processes?: number
}

/** Opens the parts that every command needs, without serving. A command may run beside a service, so this seals nothing again. */
export async function openDeployment(config: Config, overrides: Overrides = {}): Promise<Deployment> {
  const now = overrides.now ?? (() => new Date())
  const db = await openDatabase(config, overrides)
  try {
    const master_keys = config.master_keys ?? [readMasterKey(config.data_dir, randomBytes)]
    await migrate(db)
    const secrets = await openSecrets(db, master_keys, randomBytes)
    const random = createRandomPool(randomBytes)
    const own_log = createLog(config.log_level, now, overrides.write ?? standardOutput(), overrides.log_form)
    const telemetry = overrides.serves && config.otlp_url !== null ? createTelemetry(config.log_level, { now, random }) : null
    const log = telemetry === null ? own_log : bothLogs(own_log, telemetry.log)
    const tally = createTally()
    const counters = createCounters(db, now, tally.counted)
    const refused_calls = createRefusedCalls(db, now, {
      // Calls outside of environments belong to a tenant, which has no statistics.
      recorded: (scope_id, code) => scope_id.startsWith('env_') && counters.count(scope_id, 'refused_call', code),
    })
    const outbound = overrides.outbound ?? createOutbound(config, overrides.resolve === undefined ? {} : { resolve: overrides.resolve })
    const smtp = overrides.smtp ?? createSmtp(config, overrides.resolve === undefined ? {} : { resolve: overrides.resolve })
    return {
      config,
      db,
      secrets,
      log,
      telemetry,
      counters,
      tally,
      refused_calls,
      grant_uses: createGrantUses(db),
      client_uses: createClientUses(db),
      secret_uses: createSecretUses(db),
      jwks_readers: createJwksReaders(db),
      forwarders: createForwarders({ config, db, log, now }),
      outbound,
      smtp,
      now,
      random,
      newId: createIds(now, randomBytes),
    }
  } catch (error) {
    await db.close()
    throw error
  }
}

function standardOutput(): (line: string) => void {
  const { write, flush } = bufferLines(outputTo('stdout').write)
  process.once('exit', flush)
  return write
}

export interface Service {
  /** The addresses it listens on, with the real port. */
  readonly addresses: readonly { host: string; port: number }[]
  readonly deployment: Deployment
  /** Resolves with the reason when the process can serve nothing more and has to end. */
  readonly unusable: Promise<Error> | null
  /** The link for the first tenant; `null` where one existed at the start. */
  readonly setup_url: string | null
  /** Stops accepting, finishes the requests in flight within 10 s, and writes buffered data. */
  stop(): Promise<void>
}

const stop_limit_ms = 10_000
/** Signing keys that are made ahead of need. */
const spare_keys = 2

export async function startService(config: Config, overrides: ServiceOverrides = {}): Promise<Service> {
  const lock = config.database_url === null ? takeDataDirectory(config.data_dir) : { release() {} } // PostgreSQL serves several processes
  try {
    if (cluster.isPrimary) await refuseTakenPort(config) // for workers the process that starts them has checked it
    const deployment = await openDeployment(config, {
      ...overrides,
      serves: true,
      postgres: { application_name: processName(), ...overrides.postgres },
    })
    const roots = await readyRoot(deployment)
    return await serve(deployment, roots, lock.release, overrides)
  } catch (error) {
    lock.release()
    throw error
  }
}

/**
 * A name for the connections of this process. `doctor` counts these names to find the number of processes that serve. PostgreSQL keeps 63
 * bytes, and the main processes of containers have the same number, so a random part comes first.
 */
const processName = () => `ostiary serve ${randomBytes(6).toString('base64url')} ${process.pid} ${hostname()}`

interface Roots {
  readonly root: Root
  readonly dashboard_client: DashboardClient
}

/** Seals secrets again under a new master key, ensures the root tenant with the dashboard, and finds mistakes that only the database shows. */
async function readyRoot(deployment: Deployment): Promise<Roots> {
  const { db, config } = deployment
  try {
    if (config.master_keys && config.master_keys.length > 1) await resealAll(deployment)
    const root = await ensureRoot(deployment)
    await refuseUnboundHosts(db, config)
    return { root, dashboard_client: await ensureDashboardClient(deployment, root) }
  } catch (error) {
    await db.close()
    throw error
  }
}

async function serve(deployment: Deployment, roots: Roots, release: () => void, overrides: ServiceOverrides): Promise<Service> {
  const { config, db, log } = deployment
  const { key_pool = createKeyPool(spare_keys) } = overrides
  const keys = createKeyStore(db)
  const issuers = createIssuers(deployment, key_pool)
  const webhook_histories = createWebhookHistories(deployment)
  const { passwords = createPasswords(lanesOf(overrides.processes ?? 1)) } = overrides
  const metrics =
    config.metrics === null ? null : (await import('./workers/metrics.ts')).createMetrics({ ...deployment, passwords, droppedLines })
  const shared_limiter =
    config.redis_url === null ? null : (await import('./http/rate-limit-redis.ts')).createSharedRateLimiter(config.redis_url, deployment)
  const schema = newestMigration()
  let accepting = true
  const limiter = shared_limiter ?? createRateLimiter(deployment)
  const first_start = await createFirstStart(deployment, { passwords, limiter }, overrides.setup_token ?? newSecret(deployment))
  const app = createApp({
    deployment,
    ...roots,
    dashboard_folder: overrides.dashboard_folder ?? dashboard_folder,
    sdk_folder: overrides.sdk_folder ?? sdk_folder,
    issuers,
    keys,
    key_pool,
    limiter,
    first_start,
    passwords,
    webhook_histories,
    metrics,
    isReady: async () => accepting && (await db.runs(schema)),
    isStopping: () => !accepting,
    check_answers: overrides.check_answers ?? false,
  })
  async function listen() {
    const listening = await listenOnAll(app, deployment)
    try {
      return { listening, metrics_server: await serveMetrics(metrics, config) }
    } catch (error) {
      await listening.close()
      throw error
    }
  }
  const { listening, metrics_server } = await listen().catch(async (error) => {
    shared_limiter?.close()
    await db.close()
    throw error
  })
  const jobs = startJobs(deployment, {
    keys,
    key_pool,
    issuers,
    webhook_histories,
    otlp: await openOtlp(deployment),
    root: roots.root,
  })
  void key_pool.fill()
  log.info('listening', { base_url: config.base_url, port: listening.addresses[0]?.port, hashes_at_once: passwords.lanes })

  return {
    addresses: listening.addresses,
    deployment,
    unusable: db.unusable,
    setup_url: first_start.url,
    async stop() {
      if (!accepting) return
      accepting = false
      log.info('stopping')
      key_pool.close()
      metrics_server?.close()
      const forced = setTimeout(listening.closeAllConnections, stop_limit_ms)
      await Promise.all([listening.close(), jobs.stopDeliveries()])
      clearTimeout(forced)
      shared_limiter?.close()
      await jobs.stop()
      await db.close()
      release()
      log.info('stopped')
    },
  }
}

/** Opens the way to the collector of telemetry. Only a deployment with one loads the exporters. */
async function openOtlp({ config, random }: Deployment): Promise<Otlp | null> {
  if (config.otlp_url === null) return null
  const { createOtlp } = await import('./deployment/telemetry/otlp.ts')
  return createOtlp({ url: config.otlp_url, instance_id: random(8).toString('hex') })
}

/** Serves the metrics of this process. Those of several workers are served, in sum, by the process that started them. */
async function serveMetrics(metrics: Metrics | null, config: Config): Promise<Server | null> {
  return metrics && config.metrics && cluster.isPrimary ? listenForMetrics(metrics, config.metrics) : null
}
