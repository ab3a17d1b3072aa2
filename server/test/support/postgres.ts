/**
 * A real PostgreSQL server for tests, from an npm package: it needs no installation and ends with the process of the test file.
 * Most tests use `world()`, which calls `migratedDatabase()`. Tests of the first start use `freshDatabase()`, and those that stop the
 * server `startPostgres()`.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { createDb } from '../../src/db/db.ts'
import { migrate } from '../../src/db/migrate.ts'
import { openPostgres } from '../../src/db/postgres/postgres.ts'
import { freePort } from './free-port.ts'
import { memory_folder } from './memory-folder.ts'
import { giveToServer, noPostgres, programs, requireAsPackage, runAs, temporary_folder } from './postgres-package.ts'

export { noPostgres }

export interface Postgres {
  /** The URL of an existing database. `freshDatabase` creates others. */
  url: string
  freshDatabase(): Promise<string>
  /** Stops the server and keeps its data. `resume` starts it again at the same address. */
  pause(): Promise<void>
  resume(): Promise<void>
  /** Signals every process of the server: SIGSTOP as if its machine hung, until SIGCONT; SIGKILL as if it crashed, until `resume`. */
  signal(name: 'SIGSTOP' | 'SIGCONT' | 'SIGKILL'): Promise<void>
  stop(): Promise<void>
}

let shared: Promise<Postgres> | undefined

/**
 * Creates an empty database and returns its URL: on the server that a whole test run shares, or else on a server that
 * ends with this process.
 */
export async function freshDatabase(): Promise<string> {
  const shared_url = process.env.OSTIARY_TEST_POSTGRES
  if (shared_url) return createDatabase(shared_url)
  shared ??= startPostgres()
  return (await shared).freshDatabase()
}

/** The servers of a run on Citus, the coordinator first. `npm run test:citus` starts them. */
export const citus_nodes: readonly string[] = JSON.parse(process.env.OSTIARY_TEST_CITUS ?? '[]')

/**
 * A database with the present schema for a world. A whole test run has a template of it, which saves the migrations of each world. A test
 * of one file has none, and its service migrates.
 */
export async function migratedDatabase(): Promise<string> {
  if (citus_nodes.length > 0) return createOnNodes(citus_nodes)
  const shared_url = process.env.OSTIARY_TEST_POSTGRES
  return shared_url ? createDatabase(shared_url, template) : freshDatabase()
}

export const template = 'ostiary_template'

/** The URLs of a database on each node. */
export const onNodes = (url: string): string[] =>
  citus_nodes.map((node) => Object.assign(new URL(node), { pathname: new URL(url).pathname }).href)

/** A copy of the distributed template: the nodes connect to each other by the name of the database. */
async function createOnNodes(nodes: readonly string[]): Promise<string> {
  const name = nextName()
  const [coordinator = ''] = await Promise.all(nodes.map((node) => createDatabase(node, template, name)))
  return coordinator
}

/** Creates the template of `migratedDatabase` on the server of this URL. */
export async function createTemplate(url: string): Promise<void> {
  await runCommand(url, `create database ${template}`)
  const db = createDb(openPostgres(Object.assign(new URL(url), { pathname: `/${template}` }).href))
  await migrate(db)
  await db.close()
}

let databases = 0
const nextName = (): string => `test_${process.pid}_${++databases}`

/** Drops a database. Only tests that create many need this, because the databases end with the server. */
export async function dropDatabase(url: string): Promise<void> {
  const { port, pathname } = new URL(url)
  const is_on_nodes = citus_nodes.some((node) => new URL(node).port === port)
  for (const node of is_on_nodes ? citus_nodes : [url])
    await runCommand(Object.assign(new URL(node), { pathname: '/postgres' }).href, `drop database "${pathname.slice(1)}" with (force)`)
}

/** Creates a database on the server of this URL, as a copy of another one. PostgreSQL's own template is empty. */
async function createDatabase(beside: string, from = 'template1', name = nextName()): Promise<string> {
  await runCommand(beside, `create database ${name} template ${from}`)
  return Object.assign(new URL(beside), { pathname: `/${name}` }).href
}

/** The server analyses no table of the database by itself: a test of plans says when. On a busy machine it came between two steps. */
export const without_autovacuum = `do $$ declare t text; begin
  for t in select tablename from pg_tables where schemaname = 'public' loop execute format('alter table %I set (autovacuum_enabled = false)', t); end loop;
end $$`

/** Runs one SQL command on a connection of its own, without a limit of time. */
export async function runCommand(url: string, command: string): Promise<void> {
  await query(url, command)
}

/** Returns the rows of one query on a connection of its own. */
export async function query(url: string, text: string, values: readonly unknown[] = []): Promise<Record<string, unknown>[]> {
  const client = new (requireAsPackage('pg').Client)({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(text, values)).rows
  } finally {
    await client.end()
  }
}

/** Another PostgreSQL than that of the package. */
export interface OtherPrograms {
  /** The folder of `initdb` and `postgres`. */
  bin: string
  settings: readonly string[]
  /** How its connections authenticate; servers that connect to each other trust the loopback. */
  auth: 'trust'
}

/** The options of a server that differ from the usual. */
interface More {
  initdb?: readonly string[]
  settings?: readonly string[]
  /** Files of its data directory, in place of those of `initdb`. */
  files?: Readonly<Record<string, string>>
}

/** `is_durable`: commits reach the disk. Benchmarks need that, tests do not. */
export async function startPostgres({
  is_durable = false,
  other = null as OtherPrograms | null,
  more = {} as More,
} = {}): Promise<Postgres> {
  if (noPostgres && !other) throw new Error(noPostgres)
  const folder = mkdtempSync(join((is_durable ? null : memory_folder) ?? temporary_folder, 'ostiary-postgres-data-'))
  let server: ChildProcess | undefined
  const discard = () => {
    signalAll(server, 'SIGCONT') // a test may have stopped them
    server?.kill('SIGQUIT') // ends without saving; the pid file is deleted last
    for (let tries = 0; tries < 100 && existsSync(join(folder, 'data/postmaster.pid')); tries++) sleep(20)
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
  process.once('exit', discard)
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => process.exit(1)) // so that 'exit' is emitted

  const password = initialise(folder, other, more)
  const settings = [...(other?.settings ?? []), ...(more.settings ?? [])]
  let port: number
  do {
    // Another process can take the port first: then try another port.
    port = await freePort()
    server = spawnServer(folder, port, { is_durable, other, settings })
  } while (!(await isListening(server)))

  const end = async () => {
    server?.ref()
    server?.kill('SIGINT') // ends the sessions without waiting for them
    if (server?.exitCode === null && server.signalCode === null) await once(server, 'exit')
  }
  const url = `postgres://ostiary:${password}@127.0.0.1:${port}/postgres`
  return {
    url,
    freshDatabase: () => createDatabase(url),
    pause: end,
    resume: async () => {
      server = spawnServer(folder, port, { is_durable, other, settings })
      if (!(await isListening(server))) throw new Error(`The port ${port} was taken while PostgreSQL was stopped.`)
    },
    signal: async (name) => {
      if (name === 'SIGKILL') server?.ref()
      const ended = name === 'SIGKILL' && server ? once(server, 'exit') : null
      signalAll(server, name)
      await ended
    },
    stop: async () => {
      signalAll(server, 'SIGCONT')
      await end()
      process.off('exit', discard)
      discard()
    },
  }
}

/** Writes the files of a new server. Returns the password of its superuser. */
function initialise(folder: string, other: OtherPrograms | null, more: More): string {
  const password = randomBytes(16).toString('hex')
  const password_file = join(folder, 'password')
  writeFileSync(password_file, password)
  giveToServer(folder, password_file)

  // Sorts by ICU, so that code that relies on the byte order of SQLite fails here.
  const sorting = ['--encoding=UTF8', '--locale=C', '--locale-provider=icu', '--icu-locale=en-US']
  const access = [`--auth=${other?.auth ?? 'scram-sha-256'}`, '--username=ostiary', `--pwfile=${password_file}`]
  const data = join(folder, 'data')
  const args = [`--pgdata=${data}`, '--no-sync', ...sorting, ...access, ...(more.initdb ?? [])]
  execFileSync(join(other?.bin ?? programs(), 'initdb'), args, { ...runAs, cwd: folder, stdio: 'pipe' })
  for (const [name, text] of Object.entries(more.files ?? {})) {
    rmSync(join(data, name), { force: true })
    writeFileSync(join(data, name), text, { mode: 0o600 })
    giveToServer(join(data, name))
  }
  return password
}

function spawnServer(
  folder: string,
  port: number,
  { is_durable, other, settings: own }: { is_durable: boolean; other: OtherPrograms | null; settings: readonly string[] },
): ChildProcess {
  // The usual second before a deadlock is looked for leaves a busy machine 200 ms until the limit of a statement.
  const durability = is_durable ? [] : ['fsync=off', 'full_page_writes=off', 'deadlock_timeout=200ms']
  const settings = [
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
    `port=${port}`,
    'log_min_messages=log',
    'max_connections=400',
    ...durability,
    ...own,
  ]
  const args = ['-D', join(folder, 'data'), ...settings.flatMap((setting) => ['-c', setting])]
  return spawn(join(other?.bin ?? programs(), 'postgres'), args, { ...runAs, cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] })
}

/** Signals a server that runs, and its children, which Linux lists. It is stopped before they are read, so that it starts no others. */
function signalAll(server: ChildProcess | undefined, name: NodeJS.Signals): void {
  if (!server?.pid || server.exitCode !== null || server.signalCode !== null) return
  if (name !== 'SIGCONT') server.kill('SIGSTOP')
  const list = `/proc/${server.pid}/task/${server.pid}/children`
  for (const child of existsSync(list) ? readFileSync(list, 'utf8').split(' ').filter(Boolean) : []) {
    try {
      process.kill(Number(child), name)
    } catch {} // it has ended
  }
  server.kill(name)
}

/** Waits until the server listens. `false`: its port is taken. Afterwards the server does not keep the test process alive. */
function isListening(server: ChildProcess): Promise<boolean> {
  const stderr = server.stderr as Socket
  return new Promise((resolve, reject) => {
    let log = ''
    // Reads the log to its end: a server that cannot write its log stops.
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

/** Blocks the process: in an 'exit' listener no promise is resolved. */
function sleep(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}
