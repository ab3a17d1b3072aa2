/** Who reads the JWKS, and whether they have the next key (decision 0190). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeProtectedHeader } from 'jose'
import { z } from 'zod'
import { sql } from '../../src/db/db.ts'
import { createJwksReaders, most_readers } from '../../src/deployment/jwks-readers.ts'
import { createPerson } from '../support/cookie-browser.ts'
import { expectStatus, type TestEnvironment, world } from '../support/world.ts'

const w = await world()
const { db, jwks_readers } = w.deployment
const day = 86_400
type Id = Parameters<typeof jwks_readers.note>[0]

const read = ({ issuer }: TestEnvironment, agent: string) =>
  w.call('GET', `${issuer}/v1/oauth/jwks.json`, { key: null, headers: { 'user-agent': agent } })
const rotate = ({ path }: TestEnvironment, query = '') => w.call('POST', `${path}/signing-keys/rotate${query}`)
const keysOf = async ({ path }: TestEnvironment) => expectStatus(200, await w.call('GET', `${path}/signing-keys`)).data
const nextOf = async (environment: TestEnvironment) => (await keysOf(environment)).find(({ state }: { state: string }) => state === 'next')
const readersOf = async (environment: TestEnvironment) =>
  (await nextOf(environment)).readers.map(({ source, has_next }: { source: string; has_next: boolean }) => [source.split(' ')[1], has_next])

test('the next key shows when it was published, who read the JWKS, and who of them has it', async () => {
  const { live: environment } = await w.createProject('readers')
  await read(environment, 'old-api/1.0')
  await read(environment, 'new-api/2.0 (linux)')
  w.advance(1)
  const rotated = expectStatus(200, await rotate(environment))
  assert.equal(rotated.published_at, rotated.created_at)
  assert.deepEqual(
    rotated.readers.map(({ has_next }: { has_next: boolean }) => has_next),
    [false, false],
  )
  w.advance(1)
  await read(environment, 'new-api/2.0 (linux)')
  assert.deepEqual(await readersOf(environment), [
    ['new-api/2.0', true],
    ['old-api/1.0', false],
  ])
  const [, current] = await keysOf(environment)
  assert.deepEqual([current.state, current.readers], ['current', []])
})

test('reads are written, so that another process and a restart know them, and are shown for a day', async () => {
  const { live: environment } = await w.createProject('written')
  await read(environment, 'api')
  await jwks_readers.write()
  assert.deepEqual(
    (await createJwksReaders(db).find(environment.id as Id, w.now())).map(({ source }) => source.split(' ')[1]),
    ['api'],
  )
  w.advance(day + 1)
  expectStatus(200, await rotate(environment))
  assert.deepEqual(await readersOf(environment), [])
})

const Row = z.object({ source: z.string(), days: z.int() })
const stored = ({ id }: TestEnvironment) =>
  db.all(Row, sql`select source, days from jwks_readers where environment_id = ${id} order by source`)

test('more sources than the bound leave the bound, and one that read on two days stays', async () => {
  const { live: environment } = await w.createProject('bound')
  const id = environment.id as Id
  jwks_readers.note(id, '203.0.113.7', 'daily', w.now())
  await jwks_readers.write()
  w.advance(day)
  jwks_readers.note(id, '203.0.113.8', 'daily', w.now())
  await jwks_readers.write()
  for (let minute = 0; minute < 3; minute++) {
    w.advance(60)
    for (let n = 0; n < 2 * most_readers; n++) jwks_readers.note(id, '198.51.100.1', `made-up-${minute}-${n}`, w.now())
    await jwks_readers.write()
    const rows = await stored(environment)
    assert.equal(rows.length, most_readers)
    assert.deepEqual(
      rows.filter(({ days }) => days > 1),
      [{ source: '203.0.113.0/24 daily', days: 2 }],
    )
  }
  assert.equal((await jwks_readers.find(id, w.now())).length, most_readers)
})

test('a source of several days is noted and shown, however many others come before it in the minute', async () => {
  const { live: environment } = await w.createProject('shut-out')
  const id = environment.id as Id
  const flood = () => {
    for (let n = 0; n < 2 * most_readers; n++) jwks_readers.note(id, '198.51.100.1', `made-up-${w.now().getTime()}-${n}`, w.now())
  }
  const readDaily = async () => {
    w.advance(day)
    jwks_readers.note(id, '203.0.113.7', 'daily', w.now())
    await jwks_readers.write()
  }
  await readDaily()
  await readDaily()
  for (let minute = 0; minute < 2; minute++) {
    w.advance(60)
    flood()
    const at = w.now()
    jwks_readers.note(id, '203.0.113.9', 'daily', at)
    const shown = (await jwks_readers.find(id, w.now())).find(({ source }) => source === '203.0.113.0/24 daily')
    assert.deepEqual(shown?.last_read_at, at)
    await jwks_readers.write()
  }
})

test('several processes that write at once leave few rows beyond the bound, and none of them for long', async () => {
  const { live: environment } = await w.createProject('processes')
  const id = environment.id as Id
  const processes = Array.from({ length: 8 }, () => createJwksReaders(db))
  jwks_readers.note(id, '203.0.113.7', 'z-daily', w.now())
  await jwks_readers.write()
  w.advance(day)
  jwks_readers.note(id, '203.0.113.7', 'z-daily', w.now())
  await jwks_readers.write()
  for (let minute = 0; minute < 5; minute++) {
    w.advance(60)
    for (const [i, readers] of processes.entries()) {
      for (let n = 0; n < most_readers; n++) readers.note(id, '198.51.100.1', `a-${minute}-${i}-${n}`, w.now())
      readers.note(id, '203.0.113.7', 'z-daily', w.now())
    }
    await Promise.all(processes.map((readers) => readers.write()))
    assert.ok((await stored(environment)).length <= (processes.length + 1) * most_readers)
  }
  w.advance(60)
  jwks_readers.note(id, '203.0.113.7', 'z-daily', w.now())
  await jwks_readers.write()
  const rows = await stored(environment)
  assert.equal(rows.length, most_readers)
  assert.ok(rows.some(({ source, days }) => source === '203.0.113.0/24 z-daily' && days === 2))
})

test('the next key signs at once with now=true, once, and no key waits after it', async () => {
  const { live: environment } = await w.createProject('now')
  const client = await w.createApplication(environment)
  const person = await createPerson(w, environment)
  assert.equal((await rotate(environment, '?now=true')).body.code, 'no_signing_key')
  const next = expectStatus(200, await rotate(environment))
  const replies = await Promise.all(Array.from({ length: 10 }, () => rotate(environment, '?now=true')))
  assert.deepEqual(replies.map(({ status, body }) => (status === 200 ? body.state : body.code)).sort(), [
    'current',
    ...Array(9).fill('no_signing_key'),
  ])
  const { id_token } = await person.tokens(client)
  assert.equal(decodeProtectedHeader(id_token).kid, next.kid)
  assert.deepEqual(
    (await keysOf(environment)).map(({ state }: { state: string }) => state),
    ['current', 'retired'],
  )
})

test('an unknown value of now is 422', async () => {
  const { live: environment } = await w.createProject('unknown-now')
  assert.equal((await rotate(environment, '?now=yes')).status, 422)
})
