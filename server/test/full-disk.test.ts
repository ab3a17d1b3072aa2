/** A database that can be read and takes no changes: a full disk, and a read-only database. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createWriteProbe } from '../src/workers/write-probe.ts'
import { noPostgres, runCommand } from './support/postgres.ts'
import { until } from './support/receiver.ts'
import { smallDisk } from './support/small-disk.ts'
import { type World, world } from './support/world.ts'

const { disk, skip } = smallDisk(8)

const readiness = async (w: World, query = '') => {
  const { status, body } = await w.call('GET', `/readyz${query}`, { key: null })
  return { status, writes: (body as { writes: string }).writes } // as: the body of a probe
}
const create = (w: World, slug: string) => w.call('POST', '/v1/platform/projects', { body: { slug, name: slug } })
const slugs = async (w: World) =>
  ((await w.call('GET', '/v1/platform/projects')).body as { data: { slug: string }[] }).data.map(({ slug }) => slug) // as: the answer of the list

/** Fails writes, and then lets them succeed. */
async function walk(w: World, { fail, repair }: { fail(): Promise<void>; repair(): Promise<void> }): Promise<void> {
  assert.deepEqual(await readiness(w), { status: 200, writes: 'ok' })
  await fail()
  const before = await slugs(w)
  // The first writes may still find room.
  let refused = await create(w, 'p0')
  for (let i = 1; refused.status === 201 && i < 500; i++) refused = await create(w, `p${i}`)
  assert.equal(refused.status, 503)
  assert.equal((refused.body as { code: string }).code, 'unavailable') // as: a problem
  assert.match((refused.body as { detail: string }).detail, /takes no changes right now\. Nothing was changed/) // as: a problem
  assert.ok((await slugs(w)).length >= before.length, 'reading goes on')
  assert.deepEqual(await readiness(w), { status: 200, writes: 'failing' })
  assert.deepEqual(await readiness(w, '?writes=1'), { status: 503, writes: 'failing' })
  assert.deepEqual(await readiness(w, '?writes=0'), { status: 200, writes: 'failing' })
  await repair()
  const probe = createWriteProbe(w.deployment)
  await until('the probe has found the disk writable', async () => {
    w.advance(5)
    await probe.work()
    return w.deployment.db.writes.failure === null
  })
  assert.deepEqual(await readiness(w, '?writes=1'), { status: 200, writes: 'ok' })
  assert.equal((await create(w, 'afterwards')).status, 201)
}

test('on a full disk changes are 503, reads go on, and the service recovers by itself', { skip }, async () => {
  const w = await world({ data_dir: disk?.folder ?? '', engine: 'sqlite' })
  await walk(w, {
    async fail() {
      disk?.fill(0)
    },
    async repair() {
      disk?.makeRoom()
    },
  })
})

test('on a read-only PostgreSQL changes are 503, reads go on, and the service recovers by itself', { skip: noPostgres }, async () => {
  const w = await world({ engine: 'postgres' })
  const url = w.deployment.config.database_url ?? ''
  const name = new URL(url).pathname.slice(1)
  const set = async (value: 'on' | 'off') => {
    const beside = Object.assign(new URL(url), { pathname: '/postgres' }).href
    await runCommand(beside, `alter database "${name}" set default_transaction_read_only = ${value}`)
    await runCommand(beside, `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`)
    await until('the connections are new', async () => (await readiness(w)).status === 200)
  }
  await walk(w, { fail: () => set('on'), repair: () => set('off') })
})

test('while writes fail one is tried every five seconds, and otherwise none', { skip: noPostgres }, async () => {
  const w = await world()
  let tried = 0
  let failure: Error | null = null
  const db = {
    ...w.deployment.db,
    writes: {
      get failure() {
        return failure
      },
      watch: w.deployment.db.writes.watch,
    },
    run(): Promise<number> {
      tried += 1
      return Promise.reject(new Error('no room'))
    },
  }
  const probe = createWriteProbe({ ...w.deployment, db, now: w.now })
  await probe.work()
  assert.equal(tried, 0)
  failure = new Error('no room')
  for (let second = 0; second < 20; second++) {
    await probe.work()
    w.advance(1)
  }
  assert.equal(tried, 4)
})
