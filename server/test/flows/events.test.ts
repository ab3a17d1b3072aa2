import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Event } from '@ostiary/contract/event.ts'
import { eventKinds } from '@ostiary/contract/event-kinds.ts'
import { removeExpiredRows } from '../../src/workers/expiring-rows.ts'
import { createAgent, exchange, refresh, signInForTokens } from '../support/cookie-browser.ts'
import { until } from '../support/receiver.ts'
import { expectStatus, type TestEnvironment, world } from '../support/world.ts'

const w = await world()

async function list(
  environment: Pick<TestEnvironment, 'path'>,
  query = '',
): Promise<{ data: Event[]; has_more: boolean; next_cursor: string | null }> {
  return expectStatus(200, await w.call('GET', `${environment.path}/events?${query}`))
}

/** Waits until the list shows an event. */
const shown = (environment: TestEnvironment, query: string): Promise<Event[]> =>
  until(`an event ${query}`, async () => {
    const { data } = await list(environment, query)
    return data.length > 0 && data
  })

const all = async (environment: TestEnvironment) => (await list(environment, 'limit=100')).data

test('the event of a change has the body of the contract', async () => {
  const application = await w.createApplication(w.test)
  const [event] = await shown(w.test, `application_id=${application.id}`)
  assert.deepEqual(
    { ...event, id: '', timestamp: '', request_id: '' },
    {
      id: '',
      type: 'application.created',
      timestamp: '',
      sequence: 1,
      tenant_id: w.tenant_id,
      project_id: w.project.id,
      environment: { id: w.test.id, type: 'test' },
      request_id: '',
      actor: { type: 'api_key', id: w.key_id },
      user_id: null,
      application_id: application.id,
      data: { slug: 'storefront', name: 'Storefront', application_type: 'web' },
    },
  )
  assert.match(event?.request_id ?? '', /^req_/)
})

test('every step of a sign-in and of its end causes an event', async () => {
  const environment = (await w.createProject('steps')).live
  const application = await w.createApplication(environment, { consent: 'ask', post_logout_redirect_uris: ['https://app.example.com/'] })
  const user = await w.createUser(environment)
  const { agent, request, code, tokens } = await signInForTokens(w, environment, application, { user })
  await exchange(w, environment, application, { request, code })
  await signInForTokens(w, environment, application, { user }).then(async ({ tokens }) => {
    await refresh(w, environment, application, tokens.refresh_token)
    await refresh(w, environment, application, tokens.refresh_token)
  })
  await agent.get(`${environment.issuer}/oauth/logout?id_token_hint=${tokens.id_token}`)
  await w.changeSettings(environment, { lockout: { max_attempts: 20 } })
  await w.call('PATCH', `${environment.path}/applications/${application.id}`, { body: { name: 'Renamed' } })
  await w.call('POST', `${environment.path}/applications/${application.id}/rotate-secret`)
  await w.call('DELETE', `${environment.path}/applications/${application.id}`)
  await shown(environment, 'type=application.deleted')
  const kinds = (await all(environment)).map(({ type }) => type).reverse()
  assert.deepEqual(kinds, [
    'application.created',
    'session.created',
    'sign_in.succeeded',
    'consent.granted',
    'token.reuse_detected',
    'session.created',
    'sign_in.succeeded',
    'token.reuse_detected',
    'session.ended',
    'environment.settings_updated',
    'application.updated',
    'application.secret_rotated',
    'application.deleted',
  ])
})

test('a sign-in with a wrong password causes an event with the user of the email', async () => {
  const environment = (await w.createProject('wrong')).live
  const application = await w.createApplication(environment)
  const user = await w.createUser(environment)
  await assert.rejects(signInForTokens(w, environment, application, { user: { ...user, password: 'not the right one' } }))
  const [event] = await shown(environment, 'type=sign_in.failed')
  assert.deepEqual([event?.user_id, event?.application_id, event?.actor.type], [user.id, application.id, 'user'])
})

test('signing an account out in the account chooser causes an event', async () => {
  const environment = (await w.createProject('chooser')).live
  const application = await w.createApplication(environment)
  const user = await w.createUser(environment)
  const { agent, request } = await signInForTokens(w, environment, application, { user })
  const page = await agent.get(`${request.url}&prompt=select_account`)
  const remove = /name="remove" value="(ses_[a-z0-9]+)"/.exec(page.body)?.[1] ?? ''
  await agent.submit(page, { remove })
  const [event] = await shown(environment, 'type=session.ended')
  assert.deepEqual([event?.user_id, event?.data], [user.id, { session_id: remove, reason: 'signed_out', sub: user.id }])
})

test('filters and pages combine: newest first, or oldest first with after', async () => {
  const environment = (await w.createProject('filters')).test
  await w.changeSettings(environment, { notices: { new_sign_in: false } })
  const [one, two] = [await w.createApplication(environment), await w.createApplication(environment)]
  const person = await w.createUser(environment)
  for (const application of [one, two, one]) await signInForTokens(w, environment, application, { user: person, agent: createAgent() })
  await shown(environment, 'after=8')
  const everything = await all(environment)
  const sequences = everything.map(({ sequence }) => sequence)
  assert.deepEqual(sequences, [9, 8, 7, 6, 5, 4, 3, 2, 1])

  const expected = everything.filter(({ type }) => type === 'sign_in.succeeded')
  assert.deepEqual((await list(environment, 'type=sign_in.succeeded')).data, expected)
  assert.deepEqual((await list(environment, `user_id=${person.id}`)).data.length, 6)
  assert.deepEqual((await list(environment, `application_id=${two.id}&type=sign_in.succeeded`)).data.length, 1)
  assert.deepEqual((await list(environment, `request_id=${everything[0]?.request_id}`)).data.length, 2)
  assert.deepEqual((await list(environment, 'after=6')).data, everything.slice(0, 3).reverse())
  assert.deepEqual((await list(environment, 'after=9')).data, [])

  for (const query of ['limit=3', 'limit=3&after=2', 'limit=2&type=sign_in.succeeded']) {
    const whole = (await list(environment, `${query}&limit=100`.replace(/limit=\d&?/, ''))).data
    const collected: Event[] = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page = await list(environment, `${query}${cursor ? `&cursor=${cursor}` : ''}`)
      collected.push(...page.data)
      assert.equal(page.has_more, page.next_cursor !== null)
      cursor = page.next_cursor
    }
    assert.deepEqual(collected, whole, query)
  }
  const { next_cursor } = await list(environment, 'limit=1')
  assert.equal((await w.call('GET', `${environment.path}/events?after=1&cursor=${next_cursor}`)).body.code, 'invalid_cursor')
})

for (const query of ['type=user.exploded', 'after=-1', 'after=soon', 'after=1.5']) {
  test(`?${query} is 422`, async () => {
    assert.equal((await w.call('GET', `${w.test.path}/events?${query}`)).status, 422)
  })
}

test('the list holds the events of its environment only, and the path of another project is 404', async () => {
  const other = await w.createProject('other')
  await w.createApplication(other.test)
  await shown(other.test, 'type=application.created')
  assert.deepEqual(await all(other.live), [])
  const crossed = `/v1/platform/projects/${w.project.id}/environments/${other.test.id}/events`
  assert.equal((await w.call('GET', crossed)).status, 404)
})

test(
  'a change by another process of the deployment causes an event',
  { skip: w.deployment.db.engine === 'sqlite' && 'the database belongs to one process' },
  async () => {
    const { at } = await w.startAnotherService()
    const environment = (await w.createProject('beside')).test
    const body = { name: 'Beside', application_type: 'spa', redirect_uris: ['https://app.example.com/'] }
    const application = expectStatus(201, await w.call('POST', at(`${w.base_url}${environment.path}/applications`), { body }))
    const [event] = await shown(environment, 'type=application.created')
    assert.equal(event?.application_id, application.id)
  },
)

test('events are removed after 90 days, and the numbering goes on', async () => {
  const environment = (await w.createProject('old')).test
  await w.createApplication(environment)
  await shown(environment, 'type=application.created')
  const in_days = (days: number) => new Date(w.now().getTime() + days * 86_400_000)
  await removeExpiredRows(w.deployment.db, in_days(89))
  assert.equal((await all(environment)).length, 1)
  await removeExpiredRows(w.deployment.db, in_days(91))
  assert.equal((await all(environment)).length, 0)
  await w.createApplication(environment)
  const [event] = await shown(environment, 'type=application.created')
  assert.equal(event?.sequence, 2)
})

for (const kind of eventKinds) {
  test(`the event type ${kind} is a noun and a participle`, () => assert.match(kind, /^[a-z_]+\.[a-z_]+$/))
}
