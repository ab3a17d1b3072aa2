/** Ostiary for a run: an empty data folder, the command line as a person uses it, and a project with its Test environment for each product. */
import { execFile } from 'node:child_process'
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type Client, createClient } from '../sdk/src/index.ts'
import { freePort } from '../server/test/support/free-port.ts'
import { fixed_code } from './hosted-pages.ts'
import { answers, start } from './processes.ts'

const root = join(import.meta.dirname, '..')
const launcher = join(root, 'launch.mjs')
const execute = promisify(execFile)
const milliseconds_of_command = 120_000

export interface Service {
  readonly url: string
  readonly client: Client
  /** Runs a command of the client with the platform key. Returns what it printed. */
  ostiary(words: readonly string[]): Promise<string>
  stop(): Promise<void>
}

export async function startService(folder: string): Promise<Service> {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const port = await freePort()
  const url = `http://localhost:${port}`
  const env = {
    PATH: process.env.PATH,
    HOME: folder,
    OSTIARY_PORT: String(port),
    OSTIARY_DATA_DIR: join(folder, 'data'),
    OSTIARY_WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8,::1/128', // back-channel logout of products on this machine
  }
  const command = async (words: readonly string[], more: Record<string, string>, input = '') => {
    const running = execute(process.execPath, [launcher, ...words], {
      cwd: root,
      env: { ...env, ...more },
      timeout: milliseconds_of_command,
    })
    running.child.stdin?.end(input)
    return (await running).stdout
  }
  const bootstrapped = await command(
    ['bootstrap', '--email', 'owner@example.com', '--password-stdin', '--tenant', 'Products', '--json'],
    {},
    'a long enough password',
  )
  const { key: platform_key } = JSON.parse(bootstrapped)
  const log = join(folder, 'service.log')
  const program = start([process.execPath, launcher, 'serve'], { cwd: root, env, log })
  await Promise.race([answers(`${url}/readyz`, 60), program.gone])
  return {
    url,
    client: createClient({ base_url: url, api_key: platform_key }),
    ostiary: (words) => command(words, { OSTIARY_KEY: platform_key, OSTIARY_URL: url }),
    stop: program.stop,
  }
}

export interface Environment {
  readonly path: { readonly project_id: string; readonly environment_id: string }
  readonly project: string
  readonly issuer: string
  /** The client of a backend, which manages people. */
  readonly backend: Client
}

/** A project for a product, whose Test environment takes a fixed code in place of a mailed one. */
export async function createEnvironment({ client, url }: Service, slug: string): Promise<Environment> {
  const project = await client.createProject({ slug, name: slug })
  const test = project.environments.find(({ type }) => type === 'test')
  if (!test) throw new Error('The project has no Test environment.')
  const path = { project_id: project.id, environment_id: test.id }
  await client.changeSettings(path, { test: { fixed_code } })
  const { key } = await client.createAuthKey(path, { type: 'auth_secret' })
  if (key === null) throw new Error('The answer has no key.')
  return { path, project: slug, issuer: test.issuer, backend: createClient({ base_url: url, api_key: key }) }
}
