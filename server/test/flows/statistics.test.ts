import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createCounters } from '../../src/deployment/counters.ts'
import { createActiveCount } from '../../src/domain/users/active.ts'
import { authorizationRequest, createAgent, refresh, signInForTokens } from '../support/cookie-browser.ts'
import { withMethods } from '../support/db-methods.ts'
import { newestMail } from '../support/mailed.ts'
import { expectStatus, world } from '../support/world.ts'

const w = await world()
const ask = async (query = '') => expectStatus(200, await w.call('GET', `${w.test.path}/statistics${query}`))

test('sign-ins, tokens and uses of keys are counted per hour, and per day', async () => {
  const application = await w.createApplication(w.test)
  const user = await w.createUser(w.test)
  const { tokens } = await signInForTokens(w, w.test, application, { user })
  await refresh(w, w.test, application, tokens.refresh_token)
  const agent = createAgent()
  await agent.submit(await agent.get(authorizationRequest(w.test, application).url), {
    email: user.email,
    password: 'wrong',
    method: 'password',
  })
  const key = expectStatus(201, await w.call('POST', `${w.test.path}/auth-keys`, { body: { type: 'auth_secret' } }))
  await w.call('GET', '/v1/auth/users', { key: key.key })
  await w.deployment.counters.write()

  for (const interval of ['hour', 'day']) {
    const { data, active_users } = await ask(`?interval=${interval}`)
    assert.deepEqual([data.length, active_users], [1, 1])
    const [{ sign_ins, tokens: granted, key_uses }] = data
    assert.deepEqual(sign_ins, [
      { method: 'password', outcome: 'failed', count: 1 },
      { method: 'password', outcome: 'succeeded', count: 1 },
    ])
    assert.deepEqual(granted, [
      { grant_type: 'authorization_code', count: 1 },
      { grant_type: 'refresh_token', count: 1 },
    ])
    assert.deepEqual(key_uses, [{ key_id: key.key_id, count: 1 }])
  }
})

test('a sign-in by an emailed code is counted under its own method, whether it fails or succeeds', async () => {
  await w.changeSettings(w.test, { sign_in: { email_code: true } })
  const application = await w.createApplication(w.test)
  const { email } = await w.createUser(w.test)
  const agent = createAgent()
  const form = await agent.get(authorizationRequest(w.test, application).url)
  const page = await agent.submit(form, { email, password: '', method: 'email_code' })
  const code = (await newestMail(w, w.test, email)).code ?? ''
  const again = await agent.submit(page, { code: String((Number(code) + 1) % 1_000_000).padStart(6, '0') })
  assert.equal((await agent.submit(again, { code })).status, 303)
  await w.deployment.counters.write()
  const [{ sign_ins }] = (await ask()).data
  assert.deepEqual(
    sign_ins.filter(({ method }: { method: string }) => method === 'email_code'),
    ['failed', 'succeeded'].map((outcome) => ({ method: 'email_code', outcome, count: 1 })),
  )
})

test('refused calls are counted by code, where they are recorded', async () => {
  await w.call('GET', `${w.test.path}/applications/app_01m82vgxqteve8q0mm50rpr7dj`)
  await w.call('GET', '/v1/api-keys/whoami', { key: null })
  await w.deployment.refused_calls.write()
  await w.deployment.counters.write()
  const [{ refused_calls }] = (await ask()).data
  assert.deepEqual(
    refused_calls.filter(({ code }: { code: string }) => code === 'not_found'),
    [{ code: 'not_found', count: 1 }],
  )
  assert.ok(!refused_calls.some(({ code }: { code: string }) => code === 'unauthenticated'), 'it belongs to no environment')
})

test('the statistics of Live do not count Test', async () => {
  assert.deepEqual(expectStatus(200, await w.call('GET', `${w.live.path}/statistics`)).data, [])
})

test('sign-ins that are refused after too many attempts have an outcome of their own', async () => {
  const { email } = await w.createUser(w.test)
  const application = await w.createApplication(w.test)
  const agent = createAgent()
  const page = await agent.get(authorizationRequest(w.test, application).url)
  const limited = async () => {
    await agent.submit(page, { email, password: 'wrong', method: 'password' })
    await w.deployment.counters.write()
    const [{ sign_ins }] = (await ask()).data
    return sign_ins.find(({ outcome }: { outcome: string }) => outcome === 'limited')
  }
  let found: unknown
  for (let attempts = 0; found === undefined && attempts < 50; attempts++) found = await limited()
  assert.deepEqual(found, { method: 'password', outcome: 'limited', count: 1 })
})

test('of an interval the 100 keys with the most uses are named, and the others counted together', async () => {
  const environment = expectStatus(
    201,
    await w.call('POST', `${w.test.path.replace(/\/env_.*/, '')}`, { body: { slug: 'busy', name: 'Busy', type: 'test' } }),
  )
  const key = (number: number) => `key_${String(number).padStart(26, '0')}`
  for (let number = 1; number <= 120; number++)
    for (let use = 0; use < (number <= 20 ? 1 : 2); use++) w.deployment.counters.count(environment.id, 'key_use', key(number))
  await w.deployment.counters.write()
  const path = w.test.path.replace(/env_[^/]+$/, environment.id)
  const { data } = expectStatus(200, await w.call('GET', `${path}/statistics`))
  assert.equal(data.length, 1)
  const { key_uses } = data[0]
  assert.equal(key_uses.length, 101)
  assert.deepEqual(key_uses.at(0), { key_id: key(21), count: 2 })
  assert.deepEqual(key_uses.at(-1), { key_id: null, count: 20 })
})

test('counts that the database did not take are written later, and those that it took are not counted twice', async () => {
  const { db } = w.deployment
  let batches = 0
  const flaky = withMethods(db, ({ batch }) => ({
    batch: (statements) => (++batches === 2 ? Promise.reject(new Error('out of reach')) : batch(statements)),
  }))
  const counters = createCounters(flaky, w.now)
  const environment_id = w.live.path.split('/').at(-1) ?? ''
  for (let label = 0; label < 700; label++) counters.count(environment_id, 'token', `grant ${label}`)
  await assert.rejects(counters.write(), /out of reach/)
  await counters.write()
  const [{ tokens }] = expectStatus(200, await w.call('GET', `${w.live.path}/statistics`)).data
  assert.equal(tokens.length, 700)
  assert.ok(tokens.every(({ count }: { count: number }) => count === 1))
  assert.ok(batches > 2, 'one write has several batches')
})

test('people who signed in since a time are counted slice by slice, and no more than a number of users', async () => {
  const application = await w.createApplication(w.test)
  const signIn = async () => signInForTokens(w, w.test, application, { user: await w.createUser(w.test) })
  const dayAgo = () => new Date(w.now().getTime() - 86_400_000)
  const before = (await ask()).active_users
  await signIn()
  assert.equal((await ask()).active_users, before + 1)
  assert.equal((await ask(`?to=${w.now().toISOString()}`)).active_users, null)
  const sliced = createActiveCount(w.deployment, { slice: 2, most: 100 })
  assert.equal(await sliced(w.test.id, dayAgo()), before + 1)
  assert.equal(await createActiveCount(w.deployment, { slice: 2, most: 2 })(w.test.id, dayAgo()), null)
  await signIn()
  assert.equal(await sliced(w.test.id, dayAgo()), before + 1, 'a count of several slices is kept for a minute')
  w.advance(60)
  assert.equal(await sliced(w.test.id, dayAgo()), before + 2)
  w.advance(25 * 3_600)
  assert.deepEqual([(await ask()).active_users, (await ask('?interval=day')).active_users], [0, before + 2])
})

const refused = [
  '?from=2026-11-20T00:00:00Z&to=2026-11-19T00:00:00Z',
  '?from=2026-01-01T00:00:00Z&to=2026-11-01T00:00:00Z',
  '?interval=minute',
  '?from=yesterday',
]
for (const query of refused)
  test(`${query} is 422`, async () => assert.equal((await w.call('GET', `${w.test.path}/statistics${query}`)).status, 422))
