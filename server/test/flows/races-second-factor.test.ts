/** A second factor that is completed while the user is blocked: neither batch waits for the other in a circle, and no session remains. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { z } from 'zod'
import { sql } from '../../src/db/db.ts'
import { appCode, enrolPerson, passwordStep } from '../support/authenticator-app.ts'
import { amidBatch } from '../support/overlapping-batches.ts'
import { createAuthKey } from '../support/tenants.ts'
import { expectStatus, world } from '../support/world.ts'

const w = await world()
await w.changeSettings(w.test, { mfa: { mode: 'required' }, email: { delivery: 'none' } })
const client = await w.createApplication(w.test)
const { key } = await createAuthKey(w, w.test, 'auth_secret')
const { db } = w.deployment

const Count = z.object({ n: z.int() })
/** PostgreSQL ends one of two batches that wait for each other after a second, and the service repeats it, so only the server knows. */
const deadlocks = async () =>
  db.engine === 'sqlite'
    ? 0
    : (await db.all(Count, sql`select deadlocks as n from pg_stat_database where datname = current_database()`))[0]?.n

test('of 50 second factors that are completed while the user is blocked, none waits in a circle and none leaves a session', async () => {
  const person = await enrolPerson(w, w.test, client)
  const change = (what: 'block' | 'unblock') => w.call('POST', `/v1/auth/users/${person.id}/${what}`, { key })
  for (let round = 0; round < 50; round++) {
    w.advance(930) // a code of the app works once, and the attempts that the block refused are forgotten
    const { agent, page } = await passwordStep(w.test, client, person)
    const code = appCode(person.secret, w.now())
    const [blocked, ...completed] = await amidBatch(
      w,
      'lock table audit_log in share row exclusive mode',
      () => change('block'),
      () => Array.from({ length: 5 }, () => agent.submit(page, { code })),
    )
    expectStatus(200, blocked)
    for (const { status } of completed) assert.ok([200, 303, 400, 403].includes(status), `${status}`)
    const { data } = expectStatus(200, await w.call('GET', `/v1/auth/users/${person.id}/sessions`, { key }))
    assert.deepEqual(data, [])
    expectStatus(200, await change('unblock'))
  }
  assert.equal(await deadlocks(), 0)
})
