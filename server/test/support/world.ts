/**
 * A running service for a test file: `const w = await world()`. It has a tenant with a platform key, a project with a
 * Test and a Live environment, and an injected clock. It stops with the test file.
 */
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import { hash, verify } from '@node-rs/argon2'
import type { EnvironmentId } from '@ostiary/contract/ids.ts'
import type { NewUser } from '@ostiary/contract/user.ts'
import { type Config, readConfig } from '../../src/base/config/config.ts'
import type { Engine } from '../../src/db/db.ts'
import { type TimeLimits, time_limits } from '../../src/db/postgres/time.ts'
import { createOutbound, type Outbound } from '../../src/deployment/outbound/fetch.ts'
import type { Resolve } from '../../src/deployment/outbound/resolve.ts'
import type { DeliverBySmtp } from '../../src/deployment/outbound/smtp.ts'
import { createPasswords, type Passwords } from '../../src/domain/users/password.ts'
import { insertUser } from '../../src/domain/users/store.ts'
import { type Service, startService } from '../../src/main.ts'
import { createFirstTenant } from '../../src/setup/first-tenant.ts'
import { withDocuments } from './client-host.ts'
import { freePort } from './free-port.ts'
import { frontEnvironment, has_front, has_own_hosts, ownIssuer, startFront } from './front.ts'
import { endKeptConnections } from './kept-connections.ts'
import { memory_folder } from './memory-folder.ts'
import { copyMigratedFile } from './migrated-file.ts'
import { outdatedFirst } from './outdated-first.ts'
import { citus_nodes, dropDatabase, migratedDatabase, onNodes } from './postgres.ts'
import { spareKeys } from './spare-keys.ts'

export interface Reply {
  status: number
  headers: Headers
  body: any // tests read bodies of every shape
}

export interface TestEnvironment {
  id: EnvironmentId
  type: 'test' | 'live'
  issuer: string
  /** The path of the environment in the platform API. */
  path: string
}

interface CallOptions {
  key?: string | null
  body?: unknown
  headers?: Record<string, string>
}

export type World = Awaited<ReturnType<typeof world>>

export const owner = { email: 'owner@example.com', password: 'a long enough password' }

type EngineName = 'sqlite' | 'postgres'

/** The default. `npm test` runs the tests of behaviour on both engines; see scripts/test.ts. */
const default_engine: EngineName = process.env.OSTIARY_TEST_ENGINE === 'postgres' ? 'postgres' : 'sqlite'

/**
 * The types of environment for rules that do not depend on the type: Test on the embedded database and Live on PostgreSQL, or both with
 * `npm test -- --all`.
 */
export const types_of_run: readonly ('test' | 'live')[] =
  process.env.OSTIARY_TEST_ALL === '1' ? ['test', 'live'] : [default_engine === 'postgres' ? 'live' : 'test']

/** A busy machine keeps a statement waiting for longer than a service does. Tests of the limits pass those of a service. */
export const patient: TimeLimits = {
  ...time_limits,
  connect_ms: 30_000,
  statement_ms: 30_000,
  silence_ms: 40_000,
  answer_ms: 40_000,
}

/** Hashes of the set-up take no time, neither now nor when a sign-in verifies them. */
const cheap_argon2: Parameters<typeof createPasswords>[1] = {
  hash: (password, options) => hash(password, { ...options, memoryCost: 8, timeCost: 1 }),
  verify,
}

export async function world(
  options: {
    env?: Record<string, string>
    data_dir?: string
    engine?: EngineName
    resolve?: Resolve
    outbound?: Outbound
    smtp?: DeliverBySmtp
    tick_ms?: number
    database_limits?: TimeLimits
    passwords?: Passwords
    dashboard_folder?: string
    sdk_folder?: string
    /** Stands before the database. Without one, each request to an issuer on PostgreSQL begins with an outdated one (`outdated-first.ts`). */
    database?: (engine: Engine) => Engine
  } = {},
) {
  const port = Number(options.env?.OSTIARY_PORT ?? (await freePort()))
  const data_dir = options.data_dir ?? mkdtempSync(join(memory_folder ?? tmpdir(), 'ostiary-test-'))
  const engine = options.engine ?? (options.data_dir === undefined ? default_engine : 'sqlite')
  if (engine === 'sqlite' && options.data_dir === undefined) copyMigratedFile(data_dir)
  const database_url = engine === 'postgres' ? await migratedDatabase() : null
  // A test that chooses its own addresses gets no proxy.
  const front_port = has_front && options.env?.OSTIARY_BASE_URL === undefined ? await freePort() : null
  const env = {
    OSTIARY_PORT: String(port),
    OSTIARY_DATA_DIR: data_dir,
    OSTIARY_LOG_LEVEL: 'info',
    ...(database_url ? { OSTIARY_DATABASE_URL: database_url, OSTIARY_MASTER_KEY: randomBytes(32).toString('base64') } : {}),
    ...(front_port === null ? {} : frontEnvironment(front_port)),
    ...options.env,
  }
  const config = readConfig(env)
  if (Array.isArray(config)) throw new Error(JSON.stringify(config))

  let ahead_ms = 0
  const log: string[] = []
  /** The clock moves in steps of this length: everything within a step happens at the same time. */
  const { tick_ms = 1 } = options
  const begun = Date.now()
  const now = () => new Date(begun + Math.floor((Date.now() - begun + ahead_ms) / tick_ms) * tick_ms)
  const undoneFirst = citus_nodes.length > 0 ? (await import('./undone-first.ts')).undoneFirst : null
  const { database = outdatedFirst } = options
  const beforeDatabase = (engine: Engine) =>
    database(undoneFirst === null || database_url === null ? engine : undoneFirst(engine, onNodes(database_url)))
  const service_options = {
    now,
    write: (line: string) => log.push(line),
    check_answers: true,
    key_pool: spareKeys(),
    ...(options.resolve ? { resolve: options.resolve } : {}),
    outbound: withDocuments(options.outbound ?? createOutbound(config, options.resolve ? { resolve: options.resolve } : {})),
    ...(options.smtp ? { smtp: options.smtp } : {}),
    ...(options.passwords ? { passwords: options.passwords } : {}),
    postgres: { limits: options.database_limits ?? patient },
    database: beforeDatabase,
    // Whether the dashboard is built makes no difference to other tests.
    dashboard_folder: options.dashboard_folder ?? join(data_dir, 'dashboard'),
    ...(options.sdk_folder ? { sdk_folder: options.sdk_folder } : {}),
  }
  const front = front_port === null ? null : await startFront(front_port, port)
  const services: Service[] = []
  async function close() {
    await front?.stop()
    for (const each of services) endKeptConnections(each.deployment.config.port)
    await Promise.all(services.map((each) => each.stop()))
    if (database_url) await dropDatabase(database_url)
    if (options.data_dir === undefined) rmSync(data_dir, { recursive: true, force: true })
  }
  after(close) // from here on, since a world that fails while it begins would keep its process otherwise
  const service = await startService(config, service_options)
  services.push(service)
  const { deployment } = service
  const { base_url } = config
  /** Maps a URL of the service to the address where it listens. */
  const reach = (url: string) => (front_port === null ? url.replace(base_url, `http://localhost:${port}`) : url)
  const passwords = createPasswords(1_000, cheap_argon2)
  const first = await createFirstTenant(deployment, passwords, { ...owner, tenant_name: 'Acme', slug: 'acme' })

  async function call(method: string, path: string, { key = first.key, body, headers = {} }: CallOptions = {}): Promise<Reply> {
    const response = await fetch(reach(path.startsWith('http') ? path : base_url + path), {
      method,
      redirect: 'manual',
      headers: {
        ...(key === null ? {} : { 'x-api-key': key }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const text = await response.text()
    const is_json = /json\b/.test(response.headers.get('content-type') ?? '')
    return { status: response.status, headers: response.headers, body: is_json && text !== '' ? JSON.parse(text) : text }
  }

  async function createProject(slug: string, options: CallOptions = {}) {
    // Only the tenant of this world can take hosts of the proxy.
    const port_of_issuers = options.key === undefined ? front_port : null
    const own = (type: 'test' | 'live') => ({ slug: type, name: type, type, issuer: ownIssuer(port_of_issuers ?? 0) })
    const environments = port_of_issuers !== null && has_own_hosts ? { environments: [own('test'), own('live')] } : {}
    const body = { slug, name: `Project ${slug}`, ...environments }
    const project = expectStatus(201, await call('POST', '/v1/platform/projects', { ...options, body }))
    const { data } = expectStatus(200, await call('GET', `/v1/platform/projects/${project.id}/environments`, options))
    const environmentOf = (type: 'test' | 'live'): TestEnvironment => {
      const { id, issuer } = data.find((environment: TestEnvironment) => environment.type === type)
      return { id, type, issuer, path: `/v1/platform/projects/${project.id}/environments/${id}` }
    }
    return { id: project.id as string, test: environmentOf('test'), live: environmentOf('live') }
  }

  const project = await createProject('shop')
  let users = 0

  return {
    base_url,
    reach,
    /** With these, curl reaches the issuers. */
    curl_options: front?.curl_options ?? [],
    service,
    deployment,
    data_dir,
    log,
    key: first.key,
    key_id: first.key_id,
    tenant_id: first.tenant_id,
    owner_id: first.user_id,
    admin_issuer: first.admin_issuer,
    admin_client_id: first.admin_client_id,
    project,
    test: project.test,
    live: project.live,
    now,
    /** Moves the service's clock. */
    advance(seconds: number) {
      ahead_ms += seconds * 1000
    },
    call,
    createProject,

    /**
     * Creates an application. A confidential one is returned with its secret. Like applications from before `client_secret` and
     * `nonce_replaces_pkce` it takes the secret in the header alone and needs PKCE; a field that is `undefined` has its present default.
     */
    async createApplication(environment: TestEnvironment, fields: Record<string, unknown> = {}) {
      const { application_type = 'web' } = fields
      const exact = application_type === 'web' ? { token_endpoint_auth_method: 'client_secret_basic', nonce_replaces_pkce: false } : {}
      const body = { name: 'Storefront', application_type, redirect_uris: ['https://app.example.com/callback'], ...exact, ...fields }
      return expectStatus(201, await call('POST', `${environment.path}/applications`, { body }))
    },

    async changeSettings(environment: TestEnvironment, change: unknown) {
      return expectStatus(200, await call('PATCH', `${environment.path}/settings`, { body: change }))
    },

    /** Stores a user with a password. */
    async createUser(
      environment: Pick<TestEnvironment, 'id'>,
      fields: Partial<NewUser> & { waits?: boolean; self_registered?: boolean } = {},
    ) {
      const password = fields.password ?? 'correct horse battery'
      const email = fields.email ?? `user${++users}@example.com`
      const id = deployment.newId('usr')
      const hash = await passwords.hash(password)
      await deployment.db.batch(
        insertUser({ environment_id: environment.id, id }, { name: 'Ada Example', email_verified: true, ...fields, email }, hash, now()),
      )
      return { id, email, password }
    },

    /** Starts another service of the deployment, as behind a load balancer. `at` maps a URL to its address. */
    async startAnotherService(change: Partial<Config> = {}) {
      const port = await freePort()
      const other = await startService({ ...config, ...change, port }, service_options)
      services.push(other)
      return { service: other, at: (url: string) => url.replace(base_url, `http://127.0.0.1:${port}`) }
    },

    close,
  }
}

export function expectStatus(status: number, reply: Reply) {
  if (reply.status !== status) throw new Error(`Expected ${status}, got ${reply.status}: ${JSON.stringify(reply.body)}`)
  return reply.body
}

export const randomText = () => randomBytes(32).toString('base64url')
