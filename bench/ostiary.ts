/**
 * Ostiary as a contestant: `ostiary serve` in its own process, with a tenant, a confidential application and signed-in people.
 * Everything is created over HTTP and the command line, so another checkout can be measured in the same way.
 */
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../server/test/support/free-port.ts'
import { formOf, openBrowser } from './browser.ts'
import {
  type Address,
  type Answer,
  type Connection,
  cookiesOf,
  expectStatus,
  isRefusedForm,
  openConnection,
  request,
} from './connection.ts'
import { type ServerProcess, startProcess } from './process.ts'
import { authorization, type Client, codeIn, discover, type Provider, redeem } from './provider.ts'

export interface OstiaryCheckout {
  /** A checkout of Ostiary. */
  readonly root: string
  /** The folder for its data and log. */
  readonly folder: string
  /** `null` for the embedded engine. */
  readonly database_url: string | null
  readonly core: number | null
  /** A second start needs the port of the first where people sign in again: issuers keep their addresses. */
  readonly port?: number
  /** Additional flags of Node. */
  readonly flags?: readonly string[]
  /** Runs the sources, not the bundle. */
  readonly from_sources?: boolean
  /** Additional environment variables. */
  readonly env?: Readonly<Record<string, string>>
}

export interface Ostiary {
  readonly process: ServerProcess
  readonly address: Address
  readonly env: Record<string, string>
}

/** Starts the service. A second start in the same folder uses the same data. */
export async function startOstiary(
  { root, folder, database_url, core, port, flags = [], from_sources = false, env: more = {} }: OstiaryCheckout,
  master_key = '',
): Promise<Ostiary> {
  mkdirSync(folder, { recursive: true })
  const address = { host: 'localhost', port: port ?? (await freePort()) }
  const env: Record<string, string> = {
    OSTIARY_PORT: String(address.port),
    OSTIARY_DATA_DIR: folder,
    ...(database_url === null ? {} : { OSTIARY_DATABASE_URL: database_url, OSTIARY_MASTER_KEY: master_key }),
    ...more,
  }
  const log = join(folder, 'ostiary.log')
  const { commandLineTool, nodeArguments } = await import(join(root, 'launch.mjs'))
  const bundle = from_sources ? null : await commandLineTool?.('serve') // an older checkout has none
  const script = bundle ?? join(root, 'cli/src/main.ts')
  const ready = { address, path: '/readyz' }
  // Flags and variables as the launcher of that checkout sets them.
  const launched = nodeArguments(['serve']).filter((word: string) => word.startsWith('--'))
  const process = await startProcess({
    script,
    flags: [...launched, ...flags],
    args: ['serve'],
    env: { ...env, NODE_COMPILE_CACHE: join(folder, '../compiled') },
    core,
    log,
    ready,
  })
  return { process, address, env }
}

export const newMasterKey = () => randomBytes(32).toString('base64')

export interface Seeded extends Provider {
  readonly secret_key: string
  readonly platform_key: string
  readonly project_id: string
  readonly environment_id: string
  /** An issuer of another tenant. */
  readonly admin_issuer: string
  readonly people: readonly (Person & { readonly id: string })[]
}

export interface Person {
  readonly email: string
  readonly password: string
}

const owner = { email: 'owner@example.com', password: 'a long enough password' }
const unlimited = { rate_limit: { limit: 100_000, window_seconds: 1 } }

/** Creates the first tenant, an application in its Test environment, and signed-in people. */
export async function seedOstiary(
  root: string,
  { address, env }: Omit<Ostiary, 'process'> & Partial<Ostiary>,
  people_wanted: number,
): Promise<Seeded> {
  const first = await bootstrap(root, env)
  const call = await caller(address)
  const administrator = await administratorToken(address, first)
  const as_administrator = { authorization: `Bearer ${administrator}`, 'x-tenant-id': first.tenant_id }
  const keys = `/v1/tenants/${first.tenant_id}/platform-keys`
  const { key: platform_key } = await call.post(keys, as_administrator, { label: 'Benchmark', scopes: ['*'], ...unlimited })

  const platform = { 'x-api-key': platform_key }
  const { id: project_id } = await call.post('/v1/platform/projects', platform, { slug: 'bench', name: 'Benchmark' })
  const { data } = await call.get(`/v1/platform/projects/${project_id}/environments`, platform)
  const environment = data.find(({ type }: { type: string }) => type === 'test')
  call.close()
  const seeded = await seedEnvironment(address, { platform_key, project_id, environment }, { people: people_wanted })
  return { ...seeded, admin_issuer: first.admin_issuer }
}

interface Place {
  readonly platform_key: string
  readonly project_id: string
  readonly environment: { readonly id: string; readonly issuer: string }
}

interface Asked {
  readonly people: number
  /** What the application asks for beside the scopes of OpenID Connect. */
  readonly at_server?: { readonly identifier: string; readonly scopes: readonly string[] }
}

/** Creates an application, a key and signed-in people in an environment. */
export async function seedEnvironment(
  address: Address,
  { platform_key, project_id, environment: { id, issuer } }: Place,
  { people: people_wanted, at_server }: Asked,
): Promise<Omit<Seeded, 'admin_issuer'>> {
  const call = await caller(address)
  const platform = { 'x-api-key': platform_key }
  const path = `/v1/platform/projects/${project_id}/environments/${id}`
  const redirect_uri = 'https://app.example.com/callback'
  const scopes = ['openid', 'profile', 'email', 'offline_access', ...(at_server?.scopes ?? [])]
  const application = { name: 'Benchmark', application_type: 'web', redirect_uris: [redirect_uri] }
  const asking = at_server ? { ...application, allowed_scopes: scopes } : application
  const { client_id, client_secret } = await call.post(`${path}/applications`, platform, asking)
  const { key: secret_key } = await call.post(`${path}/auth-keys`, platform, { type: 'auth_secret', ...unlimited })

  const people: Seeded['people'][number][] = []
  for (let i = 0; i < people_wanted; i++) {
    const person = { email: `person${i}@example.com`, password: `meadow lantern copper ${i} violin` }
    const made = await call.post('/v1/auth/users', { 'x-api-key': secret_key }, { ...person, name: 'Ada Example', email_verified: true })
    people.push({ ...person, id: made.id })
  }
  call.close()

  const client = { client_id, client_secret, redirect_uri }
  const jwt_access_token = at_server
    ? { parameters: { resource: at_server.identifier }, audience: at_server.identifier }
    : { parameters: {}, audience: issuer }
  const provider = await discover(address, issuer, { client, scope: scopes.join(' '), jwt_access_token })
  const cookies: string[] = []
  for (const person of people) cookies.push((await signedIn(provider, person)).cookie())
  return { ...provider, cookies, secret_key, platform_key, project_id, environment_id: id, people }
}

/** Signs a person in with a new browser. */
export async function signedIn(
  provider: Omit<Provider, 'cookies'>,
  { email, password }: Person,
  asked = authorization(provider, provider.jwt_access_token.parameters),
) {
  const browser = await openBrowser(provider.address)
  const answer = await browser.submit(await browser.get(asked.path), { email, password, method: 'password' })
  browser.close()
  return { code: codeIn(provider, asked, answer), cookie: browser.cookie }
}

/**
 * Returns a function that makes sign-in requests of one browser: its form token and cookies stay valid. Each has another value in a field
 * that no form has, since the service answers a form that was sent before with what it answered then (decision 0082).
 */
export async function signInRequests(provider: Seeded, { email, password }: Person): Promise<() => string> {
  const connection = await openConnection(provider.address)
  const page = await connection.send(request(provider.address, 'GET', authorization(provider, {}).path))
  connection.close()
  const { action, hidden } = formOf(page.body)
  const headers = { cookie: cookiesOf(page).join('; '), 'content-type': 'application/x-www-form-urlencoded' }
  const path = new URL(action, provider.issuer).pathname
  const body = new URLSearchParams({ ...hidden, email, password, method: 'password' }).toString()
  let turn = 0
  return () => request(provider.address, 'POST', path, { headers, body: `${body}&turn=${turn++}` })
}

/** Sends a sign-in and repeats it while the service refuses it, which it does when its password queue is full. */
export async function sendWhenFree(connection: Connection, asked: string): Promise<Answer> {
  let answer = await connection.send(asked)
  while (answer.status === 503 || isRefusedForm(answer)) {
    await sleep(10)
    answer = await connection.send(asked)
  }
  return answer
}

/** Gets the access token of an administrator by the code flow, like a command-line client. */
async function administratorToken(address: Address, first: { admin_issuer: string; admin_client_id: string; admin_redirect_uri: string }) {
  const client: Client = { client_id: first.admin_client_id, client_secret: null, redirect_uri: first.admin_redirect_uri }
  const resource = `http://${address.host}:${address.port}`
  const about = { client, scope: 'openid offline_access', jwt_access_token: { parameters: { resource }, audience: resource } }
  const provider = await discover(address, first.admin_issuer, about)
  const asked = authorization(provider, { resource })
  const { code } = await signedIn(provider, owner, asked)
  const connection = await openConnection(address)
  const { access_token } = await redeem(provider, connection, asked, code)
  connection.close()
  return access_token
}

async function bootstrap(root: string, env: Record<string, string>) {
  const args = ['bootstrap', '--email', owner.email, '--password-stdin', '--tenant', 'Benchmark', '--json']
  const command = ['--disable-warning=ExperimentalWarning', join(root, 'cli/src/main.ts'), ...args]
  const child = spawn(process.execPath, command, { env: { ...process.env, ...env }, stdio: ['pipe', 'pipe', 'inherit'] })
  child.stdin.end(owner.password)
  return JSON.parse(await text(child.stdout))
}

/** Calls the management API, one request at a time. */
export async function caller(address: Address) {
  const connection = await openConnection(address)
  type Headers = Record<string, string>
  const statuses = { GET: 200, POST: 201, PATCH: 200, DELETE: 204 }
  const call = async (method: keyof typeof statuses, path: string, headers: Headers, body?: unknown) => {
    const sent = body === undefined ? '' : JSON.stringify(body)
    const all = { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) }
    const answer = expectStatus(statuses[method], await connection.send(request(address, method, path, { headers: all, body: sent })))
    return answer.body === '' ? null : JSON.parse(answer.body)
  }
  return {
    get: (path: string, headers: Headers) => call('GET', path, headers),
    post: (path: string, headers: Headers, body: unknown) => call('POST', path, headers, body),
    change: (path: string, headers: Headers, body: unknown) => call('PATCH', path, headers, body),
    remove: (path: string, headers: Headers) => call('DELETE', path, headers),
    close: connection.close,
  }
}
