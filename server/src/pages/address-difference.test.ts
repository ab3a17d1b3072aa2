import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { differenceOf } from './address-difference.ts'

const registered = 'https://shop.example.com/auth/callback'

/** Differing runs in brackets, so that a line of the table reads like the page. */
const marked = (runs: { text: string; differs: boolean }[]) => runs.map(({ text, differs }) => (differs ? `[${text}]` : text)).join('')

// biome-ignore format: this table is read by column
const cases = [
  { what: 'a slash too many',          received: `${registered}/`,                              shows: [`${registered}[/]`, `${registered}[]`] },
  { what: 'a letter too few',          received: 'https://shop.example.com/auth/callbac',       shows: ['https://shop.example.com/auth/callbac[]', 'https://shop.example.com/auth/callbac[k]'] },
  { what: 'another scheme, whole',     received: 'http://shop.example.com/auth/callback',       shows: ['[http]://shop.example.com/auth/callback', '[https]://shop.example.com/auth/callback'] },
  { what: 'a longer host',             received: 'https://www.shop.example.com/auth/callback',  shows: ['https://[www.]shop.example.com/auth/callback', 'https://[]shop.example.com/auth/callback'] },
  { what: 'two ends of a host',        received: 'https://home.example.org/auth/callback',      shows: ['https://[home].example.[org]/auth/callback', 'https://[shop].example.[com]/auth/callback'] },
  { what: 'a port not registered',     received: 'https://shop.example.com:8443/auth/callback', shows: ['https://shop.example.com[:8443]/auth/callback', 'https://shop.example.com[]/auth/callback'] },
  { what: 'a query',                   received: `${registered}?a=1`,                           shows: [`${registered}[?a=1]`, `${registered}[]`] },
  { what: 'a fragment',                received: `${registered}#x`,                             shows: [`${registered}[#x]`, `${registered}[]`] },
  { what: 'two parts at once',         received: 'http://shop.example.com/auth/callback/',      shows: ['[http]://shop.example.com/auth/callback[/]', '[https]://shop.example.com/auth/callback[]'] },
  { what: 'a letter in the middle',    received: 'https://shop.example.com/auth/call-back',     shows: ['https://shop.example.com/auth/call[-]back', 'https://shop.example.com/auth/call[]back'] },
  { what: 'three slips in one path',   received: 'https://shop.example.com/Auth/Callback/',     shows: ['https://shop.example.com/[A]uth/[C]allback[/]', 'https://shop.example.com/[a]uth/[c]allback[]'] },
  { what: 'a look-alike',              received: 'https://shop.ex\u0430mple.com/auth/callback', shows: ['https://shop.ex[\u0430]mple.com/auth/callback', 'https://shop.ex[a]mple.com/auth/callback'] },
  { what: 'an emoji, whole',           received: 'https://shop.example.com/auth/\u{1F600}back', shows: ['https://shop.example.com/auth/[\u{1F600}]back', 'https://shop.example.com/auth/[call]back'] },
  { what: 'no address at all',         received: '',                                            shows: ['[][][][]', '[https][://][shop.example.com][/auth/callback]'] },
]
for (const { what, received, shows } of cases) {
  test(`what differs is marked on both sides: ${what}`, () => {
    const difference = differenceOf(received, registered)
    assert.deepEqual([marked(difference.received), marked(difference.registered)], shows)
  })
}

test('a difference says which part it is in, where, and whether it is the end', () => {
  assert.deepEqual(differenceOf(`${registered}/`, registered).changes, [
    { part: 'path', received: '/', registered: '', position: 39, at_end: true, only_case: false },
  ])
  assert.deepEqual(differenceOf('https://shop.example.com/Auth/callback', registered).changes, [
    { part: 'path', received: 'A', registered: 'a', position: 26, at_end: false, only_case: true },
  ])
})

test('a private-use scheme has a path and no host', () => {
  assert.equal(differenceOf('com.example.app:/b', 'com.example.app:/a').changes[0]?.part, 'path')
})

test('the nearer of two addresses has the lesser distance', () => {
  const received = 'http://localhost:3000/callback'
  const distances = ['https://app.example.com/callback', 'http://localhost:3000/auth/callback', received].map(
    (one) => differenceOf(received, one).distance,
  )
  assert.deepEqual(
    distances,
    distances.toSorted((a, b) => b - a),
  )
  assert.equal(distances.at(-1), 0)
})

const piece = fc.constantFrom('http', 's', ':', '//', '/', 'a.test', 'A', ':80', '?', '#', '@', ' ', '\n', '\u200B', '\u{1F600}', '\uD800')
const address = fc.oneof(
  fc.array(piece).map((pieces) => pieces.join('')),
  fc.string({ unit: 'binary' }),
)

test('the runs of any two addresses join to the addresses, and those that do not differ are equal', () => {
  fc.assert(
    fc.property(address, address, (one, other) => {
      const { received, registered, changes, distance } = differenceOf(one, other)
      assert.equal(received.map(({ text }) => text).join(''), one)
      assert.equal(registered.map(({ text }) => text).join(''), other)
      assert.deepEqual(
        received.filter(({ differs }) => !differs),
        registered.filter(({ differs }) => !differs),
      )
      assert.equal(changes.length === 0, one === other)
      assert.equal(distance === 0, one === other)
    }),
  )
})

test('a long hostile address is explained at once', () => {
  const long = `https://${'a:1'.repeat(20_000)}/${'/'.repeat(20_000)}?${':'.repeat(20_000)}`
  const started = process.hrtime.bigint()
  differenceOf(long, registered)
  assert.ok(process.hrtime.bigint() - started < 500_000_000n)
})
