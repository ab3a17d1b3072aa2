import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createBudget } from './budget.ts'

/** A budget of 100 bytes, of which 10 are free to each holder. Refusals are noted by name. */
function start() {
  const refused: string[] = []
  const budget = createBudget({ most_bytes: 100, free_bytes: 10 })
  return {
    budget,
    refused,
    open: (name: string, ip: string | null) =>
      budget.open(
        () => ip,
        () => refused.push(name),
      ),
  }
}

test('within the budget nobody is refused, and what is released no longer counts', () => {
  const { budget, refused, open } = start()
  const [a, b] = [open('a', '192.0.2.1'), open('b', '192.0.2.2')]
  a.keep(50)
  b.keep(50)
  assert.deepEqual([budget.kept(), refused], [100, []])
  a.release()
  assert.equal(budget.kept(), 50)
  b.keep(20)
  assert.equal(budget.kept(), 20)
  b.keep(0)
  assert.deepEqual([budget.kept(), refused], [0, []])
})

test('the newest holder of the network that keeps most is refused, even if another holder grows', () => {
  const { budget, refused, open } = start()
  const old = open('old', '198.51.100.1')
  const [first, second] = [open('first', '192.0.2.1'), open('second', '192.0.2.200')]
  const other = open('other', '203.0.113.1')
  second.keep(30)
  first.keep(30)
  old.keep(40)
  other.keep(20)
  assert.deepEqual([refused, budget.kept()], [['second'], 90])
  second.keep(90)
  assert.equal(budget.kept(), 90, 'a refused holder counts no more')
})

test('a holder that keeps no more than the free bytes is neither counted nor refused', () => {
  const { budget, refused, open } = start()
  for (let i = 0; i < 1_000; i++) open(`small ${i}`, '192.0.2.1').keep(10)
  assert.equal(budget.kept(), 0)
  const large = open('large', '192.0.2.1')
  open('newest', '192.0.2.1').keep(10)
  large.keep(101)
  assert.deepEqual([refused, budget.kept()], [['large'], 0])
})

test('addresses of one IPv4 /24 or one IPv6 /48 are one network', () => {
  for (const [one, two, other] of [
    ['192.0.2.1', '192.0.2.254', '192.0.3.1'],
    ['2001:db8:1::1', '2001:db8:1:ffff::1', '2001:db8:2::1'],
  ] as const) {
    const { refused, open } = start()
    open('other', other).keep(45)
    open('one', one).keep(28)
    open('two', two).keep(28)
    assert.deepEqual(refused, ['two'], `${one} and ${two} keep 56 together`)
  }
})

test('a released holder is never refused', () => {
  const { refused, open } = start()
  const gone = open('gone', '192.0.2.1')
  gone.keep(90)
  gone.release()
  gone.keep(90)
  open('last', '192.0.2.1').keep(95)
  assert.deepEqual(refused, [])
})
