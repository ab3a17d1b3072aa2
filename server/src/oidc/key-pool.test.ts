import assert from 'node:assert/strict'
import { createPrivateKey, createPublicKey } from 'node:crypto'
import { test } from 'node:test'
import { calculateJwkThumbprint } from 'jose'
import { createKeyPool } from './key-pool.ts'

const members = {
  RS256: ['kty', 'n', 'e', 'alg', 'use', 'kid'],
  ES256: ['kty', 'crv', 'x', 'y', 'alg', 'use', 'kid'],
} as const

for (const alg of ['RS256', 'ES256'] as const)
  test(`a key pair for ${alg} is named by its RFC 7638 thumbprint, and its public half is that of its private one`, async () => {
    const { kid, public_jwk, pem } = await createKeyPool(0).take(alg)
    assert.deepEqual(Object.keys(public_jwk), members[alg])
    assert.equal(kid, await calculateJwkThumbprint(public_jwk))
    const { kid: named, alg: of, use, ...jwk } = public_jwk
    assert.deepEqual([named, of, use], [kid, alg, 'sig'])
    assert.deepEqual(createPublicKey(createPrivateKey(pem)).export({ format: 'jwk' }), jwk)
  })

test('key pairs of both algorithms are made ahead, and each is taken once', async () => {
  const pool = createKeyPool(2)
  await pool.fill()
  pool.close() // makes no more, so what it gives was made before or is made on demand
  const taken = await Promise.all((['RS256', 'ES256', 'ES256', 'ES256'] as const).map((alg) => pool.take(alg)))
  assert.deepEqual(
    taken.map(({ public_jwk }) => public_jwk.alg),
    ['RS256', 'ES256', 'ES256', 'ES256'],
  )
  assert.equal(new Set(taken.map(({ kid }) => kid)).size, 4)
})
