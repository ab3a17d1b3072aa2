import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { hostOf, numbered, slugFrom } from './slug.ts'

// biome-ignore format: this table is read by column
const cases: [name: string, slug: string][] = [
  ['Storefront',                  'storefront'],
  ['My Shop',                     'my-shop'],
  ['  My -- Shop!  ',             'my-shop'],
  ['Café Zürich (2)',             'cafe-zurich-2'],
  ['Ａｄａ１２',                   'ada12'],
  ['ﬁnance',                      'finance'],
  ['Straße 5',                    'strae-5'],
  ['İstanbul',                    'istanbul'],
  ['Tokyo 東京 Shop',             'tokyo-shop'],
  ['a–b—c',                       'a-b-c'],
  ['½ price',                     '1-2-price'],
  ['name_with.dots/and:more',     'name-with-dots-and-more'],
  ['商店',                         'application'],
  ['🦤',                          'application'],
  ['---',                         'application'],
  ['',                            'application'],
  ['x'.repeat(100),               'x'.repeat(63)],
  [`${'x'.repeat(62)} y`,         'x'.repeat(62)],
  ['\ud800a',                     'a'],
]
for (const [name, slug] of cases) {
  test(`the slug of ${JSON.stringify(name)} is ${slug}`, () => assert.equal(slugFrom(name, 'applications'), slug))
}

test('a name without a letter or digit of ASCII gets the kind of the object', () => {
  assert.deepEqual(
    (['applications', 'resource_servers', 'roles', 'organizations', 'providers', 'webhooks'] as const).map((table) => slugFrom('…', table)),
    ['application', 'resource-server', 'role', 'organization', 'provider', 'webhook'],
  )
})

test('no organization has the slug that stands for none in requests', () => {
  assert.deepEqual([slugFrom('None', 'organizations'), slugFrom('None', 'roles')], ['organization', 'none'])
})

// biome-ignore format: this table is read by column
const urls: [url: string, slug: string][] = [
  ['https://hooks.example.com/a?b',       'hooks-example-com'],
  ['https://HOOKS.example.com:8443/',     'hooks-example-com'],
  ['https://bücher.example/',             'xn-bcher-kva-example'],
  ['http://[2001:db8::1]:9000/',          '2001-db8-1'],
  ['http://127.0.0.1/',                   '127-0-0-1'],
]
for (const [url, slug] of urls) {
  test(`the slug of a webhook at ${url} is ${slug}`, () => assert.equal(slugFrom(hostOf(url), 'webhooks'), slug))
}

// biome-ignore format: this table is read by column
const choices: [slug: string, n: number, choice: string][] = [
  ['shop',                  1,    'shop'],
  ['shop',                  2,    'shop-2'],
  ['shop',                  11_110, 'shop-11110'],
  ['x'.repeat(63),          2,    `${'x'.repeat(61)}-2`],
  [`${'x'.repeat(60)}-yz`,  2,    `${'x'.repeat(60)}-2`],
  ['x'.repeat(63),          10,   `${'x'.repeat(60)}-10`],
]
for (const [slug, n, choice] of choices) {
  test(`choice ${n} for ${slug} is ${choice}`, () => assert.equal(numbered(slug, n), choice))
}

const good = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/
const anyText = fc.oneof(fc.string({ unit: 'binary', maxLength: 3_000 }), fc.string({ unit: 'grapheme', maxLength: 100 }))

test('every name gives a slug that the contract accepts, which is the slug of itself', () => {
  const property = fc.property(anyText, (name) => {
    const slug = slugFrom(name, 'providers')
    assert.match(slug, good)
    assert.equal(slugFrom(slug, 'providers'), slug)
  })
  fc.assert(property)
})

test('the choices for a slug differ, and each is a slug', () => {
  const property = fc.property(anyText, fc.uniqueArray(fc.integer({ min: 1, max: 11_110 }), { maxLength: 20 }), (name, numbers) => {
    const choices = numbers.map((n) => numbered(slugFrom(name, 'webhooks'), n))
    for (const choice of choices) assert.match(choice, good)
    assert.equal(new Set(choices).size, numbers.length)
  })
  fc.assert(property)
})

test('of a name that is too long to be normalised, only the beginning counts', () => {
  assert.equal(slugFrom(`a${'\u0300\u0316'.repeat(500_000)}b`, 'applications'), 'a')
})
