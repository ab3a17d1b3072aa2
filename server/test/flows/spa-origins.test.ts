/** Origins that may read the token endpoint follow the creation, change and deletion of applications. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rawRequest, sendRaw } from '../support/raw-http.ts'
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

test('an origin is allowed from the answer to its registration until the answer to its removal', async () => {
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

test('a body that is too large is refused readably for an allowed origin', async () => {
  await w.createApplication(w.test, spa('large'))
  const post = (origin: string) => {
    const headers = { origin, 'content-type': 'application/x-www-form-urlencoded', 'content-length': '1100000' }
    return sendRaw(w.base_url, rawRequest('POST', `${new URL(w.test.issuer).pathname}/v1/oauth/token`, headers, 'a='))
  }
  const reply = await post('https://large.example.com')
  assert.deepEqual([reply.status, JSON.parse(reply.body).error], [413, 'invalid_request'])
  assert.deepEqual([reply.headers['access-control-allow-origin'], reply.headers.vary], ['https://large.example.com', 'Origin'])
  const elsewhere = await post('https://elsewhere.example.com')
  assert.deepEqual([elsewhere.status, elsewhere.headers['access-control-allow-origin'], elsewhere.headers.vary], [413, undefined, 'Origin'])
})

test('an origin of two applications is allowed until both are deleted', async () => {
  const applications = [await w.createApplication(w.test, spa('two')), await w.createApplication(w.test, spa('two'))]
  for (const { client_id } of applications) {
    assert.equal(await isAllowed('two'), true)
    expectStatus(204, await w.call('DELETE', `${path}/${client_id}`))
  }
  assert.equal(await isAllowed('two'), false)
})

test('of fifty parallel changes only the origins of the one that succeeds are allowed', async () => {
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
