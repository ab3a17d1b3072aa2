/** The process: exclusive use of a data directory, stopping, and the schemas it accepts. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { networkInterfaces, tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createDb, sql } from '../src/db/db.ts'
import { migrate, readMigrations } from '../src/db/migrate.ts'
import { openSqlite } from '../src/db/sqlite/sqlite.ts'
import { type Child, logged, run, serve } from './support/cli-process.ts'
import { createPerson, exchange } from './support/cookie-browser.ts'
import { freePort } from './support/free-port.ts'
import { freshDatabase, noPostgres } from './support/postgres.ts'
import { pretendPlaced } from './support/pretended-citus.ts'
import { rawRequest } from './support/raw-http.ts'
import { world } from './support/world.ts'

const folders: string[] = []
function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'ostiary-process-'))
  folders.push(made)
  return made
}
after(() => {
  for (const made of folders) rmSync(made, { recursive: true, force: true })
})
const settings = async (data_dir: string) => ({ OSTIARY_PORT: String(await freePort()), OSTIARY_DATA_DIR: data_dir })

/** The process ends with 1, and says why in one line without a stack trace. */
async function assertRefused(child: Child, why: RegExp): Promise<void> {
  const { code, stderr } = await child.ended
  assert.equal(code, 1)
  assert.match(stderr, why)
  assert.doesNotMatch(stderr, /\n\s+at |node:internal/)
  assert.equal(stderr.trimEnd().split('\n').length, 1)
}

test('a second serve on the same data directory or port is refused, and after a crash the directory can be served again', async () => {
  const data_dir = folder()
  const env = await settings(data_dir)
  const first = await serve(env)
  await assertRefused(run('serve', await settings(data_dir)), /Another ostiary serve uses the data directory/)
  await assertRefused(run('serve', { ...env, OSTIARY_DATA_DIR: folder() }), /Port \d+ is in use\..*OSTIARY_PORT/)
  assert.equal((await fetch(`http://localhost:${env.OSTIARY_PORT}/readyz`)).status, 200)
  first.process.kill('SIGKILL')
  await first.ended
  const second = await serve(env)
  second.process.kill('SIGTERM')
  assert.equal((await second.ended).code, 0)
})

test('a process whose database is distributed meanwhile ends with the reason, and can be started again', { skip: noPostgres }, async () => {
  const url = await freshDatabase()
  const env = {
    ...(await settings(folder())),
    OSTIARY_DATABASE_URL: url,
    OSTIARY_MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
  }
  const child = run('serve', env)
  await Promise.race([logged(child, 'listening'), child.ended])
  await pretendPlaced(url)
  await assertRefused(child, /have been distributed over several nodes/)
  const again = await serve(env)
  assert.equal((await fetch(`http://localhost:${env.OSTIARY_PORT}/readyz`)).status, 200)
  again.process.kill('SIGTERM')
  assert.equal((await again.ended).code, 0)
})

test('serve prints the setup link at every log level', async () => {
  const message = 'There is no tenant yet. Open the link to create the first one, or run "ostiary bootstrap".'
  for (const OSTIARY_LOG_LEVEL of ['info', 'warn', 'silent']) {
    const env = await settings(folder())
    const child = run('serve', { ...env, OSTIARY_LOG_LEVEL })
    await Promise.race([logged(child, message), child.ended])
    child.process.kill('SIGTERM')
    const { code, stdout } = await child.ended
    assert.equal(code, 0)
    const lines = stdout.trimEnd().split('\n')
    const links = lines.flatMap((line) => JSON.parse(line).setup_url ?? [])
    assert.equal(links.length, 1)
    assert.match(links[0], new RegExp(`^http://localhost:${env.OSTIARY_PORT}/setup\\?token=[\\w-]{43}$`))
    if (OSTIARY_LOG_LEVEL !== 'info') assert.equal(lines.length, 1, 'nothing else is written')
  }
})

const noIpv6 =
  !Object.values(networkInterfaces()).some((all) => all?.some(({ address }) => address === '::1')) && 'This machine has no ::1.'

test('a port that is taken at the second loopback is refused before anything is stored', { skip: noIpv6 }, async () => {
  const env = await settings(folder())
  const other = createServer().listen(Number(env.OSTIARY_PORT), '::1')
  await once(other, 'listening')
  await assertRefused(run('serve', env), /Port \d+ is in use\./)
  other.close()
  assert.deepEqual(
    readdirSync(env.OSTIARY_DATA_DIR).filter((name) => name.startsWith('ostiary.db')),
    [],
  )
})

/** Asks until the port is closed. It closes in a moment in which no connection begins, so the first ones may still be answered. */
async function untilRefused(url: string): Promise<void> {
  for (let answered = 0; answered < 1_000; answered++) {
    const reply = await fetch(url).catch(() => null)
    if (reply === null) return
    assert.deepEqual([reply.status, reply.headers.get('connection')], [200, 'close'])
  }
  assert.fail('The port is still open.')
}

test('after SIGTERM requests in flight are answered, new connections are refused, and the process ends with 0', async () => {
  const data_dir = folder()
  const w = await world({ data_dir })
  const client = await w.createApplication(w.live)
  const person = await createPerson(w, w.live)
  const codes = [await person.code(client), await person.code(client)]
  await w.close()
  const env = { OSTIARY_PORT: new URL(w.base_url).port, OSTIARY_DATA_DIR: data_dir }
  const child = await serve(env)
  const in_flight = await Promise.all(codes.map(({ request, code }, i) => begin(i === 0 ? '127.0.0.1' : '::1', request, code)))

  const stopping = logged(child, 'stopping')
  child.process.kill('SIGTERM')
  await stopping
  await untilRefused(`${w.base_url}/healthz`)
  // `connection: close` ends the process without waiting for idle connections.
  for (const { finish } of in_flight) assert.match(await finish(), /^HTTP\/1\.1 200 [\s\S]*\r\nconnection: close\r\n[\s\S]*"access_token"/i)
  assert.equal((await child.ended).code, 0)

  const again = await serve(env)
  for (const { request, code } of codes)
    assert.equal((await exchange(w, w.live, client, { request, code })).body.error, 'invalid_grant', 'the last response is stored')
  again.process.kill('SIGTERM')
  assert.equal((await again.ended).code, 0)

  /** Sends a request without its body, and waits until the service has read it. */
  async function begin(host: string, request: (typeof codes)[number]['request'], code: string) {
    const form = { grant_type: 'authorization_code', code, redirect_uri: request.redirect_uri, code_verifier: request.code_verifier }
    const body = new URLSearchParams(form).toString()
    const authorization = `Basic ${Buffer.from(`${client.client_id}:${client.client_secret}`).toString('base64')}`
    const headers = { authorization, 'content-type': 'application/x-www-form-urlencoded', connection: 'keep-alive', expect: '100-continue' }
    const bytes = rawRequest('POST', `${new URL(w.live.issuer).pathname}/v1/oauth/token`, headers, body)
    const socket = connect({ host, port: Number(env.OSTIARY_PORT) })
    await new Promise((resolve) => {
      socket.once('data', resolve)
      socket.write(bytes.subarray(0, -Buffer.byteLength(body)))
    })
    let answer = ''
    socket.on('data', (text) => {
      answer += text
    })
    const closed = new Promise<string>((resolve) => socket.once('close', () => resolve(answer)))
    return {
      finish() {
        socket.write(body)
        return closed
      },
    }
  }
})

test('connections that wait to be accepted when the service stops are answered', async () => {
  const w = await world()
  const answers = Array.from({ length: 20 }, async () => {
    const socket = connect({ host: '127.0.0.1', port: Number(new URL(w.base_url).port) }).on('error', () => {})
    socket.write('GET /healthz HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n')
    let answer = ''
    for await (const piece of socket.setEncoding('latin1')) answer += piece
    return answer.split('\r\n')[0]
  })
  await new Promise(process.nextTick) // the connections are begun, and this process has accepted none
  await w.service.stop()
  assert.deepEqual(new Set(await Promise.all(answers)), new Set(['HTTP/1.1 200 OK']))
})

test(
  'every file in the data directory is readable by its owner only, whatever the umask',
  { skip: process.platform === 'win32' && 'needs the rights of POSIX' },
  async () => {
    const data_dir = join(folder(), 'data')
    const modes = () => readdirSync(data_dir).map((name) => `${name} ${(statSync(join(data_dir, name)).mode & 0o777).toString(8)}`)
    const serveOpenly = async () => {
      const umask = process.umask(0) // a child inherits it
      try {
        return await serve(await settings(data_dir))
      } finally {
        process.umask(umask)
      }
    }
    const first = await serveOpenly()
    const serving = modes()
    assert.deepEqual(
      serving.filter((line) => /^(master\.key|ostiary\.db|ostiary\.db-wal|ostiary\.db-shm|serve\.lock) 600$/.test(line)).length,
      5,
      serving.join(),
    )
    assert.ok(
      serving.every((line) => line.endsWith(' 600')),
      serving.join(),
    )
    first.process.kill('SIGKILL')
    await first.ended

    for (const name of readdirSync(data_dir)) chmodSync(join(data_dir, name), 0o644)
    chmodSync(data_dir, 0o755)
    const second = await serveOpenly()
    assert.ok(
      modes().every((line) => line.endsWith(' 600')),
      modes().join(),
    )
    assert.equal(statSync(data_dir).mode & 0o777, 0o700)
    second.process.kill('SIGTERM')
    await second.ended
  },
)

test('a signal a second after the first ends the process while a request is still open', async () => {
  const data_dir = folder()
  const w = await world({ data_dir })
  await w.close()
  const env = { OSTIARY_PORT: new URL(w.base_url).port, OSTIARY_DATA_DIR: data_dir }
  const child = await serve(env)
  const socket = connect({ host: '127.0.0.1', port: Number(env.OSTIARY_PORT) })
  socket.on('error', () => 'the process ended')
  await new Promise((resolve) => {
    socket.once('data', resolve)
    const head = { 'content-type': 'application/x-www-form-urlencoded', expect: '100-continue', 'content-length': '10' }
    socket.write(rawRequest('POST', `${new URL(w.test.issuer).pathname}/v1/oauth/token`, { connection: 'keep-alive', ...head }))
  })
  const stopping = logged(child, 'stopping')
  child.process.kill('SIGTERM')
  await stopping
  await sleep(1_000) // the meaning of a signal depends on the time between two
  child.process.kill('SIGTERM')
  assert.equal((await child.ended).code, 1, 'a graceful stop ends with 0')
})

test('a schema that names a later Ostiary is refused and not changed', async () => {
  const data_dir = folder()
  const path = join(data_dir, 'ostiary.db')
  const env = await settings(data_dir)
  assert.equal((await run('migrate', env).ended).code, 0)
  const database = new DatabaseSync(path)
  database.exec("insert into schema_migrations (number, name, oldest_program) values (9999, 'of_the_future', 9999)")
  const before = database.prepare('select * from sqlite_schema order by name').all()
  for (const command of ['serve', 'migrate']) await assertRefused(run(command, env), /schema 9999/)
  assert.deepEqual(database.prepare('select * from sqlite_schema order by name').all(), before)
  database.close()
})

test('readyz is 503 and in the log while the schema names a later program, or is older than the program', async () => {
  const w = await world()
  const { db } = w.deployment
  const readiness = async () => (await w.call('GET', '/readyz', { key: null })).status
  const newest = readMigrations().at(-1)?.number ?? 0
  assert.equal(await readiness(), 200)
  await db.run(sql`insert into schema_migrations (number, name, oldest_program) values (${newest + 1}, 'expanding', ${newest})`)
  assert.equal(await readiness(), 200)
  await db.run(sql`update schema_migrations set oldest_program = number where number = ${newest + 1}`)
  assert.equal(await readiness(), 503)
  await db.run(sql`delete from schema_migrations where number >= ${newest}`)
  assert.equal(await readiness(), 503)
  await db.run(sql`insert into schema_migrations (number, name, oldest_program) values (${newest}, 'current', ${newest})`)
  assert.equal(await readiness(), 200)
  await db.run(sql`alter table schema_migrations rename to elsewhere`)
  assert.equal(await readiness(), 503)
  await db.run(sql`alter table elsewhere rename to schema_migrations`)
  assert.equal(await readiness(), 200)
  const lines = w.log.map((line) => JSON.parse(line)).filter(({ route }) => route === '/readyz')
  assert.deepEqual(
    lines.map(({ level, status }) => [level, status]),
    Array.from({ length: 3 }, () => ['info', 503]),
  )
})

test('migrating any older schema gives the schema of a new database', async () => {
  const migrations = readMigrations()
  const schemas = new Set<string>()
  for (let known = 0; known <= migrations.length; known++) {
    const data_dir = folder()
    const path = join(data_dir, 'ostiary.db')
    const db = createDb(openSqlite(path))
    if (known > 0) await migrate(db, migrations.slice(0, known))
    if (known !== 1) await migrate(db)
    await db.close()
    if (known === 1) assert.equal((await run('migrate', await settings(data_dir)).ended).code, 0)
    const database = new DatabaseSync(path, { readOnly: true })
    schemas.add(JSON.stringify(database.prepare('select type, name, sql from sqlite_schema order by name').all()))
    assert.deepEqual(
      database
        .prepare('select number from schema_migrations order by number')
        .all()
        .map(({ number }) => number),
      migrations.map(({ number }) => number),
    )
    database.close()
  }
  assert.equal(schemas.size, 1)
})
