/** Which origins may read the answers of the token endpoint, as applications come, change and go (contract §4). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fillOrigins } from '../../src/applications/origins.ts'
import { sql } from '../../src/db/db.ts'
import { expectStatus, world } from '../support/world.ts'

const w = await world()
const path = `/v1/platform/projects/${w.project.id}/environments/${w.test.id}/applications`
const uri = (name: string) => `https://${name}.example.com/callback`
const spa = (...names: string[]) => ({ application_type: 'spa', redirect_uris: names.map(uri) })

async function isAllowed(name: string): Promise<boolean> {
  const { headers } = await w.call('GET', `${w.test.issuer}/v1/oauth/userinfo`, {
    key: null,
    headers: { origin: `https://${name}.example.com` },
  })
  return headers.get('access-control-allow-origin') !== null
}

test('an origin is allowed from the answer to its registration on, and no longer from the answer to its removal on', async () => {
  assert.equal(await isAllowed('a'), false)
  const { id } = expectStatus(201, await w.call('POST', path, { body: { name: 'App', ...spa('a', 'b') } }))
  assert.deepEqual([await isAllowed('a'), await isAllowed('b'), await isAllowed('c')], [true, true, false])
  const change = async (body: object) => expectStatus(200, await w.call('PATCH', `${path}/${id}`, { body }))
  await change({ redirect_uris: [uri('b'), uri('c')] })
  assert.deepEqual([await isAllowed('a'), await isAllowed('b'), await isAllowed('c')], [false, true, true])
  await change({ disabled: true })
  assert.equal(await isAllowed('b'), false)
  await change({ disabled: false })
  assert.equal(await isAllowed('b'), true)
  expectStatus(204, await w.call('DELETE', `${path}/${id}`))
  assert.equal(await isAllowed('b'), false)
})

test('an origin of two applications is allowed until the last of them is gone', async () => {
  const made = [await w.createApplication(w.test, spa('two')), await w.createApplication(w.test, spa('two'))]
  for (const { client_id } of made) {
    assert.equal(await isAllowed('two'), true)
    expectStatus(204, await w.call('DELETE', `${path}/${client_id}`))
  }
  assert.equal(await isAllowed('two'), false)
})

test('a change that loses its race leaves the origins of the one that wins', async () => {
  const { client_id } = await w.createApplication(w.test, spa('race'))
  const names = Array.from({ length: 50 }, (_, i) => `race${i}`)
  const replies = await Promise.all(
    names.map((name) => w.call('PATCH', `${path}/${client_id}`, { body: { redirect_uris: [uri(name)] }, headers: { 'if-match': '"1"' } })),
  )
  assert.equal(replies.filter(({ status }) => status === 200).length, 1)
  const allowed = await Promise.all(names.map(isAllowed))
  assert.deepEqual(
    allowed,
    replies.map(({ status }) => status === 200),
  )
})

test('applications that an older Ostiary wrote are listed at the next start, once', async () => {
  const { db } = w.deployment
  for (let i = 0; i < 3; i++) await w.createApplication(w.test, spa(`old${i}`, `older${i}`))
  await db.run(sql`delete from application_origins where 1 = 1`)
  await fillOrigins(db)
  assert.equal(await isAllowed('old0'), false)
  await db.run(sql`delete from deployment where name = 'application_origins'`)
  await fillOrigins(db)
  for (let i = 0; i < 3; i++) assert.deepEqual([await isAllowed(`old${i}`), await isAllowed(`older${i}`)], [true, true])
})
