import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TenantId } from '@ostiary/contract/ids.ts'
import { createVerifications } from './verifications.ts'

/** Verifications that end when the test says so. */
function started() {
  let now = new Date('2026-11-20T16:31:00.000Z')
  const running: { tenant_id: TenantId; end: (problems?: string[]) => void; fail: () => void }[] = []
  const verify = (_: unknown, tenant_id: TenantId) =>
    new Promise<{ entries: number; problems: string[] }>((resolve, reject) => {
      running.push({ tenant_id, end: (problems = []) => resolve({ entries: 3, problems }), fail: () => reject(new Error('failed')) })
    })
  const deployment = { now: () => now } as Parameters<typeof createVerifications>[0] // as: the verification itself is replaced
  return {
    verifyLog: createVerifications(deployment, verify),
    running,
    advance(seconds: number) {
      now = new Date(now.getTime() + seconds * 1000)
    },
  }
}

const tenant = (n: number) => `ten_${n}` as TenantId // as: any text does here

test('all requests of a tenant share one verification, and its result is repeated for ten seconds', async () => {
  const { verifyLog, running, advance } = started()
  const requests = Array.from({ length: 50 }, () => verifyLog(tenant(1)))
  await Promise.resolve()
  assert.equal(running.length, 1)
  running[0]?.end(['entry 2 is missing'])
  const results = await Promise.all(requests)
  assert.deepEqual(new Set(results).size, 1)
  const expected = {
    tenant_id: 'ten_1',
    intact: false,
    entries: 3,
    problems: ['entry 2 is missing'],
    verified_at: '2026-11-20T16:31:00.000Z',
  }
  assert.deepEqual(results[0], expected)
  advance(9)
  assert.deepEqual(await verifyLog(tenant(1)), expected)
  assert.equal(running.length, 1)
  advance(1)
  const next = verifyLog(tenant(1))
  assert.equal(running.length, 2)
  running[1]?.end()
  assert.equal((await next).intact, true)
})

test('two verifications run at a time, the others in the order of their requests, and beyond 50 that wait they are refused', async () => {
  const { verifyLog, running } = started()
  const requests = Array.from({ length: 52 }, (_, n) => verifyLog(tenant(n)))
  await assert.rejects(verifyLog(tenant(52)), { name: 'TooManyVerifications' })
  for (let n = 0; n < 52; n++) {
    assert.ok(running.length <= n + 2)
    running[n]?.end()
    await requests[n]
    await new Promise(setImmediate)
  }
  assert.deepEqual(
    running.map(({ tenant_id }) => tenant_id),
    requests.map((_, n) => tenant(n)),
  )
})

test('a verification that fails is not kept, and the next one runs', async () => {
  const { verifyLog, running } = started()
  const failed = verifyLog(tenant(1))
  running[0]?.fail()
  await assert.rejects(failed, /failed/)
  const again = verifyLog(tenant(1))
  running[1]?.end()
  assert.equal((await again).intact, true)
})
