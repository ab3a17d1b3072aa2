/** Slugs of applications, resource servers, roles, providers and webhooks, in Test and in Live: given or made, unique, and immutable. */
import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { z } from 'zod'
import { guard, join, sql } from '../../src/db/db.ts'
import { createWithSlug } from '../../src/domain/slugs/choose.ts'
import { ensureRoot } from '../../src/setup/root.ts'
import { overlapping } from '../support/overlapping-batches.ts'
import { callKind, slugged_kinds } from '../support/slugged.ts'
import { expectStatus, type Reply, world } from '../support/world.ts'

const w = await world({ env: { OSTIARY_LIMITS: '{"webhooks":1000,"webhooks_per_tenant":1000,"providers":2000,"roles":1000}' } })
/** One key sends all these requests: the clock moves on before its rate limit is reached. */
beforeEach(() => w.advance(10))

const codeOf = ({ status, body }: Reply) => `${status} ${body.code}`
const refusal = ({ status, body }: Reply) => [status, body.errors?.map(({ pointer }: { pointer: string }) => pointer)]
const State = z.record(z.string(), z.unknown()).nullable()
const Entry = z.object({ before: State, after: State })
const EventData = z.object({ data: z.record(z.string(), z.unknown()) })
const slugOf = (reply: Reply): string => expectStatus(201, reply).slug

for (const environment of [w.test, w.live]) {
  for (const [name, kind] of Object.entries(slugged_kinds)) {
    const { create, list, one } = callKind(w, environment, kind)
    const about = `${name} in ${environment.type}`

    test(`${about}: the slug is made from the name, with the next free number`, async () => {
      assert.equal(slugOf(await create(kind.fields('First Made'))), 'first-made')
      const second = expectStatus(201, await create(kind.fields('First Made')))
      assert.equal(second.slug, 'first-made-2')
      assert.equal(slugOf(await create({ ...kind.fields('x'), slug: 'first-made-4' })), 'first-made-4')
      assert.deepEqual(
        [slugOf(await create(kind.fields('First Made'))), slugOf(await create(kind.fields('First Made')))],
        ['first-made-3', 'first-made-5'],
      )
      assert.equal((await one('DELETE', second.id)).status, 204)
      assert.equal(slugOf(await create(kind.fields('First Made'))), 'first-made-2')
    })

    test(`${about}: the record and the list show the slug that was given`, async () => {
      const made = expectStatus(201, await create({ ...kind.fields('Anything'), slug: 'given' }))
      assert.equal(made.slug, 'given')
      assert.equal(expectStatus(200, await one('GET', made.id)).slug, 'given')
      assert.deepEqual(
        expectStatus(200, await list('?slug=given')).data.map(({ id }: { id: string }) => id),
        [made.id],
      )
    })

    test(`${about}: a given slug that is taken is 409 slug_taken`, async () => {
      expectStatus(201, await create({ ...kind.fields('Anything'), slug: 'occupied' }))
      assert.equal(codeOf(await create({ ...kind.fields('Anything'), slug: 'occupied' })), '409 slug_taken')
    })

    test(`${about}: a malformed slug is 422`, async () => {
      for (const slug of ['', 'Shop', 'a_b', 'x'.repeat(64), 'shöp', 1, null])
        assert.deepEqual(refusal(await create({ ...kind.fields('Anything'), slug })), [422, ['/slug']], JSON.stringify(slug))
    })

    test(`${about}: 50 parallel creations with the same name get 50 slugs`, async () => {
      const replies = await overlapping(w, () => Array.from({ length: 50 }, () => create(kind.fields('Raced Name'))))
      assert.equal(new Set(replies.map(slugOf)).size, 50)
    })

    test(`${about}: of 50 parallel creations with the same slug, one succeeds and 49 are 409`, async () => {
      const body = () => ({ ...kind.fields('Raced'), slug: 'raced-slug' })
      const replies = await overlapping(w, () => Array.from({ length: 50 }, () => create(body())))
      assert.deepEqual(replies.map(({ status }) => status).sort(), [201, ...Array.from({ length: 49 }, () => 409)])
      for (const reply of replies) if (reply.status !== 201) assert.equal(reply.body.code, 'slug_taken')
    })

    test(`${about}: the slug is immutable`, async () => {
      const made = expectStatus(201, await create({ ...kind.fields('Anything'), slug: 'fixed' }))
      for (const slug of ['other', 'fixed', null]) assert.deepEqual(refusal(await one('PATCH', made.id, { slug })), [422, ['/slug']])
      assert.equal(expectStatus(200, await one('PATCH', made.id, kind.change(1))).slug, 'fixed')
    })

    test(`${about}: the slug is in the event and in the audit log`, async () => {
      const made = expectStatus(201, await create({ ...kind.fields('Anything'), slug: 'recorded' }))
      assert.equal((await one('DELETE', made.id)).status, 204)
      const entries = await w.deployment.db.all(
        Entry,
        sql`select before_change as before, after_change as after from audit_log
             where environment_id = ${environment.id} and object_id = ${made.id} order by id`,
      )
      assert.deepEqual(
        entries.map(({ before, after }) => [before?.slug, after?.slug]),
        [
          [undefined, 'recorded'],
          ['recorded', undefined],
        ],
      )
      if (kind.created === null) return
      const [event] = await w.deployment.db.all(
        EventData,
        sql`select data from events where environment_id = ${environment.id} and type = ${kind.created} order by id desc limit 1`,
      )
      assert.equal(event?.data.slug, 'recorded')
    })
  }
}

test('a slug is unique only within its kind and its environment', async () => {
  for (const environment of [w.test, w.live])
    for (const kind of Object.values(slugged_kinds))
      assert.equal(slugOf(await callKind(w, environment, kind).create({ ...kind.fields('Anything'), slug: 'everywhere' })), 'everywhere')
})

test('a resource server whose identifier is taken is 409 identifier_taken, even if its slug would be free', async () => {
  const path = `${w.test.path}/resource-servers`
  const body = { name: 'Twice', identifier: 'https://twice.example.com' }
  expectStatus(201, await w.call('POST', path, { body }))
  assert.equal(codeOf(await w.call('POST', path, { body: { ...body, slug: 'free' } })), '409 identifier_taken')
  assert.equal(codeOf(await w.call('POST', path, { body })), '409 identifier_taken')
})

const insertProviders = (environment_id: string, slugs: readonly string[]) => {
  const rows = slugs.map(
    (slug) => sql`(${environment_id}, ${`prv_${slug}`}, ${slug}, 'github', 'Named', 'abc', '[]', 1, 0, 0, 'none', 0, 0)`,
  )
  return sql`insert into providers (environment_id, id, slug, type, display_name, client_id, scopes, enabled,
    link_by_verified_email, accept_preferred_username, sign_out, created_at, updated_at) values ${join(rows, ', ')} on conflict do nothing`
}

test('300 parallel creations with the same name get 300 slugs, in at most two tries each', async () => {
  const { deployment, live } = w
  const scope = { table: 'providers', environment_id: live.id } as const
  let tries = 0
  const create = (slug: string) => {
    tries++
    return deployment.db.batch([guard(insertProviders(live.id, [slug]))])
  }
  const creation = { slug: undefined, name: 'Crowd', create, refuse: async () => {}, fail: (code: string) => assert.fail(code) }
  await Promise.all(Array.from({ length: 300 }, () => createWithSlug(deployment, scope, creation)))
  const deleted = await deployment.db.run(sql`delete from providers where environment_id = ${live.id} and slug like 'crowd%'`)
  assert.equal(deleted, 300)
  assert.ok(tries <= 600, `${tries} tries`)
})

test('a name with more than 1,110 taken slugs needs a slug', async () => {
  const { db } = w.deployment
  const taken = Array.from({ length: 1_109 }, (_, n) => (n === 0 ? 'many' : `many-${n + 1}`))
  await db.run(insertProviders(w.live.id, taken))
  const path = `${w.live.path}/providers`
  const body = slugged_kinds.provider?.fields('Many')
  assert.equal(slugOf(await w.call('POST', path, { body })), 'many-1110')
  assert.deepEqual(refusal(await w.call('POST', path, { body })), [422, ['/slug']])
  assert.equal(slugOf(await w.call('POST', path, { body: { ...body, slug: 'another' } })), 'another')
  await db.run(sql`delete from providers where environment_id = ${w.live.id} and slug like 'many%'`)
})

test('the management API at a new public address is another resource server of the root environment, with its own slug', async () => {
  const at = (base_url: string) => ensureRoot({ ...w.deployment, config: { ...w.deployment.config, base_url } })
  const { environment_id } = await at(w.base_url)
  const addresses = ['https://one.example.com', 'https://two.example.com']
  await Promise.all([...addresses, ...addresses].map(at))
  const Server = z.object({ identifier: z.string(), slug: z.string() })
  const servers = await w.deployment.db.all(
    Server,
    sql`select identifier, slug from resource_servers where environment_id = ${environment_id} order by slug`,
  )
  // Each of the four proposed a slug of its own, and two were stored.
  assert.match(servers.map(({ slug }) => slug).join(), /^ostiary-api,ostiary-api-[2-5],ostiary-api-[2-5]$/)
  assert.deepEqual(servers.map(({ identifier }) => identifier).sort(), [w.base_url, ...addresses].sort())
})
