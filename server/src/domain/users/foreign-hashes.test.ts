import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { costs, forms, malformed, passwords, published_firebase } from '../../../test/support/foreign-hashes.ts'
import { matchesForeignHash } from './foreign-check.ts'
import { algorithmOf, type ForeignHash, judgeForeignHash, readForeignHash } from './foreign-hashes.ts'

const taken = (text: string): ForeignHash => {
  const { hash, problem } = judgeForeignHash(text)
  return hash ?? assert.fail(`${text}: ${problem}`)
}
const matches = (hash: string, password: string) => matchesForeignHash(taken(hash), password)

for (const { made_by, algorithm, hashes } of forms)
  test(`a hash is that of its password alone: ${made_by}`, async () => {
    for (const [i, text] of hashes.entries()) {
      assert.equal(taken(text).algorithm, algorithm)
      for (const [j, password] of passwords.entries()) assert.equal(await matches(text, password), i === j, `${text} and ${password}`)
      assert.equal(await matches(text, `x${passwords[i]}`), false)
    }
  })

test('the published hash of Firebase is that of its password', async () => {
  assert.equal(await matches(published_firebase.hash, published_firebase.password), true)
  assert.equal(await matches(published_firebase.hash, 'user2password'), false)
})

test('bcrypt reads 72 bytes, all others and the one of Django that hashes twice read the whole password', async () => {
  const [, , long] = passwords
  const of_72 = Buffer.from(long).subarray(0, 72).toString()
  for (const { hashes } of forms) {
    const [, , hash] = hashes
    assert.equal(await matches(hash, `${of_72} and more`), /^(bcrypt\$)?\$2/.test(hash), hash)
    assert.equal(await matches(hash, of_72.slice(0, 71)), false, hash)
  }
})

test('a hash at the bounds of its cost is taken, and one beyond them is refused with the bound', () => {
  for (const [within, beyond, problem] of costs) {
    taken(within)
    assert.match(judgeForeignHash(beyond).problem ?? beyond, problem)
  }
})

test('salts of 8 to 128 bytes and hashes of 16 to 64 are taken, and computed with', async () => {
  const bytes = (length: number) => Buffer.alloc(length, 7).toString('base64').replace(/=+$/, '')
  for (const salt of [8, 128])
    for (const hash of [16, 64])
      for (const before of ['$argon2id$v=19$m=8,t=1,p=1', '$pbkdf2-sha1$i=1000', '$scrypt$ln=1,r=1,p=1'])
        assert.equal(await matches(`${before}$${bytes(salt)}$${bytes(hash)}`, 'a password'), false)
})

for (const [what, hash] of malformed)
  test(`${what} is refused with a sentence that does not repeat it`, () => {
    const { problem = '' } = judgeForeignHash(hash)
    assert.match(problem, /^[A-Z].+\.$/)
    assert.ok(hash.length < 5 || !problem.includes(hash), problem)
  })

/** Texts like hashes: parts of real ones, one after another. */
const pieces = forms.flatMap(({ hashes }) => hashes).flatMap((hash) => hash.split(/(?<=[$:,=])/))
const texts = fc.array(fc.oneof(fc.constantFrom(...pieces), fc.string({ maxLength: 8 })), { maxLength: 12 }).map((parts) => parts.join(''))

test('the judge of a hash never throws, and what it takes is read again from what is stored', () => {
  fc.assert(
    fc.property(fc.oneof(texts, fc.string({ unit: 'binary' })), (text) => {
      const { hash, stored, problem } = judgeForeignHash(text)
      if (problem !== undefined) return
      assert.deepEqual(readForeignHash(stored) ?? hash, hash)
      assert.equal(algorithmOf(stored), hash.algorithm)
    }),
  )
})

test('a hash with our costs is stored as ours, and any other with a mark', () => {
  const own = '$argon2id$v=19$m=19456,t=2,p=1$c2FsdHNhbHRzYWx0c2FsdA$aGFzaGhhc2hoYXNoaGFzaGhhc2hoYXNoaGFzaGhhc2g'
  assert.equal(judgeForeignHash(own).stored, own)
  assert.equal(readForeignHash(own), null)
  const other = own.replace('t=2', 't=3')
  const { stored = '' } = judgeForeignHash(other)
  assert.equal(stored, `foreign:${other}`)
  assert.deepEqual(readForeignHash(stored), taken(other))
  assert.equal(readForeignHash(other), null, 'a hash of an earlier version of ours')
  assert.equal(algorithmOf(own), 'argon2id')
})
