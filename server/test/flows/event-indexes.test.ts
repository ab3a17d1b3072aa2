/** Every filter selects the events that it names, by an index with a short key, and reads no more than its page (decision 0140). */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import type { EventKind, EventQuery } from '@ostiary/contract/event.ts'
import { eventKinds } from '@ostiary/contract/event-kinds.ts'
import type { EnvironmentId } from '@ostiary/contract/ids.ts'
import { createIds } from '../../src/base/ids.ts'
import { type Db, sql } from '../../src/db/db.ts'
import { enters, event_indexes, keyOf } from '../../src/db/event-keys.ts'
import { migrate } from '../../src/db/migrate.ts'
import { listEvents } from '../../src/domain/events/store.ts'
import { emptyDatabase } from '../support/empty-database.ts'
import { listStatements, rowsRead } from '../support/rows-read.ts'

const from_ms = Date.UTC(2026, 5, 1)
const environment_id = 'env_0000000000000000000one7seven' as EnvironmentId // as: ids of this test
const elsewhere = 'env_0000000000000000000two7seven' as EnvironmentId // as: its key is that of the other
/** Those of one key differ in nothing but the start. */
const ids = {
  user: 'usr_0000000000000000000one0000abc',
  other_user: 'usr_0000000000000000000two0000abc',
  app: 'app_0000000000000000000one0000abc',
  other_app: 'app_0000000000000000000two0000abc',
  request: 'req_0000000000000000000one0000abc',
  other_request: 'req_0000000000000000000two0000abc',
}
interface Planted {
  environment_id: EnvironmentId
  created_at: Date
  sequence: number
  type: EventKind
  user_id: string | null
  application_id: string | null
  request_id: string | null
}
const others = { user_id: ids.other_user, application_id: ids.other_app, request_id: ids.other_request }
const about = { user_id: ids.user, application_id: ids.app, request_id: ids.request }

let planted = 0
/** Adds an event of each combination, with the next numbers. */
async function plant(db: Db, known: Planted[]): Promise<void> {
  const created_at = new Date(from_ms + ++planted * 60_000)
  const newId = createIds(() => created_at, randomBytes)
  const added = (['user.created', 'user.updated'] as const).flatMap((type) =>
    [
      about,
      others,
      { ...others, user_id: ids.user },
      { ...about, user_id: null, request_id: null },
      { ...others, application_id: null },
    ].flatMap((of) => [environment_id, elsewhere].map((at) => ({ environment_id: at, created_at, type, ...of }))),
  )
  for (const event of added) {
    const sequence = (known.findLast((one) => one.environment_id === event.environment_id)?.sequence ?? 0) + 1
    const id = newId('evt')
    await db.batch([
      sql`insert into events (environment_id, id, type, created_at, request_id, actor_type, actor_id, user_id, application_id, data, trace)
        values (${event.environment_id}, ${id}, ${event.type}, ${created_at}, ${event.request_id}, 'system', null,
          ${event.user_id}, ${event.application_id}, '{}', null)`,
      sql`update events set sequence = ${sequence} where environment_id = ${event.environment_id} and id = ${id}`,
    ])
    known.push({ ...event, sequence })
  }
}

// biome-ignore format: this table is read by column
const filters: Partial<EventQuery>[] = [
  { type: 'user.updated' },
  { user_id: ids.user },
  { user_id: ids.user, type: 'user.updated' },
  { application_id: ids.app },
  { application_id: ids.app, type: 'user.created' },
  { request_id: ids.request },
  { user_id: ids.user, application_id: ids.other_app },
  { user_id: ids.other_user, type: 'user.created', from: new Date(from_ms + 60_000).toISOString() },
  { application_id: ids.other_app, to: new Date(from_ms + 120_000).toISOString() },
  { user_id: '' },
  { user_id: 'abc' },
  { type: 'user.blocked' },
]

/** Each filter at this state of the indexes: the events that it selects, and the rows that it reads. */
async function checkFilters(db: Db, known: readonly Planted[], state: string): Promise<void> {
  for (const { from, to, ...equal } of filters) {
    const what = `${JSON.stringify({ ...equal, from, to })} ${state}`
    const run = (at: Db) => listEvents(at, environment_id, { ...equal, from, to }, sql`order by v.sequence desc limit 101`)
    const found = (await run(db)).map(({ sequence }) => sequence)
    const selected = known.filter(
      (event) =>
        event.environment_id === environment_id &&
        Object.entries(event).every(([name, value]) => !(name in equal) || equal[name as keyof typeof equal] === value) && // as: filters are columns
        (from === undefined || event.created_at >= new Date(from)) &&
        (to === undefined || event.created_at < new Date(to)),
    )
    const expected = selected.map(({ sequence }) => sequence).reverse()
    assert.deepEqual(found, expected, what)
    if (equal.user_id !== undefined && equal.application_id !== undefined) continue // it reads the events of the user
    for (const statement of await listStatements(db, run)) {
      const read = await rowsRead(db, statement)
      assert.ok(read <= 300, `${read} rows were read for ${what}`)
    }
  }
}

/** A history, and the events of two environments whose keys are equal. */
async function withHistory(db: Db, rows: number): Promise<Planted[]> {
  await migrate(db)
  await db.batch([
    sql`insert into tenants (id, slug, name, created_at, updated_at) values ('ten_1', 'acme', 'Acme', 0, 0)`,
    sql`insert into projects (tenant_id, id, slug, name, created_at, updated_at) values ('ten_1', 'prj_1', 'shop', 'Shop', 0, 0)`,
    ...[environment_id, elsewhere].map(
      (
        id,
      ) => sql`insert into environments (tenant_id, project_id, id, slug, name, type, issuer, created_at, updated_at, settings_updated_at)
        values ('ten_1', 'prj_1', ${id}, ${id}, 'Test', 'test', ${id}, 0, 0, 0)`,
    ),
  ])
  const known: Planted[] = []
  await plant(db, known)
  const last = known.at(-1)?.sequence ?? 0
  await db.run(sql`insert into events (environment_id, id, sequence, type, created_at, request_id, actor_type, user_id, application_id, data)
    with recursive n (i) as (select 1 union all select i + 1 from n where i < ${rows})
    select cast(${environment_id} as text), 'evt_' || i, ${last} + i, 'sign_in.succeeded', ${from_ms} + i, 'req_' || i, 'system', 'usr_' || i, 'app_of_all', '{}' from n`)
  if (db.engine === 'postgres') await db.run(sql`analyze events`)
  const newest = { user_id: null, application_id: 'app_of_all', request_id: null }
  known.push({ environment_id, created_at: new Date(from_ms + rows), sequence: last + rows, type: 'sign_in.succeeded', ...newest })
  return known
}

test('every filter finds its events and reads no more than a page, in a history of 10,000', async () => {
  const db = await emptyDatabase()
  const known = await withHistory(db, 10_000)
  await checkFilters(db, known, 'of the history')
  await plant(db, known)
  await checkFilters(db, known, 'after further events')
})

test('the first migration has the keys that filters enter by', () => {
  const text = readFileSync(new URL('../../migrations/0100_initial.sql', import.meta.url), 'utf8')
  for (const index of event_indexes)
    assert.ok(text.includes(`create index ${index} on events ((${keyOf(index)}), sequence)`), `${index} has another expression`)
})

test('kinds of events have keys of their own, so a filter by kind reads no event of another, except among those about organizations', () => {
  const keyed = Map.groupBy(eventKinds, (type) => String(enters('events_of_type', { environment_id, type }).values[0]))
  assert.deepEqual(
    [...keyed.values()].filter((types) => types.length > 1),
    [
      ['organization.created', 'organization_invitation.created'],
      ['organization.updated', 'organization_member.updated'],
    ],
  )
})
