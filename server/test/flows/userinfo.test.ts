/** UserInfo: ways to send the token, returned claims, and that only a valid access token of this issuer works (RFC 6750). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createPerson, userinfo } from '../support/cookie-browser.ts'
import { forgeriesOf } from '../support/forgeries.ts'
import { type Reply, types_of_run, world } from '../support/world.ts'

const w = await world()

for (const type of types_of_run) {
  const environment = w[type]
  const elsewhere = type === 'test' ? w.live : w.test
  const client = await w.createApplication(environment)
  const person = await createPerson(w, environment, {
    phone_number: '+43123456789',
    given_name: 'Ada',
    locale: 'en',
    zoneinfo: 'Europe/Vienna',
  })
  const url = `${environment.issuer}/v1/oauth/userinfo`
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  const ask = (method: string, headers: Record<string, string>, body?: string, query = '') =>
    w.call(method, url + query, { key: null, headers, ...(body === undefined ? {} : { body }) })

  type Way = (token: string) => Promise<Reply>
  const accepted: Record<string, Way> = {
    'GET with the header': (token) => ask('GET', { authorization: `Bearer ${token}` }),
    'POST with the header': (token) => ask('POST', { authorization: `Bearer ${token}` }),
    'GET with the scheme in lower case': (token) => ask('GET', { authorization: `bearer ${token}` }),
    'GET with several spaces': (token) => ask('GET', { authorization: `Bearer    ${token}` }),
    'POST with the token in the form': (token) => ask('POST', form, `access_token=${token}`),
    'POST with the header and another form': (token) => ask('POST', { ...form, authorization: `Bearer ${token}` }, 'a=b'),
  }
  for (const [how, way] of Object.entries(accepted)) {
    test(`UserInfo accepts the token by ${how} (${type})`, async () => {
      const { access_token } = await person.tokens(client)
      const reply = await way(access_token)
      assert.deepEqual([reply.status, reply.body.sub], [200, person.id])
      assert.equal(reply.headers.get('cache-control'), 'no-store')
    })
  }

  const refused: [how: string, status: number, error: string | null, way: Way][] = [
    ['without any token', 401, null, () => ask('GET', {})],
    ['in the query, which logs would keep', 401, null, (token) => ask('GET', {}, undefined, `?access_token=${token}`)],
    ['in a JSON body', 401, null, (token) => ask('POST', { 'content-type': 'application/json' }, JSON.stringify({ access_token: token }))],
    ['in a cookie', 401, null, (token) => ask('GET', { cookie: `access_token=${token}` })],
    [
      'in both header and form',
      400,
      'invalid_request',
      (token) => ask('POST', { ...form, authorization: `Bearer ${token}` }, `access_token=${token}`),
    ],
    ['twice in the form', 400, 'invalid_request', (token) => ask('POST', form, `access_token=${token}&access_token=${token}`)],
    ['without a scheme', 401, 'invalid_token', (token) => ask('GET', { authorization: token })],
    ['with another scheme', 401, 'invalid_token', (token) => ask('GET', { authorization: `Token ${token}` })],
    ['as Basic', 401, 'invalid_token', (token) => ask('GET', { authorization: `Basic ${Buffer.from(`:${token}`).toString('base64')}` })],
    ['with a comma after it', 401, 'invalid_token', (token) => ask('GET', { authorization: `Bearer ${token},` })],
    ['with a second one', 401, 'invalid_token', (token) => ask('GET', { authorization: `Bearer ${token} ${token}` })],
    ['with nothing in the header', 401, 'invalid_token', () => ask('GET', { authorization: 'Bearer' })],
    ['with an empty form field', 401, 'invalid_token', () => ask('POST', form, 'access_token=')],
  ]
  for (const [how, status, error, way] of refused) {
    test(`UserInfo refuses a token ${how} with ${status} ${error ?? 'and a bare challenge'} (${type})`, async () => {
      const { access_token } = await person.tokens(client)
      const reply = await way(access_token)
      const challenge = reply.headers.get('www-authenticate') ?? ''
      assert.equal(reply.status, status)
      if (error === null) assert.deepEqual([challenge, reply.body], ['Bearer', ''])
      else assert.deepEqual([challenge.startsWith(`Bearer error="${error}"`), reply.body.error], [true, error])
      assert.equal(reply.headers.get('cache-control'), 'no-store')
    })
  }

  const isRefused = async (token: string) => {
    const reply = await userinfo(w, environment, token)
    assert.deepEqual([reply.status, reply.body.error], [401, 'invalid_token'])
    assert.match(reply.headers.get('www-authenticate') ?? '', /^Bearer error="invalid_token"/)
  }

  test(`UserInfo refuses a forged or changed token (${type})`, async (t) => {
    const { access_token } = await person.tokens(client)
    for (const [what, token] of Object.entries(await forgeriesOf(w, environment, access_token))) await t.test(what, () => isRefused(token))
    assert.equal((await userinfo(w, environment, access_token)).status, 200)
  })

  test(`UserInfo refuses every secret that is not an access token (${type})`, async (t) => {
    const { id_token, refresh_token } = await person.tokens(client)
    const secrets = {
      'an ID token': id_token,
      'a refresh token': refresh_token,
      'a platform key': w.key,
      'the prefix of an opaque token': 'svc_at_',
      'a refresh token with that prefix': `svc_at_${refresh_token}`,
      'a client secret': client.client_secret,
    }
    for (const [what, token] of Object.entries(secrets)) await t.test(what, () => isRefused(token))
  })

  for (const format of ['jwt', 'opaque'] as const) {
    test(`an access token works at its own environment only, until it expires (${type}, ${format})`, async () => {
      for (const each of [environment, elsewhere])
        await w.changeSettings(each, { tokens: { access_token_format: format, access_token_ttl_seconds: 60 } })
      const { access_token, expires_in } = await person.tokens(client)
      assert.deepEqual([expires_in, access_token.startsWith('svc_at_')], [60, format === 'opaque'])
      assert.equal((await userinfo(w, elsewhere, access_token)).status, 401)
      w.advance(58)
      assert.equal((await userinfo(w, environment, access_token)).status, 200)
      w.advance(3)
      await isRefused(access_token)
      for (const each of [environment, elsewhere])
        await w.changeSettings(each, { tokens: { access_token_format: null, access_token_ttl_seconds: null } })
    })
  }

  // biome-ignore format: this table is read by column
  const claims_by_scope: [scope: string, claims: string[]][] = [
    ['openid',                    []],
    ['openid email',              ['email', 'email_verified']],
    ['openid phone',              ['phone_number', 'phone_number_verified']],
    ['openid profile',            ['name', 'given_name', 'locale', 'zoneinfo', 'updated_at']],
    ['openid offline_access',     []],
    ['openid profile email phone offline_access', ['name', 'given_name', 'locale', 'zoneinfo', 'updated_at', 'email', 'email_verified', 'phone_number', 'phone_number_verified']],
  ]
  for (const [scope, claims] of claims_by_scope) {
    test(`with the scope "${scope}" UserInfo and the ID token hold sub and ${claims.join(', ') || 'no other claim'} (${type})`, async () => {
      const { access_token, id_token } = await person.tokens(client, { scope })
      const { body } = await userinfo(w, environment, access_token)
      assert.deepEqual(Object.keys(body).sort(), ['sub', ...claims].sort())
      const payload = JSON.parse(Buffer.from(id_token.split('.')[1], 'base64url').toString())
      for (const [name, value] of Object.entries(body)) assert.deepEqual(payload[name], value)
      const about = ['iss', 'aud', 'exp', 'iat', 'auth_time', 'nonce', 'acr', 'amr', 'sid', 'at_hash']
      assert.deepEqual(Object.keys(payload).sort(), [...about, ...Object.keys(body)].sort())
    })
  }

  test(`with id_token_claims minimal only UserInfo holds the claims (${type})`, async () => {
    await w.changeSettings(environment, { tokens: { id_token_claims: 'minimal' } })
    const { access_token, id_token } = await person.tokens(client)
    assert.doesNotMatch(Buffer.from(id_token.split('.')[1], 'base64url').toString(), /email|"name"/)
    assert.equal((await userinfo(w, environment, access_token)).body.email, person.email)
    await w.changeSettings(environment, { tokens: { id_token_claims: null } })
  })

  test(`a proved address is the user name of a person without one in both, where the settings say so, and an unproved one in none (${type})`, async () => {
    await w.changeSettings(environment, { claims: { preferred_username: 'email', name: 'email' } })
    for (const email_verified of [true, false]) {
      const nameless = await createPerson(w, environment, { name: null, email_verified })
      const { access_token, id_token } = await nameless.tokens(client)
      const payload = JSON.parse(Buffer.from(id_token.split('.')[1], 'base64url').toString())
      for (const { name, preferred_username } of [payload, (await userinfo(w, environment, access_token)).body])
        assert.deepEqual([name, preferred_username], email_verified ? [nameless.email, nameless.email] : [undefined, undefined])
    }
    await w.changeSettings(environment, { claims: null })
  })
}
