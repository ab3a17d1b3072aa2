/** A service whose disk hangs, is slow, or fails at the start, and one that stops. `power-cut.test.ts` has failures under load. */
import assert from 'node:assert/strict'
import { channel } from 'node:diagnostics_channel'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, type TestContext, test } from 'node:test'
import { logged, run } from './support/cli-process.ts'
import { onDiskAt } from './support/disk/cuts.ts'
import { diskLayer } from './support/disk/layer.ts'
import { changesAfterFailure } from './support/disk/syncs.ts'
import { seedFolder, startWatched } from './support/disk/watched-service.ts'
import { until } from './support/receiver.ts'
import { createAuthKey } from './support/tenants.ts'
import { expectStatus, type Reply, type World } from './support/world.ts'

/** Whether each write of the last use of a key goes without a sync. The service that is seeded makes them when it stops. */
const last_uses: boolean[] = []
channel('ostiary.statements').subscribe((message) => {
  const { statements } = message as { statements: readonly { parts: readonly string[]; without_sync?: true }[] } // as: `db.ts` reports them
  for (const { parts, without_sync = false } of statements)
    if (parts[0]?.startsWith('update api_keys set last_used_at')) last_uses.push(without_sync)
})

async function seed(w: World) {
  return { key: (await createAuthKey(w, w.test, 'auth_secret')).key }
}

const { layer, skip } = diskLayer()
const seeded = layer ? await seedFolder(seed) : null

async function started(t: TestContext) {
  if (!layer || !seeded) throw new Error('There is no layer.')
  const { w, key } = seeded
  const service = await startWatched(layer, seeded)
  t.after(() => service.child.process.kill('SIGKILL'))
  return {
    ...service,
    w,
    create: (name: string) => w.call('POST', '/v1/auth/users', { key, body: { email: `${name}@example.com` } }),
    list: () => w.call('GET', '/v1/auth/users', { key }),
    whoami: () => w.call('GET', '/v1/api-keys/whoami', { key }),
    readiness: async (query = '') => (await w.call('GET', `/readyz${query}`, { key: null })).status,
    files: seeded.files,
  }
}

const namesOf = ({ body }: Reply): string[] => body.data.map(({ email }: { email: string }) => email.split('@')[0])

test(
  'while the disk hangs, what needs it is 503 and all else goes on, and afterwards every answered change is there',
  { skip },
  async (t) => {
    const { watched, w, create, list, whoami, readiness, child, kill } = await started(t)
    const discovery = () => w.call('GET', `${w.test.issuer}/.well-known/openid-configuration`, { key: null })
    expectStatus(200, await discovery()) // the first one makes the signing key
    expectStatus(201, await create('before'))
    watched.set({ held: ['log'] })
    const waiting = [create('waits'), create('waits-too')]
    await until('a sync that hangs', () => watched.syncs().waiting === 1)
    const read = list()
    for (const [name, ask] of Object.entries({ whoami, discovery }))
      for (let i = 0; i < 10; i++) {
        const { status, body } = await ask()
        assert.equal(status, 200, `${name}: ${JSON.stringify(body)}`)
      }

    const { status, body } = await read
    assert.deepEqual([status, body.code], [503, 'unavailable'], 'its rows show a commit that the disk has not')
    for (const { status, body } of await Promise.all(waiting)) {
      assert.equal(status, 503)
      assert.match(body.detail, /not known whether the change was made/)
    }
    assert.deepEqual([await readiness(), await readiness('?writes=1')], [200, 503])
    const refused = await w.call('PATCH', `${w.test.path}/settings`, { body: { sign_up: { mode: 'closed' } } })
    assert.equal(refused.status, 503)
    // The second where it reads what a worker of the service changed meanwhile.
    assert.match(refused.body.detail, /takes no changes right now\. Nothing was changed|out of reach/)
    assert.equal((await create('refused')).status, 503)
    assert.equal((await whoami()).status, 200)
    assert.equal(watched.syncs().waiting, 1, 'one sync at a time')

    watched.set({ held: [] })
    await until('changes again', async () => (await create('afterwards')).status === 201)
    assert.equal(await readiness('?writes=1'), 200)
    const names = namesOf(await list())
    for (const name of ['before', 'afterwards']) assert.ok(names.includes(name), name)
    assert.ok(!names.includes('refused'))
    await kill(child)
  },
)

test('no request waits until the disk has the last uses of keys', { skip }, () => {
  assert.ok(last_uses.length > 0)
  assert.deepEqual(new Set(last_uses), new Set([true]))
})

test('while a slow disk syncs, requests that need it not are answered', { skip }, async (t) => {
  const { watched, create, whoami, child, kill } = await started(t)
  watched.set({ delay_us: 5_000 })
  let is_over = false
  const writing = Promise.all(
    [1, 2, 3].map(async (lane) => {
      for (let i = 0; !is_over; i++) assert.ok([201, 429].includes((await create(`lane-${lane}-${i}`)).status))
    }),
  )
  // A request and its answer between the begin and the end of one sync.
  let within = 0
  await until('such answers', async () => {
    for (let i = 0; i < 20; i++) {
      const before = watched.syncs()
      assert.equal((await whoami()).status, 200)
      const { ended } = watched.syncs()
      if (before.begun > before.ended && before.ended === ended) within++
    }
    return within >= 20
  })
  is_over = true
  await writing
  await kill(child)
})

for (const role of ['log', 'database', 'directory'] as const)
  test(`a start that cannot sync the ${role} ends with words, and writes nothing more`, { skip }, async (t) => {
    const { watched, w, create, list, child, env, start, kill } = await started(t)
    expectStatus(201, await create('before'))
    await kill(child)
    watched.set({ failing: [role] })
    const { code, stderr } = await run('serve', env).ended
    assert.equal(code, 1)
    assert.match(stderr, /^The data directory .* cannot be used: .*(disk I\/O error|EIO).*\n$/)
    assert.deepEqual(changesAfterFailure(watched.operations()), [])
    watched.set({ failing: [] })
    const again = await start()
    assert.deepEqual(namesOf(await list()), ['before'])
    assert.equal((await w.call('GET', '/readyz', { key: null })).status, 200)
    await kill(again)
  })

test('a stop waits for the last sync while another process reads the database', { skip }, async (t) => {
  const { watched, folder, create, child, files } = await started(t)
  const reader = new DatabaseSync(join(folder, 'ostiary.db'), { readOnly: true })
  reader.exec('begin; select * from users') // so that the last checkpoint has to leave the log
  watched.set({ held: ['log'] })
  const change = create('last')
  await until('a sync that hangs', () => watched.syncs().waiting === 1)
  const stopping = logged(child, 'stopping')
  child.process.kill('SIGTERM')
  await stopping
  assert.equal((await change).status, 503)
  watched.set({ held: [] })
  const { code, stderr } = await child.ended
  assert.deepEqual([code, stderr], [0, ''])
  reader.close()
  assert.deepEqual(usersOf(onDiskAt(files, watched.operations(), (text) => text.includes('"message":"stopped"'))), [
    'last@example.com',
    'owner@example.com',
  ])
})

function usersOf(image: ReadonlyMap<string, Buffer>): unknown[] {
  const folder = mkdtempSync(join(tmpdir(), 'ostiary-image-'))
  after(() => rmSync(folder, { recursive: true }))
  for (const [name, bytes] of image) writeFileSync(join(folder, name), bytes)
  const database = new DatabaseSync(join(folder, 'ostiary.db'))
  const emails = database.prepare('select email from users order by email').all()
  database.close()
  return emails.map(({ email }) => email)
}
