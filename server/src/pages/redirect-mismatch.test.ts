import assert from 'node:assert/strict'
import test from 'node:test'
import { exampleContext, exampleMismatch } from '../../test/support/example-pages.ts'
import { byNearness } from './address-comparison.ts'
import { redirectMismatchPage } from './redirect-mismatch.ts'

const registered = 'https://shop.example.com/auth/callback'
const mismatch = (view: Partial<ReturnType<typeof exampleMismatch>>, type: 'test' | 'live' = 'test') =>
  redirectMismatchPage(exampleContext(type), { ...exampleMismatch(), ...view }).html
const explanation = (received: string) => {
  const html = mismatch({ received, registered: [registered] })
  return [...html.matchAll(/<p>(.*?)<\/p>/g)].map((match) => match[1]?.replace(' Addresses are compared character by character.', ''))
}

// biome-ignore format: this table is read by column
const explanations: [string, string[]][] = [
  [`${registered}/`,                                        ['The received address has one character more: a slash at the end, position 39.']],
  [registered.slice(0, -1),                                 ['The received address has one character fewer: “k” is missing at the end, position 38.']],
  [`${registered}?a=1`,                                     ['The received address has 4 characters more: “?a=1” at the end, position 39.']],
  [`${registered}\u200B`,                                   ['The received address has one character more: a zero-width space (U+200B) at the end, position 39.']],
  [`${registered}\u2063`,                                   ['The received address has one character more: the character (U+2063) at the end, position 39.']],
  [registered.replace('a', '\u0430'),                       ['The host differs at position 16: “\u0430” (U+0430) was sent, “a” is registered.']],
  [registered.replace('https', 'http'),                     ['The scheme is “http”, but “https” is registered.']],
  [registered.replace('.com', '.com:8443'),                 ['The received address has the port “8443”, but the registered one has none.']],
  [registered.replace('callback', 'Callback'),              ['Upper and lower case differ in the path: “C” was sent, “c” is registered, position 31.']],
 [registered.replace('callback', 'calback'),               ['The received address has one character fewer: “l” is missing in the path, position 34.']],
  [`${registered.replace('auth', 'Auth').replace('callback', 'calback')}`, ['Upper and lower case differ in the path: “A” was sent, “a” is registered, position 26.', 'The received address has one character fewer: “l” is missing in the path, position 33.']],
  [registered.replace('https://', 'http://www.'),           ['The scheme is “http”, but “https” is registered.', 'The received address has 4 characters more: “www.” in the host, position 8.']],
]
for (const [received, sentences] of explanations) {
  test(`${JSON.stringify(received)}: ${sentences.join(' ')}`, () => assert.deepEqual(explanation(received), sentences))
}

test('the nearest registered address comes first, with the differing character marked on both sides', () => {
  const html = mismatch({})
  assert.match(
    html,
    /Received .*callback<mark class="x">\/<\/mark>.*the nearest of 2.*shop\.example\.com\/auth\/callback<mark class="y">end<\/mark>.*localhost/s,
  )
})

// biome-ignore format: this table is read by column
const marks: [received: string, received_shown: string, registered_shown: string][] = [
  [registered.replace('callback', 'calback'),  'cal<mark class="x gap">l is missing</mark>back', 'cal<mark class="y">l</mark>back'],
  [registered.slice(0, -1),                    'callbac<mark class="x gap">k is missing</mark>', 'callbac<mark class="y">k</mark>'],
  [registered.replace('/auth', ''),            'com/<mark class="x gap">auth/ is missing</mark>callback', 'com/<mark class="y">auth/</mark>callback'],
  [registered.replace('auth', 'oauth'),        'com/<mark class="x">o</mark>auth', 'com/auth'],
]
for (const [received, received_shown, registered_shown] of marks) {
  test(`the marks name the characters that ${received} lacks`, () => {
    const [, one = '', other = ''] = /class="got">(.*?)<\/div>(.*?)<\/dl>/s.exec(mismatch({ received, registered: [registered] })) ?? []
    assert.ok(one.includes(received_shown), one)
    assert.ok(other.includes(registered_shown), other)
  })
}

test('addresses with many differences get five sentences', () => {
  const html = mismatch({ received: 'http://other.example.org:81/Some/path?x=1#f', registered: [registered] })
  assert.equal(html.match(/<div class="why">.*?<\/div>/s)?.[0].match(/<p>/g)?.length, 5)
  assert.match(html, /\d+ more differences follow\./)
})

test('the page links to the explanation of the error', () =>
  assert.match(mismatch({}), /<a href="https:\/\/id\.example\.com\/docs\/errors\/invalid_redirect_uri">what it means<\/a>/))

test('an invisible character is replaced by its name', () => {
  const html = mismatch({ received: `${registered}\u202E ` })
  assert.match(html, /<i class="unseen">right-to-left override<\/i><i class="unseen">space<\/i>/)
  assert.doesNotMatch(html, /\u202E/)
})

// biome-ignore format: this table is read by column
const nearest: [received: string, nearest: string, others: string[]][] = [
  [`${registered}/`,                     registered,                  ['https://other.example/', 'http://localhost:3000/callback']],
  [registered.slice(0, -1),              registered,                  ['https://shop.example.com/', 'https://shop.example.com/auth/callback/oidc']],
  ['http://localhost:3001/callback',     'http://localhost:3000/callback', [registered, 'http://localhost:3000/']],
  ['',                                   'a:/b',                      [registered]],
]
for (const [received, expected, others] of nearest) {
  test(`the address nearest to ${JSON.stringify(received)} is ${expected}, not ${others.join(' or ')}`, () => {
    assert.equal(byNearness(received, [...others, expected])[0], expected)
    assert.equal(byNearness(received, [expected, ...others])[0], expected)
  })
}

test('a received address longer than any registered one is cut', () => {
  const html = mismatch({ received: `${registered}?${'\u200b'.repeat(24_000)}` })
  const shown = html.match(/<i class="unseen">zero-width space/g)?.length ?? 0
  assert.ok(shown > 1_900 && shown <= 2_000, `${shown} characters`)
})

// biome-ignore format: this table is read by column
const links: [what: string, link: string][] = [
  ['the client id',   '<a href="https://id.example.com/dashboard/go/app_1"><code>'],
  ['the request id',  '<a href="https://id.example.com/dashboard/go/req_01jbnq6zt8e2m9w4x7c5v3k1ha"><code>req_01jbnq6zt8e2m9w4x7c5v3k1ha</code></a>'],
  ['the error',       '<a href="https://id.example.com/docs/errors/invalid_redirect_uri">'],
]
for (const [what, link] of links)
  test(`${what} is a link, in Test alone`, () => {
    assert.ok(mismatch({}).includes(link))
    assert.ok(!mismatch({}, 'live').includes('/dashboard/'))
  })

test('registered addresses after the fourth are collapsed', () => {
  const html = mismatch({ registered: Array.from({ length: 50 }, (_, index) => `https://a.example/${index}`) })
  assert.match(html, /<details><summary>Show 46 more<\/summary>/)
})

test('the page says when no address is registered', () =>
  assert.match(mismatch({ registered: [] }), /No address is registered for this app\./))

test('in Live neither the received nor a registered address is shown', () => {
  assert.doesNotMatch(mismatch({}, 'live'), /callback|localhost/)
  assert.match(mismatch({}, 'live'), /req_01jbnq6zt8e2m9w4x7c5v3k1ha/)
})

for (const [locale, time] of [
  ['en', '20 Nov 2026, 16:31 UTC'],
  ['de', '20. Nov. 2026, 16:31 UTC'],
] as const)
  test(`the page shows the time as the other pages do (${locale})`, () => {
    const { html } = redirectMismatchPage(exampleContext('test', undefined, locale), exampleMismatch())
    assert.ok(html.includes(`<time datetime="2026-11-20T16:31:08.000Z">${time}</time>`))
  })
