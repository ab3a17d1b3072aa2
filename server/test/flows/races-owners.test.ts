/** A tenant keeps an owner, however many owners leave or step down at the same time. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Administrator, createTenant, storedMembers, type Tenant } from '../support/invitations.ts'
import { overlapping } from '../support/overlapping-batches.ts'
import { createAdministrator } from '../support/tenants.ts'
import { world } from '../support/world.ts'

const w = await world()
const owners = await Promise.all(Array.from({ length: 5 }, (_, i) => createAdministrator(w, `owner${i}@example.com`)))

const leave = (t: Tenant, owner: Administrator) => t.as(owner, 'DELETE', `/${owner.user_id}`)
const stepDown = (t: Tenant, owner: Administrator) => t.as(owner, 'PATCH', `/${owner.user_id}`, { role: 'viewer' })

const ways: Record<string, (t: Tenant, owner: Administrator, i: number) => ReturnType<typeof leave>> = {
  leave,
  'step down': stepDown,
  'leave or step down': (t, owner, i) => (i % 2 ? leave(t, owner) : stepDown(t, owner)),
}
for (const [what, act] of Object.entries(ways)) {
  test(`one owner stays when five owners ${what} in 50 parallel requests, and that owner gets last_owner`, async () => {
    const [first = assert.fail(), ...others] = owners
    const t = await createTenant(w, first)
    for (const owner of others) await t.join(owner, 'owner')
    const requests = Array.from({ length: 50 }, (_, i) => owners[Math.floor(i / 10)] ?? assert.fail())
    const replies = await overlapping(w, () => requests.map((owner, i) => act(t, owner, i)))

    const remaining = (await storedMembers(w, t.id)).filter(({ role }) => role === 'owner').map(({ user_id }) => user_id)
    assert.ok(remaining.length > 0)
    if (replies.every(({ status }) => status !== 503)) assert.equal(remaining.length, 1)
    for (const [i, { status, body }] of replies.entries()) {
      if (status === 503) continue // a busy machine: a statement on PostgreSQL waits for at most 1.2 s
      if (remaining.includes(requests[i]?.user_id ?? '')) assert.deepEqual([status, body.code], [409, 'last_owner'])
      else assert.notEqual(body?.code, 'last_owner')
    }
  })
}

for (const [what, act] of Object.entries(ways))
  test(`of two owners who ${what} amid each other's batches one stays`, async () => {
    const [first = assert.fail(), second = assert.fail()] = owners
    const t = await createTenant(w, first)
    await t.join(second, 'owner')
    // In turns: the batches of both run before one of them is committed.
    await overlapping(w, () => Array.from({ length: 12 }, (_, i) => act(t, i % 2 ? second : first, i)))
    assert.equal((await storedMembers(w, t.id)).filter(({ role }) => role === 'owner').length, 1)
  })
