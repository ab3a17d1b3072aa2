/** A tenant's audit log has a head from its creation on. An attacker with the database but without the master key cannot change the log unnoticed. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TenantId } from '@ostiary/contract/ids.ts'
import { z } from 'zod'
import { type Statement, sql } from '../../src/db/db.ts'
import { anchorLog, chainEntries, findUnchained } from '../../src/domain/audit/chaining.ts'
import { insertAuditEntry } from '../../src/domain/audit/store.ts'
import { verifyChains } from '../../src/domain/audit/verify.ts'
import { findWaitingOwners, outboxes } from '../../src/domain/events/outbox.ts'
import { insertTenant } from '../../src/domain/tenancy/store.ts'
import { openDeployment } from '../../src/main.ts'
import { administratorToken, asAdministrator } from '../support/administrator.ts'
import { withMethods } from '../support/db-methods.ts'
import { expectStatus, owner, world } from '../support/world.ts'

const w = await world()
const { db, secrets, newId } = w.deployment

async function createTenant(): Promise<TenantId> {
  const id = newId('ten') as TenantId // as: newId gives exactly this
  await db.batch([insertTenant(id, { slug: id.slice(4), name: 'T' }, w.now()), anchorLog(secrets, id)])
  return id
}

function entry(tenant_id: TenantId, action = 'changeProject'): Statement {
  const origin = { action, actor: { type: 'user', id: null }, actor_label: null, request_id: null, ip: null }
  const change = { object: { type: 'project', id: 'prj_1' }, project_id: null, environment_id: null, before: null, after: { name: action } }
  return insertAuditEntry(tenant_id, { id: newId('aud') as `aud_${string}`, ...origin }, change, w.now()) // as: newId gives exactly this
}

async function waitUntilLinked(): Promise<void> {
  while ((await findWaitingOwners(db, outboxes.audit_log)).length > 0) await new Promise((resolve) => setTimeout(resolve, 10))
}

/** Adds entries one by one, each linked before the next. */
async function addEntries(tenant_id: TenantId, count: number): Promise<void> {
  for (let i = 0; i < count; i++) {
    await db.batch([entry(tenant_id)])
    await waitUntilLinked()
  }
}

const problemsOf = async (tenant_id: TenantId) =>
  (await verifyChains(w.deployment)).problems.filter((found) => found.tenant_id === tenant_id).map(({ problem }) => problem)

const Head = z.object({ sequence: z.int(), hash: z.string(), seal: z.string() })
const findHead = (tenant_id: TenantId) =>
  db.maybeOne(Head, sql`select sequence, hash, seal from audit_heads where tenant_id = ${tenant_id}`)

const deleteHead = (id: TenantId) => sql`delete from audit_heads where tenant_id = ${id}`
const deleteFrom = (id: TenantId, sequence: number) => sql`delete from audit_log where tenant_id = ${id} and sequence >= ${sequence}`
const deleteEntry = (id: TenantId, sequence: number) => sql`delete from audit_log where tenant_id = ${id} and sequence = ${sequence}`
const unlink = (id: TenantId) =>
  sql`update audit_log set sequence = null, previous_hash = null, hash = null, actor_label = 'another' where tenant_id = ${id}`
const replaceHead = (id: TenantId, { sequence, hash, seal }: z.infer<typeof Head>) =>
  sql`update audit_heads set sequence = ${sequence}, hash = ${hash}, seal = ${seal} where tenant_id = ${id}`

type SavedHeads = Record<'anchor' | 'second' | 'foreign', z.infer<typeof Head>>
// biome-ignore format: this table is read by column
const damages: [what: string, damage: (id: TenantId, heads: SavedHeads) => Statement[], found: RegExp][] = [
  ['the head is deleted',                                       (id) => [deleteHead(id)],                                                            /the head of the chain is missing/],
  ['the head is deleted and the tail forged',                   (id) => [deleteHead(id), deleteFrom(id, 3), entry(id, 'forged'), entry(id, 'forged')], /missing|altered/],
  ['the head is deleted and the history forged',                (id) => [deleteHead(id), deleteFrom(id, 1), entry(id, 'forged'), entry(id, 'forged')], /missing|altered/],
  ['the head is deleted and every link is taken away',          (id) => [deleteHead(id), unlink(id)], /missing|altered/],
  ['the log and its head are deleted',                          (id) => [deleteHead(id), deleteFrom(id, 1)],                                         /the head of the chain is missing/],
  ['the log is deleted and its head stays',                     (id) => [deleteFrom(id, 1)],                                                         /the log was cut off after entry 0: it had 4/],
  ['the head is replaced by an older one',                      (id, { second }) => [replaceHead(id, second)],                                       /entry 3 is beyond the end of the chain/],
  ['the head is replaced by the anchor',                        (id, { anchor }) => [replaceHead(id, anchor)],                                       /entry 1 is beyond the end of the chain/],
  ['the head is replaced by an older one and the tail forged',  (id, { second }) => [replaceHead(id, second), deleteEntry(id, 3), entry(id, 'forged')], /beyond the end|altered|missing/],
  ['the head is replaced by the anchor of another tenant',      (id, { foreign }) => [deleteFrom(id, 1), replaceHead(id, foreign)],                  /the head of the chain was altered/],
  ['the head gets a made-up sequence',                          (id, { second }) => [deleteFrom(id, 4), replaceHead(id, { ...second, sequence: 3 })], /altered/],
]
for (const [what, damage, found] of damages)
  test(`verification reports that ${what}, now and after further entries`, async () => {
    const id = await createTenant()
    const anchor = (await findHead(id)) ?? assert.fail('no anchor')
    await addEntries(id, 2)
    const second = (await findHead(id)) ?? assert.fail('no head')
    await addEntries(id, 2)
    const foreign = (await findHead(await createTenant())) ?? assert.fail('no anchor')
    assert.deepEqual(await problemsOf(id), [])

    await db.batch(damage(id, { anchor, second, foreign }))
    assert.match((await problemsOf(id)).join('; '), found)
    await waitUntilLinked()
    assert.notDeepEqual(await problemsOf(id), [])
    await addEntries(id, 2)
    assert.match((await problemsOf(id)).join('; '), /head of the chain was altered/)
  })

test('verification reports an older head even when the service moves it during the verification', async () => {
  const id = await createTenant()
  await addEntries(id, 2)
  const second = (await findHead(id)) ?? assert.fail('no head')
  await addEntries(id, 2)
  await db.batch([replaceHead(id, second)])
  let is_moved = false
  /** Lets the service link an entry after the verification has read the head. */
  const moving = withMethods(db, ({ maybeOne }) => ({
    maybeOne: async (schema, statement) => {
      const row = await maybeOne(schema, statement)
      if (statement.parts.join().includes('audit_heads') && statement.values.includes(id) && !is_moved) {
        is_moved = true
        await addEntries(id, 1)
      }
      return row
    },
  }))
  const { problems } = await verifyChains({ db: moving, secrets })
  assert.match(problems.map(({ problem }) => problem).join(), /head of the chain was altered/)
})

test('verification finds no problem in a new tenant without entries, nor in the root tenant', async () => {
  const id = await createTenant()
  assert.equal((await findHead(id))?.sequence, 0)
  assert.deepEqual(await problemsOf(id), [])
  const Tenant = z.object({ id: z.custom<TenantId>() })
  const root = await db.maybeOne(Tenant, sql`select id from tenants where slug = 'ostiary'`)
  assert.deepEqual(await problemsOf(root?.id ?? assert.fail('no root')), [])
})

test('every way to create a tenant anchors its log in the same batch', async () => {
  const admin = asAdministrator(w, await administratorToken(w, owner))
  const { id } = expectStatus(201, await admin('POST', '/v1/tenants', { slug: 'anchored', name: 'Anchored' }))
  const Missing = z.object({ slug: z.string() })
  const none = sql`select slug from tenants where not exists (select 1 from audit_heads h where h.tenant_id = tenants.id)`
  // The service wrote the heads that the tests above deleted again, without a seal.
  assert.deepEqual(await db.all(Missing, none), [])
  await waitUntilLinked()
  assert.deepEqual([...(await problemsOf(id)), ...(await problemsOf(w.tenant_id))], [])
})

for (const has_head of [true, false])
  test(`ten parallel sequencers link each entry of a log ${has_head ? 'with' : 'without'} a head once`, async () => {
    const id = await createTenant()
    await addEntries(id, 2)
    await db.batch([...(has_head ? [] : [deleteHead(id)]), ...Array.from({ length: 20 }, () => entry(id))])
    const linkAll = async () => chainEntries(db, secrets, await findUnchained(db, id))
    await Promise.all(Array.from({ length: 10 }, linkAll))
    await waitUntilLinked()
    const found = await problemsOf(id)
    assert.deepEqual(
      found.filter((problem) => !/^the head of the chain was altered/.test(problem)),
      [],
    )
    assert.equal(found.length, has_head ? 0 : 1)
    assert.equal((await findHead(id))?.sequence, 22)
  })

const open = async () => (await openDeployment(w.deployment.config)).db.close()

test('a later start creates no new anchor for a log whose head was deleted', async () => {
  const id = await createTenant()
  await db.batch([deleteHead(id)])
  await open()
  assert.match((await problemsOf(id)).join(), /the head of the chain is missing/)
  await addEntries(id, 1)
  assert.match((await problemsOf(id)).join(), /the head of the chain was altered/)
})
