import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { after, test } from 'node:test'
import type { EnvironmentId, TenantId } from '@ostiary/contract/ids.ts'
import { z } from 'zod'
import { type Statement, sql } from '../../src/db/db.ts'
import { chainEntries, findUnchained } from '../../src/domain/audit/chaining.ts'
import { describeChange } from '../../src/domain/audit/entry.ts'
import { insertAuditEntry } from '../../src/domain/audit/store.ts'
import { verifyChains } from '../../src/domain/audit/verify.ts'
import { takeLease } from '../../src/domain/events/lease.ts'
import { type FanOut, findUnnumbered, numberEvents } from '../../src/domain/events/numbering.ts'
import { findWaitingOwners, outboxes, owners_per_page } from '../../src/domain/events/outbox.ts'
import { insertEvent, listEvents } from '../../src/domain/events/store.ts'
import { openDeployment } from '../../src/main.ts'
import { createSequencer } from '../../src/workers/sequencer.ts'
import { createAgent, signInForTokens } from '../support/cookie-browser.ts'
import { world } from '../support/world.ts'

const w = await world()
const { db, newId, config } = w.deployment

const Numbers = z.object({
  environment_id: z.string(),
  events: z.int(),
  numbered: z.int(),
  different: z.int(),
  first: z.int(),
  last: z.int(),
})

/** The events of every environment are numbered 1, 2, 3 … */
async function assertGapFree(of = db): Promise<number> {
  const rows = await of.all(
    Numbers,
    sql`select environment_id, count(*) as events, count(sequence) as numbered, count(distinct sequence) as different,
               min(sequence) as first, max(sequence) as last
          from events group by environment_id`,
  )
  for (const { environment_id, events, ...numbers } of rows)
    assert.deepEqual(numbers, { numbered: events, different: events, first: 1, last: events }, environment_id)
  return rows.reduce((sum, { events }) => sum + events, 0)
}

/** Inserts events without waking the sequencer. */
function ping(environment_id: EnvironmentId, count: number): Statement[] {
  const origin = () => ({ id: newId('evt'), actor: { type: 'system' as const, id: null }, request_id: null })
  return Array.from({ length: count }, () => insertEvent(environment_id, origin(), { type: 'test.ping', data: {} }, w.now()))
}

function auditEntry(tenant_id: TenantId): Statement {
  const origin = { id: newId('aud'), action: 'test', actor: { type: 'system', id: null }, actor_label: null, request_id: null, ip: null }
  return insertAuditEntry(tenant_id, origin, describeChange(null, { id: tenant_id }), w.now())
}

async function waitUntilNumbered(): Promise<void> {
  const { run } = createSequencer(w.deployment)
  const owners = () => Promise.all([findWaitingOwners(db, outboxes.events), findWaitingOwners(db, outboxes.audit_log)])
  while ((await owners()).flat().length > 0) {
    await run()
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

function startProcess() {
  const { data_dir, database_url, master_keys } = config
  return spawn(process.execPath, ['--disable-warning=ExperimentalWarning', `${import.meta.dirname}/../support/sequencer-process.ts`], {
    env: {
      ...process.env,
      OSTIARY_DATA_DIR: data_dir,
      ...(database_url ? { OSTIARY_DATABASE_URL: database_url } : {}),
      ...(master_keys ? { OSTIARY_MASTER_KEY: master_keys.map((key) => key.toString('base64')).join(',') } : {}),
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
}

test('after 50 sign-ins, five at once, and kills of sequencers every number occurs once and no chain is broken', async () => {
  const application = await w.createApplication(w.live)
  const people = await Promise.all(Array.from({ length: 50 }, () => w.createUser(w.live)))
  let is_killing = true
  let kills = 0
  const killing = (async () => {
    while (is_killing) {
      const victim = startProcess()
      await once(victim.stdout, 'data')
      await w.changeSettings(w.live, { lockout: { max_attempts: 10 + (kills % 50) } })
      await new Promise((resolve) => setTimeout(resolve, 5 + (kills % 7) * 20))
      victim.kill('SIGKILL')
      await once(victim, 'exit')
      kills++
    }
  })()
  try {
    // Five at once: the queue of password hashes of one environment is bounded.
    const waiting = people.values()
    const signInAll = async () => {
      for (const person of waiting) await signInForTokens(w, w.live, application, { user: person, agent: createAgent() })
    }
    await Promise.all(Array.from({ length: 5 }, signInAll))
    while (kills < 5) await new Promise((resolve) => setTimeout(resolve, 100))
  } finally {
    is_killing = false
    await killing
  }
  await waitUntilNumbered()
  assert.ok((await assertGapFree()) >= 100)
  assert.deepEqual((await verifyChains(w.deployment)).problems, [])
})

test('eight parallel sequencers over many environments give every number once', async () => {
  const projects = await Promise.all(Array.from({ length: 5 }, (_, i) => w.createProject(`race-${i}`)))
  const places = projects.flatMap(({ test, live }) => [test.id, live.id])
  let writing = true
  const sequencers = Array.from({ length: 8 }, async () => {
    while (writing) {
      for (const environment_id of await findWaitingOwners(db, outboxes.events)) {
        const group = await findUnnumbered(db, environment_id)
        // Only the first events, as if another process had read them a moment earlier.
        const part = group.slice(0, 1 + (group.length % 7))
        await numberEvents(db, part, [])
      }
      await new Promise((resolve) => setImmediate(resolve))
    }
  })
  for (let round = 0; round < 40; round++) await Promise.all(places.map((environment) => db.batch(ping(environment, 1 + (round % 5)))))
  writing = false
  await Promise.all(sequencers)
  await waitUntilNumbered()
  await assertGapFree()
})

test('eight parallel sequencers that chain some of the entries they read give every entry one place and break no chain', async () => {
  const tenant_id = w.tenant_id as TenantId // as: the world keeps it as text
  const add = () => auditEntry(tenant_id)
  let writing = true
  const sequencers = Array.from({ length: 8 }, async (_, i) => {
    while (writing) {
      const entries = await findUnchained(db, tenant_id)
      await chainEntries(db, w.deployment.secrets, entries.slice(0, 1 + (i % 4)))
      await new Promise((resolve) => setImmediate(resolve))
    }
  })
  const written = 40
  for (let round = 0; round < written; round++) await db.batch([add(), add()])
  writing = false
  await Promise.all(sequencers)
  const link = async () => chainEntries(db, w.deployment.secrets, await findUnchained(db, tenant_id))
  while ((await findUnchained(db, tenant_id)).length > 0) await link()
  const { problems, entries } = await verifyChains(w.deployment)
  assert.deepEqual(problems, [])
  assert.ok(entries >= 2 * written)
})

test('a sequencer leaves alone events that another one numbered since, and their deliveries', async () => {
  await waitUntilNumbered()
  await db.batch(ping(w.test.id, 3))
  const same = await findUnnumbered(db, w.test.id)
  const fan_out: FanOut = async (environment_id) => async (event) =>
    event.id === same[0]?.id
      ? [
          sql`insert into deployment (name, value) values ('fanned out', ${environment_id})
              on conflict (name) do update set value = 'twice'`,
        ]
      : []
  const results = await Promise.all([1, 2, 3].map(() => numberEvents(db, same, [fan_out])))
  const [row] = await db.all(z.object({ value: z.string() }), sql`select value from deployment where name = 'fanned out'`)
  // The sequencer of the service may have been faster than all three.
  assert.ok(results.filter((count) => count > 0).length <= 1)
  assert.ok(row === undefined || row.value === w.test.id)
  await waitUntilNumbered()
  await assertGapFree()
})

test('events with many deliveries are numbered in parts', async () => {
  const project = await w.createProject('followed')
  const environment_id = project.test.id
  await waitUntilNumbered()
  const sizes: number[] = []
  let fanned_out = 0
  const fanOut: FanOut = async () => {
    const batch = sizes.push(-1) - 1 // the fan-out of the event without room runs as well
    return async () => {
      sizes[batch] = (sizes[batch] ?? 0) + 1
      fanned_out += 1
      return Array.from({ length: 40 }, () => sql`update leases set holder = holder where name = 'unknown'`)
    }
  }
  await db.batch(ping(environment_id, 100))
  const waiting = () => findUnnumbered(db, environment_id)
  for (let rest = await waiting(); rest.length > 0; rest = await waiting()) await numberEvents(db, rest, [fanOut])
  // The sequencer of the service numbers some of the others.
  assert.equal(sizes[0], 25)
  assert.ok(sizes.every((size) => size <= 25))
  assert.ok(fanned_out <= 100 + sizes.length, `${fanned_out} fan-outs`)
  await assertGapFree()
})

test('a backlog of one environment or tenant delays no other: each round serves all', async () => {
  const own = await world()
  const [busy, quiet] = [own.test.id, own.live.id]
  await own.service.stop() // no other sequencer numbers these events
  const after_its_lease = () => new Date(own.now().getTime() + 2_000)
  const deployment = await openDeployment(own.deployment.config, { now: after_its_lease })
  after(() => deployment.db.close())
  const insert = async (statements: Statement[]) => {
    for (let i = 0; i < statements.length; i += 500) await deployment.db.batch(statements.slice(i, i + 500))
  }
  const [busy_tenant, quiet_tenant] = [newId('ten'), newId('ten')]
  await insert([...ping(busy, 3_000), ...Array.from({ length: 300 }, () => auditEntry(busy_tenant))])
  await insert([...ping(quiet, 1), auditEntry(quiet_tenant)])

  let webhooks = 20
  const fanOut: FanOut = async () => async () =>
    Array.from({ length: 2 * webhooks }, () => sql`update leases set holder = holder where name = 'unknown'`)
  const { runOnce, run } = createSequencer(deployment, [fanOut])
  await runOnce()
  assert.deepEqual(await findUnnumbered(deployment.db, quiet), [])
  assert.deepEqual(await findUnchained(deployment.db, quiet_tenant), [])
  const [next] = await findUnnumbered(deployment.db, busy)
  assert.equal(next?.last, 25)
  webhooks = 0
  await run()
  assert.deepEqual(await findWaitingOwners(deployment.db, outboxes.events), [])
  assert.ok((await assertGapFree(deployment.db)) > 3_000)
})

test('the owners of a page share the rows of a round, so that no round is longer than that of one owner', async () => {
  const own = await world()
  await own.service.stop()
  const after_its_lease = () => new Date(own.now().getTime() + 2_000)
  const deployment = await openDeployment(own.deployment.config, { now: after_its_lease })
  after(() => deployment.db.close())
  const tenants = Array.from({ length: 10 }, () => newId('ten'))
  await deployment.db.batch(tenants.flatMap((id) => Array.from({ length: 30 }, () => auditEntry(id))))
  const { runOnce } = createSequencer(deployment)
  assert.deepEqual([await runOnce(), await runOnce(), await runOnce(), await runOnce()], [100, 100, 100, 0])
})

test('every owner of waiting rows is found, in pages', async () => {
  const own = await world()
  await own.service.stop()
  const { db } = await openDeployment(own.deployment.config)
  after(() => db.close())
  const tenants = Array.from({ length: 2 * owners_per_page + 1 }, () => newId('ten')).sort()
  for (const entries of [1, 2]) await db.batch(tenants.flatMap((id) => Array.from({ length: entries }, () => auditEntry(id))))
  const found: TenantId[][] = []
  for (
    let page = await findWaitingOwners(db, outboxes.audit_log);
    page.length > 0;
    page = await findWaitingOwners(db, outboxes.audit_log, page.at(-1))
  )
    found.push(page)
  assert.deepEqual(
    found.map(({ length }) => length),
    [owners_per_page, owners_per_page, 1],
  )
  assert.deepEqual(found.flat(), tenants)
})

test('an event without a number is not listed, and one that commits late is numbered last', async () => {
  await waitUntilNumbered()
  const environment = (await w.createProject('late')).test.id
  const shown = async () => (await listEvents(db, environment, {}, sql`order by sequence`)).map(({ id }) => id)
  const early_id = newId('evt')
  const late = { id: newId('evt'), actor: { type: 'system' as const, id: null }, request_id: null }
  await db.batch([insertEvent(environment, late, { type: 'test.ping', data: {} }, w.now())])
  await waitUntilNumbered()
  assert.deepEqual(await shown(), [late.id])
  const early = { ...late, id: early_id }
  await db.batch([insertEvent(environment, early, { type: 'test.ping', data: {} }, w.now())])
  await waitUntilNumbered()
  assert.deepEqual(await shown(), [late.id, early_id])
})

test('a lease has one holder at a time, and another takes over when it ends', async () => {
  const at = (ms: number) => new Date(w.now().getTime() + ms)
  const began = at(0)
  const later = (ms: number) => new Date(began.getTime() + ms)
  const takers = await Promise.all(['a', 'b', 'c'].map((holder) => takeLease(db, 'test', { holder, length_ms: 1_000 }, began)))
  assert.equal(takers.filter(Boolean).length, 1)
  const holder = ['a', 'b', 'c'][takers.indexOf(true)] ?? ''
  assert.equal(await takeLease(db, 'test', { holder, length_ms: 1_000 }, later(500)), true)
  assert.equal(await takeLease(db, 'test', { holder: 'other', length_ms: 1_000 }, later(1_400)), false)
  assert.equal(await takeLease(db, 'test', { holder: 'other', length_ms: 1_000 }, later(1_500)), true)
})

test('a lease that a clock ahead of ours ended in the future can be taken', async () => {
  const began = w.now()
  assert.equal(await takeLease(db, 'ahead', { holder: 'wrong', length_ms: 1_000 }, new Date(began.getTime() + 3_600_000)), true)
  assert.equal(await takeLease(db, 'ahead', { holder: 'right', length_ms: 1_000 }, began), true)
})

test('an altered head is never sealed again, and the log goes on', async () => {
  await db.run(sql`update audit_heads set seal = 'wrong' where tenant_id = ${w.tenant_id}`)
  await w.createApplication(w.test)
  await waitUntilNumbered()
  const { problems } = await verifyChains(w.deployment)
  assert.deepEqual(
    problems.map(({ problem }) => problem),
    ['the head of the chain was altered, or the chain was recomputed'],
  )
})
