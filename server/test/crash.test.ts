/**
 * A process can die at any moment (kill -9, power). After a restart every acknowledged change is stored, and no used code
 * or revoked token works again. A change without an acknowledgement has happened completely or not at all.
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
import { until } from './support/receiver.ts'
import { expectStatus, type Reply, world } from './support/world.ts'

const data_dir = mkdtempSync(join(tmpdir(), 'ostiary-crash-'))
after(() => rmSync(data_dir, { recursive: true, force: true }))

// This process creates the tenant, applications and users; then child processes serve the same data directory.
const w = await world({ data_dir })
/** Test accepts the repeated refresh of a client that missed the response, Live does not. */
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
const assertUsed = (reply: Reply) => assert.deepEqual([reply.status, reply.body.error], [400, 'invalid_grant'])

/** Repeats a step until the process dies or the step returns `false`. A refusal fails the test. */
async function untilDeath(step: () => Promise<boolean>): Promise<void> {
  try {
    while (await step());
  } catch (error) {
    if (!(error instanceof TypeError)) throw error // as fetch calls a connection that broke
  }
}

/** Refreshes one token family, and remembers its tokens. */
async function family(type: 'test' | 'live') {
  const known: Tokens[] = [await person[type].tokens(client[type])]
  let is_unanswered = false
  return {
    refreshing: () =>
      untilDeath(async () => {
        is_unanswered = true
        known.push(expectStatus(200, await refresh(w, w[type], client[type], known.at(-1)?.refresh_token ?? '')))
        is_unanswered = false
        return true
      }),
    async check() {
      const [latest, before, long_before] = [known.at(-1), known.at(-2), known.at(-3)]
      for (const tokens of known.slice(-3)) assert.equal((await userinfo(w, w[type], tokens.access_token)).status, 200)
      const reply = await refresh(w, w[type], client[type], latest?.refresh_token ?? '')
      if (retry_window_seconds[type] > 0 || !is_unanswered) expectStatus(200, reply)
      else assert.ok(reply.status === 200 || reply.body.error === 'invalid_grant')
      const used = retry_window_seconds[type] > 0 ? long_before : before
      if (used) assertUsed(await refresh(w, w[type], client[type], used.refresh_token))
    },
    /** The number of refreshes. */
    count: () => known.length - 1,
  }
}

/** Revokes one token after another, and remembers the acknowledged ones. */
async function revocations(type: 'test' | 'live') {
  const waiting: Tokens[] = await Promise.all(Array.from({ length: 12 }, () => person[type].tokens(client[type])))
  const revoked: Tokens[] = []
  return {
    revoking: () =>
      untilDeath(async () => {
        const tokens = waiting.pop()
        if (!tokens) return false
        const only_access = waiting.length % 2 === 0
        expectStatus(200, await revoke(w, w[type], client[type], only_access ? tokens.access_token : tokens.refresh_token))
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

/** Obtains a code without a page and exchanges it, again and again. */
function exchanges(type: 'test' | 'live') {
  const done: { request: Parameters<typeof exchange>[3]['request']; code: string; tokens: Tokens }[] = []
  let unused: Awaited<ReturnType<(typeof person)['test']['code']>> | null = null
  let is_unanswered = false
  return {
    exchanging: () =>
      untilDeath(async () => {
        unused = await person[type].code(client[type])
        is_unanswered = true
        const tokens = expectStatus(200, await exchange(w, w[type], client[type], { request: unused.request, code: unused.code }))
        done.push({ ...unused, tokens })
        unused = null
        is_unanswered = false
        return true
      }),
    async check() {
      if (unused) {
        const reply = await exchange(w, w[type], client[type], { request: unused.request, code: unused.code })
        if (is_unanswered && reply.status !== 200) assertUsed(reply)
        else expectStatus(200, reply)
      }
      for (const { request, code, tokens } of done.slice(-5)) {
        assert.equal((await userinfo(w, w[type], tokens.access_token)).status, 200)
        assertUsed(await exchange(w, w[type], client[type], { request, code }))
        assert.equal((await userinfo(w, w[type], tokens.access_token)).status, 401)
        assertUsed(await refresh(w, w[type], client[type], tokens.refresh_token))
      }
    },
    count: () => done.length,
  }
}

/** A random number of calls that are acknowledged before the kill. At least one of each kind, however slow the machine is. */
const upTo = (most: number) => 1 + Math.floor(Math.random() * most)
const sum = (counters: readonly { count: () => number }[]) => counters.reduce((total, { count }) => total + count(), 0)

for (let round = 1; round <= 10; round++) {
  const least = { refreshes: upTo(12), revocations: upTo(6), exchanges: upTo(4) }
  const then_ms = Math.round(Math.random() * 50)
  test(`after kill -9 acknowledged changes are stored, and used codes and revoked tokens stay refused (${round} of 10)`, async (t) => {
    t.diagnostic(`killed ${then_ms} ms after ${JSON.stringify(least)}`)
    const both = ['test', 'live'] as const
    const families = await Promise.all([...both, ...both, ...both].map(family))
    const revokers = await Promise.all(both.map(revocations))
    const exchangers = both.map(exchanges)
    const traffic = [
      ...families.map(({ refreshing }) => refreshing()),
      ...revokers.map(({ revoking }) => revoking()),
      ...exchangers.map(({ exchanging }) => exchanging()),
    ]
    await until('the calls before the kill', () => {
      return sum(families) >= least.refreshes && sum(revokers) >= least.revocations && sum(exchangers) >= least.exchanges
    })
    await wait(then_ms)
    child.process.kill('SIGKILL')
    const [{ signal }] = await Promise.all([child.ended, ...traffic])
    assert.equal(signal, 'SIGKILL')

    child = await serve(env)
    for (const { check } of [...families, ...revokers, ...exchangers]) await check()
  })
}

test('the database passes its integrity check', async () => {
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
})
