import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { secret, spa, web } from '../../test/support/example-clients.ts'
import { digestOf } from '../base/digest.ts'
import type { StoredSecret } from './client.ts'
import { type ClientCredentials, checkClient, readClientCredentials } from './client-auth.ts'
import { OAuthError } from './oauth-error.ts'
import { readParameters } from './parameters.ts'

const client_id = web.client_id
const basic = (userinfo: string) => `Basic ${Buffer.from(userinfo).toString('base64')}`
const read = (authorization: string | undefined, body: Record<string, string> | string) =>
  readClientCredentials(authorization, readParameters(new URLSearchParams(body)))

const assertionType = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'
const assertion = (payload: unknown) => `h.${Buffer.from(JSON.stringify(payload)).toString('base64url')}.s`

// biome-ignore format: this table is read by line
const readings: { rule: string; header?: string; body: Record<string, string>; read: object }[] = [
  { rule: 'client_id alone is not authentication', body: { client_id }, read: { method: 'none', client_id, used_header: false } },
  { rule: 'an empty client_secret counts as omitted', body: { client_id, client_secret: '' }, read: { method: 'none', client_id, used_header: false } },
  { rule: 'a secret in the body', body: { client_id, client_secret: 's' }, read: { method: 'client_secret_post', client_id, client_secret: 's', used_header: false } },
  { rule: 'a secret in the header', header: basic('a:s'), body: {}, read: { method: 'client_secret_basic', client_id: 'a', client_secret: 's', used_header: true } },
  { rule: 'the scheme is Basic in any case', header: basic('a:s').replace('Basic', 'bASIC'), body: {}, read: { method: 'client_secret_basic', client_id: 'a', client_secret: 's', used_header: true } },
  { rule: 'header and body may both name the client', header: basic('a:s'), body: { client_id: 'a' }, read: { method: 'client_secret_basic', client_id: 'a', client_secret: 's', used_header: true } },
  { rule: 'the id and secret of a header are form-decoded', header: basic('a%3Ab:s+%2B%C3%BC'), body: {}, read: { method: 'client_secret_basic', client_id: 'a:b', client_secret: 's +ü', used_header: true } },
  { rule: 'the first colon separates id and secret', header: basic('a:s:t'), body: {}, read: { method: 'client_secret_basic', client_id: 'a', client_secret: 's:t', used_header: true } },
  { rule: 'a header with an empty secret is not authentication', header: basic('a:'), body: {}, read: { method: 'none', client_id: 'a', used_header: true } },
  {
    rule: 'an assertion names its client by client_id',
    body: { client_id, client_assertion_type: assertionType, client_assertion: 'x' },
    read: { method: 'private_key_jwt', client_id, client_assertion: 'x', used_header: false },
  },
  {
    rule: 'an assertion names its client by sub',
    body: { client_assertion_type: assertionType, client_assertion: assertion({ sub: 'a' }) },
    read: { method: 'private_key_jwt', client_id: 'a', client_assertion: assertion({ sub: 'a' }), used_header: false },
  },
]
for (const reading of readings) {
  test(reading.rule, () => assert.deepEqual(read(reading.header, reading.body), reading.read))
}

// biome-ignore format: this table is read by line
const unreadable: { why: string; header?: string; body: Record<string, string> | string; error: string }[] = [
  { why: 'client_id is missing', body: {}, error: 'invalid_request' },
  { why: 'client_id is repeated', body: 'client_id=a&client_id=a', error: 'invalid_request' },
  { why: 'client_secret is repeated', body: 'client_id=a&client_secret=s&client_secret=s', error: 'invalid_request' },
  { why: 'header and body both have a secret', header: basic('a:s'), body: { client_id: 'a', client_secret: 's' }, error: 'invalid_request' },
  { why: 'the header has an empty secret and the body has one', header: basic('a:'), body: { client_id: 'a', client_secret: 's' }, error: 'invalid_request' },
  { why: 'an assertion is sent with a secret', body: { client_id, client_secret: 's', client_assertion: 'x', client_assertion_type: assertionType }, error: 'invalid_request' },
  { why: 'an assertion is sent with a header', header: basic('a:s'), body: { client_assertion: 'x', client_assertion_type: assertionType }, error: 'invalid_request' },
  { why: 'an assertion is sent without its type', body: { client_id, client_assertion: 'x' }, error: 'invalid_request' },
  { why: 'an assertion has another type', body: { client_id, client_assertion: 'x', client_assertion_type: 'saml' }, error: 'invalid_request' },
  { why: 'an assertion is missing', body: { client_id, client_assertion_type: assertionType }, error: 'invalid_request' },
  { why: 'an assertion names no client', body: { client_assertion: 'x', client_assertion_type: assertionType }, error: 'invalid_client' },
  { why: 'the sub of an assertion is not text', body: { client_assertion: assertion({ sub: 1 }), client_assertion_type: assertionType }, error: 'invalid_client' },
  { why: 'header and body name two clients', header: basic('a:s'), body: { client_id: 'b' }, error: 'invalid_request' },
  { why: 'the header is empty', header: '', body: { client_id }, error: 'invalid_client' },
  { why: 'the header is Bearer', header: 'Bearer abc', body: { client_id }, error: 'invalid_client' },
  { why: 'the header has no credentials', header: 'Basic', body: {}, error: 'invalid_client' },
  { why: 'the header is not base64', header: 'Basic a:s!', body: {}, error: 'invalid_client' },
  { why: 'the header has no colon', header: basic('as'), body: {}, error: 'invalid_client' },
  { why: 'the header has an empty id', header: basic(':s'), body: {}, error: 'invalid_client' },
  { why: 'the header has broken percent-encoding', header: basic('a:%zz'), body: {}, error: 'invalid_client' },
  { why: 'the header holds NUL', header: basic('a%00:s'), body: {}, error: 'invalid_client' },
  { why: 'the header holds two credentials', header: `${basic('a:s')}, ${basic('b:s')}`, body: {}, error: 'invalid_client' },
]
for (const { why, header, body, error } of unreadable) {
  test(`credentials are refused with ${error} when ${why}`, () => {
    assert.throws(() => read(header, body), {
      name: 'OAuthError',
      code: error,
      used_header: error === 'invalid_client' && header !== undefined,
    })
  })
}

const now = new Date('2026-11-30T12:00:00.000Z')
function stored(hash: string, expires_at: Date | null = null): StoredSecret {
  return { id: 'sec_01m7wwr5ftevtv5yxb47hmb4hv', hash, expires_at }
}

const by_header: ClientCredentials = { method: 'client_secret_basic', client_id, client_secret: secret, used_header: true }
const by_body: ClientCredentials = { ...by_header, method: 'client_secret_post', used_header: false }
const unproved: ClientCredentials = { method: 'none', client_id, used_header: false }
const by_assertion = {
  method: 'private_key_jwt',
  client_id,
  client_assertion: assertion({ sub: client_id }),
  used_header: false,
} satisfies ClientCredentials
const key_client = { ...web, token_endpoint_auth_method: 'private_key_jwt' as const, client_secrets: [] }
const post = { ...web, token_endpoint_auth_method: 'client_secret_post' as const }
const anywhere = { ...web, token_endpoint_auth_method: 'client_secret' as const }

test('a client is authenticated by its own method', () => {
  const by = (client: typeof web, credentials: ClientCredentials, secret: StoredSecret | null) =>
    assert.deepEqual(checkClient(client, credentials, now), { kind: 'authenticated', client, secret })
  const [own = null] = web.client_secrets
  by(web, by_header, own)
  by(post, by_body, own)
  by(anywhere, by_header, own)
  by(anywhere, by_body, own)
  by(spa, unproved, null)
  by(spa, { ...unproved, used_header: true }, null)
})

const later = stored(digestOf('the second secret'), new Date(now.getTime() + 1))
// biome-ignore format: this table is read by column
const pairs: { rule: string; secrets: StoredSecret[]; sent: string; accepts: boolean }[] = [
  { rule: 'its first secret',                          secrets: [stored(digestOf(secret)), later],             sent: secret,              accepts: true },
  { rule: 'its second secret',                         secrets: [stored(digestOf(secret)), later],             sent: 'the second secret', accepts: true },
  { rule: 'a secret of the second place alone',        secrets: [later],                                       sent: 'the second secret', accepts: true },
  { rule: 'neither of its secrets',                    secrets: [stored(digestOf(secret)), later],             sent: 'a third secret',    accepts: false },
  { rule: 'a secret that expires at this moment',      secrets: [stored(digestOf(secret), now), later],        sent: secret,              accepts: false },
  { rule: 'a secret that has not expired yet, beside one that has', secrets: [stored(digestOf(secret), now), later], sent: 'the second secret', accepts: true },
]
for (const { rule, secrets, sent, accepts } of pairs)
  test(`a client with two secrets is ${accepts ? 'authenticated' : 'refused'} by ${rule}`, () => {
    const ask = () => checkClient({ ...web, client_secrets: secrets }, { ...by_header, client_secret: sent } as ClientCredentials, now) // as: a method with a secret
    if (accepts) assert.equal(ask().kind, 'authenticated')
    else assert.throws(ask, { code: 'invalid_client', message: 'Client authentication failed.' })
  })

test('an expired secret has its own reason for the developers, and no remedy', () => {
  const expired = { ...web, client_secrets: [stored(digestOf(secret), now)] }
  assert.throws(() => checkClient(expired, by_header, now), { reason: 'The client_secret has expired.' })
  assert.throws(() => checkClient(expired, by_body, now), { remedy: null })
})

test('a client with keys is not authenticated before its assertion is verified', () => {
  const { client_assertion } = by_assertion
  assert.deepEqual(checkClient(key_client, by_assertion, now), { kind: 'verify_assertion', client: key_client, client_assertion })
})

// biome-ignore format: this table is read by line
const refusals: { why: string; client: typeof web | null; credentials: ClientCredentials }[] = [
  { why: 'it is unknown', client: null, credentials: by_header },
  { why: 'it is unknown and public', client: null, credentials: unproved },
  { why: 'another client was looked up', client: { ...web, client_id: 'app_other' }, credentials: by_header },
  { why: 'it is disabled', client: { ...web, disabled: true }, credentials: by_header },
  { why: 'it is public and disabled', client: { ...spa, disabled: true }, credentials: unproved },
  { why: 'its secret is wrong', client: web, credentials: { ...by_header, client_secret: `${secret}x` } },
  { why: 'the secret is in another case', client: web, credentials: { ...by_header, client_secret: secret.toUpperCase() } },
  { why: 'it sends the digest instead of the secret', client: web, credentials: { ...by_header, client_secret: digestOf(secret) } },
  { why: 'it has no secret yet', client: { ...web, client_secrets: [] }, credentials: { ...by_header, client_secret: 'x' } },
  { why: 'the stored digest is malformed', client: { ...web, client_secrets: [stored('zz')] }, credentials: by_header },
  { why: 'it sends no secret', client: web, credentials: unproved },
  { why: 'it sends an empty secret in the header', client: web, credentials: { ...unproved, used_header: true } },
  { why: 'it should use the header', client: web, credentials: by_body },
  { why: 'it should use the body', client: post, credentials: by_header },
  { why: 'its secret may stand in either place, and is wrong in the header', client: anywhere, credentials: { ...by_header, client_secret: 'x' } },
  { why: 'its secret may stand in either place, and is wrong in the body', client: anywhere, credentials: { ...by_body, client_secret: 'x' } },
  { why: 'its secret may stand in either place, and is in none', client: anywhere, credentials: unproved },
  { why: 'its secret may stand in either place, and it has none yet', client: { ...anywhere, client_secrets: [] }, credentials: by_body },
  { why: 'its secret may stand in either place, and it sends an assertion', client: anywhere, credentials: by_assertion },
  { why: 'it is public and sends a secret in the body', client: spa, credentials: by_body },
  { why: 'it is public and sends a secret in the header', client: spa, credentials: by_header },
  { why: 'it is public and sends an assertion', client: spa, credentials: by_assertion },
  { why: 'it has a secret and sends an assertion', client: web, credentials: by_assertion },
  { why: 'it has keys and is disabled', client: { ...key_client, disabled: true }, credentials: by_assertion },
  { why: 'it has keys and sends a secret in the header', client: key_client, credentials: by_header },
  { why: 'it has keys and sends a secret in the body', client: key_client, credentials: by_body },
  { why: 'it has keys and sends nothing', client: key_client, credentials: unproved },
]
for (const { why, client, credentials } of refusals) {
  test(`a client is refused with invalid_client when ${why}`, () => {
    assert.throws(() => checkClient(client, credentials, now), {
      name: 'OAuthError',
      code: 'invalid_client',
      used_header: credentials.used_header,
    })
  })
}

const wrong_secret = { client_secret: `${secret}x` }
// biome-ignore format: this table is read by line
const remedies: { why: string; client: typeof web; credentials: ClientCredentials; remedy: object | null }[] = [
  { why: 'the right secret is in the body', client: web, credentials: by_body, remedy: { token_endpoint_auth_method: 'client_secret' } },
  { why: 'the right secret is in the header', client: post, credentials: by_header, remedy: { token_endpoint_auth_method: 'client_secret' } },
  { why: 'a wrong secret is in the body', client: web, credentials: { ...by_body, ...wrong_secret }, remedy: null },
  { why: 'a wrong secret is in the header', client: post, credentials: { ...by_header, ...wrong_secret }, remedy: null },
  { why: 'a wrong secret is in the right place', client: web, credentials: { ...by_header, ...wrong_secret }, remedy: null },
  { why: 'no secret is sent', client: web, credentials: unproved, remedy: null },
  { why: 'an assertion is sent', client: web, credentials: by_assertion, remedy: null },
  { why: 'a client with keys sends a secret', client: key_client, credentials: by_body, remedy: null },
  { why: 'a public client sends a secret', client: spa, credentials: by_body, remedy: null },
  { why: 'the client is disabled', client: { ...web, disabled: true }, credentials: by_body, remedy: null },
]
for (const { why, client, credentials, remedy } of remedies)
  test(`a refused client ${remedy ? 'can be let in by a change of its method' : 'has no remedy'} when ${why}`, () => {
    assert.throws(
      () => checkClient(client, credentials, now),
      (error) => {
        assert.ok(error instanceof OAuthError)
        assert.deepEqual(error.remedy, remedy)
        return true
      },
    )
  })

test('an unknown client, a disabled client and a wrong secret get the same error', () => {
  const texts = [null, { ...web, disabled: true }, { ...web, client_secrets: [stored(digestOf('other'))] }].map((client) => {
    try {
      return checkClient(client, by_header, now).kind
    } catch (error) {
      return error instanceof OAuthError ? error.message : error
    }
  })
  assert.deepEqual(texts, Array(3).fill('Client authentication failed.'))
})

test('any id and secret are read from a header that is encoded by RFC 6749 §2.3.1', () => {
  const text = fc.string({ unit: 'grapheme', minLength: 1 }).filter((value) => !/[\p{Cc}\p{Cs}\uFFFD]/u.test(value))
  const encode = (value: string) => new URLSearchParams({ value }).toString().slice('value='.length)
  const property = fc.property(text, text, (id, client_secret) => {
    const credentials = read(basic(`${encode(id)}:${encode(client_secret)}`), {})
    assert.deepEqual(credentials, { method: 'client_secret_basic', client_id: id, client_secret, used_header: true })
  })
  fc.assert(property)
})

test('any header is read or refused with invalid_client', () => {
  const property = fc.property(fc.oneof(fc.string(), fc.string().map(basic)), (header) => {
    try {
      assert.equal(read(header, {}).used_header, true)
    } catch (error) {
      assert.ok(error instanceof OAuthError && error.used_header, `${error}`)
    }
  })
  fc.assert(property)
})
