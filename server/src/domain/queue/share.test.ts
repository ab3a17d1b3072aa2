import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type Call, chooseInTurn, createShares } from './share.ts'

const limits = { concurrency: 150, per_lane: 1, per_receiver: 10 }
const never = () => false

const call = (change: Partial<Call> & { n?: number } = {}): Call => {
  const { n = 0, ...fields } = change
  return { tenant_id: 'a', environment_id: 'a', lane: `lane${n}`, receiver: `r${n}.test:443`, ...fields }
}
const many = (count: number, change: Partial<Call> = {}) =>
  Array.from({ length: count }, (_, n) => call({ n, ...change, lane: `${n} ${JSON.stringify(change)}` }))

test('a tenant takes at most a quarter of the call slots, however many receivers it has', () => {
  const shares = createShares(limits, never)
  const environments = ['1', '2', '3', '4'].flatMap((environment_id) => many(300, { environment_id }))
  assert.equal(chooseInTurn(shares, environments, never).length, 37)
})

test('an environment takes at most half of the share of its tenant', () => {
  const shares = createShares(limits, never)
  assert.equal(chooseInTurn(shares, many(300), never).length, 22)
  assert.ok(shares.fits(call({ environment_id: 'b', n: 1_000 })))
})

test('slow receivers take at most half of the share of their environment', () => {
  const isSlow = ({ lane }: Call) => !lane.startsWith('fast')
  const shares = createShares(limits, isSlow)
  const chosen = chooseInTurn(shares, many(300), isSlow).length
  assert.ok(shares.fits(call({ lane: 'fast', receiver: 'fast.test:443' })))
  assert.ok(chosen > 5 && chosen < 20, String(chosen))
})

test('fast receivers of a tenant are called before slow ones', () => {
  const isSlow = ({ lane }: Call) => lane === 'slow'
  const [slow, fast] = [call({ lane: 'slow', n: 1 }), call({ lane: 'fast', n: 2 })]
  assert.deepEqual(chooseInTurn(createShares({ ...limits, concurrency: 1 }, isSlow), [slow, fast], isSlow), [fast])
})

test('a receiver that is at the limit of one tenant still gets calls from another tenant', () => {
  const shares = createShares({ ...limits, per_receiver: 3 }, never)
  assert.equal(chooseInTurn(shares, many(100, { receiver: 'one.test:443' }), never).length, 3)
  assert.ok(shares.fits(call({ tenant_id: 'b', environment_id: 'b', lane: 'b', receiver: 'one.test:443' })))
})

test('every tenant gets one call slot before any gets a second', () => {
  const candidates = ['a', 'b', 'c'].flatMap((tenant_id) => many(50, { tenant_id, environment_id: tenant_id }))
  const chosen = chooseInTurn(createShares(limits, never), candidates, never)
  assert.deepEqual(
    chosen.slice(0, 6).map(({ tenant_id }) => tenant_id),
    ['a', 'b', 'c', 'a', 'b', 'c'],
  )
})

const anyCall = fc.record({
  tenant_id: fc.constantFrom('a', 'b', 'c', 'd'),
  environment_id: fc.constantFrom('1', '2', null),
  lane: fc.nat(40).map((n) => `lane${n}`),
  receiver: fc.constantFrom('x.test:1', 'y.test:1', 'z.test:1'),
})

test('limits hold through any sequence of calls, and every call that ends frees its slot', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(anyCall, fc.boolean())), fc.integer({ min: 1, max: 20 }), (steps, concurrency) => {
      const isSlow = ({ receiver }: Call) => receiver.startsWith('x')
      const tight = { concurrency, per_lane: 2, per_receiver: 3 }
      const shares = createShares(tight, isSlow)
      const in_flight: Call[] = []
      const most = (name: (call: Call) => unknown) => Math.max(0, ...[...Map.groupBy(in_flight, name).values()].map(({ length }) => length))
      for (const [next, one_ends] of steps) {
        if (one_ends) for (const ended of in_flight.splice(0, 1)) shares.release(ended)
        in_flight.push(...chooseInTurn(shares, [next], isSlow))
        assert.ok(in_flight.length <= concurrency)
        assert.ok(most(({ lane }) => lane) <= 2)
        assert.ok(most(({ tenant_id, receiver }) => `${tenant_id} ${receiver}`) <= 3)
      }
      for (const ended of in_flight.splice(0)) shares.release(ended)
      assert.deepEqual(chooseInTurn(shares, many(concurrency), never), chooseInTurn(createShares(tight, isSlow), many(concurrency), never))
    }),
  )
})

test('a tenant without a call in flight gets a slot, whatever the other tenants do', () => {
  fc.assert(
    fc.property(fc.array(anyCall, { maxLength: 200 }), fc.integer({ min: 5, max: 60 }), (candidates, concurrency) => {
      const shares = createShares({ concurrency, per_lane: 100, per_receiver: 100 }, never)
      chooseInTurn(shares, candidates, never)
      // Four tenants leave at least one slot free: none takes more than a third of what the others leave.
      assert.ok(shares.fits(call({ tenant_id: 'new', environment_id: 'new', lane: 'new' })))
    }),
  )
})
