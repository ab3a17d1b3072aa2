/** Filters of long histories: what they select, and that the database reads no more than the page for them. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { Event } from '@ostiary/contract/event.ts'
import type { EnvironmentId, TenantId } from '@ostiary/contract/ids.ts'
import { z } from 'zod'
import { lowestId } from '../../src/base/ids.ts'
import { type Db, sql } from '../../src/db/db.ts'
import { findUnchained } from '../../src/domain/audit/chaining.ts'
import { entryFilter } from '../../src/domain/audit/store.ts'
import { findNextTenant } from '../../src/domain/audit/verify.ts'
import { findUnnumbered } from '../../src/domain/events/numbering.ts'
import { findWaitingOwners, outboxes } from '../../src/domain/events/outbox.ts'
import { listEvents } from '../../src/domain/events/store.ts'
import { listDeliveries } from '../../src/domain/webhooks/store.ts'
import { until } from '../support/receiver.ts'
import { listStatements, rowsRead } from '../support/rows-read.ts'
import { expectStatus, world } from '../support/world.ts'

const w = await world()
const { db } = w.deployment
const history = 20_000
const begins_ms = w.now().getTime() - 80 * 86_400_000
const step_ms = 300_000
const timeOf = (n: number) => new Date(begins_ms + n * step_ms).toISOString()
const ids = { usual: 'usr_of_most', rare: 'usr_of_few', app: 'app_of_most', other_app: 'app_of_few', webhook: 'whk_busy', event: 'evt_one' }

/** Rows whose rare values are all at the beginning, which a list that is newest first reaches last. */
async function fill(environment_id: EnvironmentId): Promise<void> {
  const prefix = (kind: 'evt' | 'aud' | 'msg') => (n: number) => lowestId(kind, new Date(begins_ms + n * step_ms))
  for (let first = 1; first <= history; first += 100) {
    const numbers = Array.from({ length: 100 }, (_, i) => first + i)
    const is_rare = (n: number) => n <= 5
    await db.batch(
      numbers.flatMap((n) => {
        const at = new Date(begins_ms + n * step_ms)
        return [
          sql`insert into events (environment_id, id, sequence, type, created_at, request_id, actor_type, user_id, application_id, data)
            values (${environment_id}, ${prefix('evt')(n)}, ${n}, ${is_rare(n) ? 'user.blocked' : 'sign_in.succeeded'}, ${at}, ${`req_${n}`}, 'system',
              ${n % 2 === 0 && n > 10 ? ids.usual : is_rare(n) ? ids.usual : ids.rare}, ${is_rare(n) ? ids.app : n <= 10 ? ids.other_app : ids.app}, '{}')`,
          sql`insert into audit_log (tenant_id, id, sequence, created_at, action, actor_type, actor_id, object_type, object_id, previous_hash, hash)
            values (${w.tenant_id}, ${prefix('aud')(n)}, ${1_000_000 + n}, ${at}, ${is_rare(n) ? 'rare' : 'usual'}, 'user',
              ${n > 10 || is_rare(n) ? ids.usual : ids.rare}, 'project', ${is_rare(n) ? 'prj_rare' : 'prj_usual'}, '', '')`,
          sql`insert into webhook_messages (environment_id, id, webhook_id, event_id, event_type, status, created_at, updated_at)
            values (${environment_id}, ${prefix('msg')(n)}, ${ids.webhook}, ${n === 3 ? ids.event : `evt_${n}`}, 'test.ping',
              ${is_rare(n) ? 'given_up' : 'delivered'}, ${at}, ${at})`,
        ]
      }),
    )
  }
  await db.run(sql`update event_counters set last = ${history} where environment_id = ${environment_id}`)
  if (db.engine === 'postgres')
    for (const table of [sql`events`, sql`audit_log`, sql`webhook_messages`]) await db.run(sql`analyze ${table}`)
}

const environment = (await w.createProject('history')).test
before(async () => {
  // Otherwise the service links an entry of the set-up behind the first rows, with a sequence of the next ones.
  await until('the links of the set-up', async () => (await findWaitingOwners(db, outboxes.audit_log)).length === 0)
  await fill(environment.id)
})

/** A page after the first. */
const page = sql`and sequence < ${2_000_000} order by sequence desc limit 21`
const newest = sql`order by id desc limit 21`
type Filters = Parameters<typeof listEvents>[2]
const events = (filters: Filters) => (at: Db) => listEvents(at, environment.id, filters, page)
const audit = (filters: Parameters<typeof entryFilter>[1]) => (at: Db) =>
  at.all(
    z.object({ id: z.string() }),
    sql`select l.id from audit_log l where l.tenant_id = ${w.tenant_id} and l.sequence is not null ${entryFilter(w.tenant_id, filters)} ${page}`,
  )
const deliveries = (filters: { status?: string; event_id?: string }) => (at: Db) =>
  listDeliveries(at, { environment_id: environment.id, id: ids.webhook }, filters, newest)

// biome-ignore format: this table is read by column
const queries: [what: string, run: (at: Db) => Promise<unknown[]>, rows: number][] = [
  ['events of a rare type',                       events({ type: 'user.blocked' }),                               5],
  ['events of a user',                            events({ user_id: ids.rare }),                                  21],
  ['events of a rare application',                events({ application_id: ids.other_app }),                      5],
  ['events of a request',                         events({ request_id: 'req_7' }),                                1],
  ['events of a common application by rare type', events({ application_id: ids.app, type: 'user.blocked' }),      5],
  ['events of a common user by rare type',        events({ user_id: ids.usual, type: 'user.blocked' }),           5],
  ['events from a time on',                       events({ from: timeOf(history - 3) }),                          4],
  ['events up to a time',                         events({ to: timeOf(6) }),                                      5],
  ['events of an hour long ago',                  events({ from: timeOf(100), to: timeOf(112) }),                 12],
  ['events of a common type long ago',            events({ type: 'sign_in.succeeded', from: timeOf(100), to: timeOf(112) }), 12],
  ['events of a common application long ago',     events({ application_id: ids.app, to: timeOf(20) }),            14],
  ['entries of a rare actor',                     audit({ actor_id: ids.rare }),                                  5],
  ['entries of a rare action',                    audit({ action: 'rare' }),                                      5],
  ['entries of a rare object',                    audit({ object_id: 'prj_rare' }),                               5],
  ['entries of a common actor by rare action',    audit({ actor_id: ids.usual, action: 'rare' }),                 5],
  ['entries up to a time',                        audit({ to: timeOf(6) }),                                       5],
  ['entries of an hour long ago',                 audit({ from: timeOf(100), to: timeOf(112) }),                  12],
  ['events without a number',                     (at) => findUnnumbered(at, environment.id),                      0],
  ['entries without a link',                      (at) => findUnchained(at, w.tenant_id as TenantId),              0], // as: the world keeps it as text
  ['first tenant with a log',                     async (at) => [await findNextTenant(at, '')],                    1],
  ['next tenant with a log',                      async (at) => [await findNextTenant(at, w.tenant_id as TenantId)], 1], // as: the world keeps it as text
  ['deliveries that were given up',               deliveries({ status: 'given_up' }),                             5],
  ['deliveries of an event',                      deliveries({ event_id: ids.event }),                            1],
]
for (const [what, run, rows] of queries)
  test(`the ${what} are found without reading the history`, async () => {
    const found = await run(db)
    assert.equal(found.length, rows)
    for (const statement of await listStatements(db, run)) {
      const read = await rowsRead(db, statement)
      assert.ok(read <= 200, `${read} rows were read`)
    }
  })

const list = async (query: string): Promise<Event[]> => expectStatus(200, await w.call('GET', `${w.test.path}/events?${query}`)).data

for (const at of [w.test, w.live])
  test(`one event is the same as in the list, and an unnumbered or foreign one is 404 (${at.type})`, async () => {
    const application = await w.createApplication(at)
    const [event] = await until('the event', async () => {
      const { data } = expectStatus(200, await w.call('GET', `${at.path}/events?application_id=${application.id}`))
      return data.length > 0 && data
    })
    assert.deepEqual(expectStatus(200, await w.call('GET', `${at.path}/events/${event.id}`)), event)
    const elsewhere = at.type === 'test' ? w.live : w.test
    assert.equal((await w.call('GET', `${elsewhere.path}/events/${event.id}`)).status, 404)
  })

test('from is included, to is not, and both combine with the other filters and with pages', async () => {
  const applications: { id: string }[] = []
  for (let n = 0; n < 4; n++) {
    applications.push(await w.createApplication(w.test))
    w.advance(3_600)
  }
  const found = await until('all events', async () => {
    const data = await list('type=application.created&limit=100')
    return applications.every(({ id }) => data.some(({ application_id }) => application_id === id)) && data
  })
  const [newest, , third] = found
  assert.ok(newest && third)
  assert.deepEqual(await list(`type=application.created&from=${third.timestamp}`), found.slice(0, 3))
  assert.deepEqual(await list(`type=application.created&from=${third.timestamp}&to=${newest.timestamp}`), found.slice(1, 3))
  assert.deepEqual(await list(`from=${third.timestamp}&to=${newest.timestamp}&application_id=${third.application_id}`), [third])
  assert.deepEqual(await list(`after=0&from=${third.timestamp}&type=application.created`), found.slice(0, 3).reverse())
  const first = expectStatus(200, await w.call('GET', `${w.test.path}/events?type=application.created&from=${third.timestamp}&limit=2`))
  assert.deepEqual([first.data, first.has_more], [found.slice(0, 2), true])
  const rest = `type=application.created&from=${third.timestamp}&limit=2&cursor=${encodeURIComponent(first.next_cursor)}`
  assert.deepEqual(await list(rest), found.slice(2, 3))
  assert.equal(
    (await w.call('GET', `${w.test.path}/events?limit=2&cursor=${encodeURIComponent(first.next_cursor)}`)).body.code,
    'invalid_cursor',
  )
  for (const query of ['from=yesterday', 'to=2026-13-01T00:00:00Z', 'from=1'])
    assert.equal((await w.call('GET', `${w.test.path}/events?${query}`)).status, 422, query)
})
