/**
 * Ostiary as a contestant: the real `ostiary serve` in a process of its own, with a tenant, a confidential application and
 * people who are signed in. All of it is made over HTTP and the command line, so another checkout can be measured just so.
 */
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { nodeArguments } from '../launch.mjs'
import { formOf, openBrowser } from './browser.ts'
import { type Address, type Answer, type Connection, cookiesOf, expectStatus, openConnection, request } from './connection.ts'
import { freePort, type ServerProcess, startProcess } from './process.ts'
import { authorization, type Client, codeIn, discover, type Provider, redeem } from './provider.ts'

export interface OstiaryPlace {
  /** A checkout of Ostiary. */
  readonly root: string
  /** Where its data and log go. */
  readonly folder: string
  /** `null`: the embedded engine. */
  readonly database_url: string | null
  readonly core: number | null
  /** More variables of the service. */
  readonly env?: Readonly<Record<string, string>>
}

export interface Ostiary {
  readonly process: ServerProcess
  readonly address: Address
  readonly env: Record<string, string>
}

/** Starts the service. Called again for the same folder it finds what it left there. */
export async function startOstiary({ root, folder, database_url, core, env: more = {} }: OstiaryPlace, master_key = ''): Promise<Ostiary> {
  mkdirSync(folder, { recursive: true })
  const address = { host: 'localhost', port: await freePort() }
  const env: Record<string, string> = {
    OSTIARY_PORT: String(address.port),
    OSTIARY_DATA_DIR: folder,
    ...(database_url === null ? {} : { OSTIARY_DATABASE_URL: database_url, OSTIARY_MASTER_KEY: master_key }),
    ...more,
  }
  const log = join(folder, 'ostiary.log')
  const { commandLineTool } = await import(join(root, 'launch.mjs'))
  const script = (await commandLineTool?.('serve')) ?? join(root, 'cli/src/main.ts') // what is compared with may be older than bundles
  const ready = { address, path: '/readyz' }
  const launched = asLaunched(folder)
  const process = await startProcess({ script, ...launched, args: ['serve'], env: { ...env, ...launched.env }, core, log, ready })
  return { process, address, env }
}

/** As the launcher starts the service. */
const asLaunched = (folder: string) => ({
  flags: nodeArguments(['serve']).filter((word: string) => word.startsWith('--')),
  env: { NODE_COMPILE_CACHE: join(folder, '../compiled') },
})

export const newMasterKey = () => randomBytes(32).toString('base64')

export interface Seeded extends Provider {
  readonly secret_key: string
  readonly platform_key: string
  readonly project_id: string
  readonly people: readonly Person[]
}

export interface Person {
  readonly email: string
  readonly password: string
}

const owner = { email: 'owner@example.com', password: 'a long enough password' }
const unlimited = { rate_limit: { limit: 100_000, window_seconds: 1 } }

/** Makes the first tenant, an application in its Test environment, and people who are signed in there. */
export async function seedOstiary(root: string, { address, env }: Ostiary, people_wanted: number): Promise<Seeded> {
  const first = await bootstrap(root, env)
  const call = await caller(address)
  const administrator = await administratorToken(address, first)
  const as_administrator = { authorization: `Bearer ${administrator}`, 'x-tenant-id': first.tenant_id }
  const keys = `/v1/tenants/${first.tenant_id}/platform-keys`
  const { key: platform_key } = await call.post(keys, as_administrator, { label: 'Benchmark', scopes: ['*'], ...unlimited })

  const platform = { 'x-api-key': platform_key }
  const { id: project_id } = await call.post('/v1/platform/projects', platform, { slug: 'bench', name: 'Benchmark' })
  const environments = `/v1/platform/projects/${project_id}/environments`
  const { data } = await call.get(environments, platform)
  const { id, issuer } = data.find(({ type }: { type: string }) => type === 'test')
  const redirect_uri = 'https://app.example.com/callback'
  const application = { name: 'Benchmark', application_type: 'web', redirect_uris: [redirect_uri] }
  const { client_id, client_secret } = await call.post(`${environments}/${id}/applications`, platform, application)
  const { key: secret_key } = await call.post(`${environments}/${id}/auth-keys`, platform, { type: 'auth_secret', ...unlimited })

  const people = Array.from({ length: people_wanted }, (_, i) => ({
    email: `person${i}@example.com`,
    password: `a password of person ${i}`,
  }))
  for (const person of people)
    await call.post('/v1/auth/users', { 'x-api-key': secret_key }, { ...person, name: 'Ada Example', email_verified: true })
  call.close()

  const client = { client_id, client_secret, redirect_uri }
  const about = { client, scope: 'openid profile email offline_access', jwt_access_token: { parameters: {}, audience: issuer } }
  const provider = await discover(address, issuer, about)
  const cookies: string[] = []
  for (const person of people) cookies.push((await signedIn(provider, person)).cookie())
  return { ...provider, cookies, secret_key, platform_key, project_id, people }
}

/** A browser with a session of this person. */
async function signedIn(provider: Omit<Provider, 'cookies'>, { email, password }: Person, asked = authorization(provider, {})) {
  const browser = await openBrowser(provider.address)
  const answer = await browser.submit(await browser.get(asked.path), { email, password, method: 'password' })
  browser.close()
  return { code: codeIn(provider, asked, answer), cookie: browser.cookie }
}

/** The sign-in page as one browser got it, to be sent any number of times: a form token belongs to its browser. */
export async function signInRequest(provider: Seeded, { email, password }: Person): Promise<string> {
  const connection = await openConnection(provider.address)
  const page = await connection.send(request(provider.address, 'GET', authorization(provider, {}).path))
  connection.close()
  const { action, hidden } = formOf(page.body)
  const headers = { cookie: cookiesOf(page).join('; '), 'content-type': 'application/x-www-form-urlencoded' }
  const body = new URLSearchParams({ ...hidden, email, password, method: 'password' })
  return request(provider.address, 'POST', new URL(action, provider.issuer).pathname, headers, body.toString())
}

/** Sends a sign-in until the service has room for one more password: it answers 503 to what its queue cannot take. */
export async function sendWhenFree(connection: Connection, asked: string): Promise<Answer> {
  let answer = await connection.send(asked)
  while (answer.status === 503) {
    await sleep(10)
    answer = await connection.send(asked)
  }
  return answer
}

/** By the ordinary code flow, as a command line does it (RFC 9728 metadata says where). */
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

/** The management API, one call after the other. */
async function caller(address: Address) {
  const connection = await openConnection(address)
  const call = async (method: string, status: number, path: string, headers: Record<string, string>, body?: unknown) => {
    const sent = body === undefined ? '' : JSON.stringify(body)
    const all = { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) }
    return JSON.parse(expectStatus(status, await connection.send(request(address, method, path, all, sent))).body)
  }
  return {
    get: (path: string, headers: Record<string, string>) => call('GET', 200, path, headers),
    post: (path: string, headers: Record<string, string>, body: unknown) => call('POST', 201, path, headers, body),
    close: connection.close,
  }
}
