/** Rows from before the bounds: a worker brings them within, in slices, and no list of the person reads them all (decision 0067). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { z } from 'zod'
import { type Db, sql } from '../../src/db/db.ts'
import { visitGrants } from '../../src/workers/visit-grants.ts'
import { createPerson, refresh, userinfo } from '../support/cookie-browser.ts'
import { rowsFollowed } from '../support/endings.ts'
import { expectStatus, world } from '../support/world.ts'

const w = await world()
const { db } = w.deployment
const client = await w.createApplication(w.test, { backchannel_logout_uri: 'https://app.example.com/logout' })
const [sessions, grants] = [400, 4_000]

const Count = z.object({ count: z.int() })
const countOf = async (table: 'grants' | 'sessions', user_id: string, and = sql``) =>
  (
    await db.all(
      Count,
      sql`select count(*) as count from ${table === 'grants' ? sql`grants` : sql`sessions`} where user_id = ${user_id} ${and}`,
    )
  )[0]?.count

/** Copies the session and grant of a person many times, as the schema before the bounds had them. */
async function plant({ id }: { id: string }, { offline }: { offline: boolean }) {
  const numbers = (count: number) =>
    sql`(with recursive n (i) as (select 1 union all select i + 1 from n where i < ${count}) select i from n) n`
  const numbered = (prefix: string) => sql`${prefix} || substr(user_id, 15, 16) || substr('0000000' || n.i, length('0000000' || n.i) - 6)`
  const until = new Date(w.now().getTime() + 86_400_000)
  await db.batch([
    sql`insert into sessions (environment_id, id, user_id, token_hash, amr, acr, began_with, created_at, auth_time, last_seen_at, expires_at,
                              absolute_expires_at)
        select environment_id, ${numbered('ses_000')}, user_id, id || n.i, amr, acr, began_with, created_at, auth_time,
               last_seen_at - ${sessions} + n.i - 1, expires_at, absolute_expires_at
          from sessions, ${numbers(sessions)} where environment_id = ${w.test.id} and user_id = ${id} and counted = 1`,
    sql`insert into grants (environment_id, id, user_id, application_id, session_id, scope, resource, offline, auth_time, amr, acr, began_with,
                            created_at, expires_at)
        select environment_id, ${numbered('grt_000')}, user_id, application_id, session_id, scope, resource, ${offline}, auth_time, amr, acr,
               began_with, created_at - ${grants} + n.i - 1, ${until}
          from grants, ${numbers(grants)} where environment_id = ${w.test.id} and user_id = ${id} and visit_at is not null`,
  ])
}

const never = () => false
const noRest = async () => {}

/** The rows that each statement of the worker changes. */
function recorded(): { db: Db; most: () => number } {
  let most = 0
  const batch: Db['batch'] = async (statements) => {
    const results = await db.batch(statements)
    for (const { changed } of results ?? []) most = Math.max(most, changed)
    return results
  }
  return { db: { ...db, batch }, most: () => most }
}

test('a worker brings the sessions and grants of a person within the bounds, a slice at a time', async () => {
  const person = await createPerson(w, w.test)
  const tokens = await person.tokens(client, { scope: 'openid profile' })
  await plant(person, { offline: false })
  assert.equal(await countOf('sessions', person.id), sessions + 1)

  const worker = recorded()
  await visitGrants({ ...w.deployment, db: worker.db }, never, noRest)
  assert.ok(worker.most() <= 200, `${worker.most()} rows by one statement`)
  await rowsFollowed(db)
  assert.equal(await countOf('sessions', person.id, sql`and ended_at is null`), 200)
  assert.equal(await countOf('grants', person.id), 50)
  assert.equal((await userinfo(w, w.test, tokens.access_token)).status, 200)
  assert.equal(await countOf('sessions', person.id, sql`and counted is null`), 0)
  const ended = await db.all(
    Count,
    sql`select count(*) as count from events
    where user_id = ${person.id} and type = 'session.ended' and data like '%"replaced"%'`,
  )
  assert.equal(ended[0]?.count, sessions - 199)
})

test('a worker brings the grants with offline_access of a person within the bound', async () => {
  const person = await createPerson(w, w.test)
  const tokens = await person.tokens(client, { scope: 'openid offline_access' })
  await plant(person, { offline: true })
  await visitGrants(w.deployment, never, noRest)
  assert.equal(await countOf('grants', person.id, sql`and ended_at is null`), 100)
  expectStatus(200, await refresh(w, w.test, client, tokens.refresh_token))
  w.advance(2 * 86_400)
  await visitGrants(w.deployment, never, noRest)
  assert.equal(await countOf('grants', person.id), 1)
})
