/** The last sign-in of an application, and its people of 30 days. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { most_counted } from '@ostiary/contract/activity.ts'
import type { EnvironmentId } from '@ostiary/contract/ids.ts'
import { z } from 'zod'
import { identifiers, join, sql } from '../../src/db/db.ts'
import { createPerson, signInForTokens } from '../support/cookie-browser.ts'
import { until } from '../support/receiver.ts'
import { expectStatus, type TestEnvironment, world } from '../support/world.ts'

const w = await world()
const day = 86_400

const listOf = async (environment: TestEnvironment, query = '') =>
  expectStatus(200, await w.call('GET', `${environment.path}/applications?activity=true&${query}`)).data
const activityOf = async (environment: TestEnvironment, id: string) => {
  const one = (await listOf(environment, 'limit=100')).find((each: { id: string }) => each.id === id)
  return { at: one.last_sign_in_at, people: one.people_30_days }
}
/** Waits until the events have numbers, since only those are counted. */
const activityWith = (environment: TestEnvironment, id: string, count: number) =>
  until(`${count} people`, async () => {
    const found = await activityOf(environment, id)
    return found.people.count === count && found
  })

for (const environment of [w.test, w.live])
  test(`people who sign in are counted once each, for 30 days, in ${environment === w.test ? 'Test' : 'Live'}`, async () => {
    const [shop, other] = [await w.createApplication(environment), await w.createApplication(environment)]
    assert.deepEqual(await activityOf(environment, shop.client_id), { at: null, people: { count: 0, or_more: false } })
    const user = await w.createUser(environment)
    await signInForTokens(w, environment, shop, { user })
    w.advance(60)
    await signInForTokens(w, environment, shop, { user })
    const since = w.now().toISOString()
    await signInForTokens(w, environment, shop, { user: await w.createUser(environment) })
    const { at, people } = await until('the last sign-in has a number', async () => {
      const found = await activityOf(environment, shop.client_id)
      return found.at >= since && found
    })
    assert.deepEqual(people, { count: 2, or_more: false })
    assert.deepEqual(await activityOf(environment, other.client_id), { at: null, people: { count: 0, or_more: false } })
    w.advance(31 * day)
    assert.deepEqual(await activityOf(environment, shop.client_id), { at, people: { count: 0, or_more: false } })
  })

test('a person who enters by a session is counted while the grant is open, without a sign-in', async () => {
  const [first, second] = [await w.createApplication(w.test), await w.createApplication(w.test)]
  const person = await createPerson(w, w.test)
  await person.code(first)
  await person.code(second)
  assert.deepEqual(await activityWith(w.test, second.client_id, 1), { at: null, people: { count: 1, or_more: false } })
})

test('without activity=true no application has these fields', async () => {
  const { data } = expectStatus(200, await w.call('GET', `${w.test.path}/applications`))
  assert.ok(data.length > 0)
  for (const one of data) assert.deepEqual(['last_sign_in_at' in one, 'people_30_days' in one], [false, false])
})

test('a count reads a bounded number of rows, and says that there can be more', async () => {
  const { client_id } = await w.createApplication(w.test)
  const environment_id = w.test.id as EnvironmentId // as: an id of the API
  const rows = Array.from({ length: most_counted }, (_, n) => ({ id: `evt_${String(n).padStart(26, '0')}`, sequence: 1_000_000 + n }))
  await w.deployment.db.of(environment_id).batch(
    rows.map(
      ({
        id,
        sequence,
      }) => sql`insert into events (environment_id, id, sequence, type, created_at, actor_type, user_id, application_id, data)
        values (${environment_id}, ${id}, ${sequence}, 'sign_in.succeeded', ${w.now()}, 'user', ${id.replace('evt', 'usr')}, ${client_id}, '{}')`,
    ),
  )
  assert.deepEqual((await activityOf(w.test, client_id)).people, { count: most_counted, or_more: true })
})

test('by name the list is that of the alphabet in any case, page by page, with words and slug', async () => {
  const tag = 'sorted'
  for (const name of ['beta', 'Alpha', 'Gamma', 'alpha', 'Émile']) await w.createApplication(w.test, { name: `${name} ${tag}` })
  const names = async (query: string) => {
    const found: string[] = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page = expectStatus(
        200,
        await w.call('GET', `${w.test.path}/applications?sort=name&limit=2&${query}${cursor === '' ? '' : `&cursor=${cursor}`}`),
      )
      found.push(...page.data.map(({ name }: { name: string }) => name))
      assert.equal(page.has_more, page.next_cursor !== null)
      cursor = page.next_cursor
    }
    return found
  }
  assert.deepEqual(
    await names(`query=${tag}`),
    ['Alpha', 'alpha', 'beta', 'Gamma', 'Émile'].map((name) => `${name} ${tag}`),
  )
  assert.deepEqual(await names('slug=beta-sorted'), ['beta sorted'])
  assert.deepEqual(await names('slug=nobody'), [])
  const { next_cursor } = expectStatus(200, await w.call('GET', `${w.test.path}/applications?sort=name&limit=1`))
  const refused = await w.call('GET', `${w.test.path}/applications?limit=1&cursor=${next_cursor}`)
  assert.equal(`${refused.status} ${refused.body.code}`, '400 invalid_cursor')
})

test('the order of names is refused where there are more applications than are sorted, so none is left out', async () => {
  const { test: environment } = await w.createProject('very-many-applications')
  const { client_id } = await w.createApplication(environment)
  const columns = (
    await w.deployment.db.all(
      z.object({ name: z.string() }),
      w.deployment.db.engine === 'postgres'
        ? sql`select column_name as name from information_schema.columns where table_name = 'applications' and table_schema = 'public'`
        : sql`select name from pragma_table_info('applications')`,
    )
  ).map(({ name }) => name)
  const copied = columns.map((name) => (name === 'id' || name === 'slug' ? sql`${identifiers(name)} || '-' || n.i` : identifiers(name)))
  const numbers = sql`with recursive n (i) as (select 1 union all select i + 1 from n where i < 5000)`
  await w.deployment.db.batch([
    sql`insert into applications (${identifiers(...columns)}) ${numbers} select ${join(copied, ', ')} from applications, n where id = ${client_id}`,
  ])
  const reply = await w.call('GET', `${environment.path}/applications?sort=name`)
  assert.deepEqual([reply.status, reply.body.errors[0].pointer], [422, '/sort'])
  assert.match(reply.body.errors[0].detail, /At most 5,000/)
})

for (const query of ['sort=last_sign_in', 'activity=yes', 'activity='])
  test(`${query} is 422`, async () => assert.equal((await w.call('GET', `${w.test.path}/applications?${query}`)).status, 422))
