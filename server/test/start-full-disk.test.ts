/** The message of each command on a full disk. A first migration continues when there is room again. */
import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { run, serve } from './support/cli-process.ts'
import { noPostgres, query, runCommand, startPostgres } from './support/postgres.ts'
import { giveToServer } from './support/postgres-package.ts'
import { until } from './support/receiver.ts'
import { smallDisk } from './support/small-disk.ts'
import { changed, commands, environment, outcomeOf, refusalOf } from './support/start-refusal.ts'

const data = smallDisk(24)
const log = smallDisk(24)
const own = smallDisk(8)

const disk_full = /The disk of the database is full or fails: could not extend file .*No space left on device\. Make room there\./
const tables = async (url: string) => query(url, "select relname from pg_class where relnamespace = 'public'::regnamespace")

test(
  'in a first migration each command names the disk and says that the schema was not changed; with room it goes on',
  {
    skip: noPostgres || data.skip,
  },
  async (t) => {
    const disk = data.disk ?? assert.fail()
    const folder = join(disk.folder, 'tables')
    mkdirSync(folder)
    giveToServer(disk.folder, folder)
    const server = await startPostgres()
    t.after(server.stop)
    await runCommand(server.url, `create tablespace small location '${folder}'`)
    await runCommand(server.url, 'create database small tablespace small')
    const url = changed(server.url, { pathname: '/small' })

    disk.fill(600_000) // some tables find room
    for (const command of Object.keys(commands).filter((name) => name !== 'doctor')) {
      const said = await refusalOf(command, url)
      assert.match(said, disk_full, command)
      assert.match(said, /Make room there\. The schema was not changed\.\n$/, command)
      assert.deepEqual(await tables(url), [], command)
    }
    disk.fill(0)
    const doctor = await refusalOf('doctor', url)
    assert.match(doctor, disk_full)
    assert.doesNotMatch(doctor, /was not changed|nothing was changed/i)

    disk.makeRoom()
    const migrated = await outcomeOf('migrate', url)
    assert.equal(migrated.code, 0, migrated.stderr)

    disk.fill(0)
    for (const command of ['bootstrap', 'doctor']) {
      const said = await refusalOf(command, url)
      assert.match(said, disk_full, command)
      assert.doesNotMatch(said, /was not changed|nothing was changed/i, `${command}: its earlier batches may have found room`)
    }

    disk.makeRoom()
    const bootstrapped = await outcomeOf('bootstrap', url)
    assert.equal(bootstrapped.code, 0, bootstrapped.stderr)
    const env = await environment(url)
    const service = await serve(env)
    assert.equal((await fetch(`http://localhost:${env.OSTIARY_PORT}/readyz`)).status, 200)
    service.process.kill('SIGTERM')
    assert.equal((await service.ended).code, 0)
  },
)

test(
  'where the log of the server has no room, its crash leaves the outcome unknown, and with room the migration goes on',
  {
    skip: noPostgres || log.skip,
  },
  async (t) => {
    const disk = log.disk ?? assert.fail()
    giveToServer(disk.folder)
    const more = { initdb: ['--wal-segsize=1', `--waldir=${join(disk.folder, 'log')}`], settings: ['wal_recycle=off', 'min_wal_size=2MB'] }
    const server = await startPostgres({ more })
    t.after(server.stop)
    await runCommand(server.url, 'create database small')
    const url = changed(server.url, { pathname: '/small' })
    // The segments that `initdb` made ahead are used up, so that the next one needs room.
    for (let i = 0; i < 12; i++) {
      await runCommand(url, "select pg_logical_emit_message(false, 'test', 'a segment with a record')")
      await runCommand(url, 'select pg_switch_wal()')
    }
    await runCommand(url, 'checkpoint')
    disk.fill(100_000)
    assert.match(
      await refusalOf('migrate', url),
      /^The connection to the database was lost\. It is not known whether the change was made\.\n$/,
    )

    disk.makeRoom()
    // The server has ended, or it has found the room by itself.
    const answers = () => tables(url).then(() => true, () => false) // biome-ignore format: one line
    await until('the server answers', async () => (await answers()) || (await server.resume().then(answers, () => false)))
    assert.deepEqual(await tables(url), [])
    const migrated = await outcomeOf('migrate', url)
    assert.equal(migrated.code, 0, migrated.stderr)
  },
)

test('the embedded database says the same', { skip: own.skip }, async () => {
  const disk = own.disk ?? assert.fail()
  const { OSTIARY_PORT } = await environment('')
  const env = { OSTIARY_DATA_DIR: disk.folder, OSTIARY_PORT }
  disk.fill(300_000)
  for (const command of ['migrate', 'serve', 'start']) {
    const { code, stderr } = await run(command, env).ended
    assert.equal(code, 1, stderr)
    assert.match(stderr, /^The database takes no changes: .*disk is full.*\. The schema was not changed\.\n$/, command)
  }
  disk.makeRoom()
  const { code, stderr } = await run('migrate', env).ended
  assert.equal(code, 0, stderr)
})
