import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { chooseInTurn, createShares, type Place } from './share.ts'

const limits = { concurrency: 150, per_lane: 1, per_receiver: 10 }
const never = () => false

const place = (change: Partial<Place> & { n?: number } = {}): Place => {
  const { n = 0, ...fields } = change
  return { tenant_id: 'a', environment_id: 'a', lane: `lane${n}`, receiver: `r${n}.test:443`, ...fields }
}
const many = (count: number, change: Partial<Place> = {}) =>
  Array.from({ length: count }, (_, n) => place({ n, ...change, lane: `${n} ${JSON.stringify(change)}` }))

test('a tenant with any number of receivers leaves three quarters of the places free', () => {
  const shares = createShares(limits, never)
  const environments = ['1', '2', '3', '4'].flatMap((environment_id) => many(300, { environment_id }))
  assert.equal(chooseInTurn(shares, environments, never).length, 37)
})

test('an environment leaves half of its tenant’s share to the others', () => {
  const shares = createShares(limits, never)
  assert.equal(chooseInTurn(shares, many(300), never).length, 22)
  assert.ok(shares.fits(place({ environment_id: 'b', n: 1_000 })))
})

test('slow receivers leave half of the environment’s share to the others', () => {
  const isSlow = ({ lane }: Place) => !lane.startsWith('fast')
  const shares = createShares(limits, isSlow)
  const chosen = chooseInTurn(shares, many(300), isSlow).length
  assert.ok(shares.fits(place({ lane: 'fast', receiver: 'fast.test:443' })))
  assert.ok(chosen > 5 && chosen < 20, String(chosen))
})

test('receivers that are not slow come before slow ones of the same tenant', () => {
  const isSlow = ({ lane }: Place) => lane === 'slow'
  const [slow, fast] = [place({ lane: 'slow', n: 1 }), place({ lane: 'fast', n: 2 })]
  assert.deepEqual(chooseInTurn(createShares({ ...limits, concurrency: 1 }, isSlow), [slow, fast], isSlow), [fast])
})

test('one receiver gets no more calls of a tenant than its limit, and still those of another tenant', () => {
  const shares = createShares({ ...limits, per_receiver: 3 }, never)
  assert.equal(chooseInTurn(shares, many(100, { receiver: 'one.test:443' }), never).length, 3)
  assert.ok(shares.fits(place({ tenant_id: 'b', environment_id: 'b', lane: 'b', receiver: 'one.test:443' })))
})

test('tenants that ask together get one place each before any gets a second', () => {
  const candidates = ['a', 'b', 'c'].flatMap((tenant_id) => many(50, { tenant_id, environment_id: tenant_id }))
  const chosen = chooseInTurn(createShares(limits, never), candidates, never)
  assert.deepEqual(
    chosen.slice(0, 6).map(({ tenant_id }) => tenant_id),
    ['a', 'b', 'c', 'a', 'b', 'c'],
  )
})

const anyPlace = fc.record({
  tenant_id: fc.constantFrom('a', 'b', 'c', 'd'),
  environment_id: fc.constantFrom('1', '2', null),
  lane: fc.nat(40).map((n) => `lane${n}`),
  receiver: fc.constantFrom('x.test:1', 'y.test:1', 'z.test:1'),
})

test('whatever is taken and released, limits hold and what is released is free again', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(anyPlace, fc.boolean())), fc.integer({ min: 1, max: 20 }), (steps, concurrency) => {
      const isSlow = ({ receiver }: Place) => receiver.startsWith('x')
      const tight = { concurrency, per_lane: 2, per_receiver: 3 }
      const shares = createShares(tight, isSlow)
      const taken: Place[] = []
      const most = (name: (place: Place) => unknown) => Math.max(0, ...[...Map.groupBy(taken, name).values()].map(({ length }) => length))
      for (const [next, releases] of steps) {
        if (releases) for (const place of taken.splice(0, 1)) shares.release(place)
        taken.push(...chooseInTurn(shares, [next], isSlow))
        assert.ok(taken.length <= concurrency)
        assert.ok(most(({ lane }) => lane) <= 2)
        assert.ok(most(({ tenant_id, receiver }) => `${tenant_id} ${receiver}`) <= 3)
      }
      for (const place of taken.splice(0)) shares.release(place)
      assert.deepEqual(chooseInTurn(shares, many(concurrency), never), chooseInTurn(createShares(tight, isSlow), many(concurrency), never))
    }),
  )
})

test('a tenant without a call in flight gets a place while any is free, whatever the others do', () => {
  fc.assert(
    fc.property(fc.array(anyPlace, { maxLength: 200 }), fc.integer({ min: 5, max: 60 }), (candidates, concurrency) => {
      const shares = createShares({ concurrency, per_lane: 100, per_receiver: 100 }, never)
      chooseInTurn(shares, candidates, never)
      // Four tenants leave at least one place free: none takes more than a third of what the others leave.
      assert.ok(shares.fits(place({ tenant_id: 'new', environment_id: 'new', lane: 'new' })))
    }),
  )
})
