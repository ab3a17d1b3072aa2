/** The message of each command if PostgreSQL refuses: the cause and the remedy, never "cannot be reached", and no unknown outcome. */
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { run, serve } from './support/cli-process.ts'
import { freePort } from './support/free-port.ts'
import { freshDatabase, noPostgres, query, runCommand } from './support/postgres.ts'
import { giveToServer, runAs, temporary_folder } from './support/postgres-package.ts'
import { until } from './support/receiver.ts'
import { changed, commands, environment, refusalOf } from './support/start-refusal.ts'

const nameOf = (url: string) => new URL(url).pathname.slice(1)

// biome-ignore format: this table is read by column
const refusals: [what: string, says: RegExp, make: (url: string) => Promise<string>][] = [
  ['the password is wrong',         /refuses the login: .*password of OSTIARY_DATABASE_URL/, async (url) => changed(url, { password: 'wrong' })],
  ['the database does not exist',   /no such database: .*Create it/,                         async (url) => changed(url, { pathname: '/nowhere' })],
  ['the database is read-only',     /is read-only: .*default_transaction_read_only/,         async (url) => {
    await runCommand(url, `alter database "${nameOf(url)}" set default_transaction_read_only = on`)
    return url
  }],
  ['no connection is left',         /has no connection left: .*max_connections/,             async (url) => {
    const name = await role(url)
    await runCommand(url, `alter role ${name} connection limit 0`)
    return changed(url, { username: name, password: 'secret' })
  }],
  ['the user lacks a right',        /lacks a right: .*owner of the database/,                async (url) => changed(url, { username: await role(url), password: 'secret' })],
]

let roles = 0
async function role(url: string): Promise<string> {
  const name = `role_${process.pid}_${++roles}`
  await runCommand(url, `create role ${name} login password 'secret'`)
  return name
}

for (const [what, says, make] of refusals)
  for (const command of ['migrate', 'doctor'])
    test(`${command} says that ${what}, and what to change`, { skip: noPostgres }, async () => {
      assert.match(await refusalOf(command, await make(await freshDatabase())), says)
    })

for (const command of Object.keys(commands))
  test(`${command} says what every command says`, { skip: noPostgres }, async () => {
    const said = await refusalOf(command, changed(await freshDatabase(), { password: 'wrong' }))
    assert.match(said, /refuses the login/)
    assert.doesNotMatch(said, /Nothing was changed/i, 'a process may have made changes on an earlier connection')
  })

const found = spawnSync('pgbouncer', ['--version'], { encoding: 'utf8' })
const [, version = ''] = /PgBouncer (\d+\.\d+)/i.exec(found.stdout ?? '') ?? []
const noPooler = noPostgres || (version === '' && 'needs pgbouncer, which is not installed')
const keepsStatements = Number(version.split('.')[1]) >= 21

async function startPooler(t: { after(end: () => void): void }, url: string, pool_mode: string): Promise<string> {
  const { hostname, port, username, password } = new URL(url)
  const own = mkdtempSync(join(temporary_folder, 'ostiary-pooler-'))
  const listen_port = await freePort()
  const file = join(own, 'pgbouncer.ini')
  const settings = [
    'listen_addr = 127.0.0.1',
    `listen_port = ${listen_port}`,
    'unix_socket_dir =',
    'auth_type = any',
    `pool_mode = ${pool_mode}`,
  ]
  const kept = keepsStatements ? ['max_prepared_statements = 300'] : []
  const database = `* = host=${hostname} port=${port} user=${username} password=${password}`
  writeFileSync(file, `[databases]\n${database}\n[pgbouncer]\n${[...settings, ...kept].join('\n')}\n`)
  giveToServer(own, file)
  const pooler = spawn('pgbouncer', ['--quiet', file], { ...runAs, cwd: own, stdio: 'ignore' })
  t.after(() => {
    pooler.kill('SIGKILL')
    rmSync(own, { recursive: true, force: true })
  })
  const through = Object.assign(new URL(url), { port: String(listen_port) }).href
  await until('the pooler listens', () =>
    query(through, 'select 1').then(
      () => true,
      () => false,
    ),
  )
  return through
}

test('a first start behind PgBouncer in session mode serves', { skip: noPooler }, async (t) => {
  const env = await environment(await startPooler(t, await freshDatabase(), 'session'))
  const service = await serve(env)
  assert.equal((await fetch(`http://localhost:${env.OSTIARY_PORT}/readyz`)).status, 200)
  service.process.kill('SIGTERM')
  assert.equal((await service.ended).code, 0)
})

test(
  'behind a PgBouncer that loses statements each command names the setting, and session mode completes what was begun',
  {
    skip: noPooler || (keepsStatements && `this PgBouncer ${version} keeps statements`),
  },
  async (t) => {
    const url = await freshDatabase()
    const transactions = await startPooler(t, url, 'transaction')
    // The first commands leave statements behind on the connections of the server.
    for (let i = 0; i < 2; i++) await run('migrate', await environment(transactions)).ended
    for (const command of Object.keys(commands))
      assert.match(await refusalOf(command, transactions), /lost a prepared statement: .*pool_mode = session/)
    const env = await environment(await startPooler(t, url, 'session'))
    const service = await serve(env)
    assert.equal((await fetch(`http://localhost:${env.OSTIARY_PORT}/readyz`)).status, 200)
    service.process.kill('SIGTERM')
    assert.equal((await service.ended).code, 0)
  },
)

test(
  'a first start behind PgBouncer 1.21 or later in transaction mode serves',
  {
    skip: noPooler || (!keepsStatements && `this PgBouncer is ${version}`),
  },
  async (t) => {
    const env = await environment(await startPooler(t, await freshDatabase(), 'transaction'))
    const service = await serve(env)
    service.process.kill('SIGTERM')
    assert.equal((await service.ended).code, 0)
  },
)
