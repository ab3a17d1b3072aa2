/**
 * A real PostgreSQL for tests, from an npm package: nothing need be installed, and nothing outlives the process of the test file.
 * Most tests want `freshDatabase()`; who has to stop the server uses `startPostgres()`.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chownSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { noPostgres, programs, requireAsPackage, runAs, temporary } from './postgres-package.ts'

export { noPostgres }

export interface Postgres {
  /** Of a database that exists; `freshDatabase` makes others beside it. */
  url: string
  freshDatabase(): Promise<string>
  /** Stops it for a while: what it holds stays, and `resume` starts it at the same address. */
  pause(): Promise<void>
  resume(): Promise<void>
  stop(): Promise<void>
}

let shared: Promise<Postgres> | undefined

/**
 * The URL of a new, empty database: of the server that a whole run of tests shares, where there is one, else of one
 * that ends with this process.
 */
export async function freshDatabase(): Promise<string> {
  const of_this_run = process.env.OSTIARY_TEST_POSTGRES
  if (of_this_run) return createDatabase(of_this_run)
  shared ??= startPostgres()
  return (await shared).freshDatabase()
}

let databases = 0

/** For who makes many: what is left behind goes with the server anyhow. */
export async function dropDatabase(url: string): Promise<void> {
  await tell(Object.assign(new URL(url), { pathname: '/postgres' }).href, `drop database "${new URL(url).pathname.slice(1)}" with (force)`)
}

/** Beside the database that the URL is of. */
async function createDatabase(beside: string): Promise<string> {
  databases += 1
  const name = `test_${process.pid}_${databases}`
  await tell(beside, `create database ${name}`)
  return Object.assign(new URL(beside), { pathname: `/${name}` }).href
}

async function tell(url: string, command: string): Promise<void> {
  const client = new (requireAsPackage('pg').Client)({ connectionString: url })
  await client.connect()
  await client.query(command)
  await client.end()
}

/** `is_durable`: commits reach the disk, as they do for whoever measures and for nobody who tests. */
export async function startPostgres({ is_durable = false } = {}): Promise<Postgres> {
  if (noPostgres) throw new Error(noPostgres)
  const folder = mkdtempSync(join(temporary, 'ostiary-postgres-data-'))
  let server: ChildProcess | undefined
  const discard = () => {
    server?.kill('SIGQUIT') // ends it without saving anything; its pid file goes last
    for (let tries = 0; tries < 100 && existsSync(join(folder, 'data/postmaster.pid')); tries++) sleep(20)
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
  process.once('exit', discard)
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => process.exit(1)) // so that there is an 'exit'

  const password = initialise(folder)
  let port: number
  do {
    // Somebody may take the port before the server does: then on another.
    port = await freePort()
    server = spawnServer(folder, port, is_durable)
  } while (!(await isListening(server)))

  const end = async () => {
    server?.ref()
    server?.kill('SIGINT') // ends the sessions and waits for none
    if (server?.exitCode === null && server.signalCode === null) await once(server, 'exit')
  }
  const url = `postgres://ostiary:${password}@127.0.0.1:${port}/postgres`
  return {
    url,
    freshDatabase: () => createDatabase(url),
    pause: end,
    resume: async () => {
      server = spawnServer(folder, port, is_durable)
      if (!(await isListening(server))) throw new Error(`The port ${port} was taken while PostgreSQL was stopped.`)
    },
    stop: async () => {
      await end()
      process.off('exit', discard)
      discard()
    },
  }
}

/** Writes the files of a new server, and returns the password of its owner. */
function initialise(folder: string): string {
  const password = randomBytes(16).toString('hex')
  const password_file = join(folder, 'password')
  writeFileSync(password_file, password)
  const { uid, gid } = runAs
  if (uid !== undefined && gid !== undefined) for (const path of [folder, password_file]) chownSync(path, uid, gid)

  // Sorted by ICU: who relies on the order of bytes, as SQLite has it, should find out here.
  const sorting = ['--encoding=UTF8', '--locale=C', '--locale-provider=icu', '--icu-locale=en-US']
  const access = ['--auth=scram-sha-256', '--username=ostiary', `--pwfile=${password_file}`]
  const args = [`--pgdata=${join(folder, 'data')}`, '--no-sync', ...sorting, ...access]
  execFileSync(join(programs(), 'initdb'), args, { ...runAs, cwd: folder, stdio: 'pipe' })
  return password
}

function spawnServer(folder: string, port: number, is_durable: boolean): ChildProcess {
  const durability = is_durable ? [] : ['fsync=off', 'full_page_writes=off']
  const settings = [
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
    `port=${port}`,
    'log_min_messages=log',
    'max_connections=400',
    ...durability,
  ]
  const args = ['-D', join(folder, 'data'), ...settings.flatMap((setting) => ['-c', setting])]
  return spawn(join(programs(), 'postgres'), args, { ...runAs, cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] })
}

/** Waits until the server listens. `false`: its port is taken. From then on it does not keep the process of the test alive. */
function isListening(server: ChildProcess): Promise<boolean> {
  const stderr = server.stderr as Socket
  return new Promise((resolve, reject) => {
    let log = ''
    // Read to the end, wanted or not: a server that cannot write its log stands still.
    stderr.setEncoding('utf8').on('data', (text) => {
      if (log.includes('ready to accept connections')) return
      log += text
      if (!log.includes('ready to accept connections')) return
      stderr.unref()
      server.unref()
      resolve(true)
    })
    stderr.once('close', () => (log.includes('could not bind') ? resolve(false) : reject(new Error(`PostgreSQL does not start: ${log}`))))
  })
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  await once(server, 'close')
  return port
}

/** For the last moments of a process, when no promise is kept any more. */
function sleep(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}
