/** The audit log by filters, by entry, as lines, and its verification. */
import assert from 'node:assert/strict'
import { get } from 'node:http'
import { test } from 'node:test'
import type { AuditEntry } from '@ostiary/contract/audit.ts'
import { z } from 'zod'
import { sql } from '../../src/db/db.ts'
import { findWaitingOwners, outboxes } from '../../src/domain/events/outbox.ts'
import { administratorToken, asAdministrator } from '../support/administrator.ts'
import { replaceMethods } from '../support/db-methods.ts'
import { createTwoTenants } from '../support/tenants.ts'
import { expectStatus, owner, world } from '../support/world.ts'

const w = await world()
const { db } = w.deployment
const log = `/v1/tenants/${w.tenant_id}/audit-log`

async function chained(): Promise<void> {
  while ((await findWaitingOwners(db, outboxes.audit_log)).length > 0) await new Promise((resolve) => setTimeout(resolve, 10))
}

const list = async (query: string): Promise<AuditEntry[]> => expectStatus(200, await admin('GET', `${log}?limit=100&${query}`)).data

async function lines(query = ''): Promise<AuditEntry[]> {
  const reply = await admin('GET', `${log}?${query}`, undefined, { accept: 'application/jsonl' })
  assert.match(reply.headers.get('content-type') ?? '', /^application\/jsonl/)
  return String(reply.body)
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line))
}

const application = await w.createApplication(w.test)
const path = `${w.test.path}/applications/${application.id}`
w.advance(7_200)
for (let n = 0; n < 3; n++) expectStatus(200, await w.call('PATCH', path, { body: { name: `Name ${n}` } }))
w.advance(7_200)
const token = await administratorToken(w, owner)
const admin = asAdministrator(w, token)
expectStatus(200, await admin('PATCH', path, { name: 'By the owner' }))
expectStatus(204, await w.call('DELETE', path))
await chained()
const everything = (await lines()).reverse()

const between = everything.filter(({ action }) => action === 'changeApplication').map(({ created_at }) => created_at)
const [changed_last = '', , , changed_first = ''] = between

const filters: { query: string; selects: (entry: AuditEntry) => boolean }[] = [
  { query: `actor_id=${w.key_id}`, selects: ({ actor }) => actor.id === w.key_id },
  { query: `actor_id=${w.owner_id}`, selects: ({ actor }) => actor.id === w.owner_id },
  { query: 'action=changeApplication', selects: ({ action }) => action === 'changeApplication' },
  { query: `object_id=${application.id}`, selects: ({ object }) => object.id === application.id },
  { query: `from=${changed_first}`, selects: ({ created_at }) => created_at >= changed_first },
  { query: `to=${changed_first}`, selects: ({ created_at }) => created_at < changed_first },
  {
    query: `from=${changed_first}&to=${changed_last}`,
    selects: ({ created_at }) => created_at >= changed_first && created_at < changed_last,
  },
  {
    query: `actor_id=${w.key_id}&action=changeApplication&object_id=${application.id}&to=${changed_last}`,
    selects: ({ actor, action, created_at }) => actor.id === w.key_id && action === 'changeApplication' && created_at < changed_last,
  },
]
for (const { query, selects } of filters)
  test(`?${query.replaceAll(/(\w+)=[^&]+/g, '$1=…')} selects the same entries in pages and as lines`, async () => {
    const expected = everything.filter(selects)
    assert.ok(expected.length > 0 && expected.length < everything.length)
    assert.deepEqual(await list(query), expected)
    assert.deepEqual(await lines(query), [...expected].reverse())
    const first = expectStatus(200, await admin('GET', `${log}?limit=1&${query}`))
    assert.deepEqual(first.data, expected.slice(0, 1))
    if (first.has_more) assert.deepEqual(await list(`${query}&cursor=${encodeURIComponent(first.next_cursor)}`), expected.slice(1))
  })

test('filters that match nothing select nothing, and a cursor of other filters is refused', async () => {
  for (const query of ['actor_id=usr_nobody', 'action=nothing', 'object_id=x', 'from=2100-01-01T00:00:00Z', 'to=1970-01-01T00:00:00Z'])
    assert.deepEqual([await list(query), await lines(query)], [[], []], query)
  const { next_cursor } = expectStatus(200, await admin('GET', `${log}?limit=1`))
  assert.equal((await admin('GET', `${log}?limit=1&action=changeApplication&cursor=${next_cursor}`)).body.code, 'invalid_cursor')
  assert.equal((await admin('GET', `${log}?from=yesterday`)).status, 422)
})

test('one entry is the same as in the list', async () => {
  for (const entry of everything.slice(0, 3)) assert.deepEqual(expectStatus(200, await admin('GET', `${log}/${entry.id}`)), entry)
  assert.equal((await admin('GET', `${log}/${w.deployment.newId('aud')}`)).status, 404)
})

test('verification reports an intact log, and an altered entry after ten seconds', async () => {
  const before = expectStatus(200, await admin('GET', `${log}/verify`))
  assert.deepEqual([before.tenant_id, before.intact, before.problems], [w.tenant_id, true, []])
  assert.equal(before.entries, (await lines()).length)
  const ip = sql`update audit_log set ip = null where tenant_id = ${w.tenant_id} and sequence = 3`
  await db.run(ip)
  w.advance(10)
  const after = expectStatus(200, await admin('GET', `${log}/verify`))
  assert.deepEqual([after.intact, after.problems], [false, ['entry 3 was altered']])
})

test('verification covers only the own tenant', async () => {
  const { theirs } = await createTwoTenants(w)
  await chained()
  const stranger = asAdministrator(w, theirs.token, theirs.tenant_id)
  const own = expectStatus(200, await stranger('GET', `/v1/tenants/${theirs.tenant_id}/audit-log/verify`))
  const row = await db.maybeOne(
    z.object({ count: z.int() }),
    sql`select count(*) as count from audit_log where tenant_id = ${theirs.tenant_id}`,
  )
  assert.deepEqual([own.intact, own.entries], [true, row?.count])
  assert.equal((await stranger('GET', `${log}/verify`)).status, 404)
})

test('the lines end when the client disconnects', async () => {
  const large = JSON.stringify({ name: 'x'.repeat(20_000) })
  await chained() // or the service would give the next entry a sequence of these
  for (let first = 0; first < 3_000; first += 100)
    await db.run(sql`insert into audit_log (tenant_id, id, sequence, previous_hash, hash, created_at, action, actor_type, object_type, object_id, after_change)
      with recursive n (i) as (select 1 union all select i + 1 from n where i < 100)
      select ${w.tenant_id}, 'aud_' || (${100_000 + first} + i), ${100_000 + first} + i, '', '', ${w.now()}, 'large', 'system', 'project', 'prj_x',
             cast(${large} as text)
        from n`)
  const reads = await rowsReadWhile(async () => {
    const url = new URL(w.reach(w.base_url + log))
    const headers = { authorization: `Bearer ${token}`, accept: 'application/jsonl' }
    await new Promise<void>((resolve, reject) => {
      const request = get(url, { headers }, (response) => {
        response.once('data', () => {
          request.destroy()
          resolve()
        })
      })
      request.on('error', reject)
    })
  })
  assert.ok(reads > 0 && reads < 2_000, `${reads} of 3,000 large entries were read`)
})

/** The entries of pages of lines that the service reads while something happens, and shortly afterwards. */
async function rowsReadWhile(happens: () => Promise<void>): Promise<number> {
  let rows = 0
  const restore = replaceMethods(db, ({ all }) => ({
    async all(...query) {
      const found = await all(...query)
      if (query[1].parts.join('').includes('from audit_log l') && found.length > 1) rows += found.length
      return found
    },
  }))
  try {
    await happens()
    for (let last = -1; last !== rows; ) {
      last = rows
      await new Promise((resolve) => setTimeout(resolve, 300))
    }
    return rows
  } finally {
    restore()
  }
}
