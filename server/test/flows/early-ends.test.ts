/** Sessions and grants go when they are over, by a walk over their keys (decision 0126). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeJwt } from 'jose'
import { z } from 'zod'
import { sql } from '../../src/db/db.ts'
import { takeLease } from '../../src/domain/events/lease.ts'
import { findPlace, rows_at_once } from '../../src/domain/sessions/early-ends.ts'
import { createEndsWalk } from '../../src/workers/walk-ends.ts'
import { createPerson, refresh, revoke } from '../support/cookie-browser.ts'
import { withMethods } from '../support/db-methods.ts'
import { expectStatus, world } from '../support/world.ts'

const w = await world()
const { db } = w.deployment
const client = await w.createApplication(w.test)
const [hour, day] = [3_600, 86_400]
await w.changeSettings(w.test, { sessions: { idle_ttl_seconds: day }, tokens: { refresh_token_idle_ttl_seconds: 5 * day } })
const key = expectStatus(201, await w.call('POST', `${w.test.path}/auth-keys`, { body: { type: 'auth_secret' } })).key
/** Walks over all rows, an hour after the last time. */
async function walk() {
  w.advance(hour)
  await createEndsWalk(w.deployment).finish()
}

const Count = z.object({ count: z.int() })
const Ids = z.object({ id: z.string() })
interface Tokens {
  access_token: string
  refresh_token: string
}
const grantOf = ({ access_token }: Tokens) => String(decodeJwt(access_token).grant_id)
const sessionOf = ({ access_token }: Tokens) => String(decodeJwt(access_token).sid)
const isKept = async (tokens: Tokens) => {
  const rows = await Promise.all([
    db.all(Ids, sql`select id from sessions where id = ${sessionOf(tokens)}`),
    db.all(Ids, sql`select id from grants where id = ${grantOf(tokens)}`),
    db.all(Ids, sql`select grant_id as id from refresh_chains where grant_id = ${grantOf(tokens)}`),
  ])
  return rows.map(({ length }) => length)
}
const reasonOf = async ({ access_token }: Tokens) =>
  expectStatus(200, await w.call('POST', '/v1/auth/tokens/validate', { key, body: { token: access_token } })).reason

test('a session goes a day after its idle end, and its grant when the chain is over and two days after the last access token', async () => {
  const person = await createPerson(w, w.test)
  const first: Tokens = await person.tokens(client)
  const without: Tokens = await person.tokens(client, { scope: 'openid' })
  w.advance(day + 20 * hour) // idle for 20 hours
  await walk()
  assert.deepEqual(
    [await isKept(first), await isKept(without)],
    [
      [1, 1, 1],
      [1, 1, 0],
    ],
  )
  assert.equal(await reasonOf(without), 'expired')
  w.advance(4 * hour) // 25 hours after the idle end, 49 after the code
  await walk()
  assert.deepEqual(
    [await isKept(first), await isKept(without)],
    [
      [0, 1, 1],
      [0, 0, 0],
    ],
  )
  w.advance(2 * day)
  const second: Tokens = expectStatus(200, await refresh(w, w.test, client, first.refresh_token))
  w.advance(5 * day - 2 * hour)
  await walk()
  assert.deepEqual(await isKept(second), [0, 1, 1])
  w.advance(hour)
  await walk()
  assert.deepEqual(await isKept(second), [0, 0, 0])
  assert.equal((await refresh(w, w.test, client, second.refresh_token)).body.error, 'invalid_grant')
})

test('a grant that ended goes with its chain once its session is over and two days after its last access token', async () => {
  const person = await createPerson(w, w.test)
  const first: Tokens = await person.tokens(client)
  w.advance(day - hour)
  const second: Tokens = expectStatus(200, await refresh(w, w.test, client, first.refresh_token))
  expectStatus(200, await revoke(w, w.test, client, second.refresh_token))
  w.advance(47 * hour - 60)
  await walk()
  assert.deepEqual(await isKept(second), [0, 1, 1])
  assert.equal(await reasonOf(second), 'revoked')
  w.advance(hour)
  await walk()
  assert.deepEqual(await isKept(second), [0, 0, 0])
})

test('a session that is in use keeps its grants, and a walk goes on where it was', async () => {
  const person = await createPerson(w, w.test)
  const tokens: Tokens = await person.tokens(client)
  expectStatus(200, await revoke(w, w.test, client, tokens.refresh_token))
  for (let n = 0; n < 4; n++) {
    w.advance(20 * hour)
    await person.code(client)
  }
  // With the lease, so that the worker of the service does not walk first.
  do w.advance(hour)
  while (!(await takeLease(db, 'early ends', { holder: 'this test', length_ms: 60_000 }, w.now())))
  const numbers = sql`(with recursive n (i) as (select 1 union all select i + 1 from n where i < ${rows_at_once + 20}) select i from n) n`
  await db.run(sql`insert into sessions (environment_id, id, user_id, token_hash, amr, acr, began_with, created_at, auth_time, last_seen_at, expires_at,
                                         absolute_expires_at)
    select environment_id, 'ses_1' || n.i, user_id, id || n.i, amr, acr, began_with, created_at, auth_time, last_seen_at, 0, absolute_expires_at
      from sessions, ${numbers} where environment_id = ${w.test.id} and id = ${sessionOf(tokens)}`)
  const over = async () => (await db.all(Count, sql`select count(*) as count from sessions where expires_at = 0`))[0]?.count ?? 0
  const before = await over()
  const killed = withMethods(db, ({ batch }) => ({
    async batch(statements) {
      await batch(statements)
      throw new Error('killed')
    },
  }))
  await assert.rejects(createEndsWalk({ ...w.deployment, db: killed }).finish(), /killed/)
  assert.ok((await over()) < before)
  const place = await findPlace(db)
  assert.deepEqual([place?.walk, place?.environment_id], ['sessions', w.test.id])
  await createEndsWalk(w.deployment).finish()
  assert.equal(await over(), 0)
  assert.deepEqual(await isKept(tokens), [1, 1, 1])
  assert.equal((await findPlace(db))?.walk, 'done')
})
