import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { differenceOf } from './address-difference.ts'

const registered = 'https://shop.example.com/auth/callback'

/** Puts differing runs in brackets. */
const marked = (runs: { text: string; differs: boolean }[]) => runs.map(({ text, differs }) => (differs ? `[${text}]` : text)).join('')

// biome-ignore format: this table is read by column
const cases = [
  { what: 'an extra slash',            received: `${registered}/`,                              shows: [`${registered}[/]`, `${registered}[]`] },
  { what: 'a missing letter',          received: 'https://shop.example.com/auth/callbac',       shows: ['https://shop.example.com/auth/callbac[]', 'https://shop.example.com/auth/callbac[k]'] },
  { what: 'another scheme',            received: 'http://shop.example.com/auth/callback',       shows: ['[http]://shop.example.com/auth/callback', '[https]://shop.example.com/auth/callback'] },
  { what: 'a longer host',             received: 'https://www.shop.example.com/auth/callback',  shows: ['https://[www.]shop.example.com/auth/callback', 'https://[]shop.example.com/auth/callback'] },
  { what: 'two differences in a host', received: 'https://home.example.org/auth/callback',      shows: ['https://[home].example.[org]/auth/callback', 'https://[shop].example.[com]/auth/callback'] },
  { what: 'an unregistered port',      received: 'https://shop.example.com:8443/auth/callback', shows: ['https://shop.example.com[:8443]/auth/callback', 'https://shop.example.com[]/auth/callback'] },
  { what: 'a query',                   received: `${registered}?a=1`,                           shows: [`${registered}[?a=1]`, `${registered}[]`] },
  { what: 'a fragment',                received: `${registered}#x`,                             shows: [`${registered}[#x]`, `${registered}[]`] },
  { what: 'scheme and path',           received: 'http://shop.example.com/auth/callback/',      shows: ['[http]://shop.example.com/auth/callback[/]', '[https]://shop.example.com/auth/callback[]'] },
  { what: 'a letter in the middle',    received: 'https://shop.example.com/auth/call-back',     shows: ['https://shop.example.com/auth/call[-]back', 'https://shop.example.com/auth/call[]back'] },
  { what: 'three typos in one path',   received: 'https://shop.example.com/Auth/Callback/',     shows: ['https://shop.example.com/[A]uth/[C]allback[/]', 'https://shop.example.com/[a]uth/[c]allback[]'] },
  { what: 'a lookalike letter',        received: 'https://shop.ex\u0430mple.com/auth/callback', shows: ['https://shop.ex[\u0430]mple.com/auth/callback', 'https://shop.ex[a]mple.com/auth/callback'] },
  { what: 'an emoji',                  received: 'https://shop.example.com/auth/\u{1F600}back', shows: ['https://shop.example.com/auth/[\u{1F600}]back', 'https://shop.example.com/auth/[call]back'] },
  { what: 'an empty address',          received: '',                                            shows: ['[][][][]', '[https][://][shop.example.com][/auth/callback]'] },
]
for (const { what, received, shows } of cases) {
  test(`the differing characters are marked in both addresses: ${what}`, () => {
    const difference = differenceOf(received, registered)
    assert.deepEqual([marked(difference.received), marked(difference.registered)], shows)
  })
}

test('a change names its part and position, and whether it is at the end', () => {
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

test('a nearer address has a smaller distance', () => {
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

test('the runs of any two addresses join to the addresses, and their equal runs are equal', () => {
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

test('a long hostile address takes less than 500 ms of processor time', () => {
  const long = `https://${'a:1'.repeat(20_000)}/${'/'.repeat(20_000)}?${':'.repeat(20_000)}`
  const before = process.threadCpuUsage()
  differenceOf(long, registered)
  const { user, system } = process.threadCpuUsage(before)
  assert.ok(user + system < 500_000, `${user + system} µs`)
})
