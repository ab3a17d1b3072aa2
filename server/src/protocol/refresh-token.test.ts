import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import { longest_refresh_token, readRefreshToken, refreshTokenOf } from './refresh-token.ts'

const macWith = (key: string) => (data: string) => createHmac('sha256', key).update(data).digest()
const mac = macWith('of this deployment')
const environment_id = 'env_1'

const base64url = (bytes: number) =>
  fc.uint8Array({ minLength: bytes, maxLength: bytes }).map((array) => Buffer.from(array).toString('base64url'))
const parts = fc.record({
  chain: fc.stringMatching(/^[0-9a-z]{26}$/),
  number: fc.integer({ min: 1, max: 999_999_999_999_999 }),
  random: base64url(16),
})
const read = (text: string) => readRefreshToken(text, environment_id, mac)
const textOf = (of: Parameters<typeof refreshTokenOf>[0]) => refreshTokenOf(of, environment_id, mac)

test('a refresh token is URL-safe, within the length, and reads as its parts', () => {
  const property = fc.property(parts, (of) => {
    const text = textOf(of)
    assert.match(text, /^[A-Za-z0-9._-]+$/)
    assert.ok(text.length <= longest_refresh_token)
    assert.deepEqual(read(text), { ...of })
  })
  fc.assert(property)
})

/** Invented, cut, padded, recoded and swapped tokens. `npm test -- --all` tries a million. */
const tries = process.env.OSTIARY_TEST_ALL === '1' ? 1_000_000 : 4_000
const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
/** The same bytes by another last letter: base64url of 16 bytes leaves four bits over. */
const recoded = (text: string) => text.replace(/.$/, (letter) => alphabet.charAt(alphabet.indexOf(letter) ^ 1))
const swapped = (text: string, other: string, at: number) =>
  text
    .split('.')
    .with(at, other.split('.')[at] ?? '')
    .join('.')

type Change = (text: string, other: string, n: number) => string
const changes: Record<string, Change> = {
  'another letter': (text, _, n) => `${text.slice(0, n % text.length)}!${text.slice((n % text.length) + 1)}`,
  'a letter of another token': (text, other, n) => {
    const at = n % Math.min(text.length, other.length)
    return text.slice(0, at) + other.charAt(at) + text.slice(at + 1)
  },
  'a cut': (text, _, n) => text.slice(0, n % text.length),
  'a cut at the front': (text, _, n) => text.slice(1 + (n % text.length)),
  padding: (text, _, n) => text + '='.repeat(1 + (n % 3)),
  'blanks around it': (text, _, n) => (n % 2 ? ` ${text}` : `${text}\n`),
  'zeros before the number': (text) => text.replace('.', '.0'),
  'the number as a power': (text) => text.replace(/\.(\d+)\./, '.$1e0.'),
  'a recoded MAC': recoded,
  'recoded random bits': (text) => {
    const [chain, number, random = '', tag] = text.split('.')
    return [chain, number, recoded(random), tag].join('.')
  },
  'capitals in the chain': (text) => text.replace(/rt_[0-9a-z]+/, (chain) => `rt_${chain.slice(3).toUpperCase()}`),
  'percent encoding': (text) => text.replace('.', '%2E'),
  'the chain of another token': (text, other) => swapped(text, other, 0),
  'the number of another token': (text, other) => swapped(text, other, 1),
  'the random bits of another token': (text, other) => swapped(text, other, 2),
  'the MAC of another token': (text, other) => swapped(text, other, 3),
  'the next number': (text) => text.replace(/\.(\d+)\./, (_, number) => `.${BigInt(number) + 1n}.`),
  'itself twice': (text) => text + text,
}

test('a refresh token with any change is unknown', () => {
  const names = Object.keys(changes)
  const property = fc.property(parts, parts, fc.constantFrom(...names), fc.nat(), (of, other_of, name, n) => {
    const text = textOf(of)
    const changed = (changes[name] ?? assert.fail())(text, textOf(other_of), n)
    if (changed !== text) assert.equal(read(changed), null, `${name}: ${changed}`)
  })
  fc.assert(property, { numRuns: tries })
})

test('invented parts, and the tokens of another environment and of another deployment, are unknown', () => {
  const property = fc.property(parts, base64url(16), (of, tag) => {
    assert.equal(read(`svc_rt_${of.chain}.${of.number}.${of.random}.${tag}`), null)
    assert.equal(read(refreshTokenOf(of, 'env_2', mac)), null)
    assert.equal(read(refreshTokenOf(of, environment_id, macWith('of another deployment'))), null)
  })
  fc.assert(property, { numRuns: tries / 4 })
})
