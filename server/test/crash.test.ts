/**
 * Processes die at any moment (kill -9, power). After a restart everything that was acknowledged is there, and nothing
 * that was spent or revoked comes back. What was on its way when the process died may have happened or not, but whole.
 */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { serve } from './support/cli-process.ts'
import { createPerson, exchange, refresh, revoke, userinfo } from './support/cookie-browser.ts'
import { expectStatus, type Reply, world } from './support/world.ts'

const data_dir = mkdtempSync(join(tmpdir(), 'ostiary-crash-'))
after(() => rmSync(data_dir, { recursive: true, force: true }))

// The tenant, applications and people are made in this process; then child processes serve the same data directory.
const w = await world({ data_dir })
/** Test forgives a client that did not hear the answer, Live does not. */
const retry_window_seconds = { test: 60, live: 0 }
const settings = { authorization_code_ttl_seconds: 600 }
await w.changeSettings(w.test, { tokens: { ...settings, refresh_retry_window_seconds: retry_window_seconds.test } })
await w.changeSettings(w.live, { tokens: { ...settings, refresh_retry_window_seconds: retry_window_seconds.live } })
const client = { test: await w.createApplication(w.test), live: await w.createApplication(w.live) }
const person = { test: await createPerson(w, w.test), live: await createPerson(w, w.live) }
await w.close()

const env = { OSTIARY_PORT: new URL(w.base_url).port, OSTIARY_DATA_DIR: data_dir }
let child = await serve(env)

type Tokens = { access_token: string; refresh_token: string }
const isSpent = (reply: Reply) => assert.deepEqual([reply.status, reply.body.error], [400, 'invalid_grant'])

/** Goes on until the process dies under it; a refusal is a failure. */
async function untilDeath(step: () => Promise<boolean>): Promise<void> {
  try {
    while (await step());
  } catch (error) {
    if (!(error instanceof TypeError)) throw error // as fetch calls a connection that broke
  }
}

async function family(type: 'test' | 'live') {
  const known: Tokens[] = [await person[type].tokens(client[type])]
  let on_its_way = false
  return {
    refreshing: () =>
      untilDeath(async () => {
        on_its_way = true
        known.push(expectStatus(200, await refresh(w, w[type], client[type], known.at(-1)?.refresh_token ?? '')))
        on_its_way = false
        return true
      }),
    async check() {
      const [latest, before, long_before] = [known.at(-1), known.at(-2), known.at(-3)]
      for (const tokens of known.slice(-3)) assert.equal((await userinfo(w, w[type], tokens.access_token)).status, 200)
      const reply = await refresh(w, w[type], client[type], latest?.refresh_token ?? '')
      if (retry_window_seconds[type] > 0 || !on_its_way) expectStatus(200, reply)
      else assert.ok(reply.status === 200 || reply.body.error === 'invalid_grant')
      const spent = retry_window_seconds[type] > 0 ? long_before : before
      if (spent) isSpent(await refresh(w, w[type], client[type], spent.refresh_token))
    },
    count: () => known.length,
  }
}

/** Revokes one token after another, and remembers which were acknowledged. */
async function revocations(type: 'test' | 'live') {
  const waiting: Tokens[] = await Promise.all(Array.from({ length: 12 }, () => person[type].tokens(client[type])))
  const revoked: Tokens[] = []
  return {
    revoking: () =>
      untilDeath(async () => {
        const tokens = waiting.pop()
        if (!tokens) return false
        const alone = waiting.length % 2 === 0
        expectStatus(200, await revoke(w, w[type], client[type], alone ? tokens.access_token : tokens.refresh_token))
        revoked.push(tokens)
        return true
      }),
    async check() {
      for (const { access_token } of revoked) assert.equal((await userinfo(w, w[type], access_token)).status, 401)
      for (const { access_token } of waiting) assert.equal((await userinfo(w, w[type], access_token)).status, 200)
    },
    count: () => revoked.length,
  }
}

/** Signs in silently and exchanges, over and over. */
function exchanges(type: 'test' | 'live') {
  const done: { request: Parameters<typeof exchange>[3]; code: string; tokens: Tokens }[] = []
  let given: Awaited<ReturnType<(typeof person)['test']['code']>> | null = null
  let on_its_way = false
  return {
    exchanging: () =>
      untilDeath(async () => {
        given = await person[type].code(client[type])
        on_its_way = true
        const tokens = expectStatus(200, await exchange(w, w[type], client[type], given.request, given.code))
        done.push({ ...given, tokens })
        given = null
        on_its_way = false
        return true
      }),
    async check() {
      if (given) {
        const reply = await exchange(w, w[type], client[type], given.request, given.code)
        if (on_its_way && reply.status !== 200) isSpent(reply)
        else expectStatus(200, reply)
      }
      for (const { request, code, tokens } of done.slice(-5)) {
        assert.equal((await userinfo(w, w[type], tokens.access_token)).status, 200)
        isSpent(await exchange(w, w[type], client[type], request, code))
        assert.equal((await userinfo(w, w[type], tokens.access_token)).status, 401)
        isSpent(await refresh(w, w[type], client[type], tokens.refresh_token))
      }
    },
    count: () => done.length,
  }
}

const done = { refreshes: 0, revocations: 0, exchanges: 0 }

for (let round = 1; round <= 10; round++) {
  const delay_ms = 20 + Math.round(Math.random() * 200)
  test(`killed at any moment, nothing acknowledged is lost and nothing spent or revoked comes back (${round} of 10)`, async (t) => {
    t.diagnostic(`killed after ${delay_ms} ms`)
    const both = ['test', 'live'] as const
    const families = await Promise.all([...both, ...both, ...both].map(family))
    const revokers = await Promise.all(both.map(revocations))
    const exchangers = both.map(exchanges)
    const traffic = [
      ...families.map(({ refreshing }) => refreshing()),
      ...revokers.map(({ revoking }) => revoking()),
      ...exchangers.map(({ exchanging }) => exchanging()),
    ]
    await wait(delay_ms)
    child.process.kill('SIGKILL')
    const [{ signal }] = await Promise.all([child.ended, ...traffic])
    assert.equal(signal, 'SIGKILL')

    child = await serve(env)
    for (const { check } of [...families, ...revokers, ...exchangers]) await check()
    for (const { count } of families) done.refreshes += count() - 1
    for (const { count } of revokers) done.revocations += count()
    for (const { count } of exchangers) done.exchanges += count()
  })
}

test('the database is whole, and there was something to lose', async () => {
  child.process.kill('SIGTERM')
  assert.equal((await child.ended).code, 0)
  const database = new DatabaseSync(join(data_dir, 'ostiary.db'), { readOnly: true })
  assert.deepEqual(
    database
      .prepare('pragma integrity_check')
      .all()
      .map((row) => row.integrity_check),
    ['ok'],
  )
  database.close()
  assert.ok(done.refreshes > 10 && done.revocations > 3 && done.exchanges > 3, JSON.stringify(done))
})
