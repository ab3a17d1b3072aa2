/** Try sign-in checks the ID token as a client must (OIDC Core §3.1.3.7). */
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose'
import { checkIdToken, type Endpoints } from '../../../dashboard/src/pages/application/try/oidc.ts'

const [ours, other] = [await generateKeyPair('RS256'), await generateKeyPair('RS256')]
const jwk = { ...(await exportJWK(ours.publicKey)), kid: 'one', alg: 'RS256' }
const server = createServer((_, response) => response.end(JSON.stringify({ keys: [jwk] }))).listen(0, '127.0.0.1')
await new Promise((resolve) => server.once('listening', resolve))
after(() => server.close())

const { port } = server.address() as AddressInfo // as: it listens on a port
const issuer = 'https://issuer.example.com'
const endpoints = { issuer, jwks_uri: `http://127.0.0.1:${port}/` } as Endpoints // as: the check reads these two
const now = Math.floor(Date.now() / 1000)
const without_exp = { iss: issuer, aud: 'app', nonce: 'n', sub: 'usr_1' }
const right = { ...without_exp, exp: now + 300 }

const check = async (claims: JWTPayload, { key = ours.privateKey, kid = 'one' } = {}) =>
  checkIdToken(endpoints, 'app', await new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid }).sign(key), 'n')

test('a right ID token gives its claims, even when the clock of the browser is a little ahead', async () => {
  assert.deepEqual(await check(right), right)
  await check({ ...right, exp: now - 30 })
})

const wrong: [why: string, claims: JWTPayload, says: RegExp][] = [
  ['another issuer', { ...right, iss: 'https://other.example.com' }, /: iss\.$/],
  ['another audience', { ...right, aud: 'other' }, /: aud\.$/],
  ['another nonce', { ...right, nonce: 'm' }, /: nonce\.$/],
  ['expired', { ...right, exp: now - 300 }, /: exp\.$/],
  ['no expiry', without_exp, /: exp\.$/],
]
for (const [why, claims, says] of wrong)
  test(`an ID token is refused: ${why}`, async () => {
    await assert.rejects(check(claims), says)
  })

test('an ID token is refused when another key has signed it, or a key that the issuer does not publish', async () => {
  await assert.rejects(check(right, { key: other.privateKey }), /signature/)
  await assert.rejects(check(right, { kid: 'two' }), /does not publish/)
})
