/**
 * One running service: configuration → database → schema → secrets → application → listening → stopped. The only place
 * that makes time and randomness.
 */
import cluster from 'node:cluster'
import { randomBytes } from 'node:crypto'
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import type { Server } from 'node:http'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { createApp, listenerOf } from './app.ts'
import { fillOrigins } from './applications/origins.ts'
import type { Config } from './config.ts'
import { createDb, type Db } from './db/db.ts'
import { migrate } from './db/migrate.ts'
import { lockDataDirectory, openSqlite } from './db/sqlite.ts'
import type { Deployment } from './deployment.ts'
import { createLimited } from './http/listener.ts'
import { createServer } from './http/node-http.ts'
import { createRateLimiter } from './http/rate-limit.ts'
import { createIds } from './ids.ts'
import { startJobs } from './jobs.ts'
import { createKeyStore } from './keys/store.ts'
import { createLog, gatherLines } from './log.ts'
import { createIssuers } from './oidc/issuer.ts'
import { createKeyPool } from './oidc/signing-keys.ts'
import { createOutbound, type Outbound } from './outbound/fetch.ts'
import type { Resolve } from './outbound/resolve.ts'
import { openSecrets } from './secrets.ts'
import { resealAll } from './setup/reseal.ts'
import { ensureRoot, type Root } from './setup/root.ts'
import { createCounters } from './statistics/counters.ts'
import { createPasswords } from './users/password.ts'

/** Something outside the program has to change before it can start; the message says what. */
export class CannotStart extends Error {
  override readonly name = 'CannotStart'
}

/** The database as it is: its schema may be older or newer than this program. */
export async function openDatabase(config: Config, application_name = 'ostiary'): Promise<Db> {
  if (config.database_url !== null) {
    const { openPostgres } = await import('./db/postgres.ts') // whoever runs embedded need not carry its driver
    return createDb(openPostgres(config.database_url, { application_name }))
  }
  return createDb(inDataDirectory(config.data_dir, () => openSqlite(join(config.data_dir, 'ostiary.db'))))
}

/** Makes the data directory where it is missing. What the file system or SQLite has against it is told in a sentence. */
function inDataDirectory<T>(data_dir: string, work: () => T): T {
  try {
    mkdirSync(data_dir, { recursive: true, mode: 0o700 })
    return work()
  } catch (error) {
    const { message } = error as Error // as: node:fs and node:sqlite throw these
    throw new CannotStart(
      `The data directory ${data_dir} cannot be used: ${message}. Mend that, restore a backup, or set OSTIARY_DATA_DIR to another folder.`,
      { cause: error },
    )
  }
}

/** Opens everything a command needs, without serving. `now`, `write`, `resolve` and `outbound` are given by tests only. */
export async function openDeployment(
  config: Config,
  given: { now?: () => Date; write?: (line: string) => void; resolve?: Resolve; outbound?: Outbound; application_name?: string } = {},
): Promise<Deployment> {
  const now = given.now ?? (() => new Date())
  const db = await openDatabase(config, given.application_name)
  try {
    const master_keys = config.master_keys ?? [readMasterKey(config.data_dir)]
    await migrate(db)
    await fillOrigins(db)
    const secrets = await openSecrets(db, master_keys, randomBytes)
    if (master_keys.length > 1) await resealAll({ db, secrets })
    const log = createLog(config.log_level, now, given.write ?? standardOutput())
    const counters = createCounters(db, now)
    const outbound = given.outbound ?? createOutbound(config, given.resolve === undefined ? {} : { resolve: given.resolve })
    return { config, db, secrets, log, counters, outbound, now, random: createRandom(), newId: createIds(now, randomBytes) }
  } catch (error) {
    await db.close()
    throw error
  }
}

const drawn_at_once = 4_096

/** Bytes of `randomBytes`, drawn many at once, since it is the drawing that takes time; none is kept once it is given. */
function createRandom(): Deployment['random'] {
  let drawn = Buffer.alloc(0)
  let used = 0
  return (bytes) => {
    if (bytes > drawn_at_once) return randomBytes(bytes)
    if (used + bytes > drawn.length) {
      drawn = randomBytes(drawn_at_once)
      used = 0
    }
    const given = Buffer.from(drawn.subarray(used, used + bytes))
    drawn.fill(0, used, used + bytes)
    used += bytes
    return given
  }
}

function standardOutput(): (line: string) => void {
  const { write, flush } = gatherLines((text) => process.stdout.write(text))
  process.once('exit', flush)
  return write
}

/** The generated master key: 32 bytes base64, readable by the owner only. Made once; whoever comes second reads it. */
function readMasterKey(data_dir: string): Buffer {
  const path = join(data_dir, 'master.key')
  try {
    writeFileSync(path, `${randomBytes(32).toString('base64')}\n`, { flag: 'wx', mode: 0o600 })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error // as: node:fs throws these
  }
  chmodSync(path, 0o600)
  const key = Buffer.from(readFileSync(path, 'utf8').trim(), 'base64')
  if (key.length !== 32)
    throw new CannotStart(
      `${path} does not hold 32 bytes in base64. Restore it from your backup: without it, what is sealed in the database cannot be read.`,
    )
  return key
}

export interface Service {
  /** The addresses it listens on, with the real port. */
  readonly addresses: readonly { host: string; port: number }[]
  readonly deployment: Deployment
  /** Stops accepting, finishes what is in flight within 10 s, writes what is gathered. */
  stop(): Promise<void>
}

const stop_limit_ms = 10_000

export async function startService(
  config: Config,
  given: Parameters<typeof openDeployment>[1] & { check_answers?: boolean } = {},
): Promise<Service> {
  const lock = config.database_url === null ? takeDataDirectory(config.data_dir) : { release() {} } // PostgreSQL serves many
  try {
    await refuseTakenPort(config)
    // `doctor` counts these names to tell how many processes serve.
    const deployment = await openDeployment(config, { application_name: `ostiary serve ${process.pid} ${hostname()}`, ...given })
    return await listen(deployment, await ensureRoot(deployment), lock.release, given.check_answers ?? false)
  } catch (error) {
    lock.release()
    throw error
  }
}

function takeDataDirectory(data_dir: string): { release(): void } {
  const lock = inDataDirectory(data_dir, () => lockDataDirectory(join(data_dir, 'serve.lock')))
  if (lock) return lock
  throw new CannotStart(
    `Another ostiary serve uses the data directory ${data_dir}. Stop it first, or set OSTIARY_DATA_DIR to another folder. Several processes need a PostgreSQL database: set OSTIARY_DATABASE_URL.`,
  )
}

async function listen(deployment: Deployment, root: Root, release: () => void, check_answers: boolean): Promise<Service> {
  const { config, db, log } = deployment
  const pool = createKeyPool(2)
  const keys = createKeyStore(db)
  const metrics = config.metrics_port === null ? null : (await import('./metrics.ts')).createMetrics()
  const shared_limiter =
    config.redis_url === null ? null : (await import('./http/rate-limit-redis.ts')).createSharedRateLimiter(config.redis_url, deployment)
  const passwords = createPasswords()
  const issuers = createIssuers(deployment, pool)
  let accepting = true
  const isReady = async () => accepting && (await db.ping())
  const app = createApp({
    deployment,
    root,
    issuers,
    keys,
    key_pool: pool,
    limiter: shared_limiter ?? createRateLimiter(deployment),
    passwords,
    metrics,
    isReady,
    isStopping: () => !accepting,
    check_answers,
  })
  // Of several workers, the process that started them tells what they counted together.
  const metrics_server =
    metrics && cluster.isPrimary
      ? createLimited((_, response) => void metrics.expose().then(({ type, text }) => response.setHeader('content-type', type).end(text)))
      : null

  const addresses: { host: string; port: number }[] = []
  const beside: Server[] = []
  const [first = '127.0.0.1', ...others] = config.host
  try {
    await app.listen({ host: first, port: config.port })
    addresses.push({ host: first, port: portOf(app.server.address()) })
    // `localhost` is both loopbacks; a machine may lack the second.
    for (const host of others) {
      const server = await listenBeside(deployment, app, host, addresses[0]?.port ?? config.port)
      if (!server) continue
      beside.push(server)
      addresses.push({ host, port: portOf(server.address()) })
    }
    if (metrics_server)
      await new Promise<void>((resolve, reject) => metrics_server.once('error', reject).listen(config.metrics_port ?? 0, first, resolve))
  } catch (error) {
    await app.close()
    shared_limiter?.close()
    await db.close()
    throw portProblem(error, config)
  }
  const jobs = startJobs(deployment, { keys, key_pool: pool, issuers })
  void pool.fill()
  log.info('listening', { base_url: config.base_url, port: addresses[0]?.port })

  return {
    addresses,
    deployment,
    async stop() {
      if (!accepting) return
      accepting = false
      log.info('stopping')
      pool.close()
      metrics_server?.close()
      const forced = setTimeout(() => {
        for (const server of [app.server, ...beside]) server.closeAllConnections()
      }, stop_limit_ms)
      await Promise.all([app.close(), ...beside.map(closeServer), jobs.stopDeliveries()])
      clearTimeout(forced)
      shared_limiter?.close()
      await jobs.stop()
      await db.close()
      release()
      log.info('stopped')
    },
  }
}

const portOf = (address: ReturnType<ReturnType<typeof createServer>['address']>) =>
  typeof address === 'object' && address !== null ? address.port : 0

/** A second listener for the same application; `null` where the machine has no such address. */
async function listenBeside(deployment: Deployment, app: ReturnType<typeof createApp>, host: string, port: number): Promise<Server | null> {
  const server = listenerOf((request, response) => app.routing(request, response), deployment)
  try {
    await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, host, resolve))
    return server
  } catch (error) {
    if (['EADDRNOTAVAIL', 'EAFNOSUPPORT'].includes((error as NodeJS.ErrnoException).code ?? '')) return null // as: node:net throws these
    throw error
  }
}

function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
    server.closeIdleConnections()
  })
}

/** Before anything is stored: the first start writes the address into issuers, which never change. */
async function refuseTakenPort(config: Config): Promise<void> {
  const probe = createServer()
  try {
    await new Promise<void>((resolve, reject) => probe.once('error', reject).listen(config.port, config.host[0], resolve))
  } catch (error) {
    throw portProblem(error, config)
  }
  await closeServer(probe)
}

function portProblem(error: unknown, config: Config): unknown {
  const { code } = error as NodeJS.ErrnoException // as: node:net throws these
  if (code === 'EADDRINUSE')
    return new CannotStart(
      `Port ${config.port} is in use. Stop what uses it, or choose another one, such as OSTIARY_PORT=${config.port + 1}.`,
      { cause: error },
    )
  if (code === 'EACCES')
    return new CannotStart(`Port ${config.port} needs rights this user does not have. Set OSTIARY_PORT to a port above 1023.`, {
      cause: error,
    })
  return error
}
