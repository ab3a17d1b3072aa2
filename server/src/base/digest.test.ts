import assert from 'node:assert/strict'
import { test } from 'node:test'
import { digestOf, sha256 } from './digest.ts'

const abc = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad' // FIPS 180-4, the example of SHA-256

test('sha256 digests text and bytes alike, in each encoding', () => {
  assert.equal(sha256('abc', 'hex'), abc)
  assert.equal(sha256(Buffer.from('abc'), 'hex'), abc)
  for (const encoding of ['base64', 'base64url'] as const) assert.equal(sha256('abc', encoding), Buffer.from(abc, 'hex').toString(encoding))
  assert.equal(sha256('é', 'hex'), sha256(Buffer.from('é', 'utf8'), 'hex'))
})

test('digestOf is SHA-256 in hexadecimal', () => assert.equal(digestOf('abc'), abc))
