/** Requests without openid, where the setting lets them through (decision 0013): authorization, tokens, UserInfo, validation, refresh, revocation. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRemoteJWKSet, decodeJwt, jwtVerify } from 'jose'
import { createKeySet, verifyAccessToken } from '../../../sdk/src/verify.ts'
import { applySettingsChange } from '../../src/domain/tenancy/settings.ts'
import { openAccount } from '../support/account.ts'
import { administratorToken, asAdministrator } from '../support/administrator.ts'
import { authorizationRequest, createPerson, exchange, type Fields, refresh, revoke, userinfo } from '../support/cookie-browser.ts'
import { expectStatus, owner, type Reply, types_of_run, world } from '../support/world.ts'

const w = await world()
const mcp = 'https://mcp.example.com'
const tools = 'https://tools.example.com/mcp'
const errorOf = ({ status, body }: Reply) => [status, body.error]

for (const type of types_of_run) {
  const environment = w[type]
  await w.changeSettings(environment, { oauth: { openid_optional: true } })
  const serve = async (body: object) => expectStatus(201, await w.call('POST', `${environment.path}/resource-servers`, { body }))
  await serve({ identifier: mcp, name: 'Notes', scopes: [{ name: 'notes:read', description: null }], access_token_format: 'jwt' })
  await serve({ identifier: tools, name: 'Tools', scopes: [{ name: 'tools:run', description: null }], access_token_format: 'opaque' })
  const allowed_scopes = ['openid', 'email', 'offline_access', 'notes:read', 'tools:run']
  const client = await w.createApplication(environment, { allowed_scopes, consent: 'ask' })
  const key = expectStatus(201, await w.call('POST', `${environment.path}/auth-keys`, { body: { type: 'auth_secret' } })).key
  const person = await createPerson(w, environment)
  const validate = async (token: string) => (await w.call('POST', '/v1/auth/tokens/validate', { key, body: { token } })).body
  const refusalOf = async (change: Fields) => {
    const { headers } = await person.agent.get(authorizationRequest(environment, client, change).url)
    return new URL(headers.get('location') ?? 'about:blank').searchParams.get('error')
  }

  test(`without openid there is no ID token, and the audience is the resource server alone (${type})`, async () => {
    const tokens = await person.tokens(client, { scope: 'notes:read', resource: mcp })
    assert.deepEqual(Object.keys(tokens).sort(), ['access_token', 'expires_in', 'scope', 'token_type'])
    const keys = createRemoteJWKSet(new URL(`${environment.issuer}/v1/oauth/jwks.json`))
    const { payload } = await jwtVerify(tokens.access_token, keys, { issuer: environment.issuer, audience: mcp, currentDate: w.now() })
    assert.deepEqual([payload.aud, payload.scope, payload.sub, payload.client_id], [mcp, 'notes:read', person.id, client.client_id])
    const verdict = await validate(tokens.access_token)
    assert.deepEqual([verdict.active, verdict.aud, verdict.scope], [true, mcp, 'notes:read'])
    const info = await userinfo(w, environment, tokens.access_token)
    assert.equal(info.status, 403)
    assert.match(info.headers.get('www-authenticate') ?? '', /error="insufficient_scope".*scope="openid"/)
  })

  for (const scope of [undefined, '', '   '])
    test(`the scope ${JSON.stringify(scope)} grants none, for a JWT and an opaque token (${type})`, async () => {
      for (const [resource, aud] of [
        [mcp, mcp],
        [tools, tools],
        [
          [mcp, tools],
          [mcp, tools],
        ],
      ] as const) {
        const tokens = await person.tokens(client, { scope, resource })
        assert.deepEqual(Object.keys(tokens).sort(), ['access_token', 'expires_in', 'token_type'])
        const verdict = await validate(tokens.access_token)
        assert.deepEqual([verdict.active, verdict.aud, 'scope' in verdict], [true, aud, false])
        if (resource !== tools) assert.ok(!('scope' in decodeJwt(tokens.access_token)))
        assert.equal((await userinfo(w, environment, tokens.access_token)).status, 403)
      }
    })

  test(`the client library verifies a token without a scope (${type})`, async () => {
    const tokens = await person.tokens(client, { scope: undefined, resource: mcp })
    const options = {
      keys: createKeySet({ issuer: environment.issuer, now: w.now }),
      issuer: environment.issuer,
      audience: mcp,
      now: w.now,
    }
    assert.equal((await verifyAccessToken(tokens.access_token, options)).scope, '')
    await assert.rejects(verifyAccessToken(tokens.access_token, { ...options, required_scopes: ['notes:read'] }), {
      code: 'insufficient_scope',
    })
  })

  test(`offline_access alone gives refresh tokens, whose tokens have no audience but the resource servers (${type})`, async () => {
    const first = await person.tokens(client, { scope: 'offline_access', resource: [mcp, tools] })
    assert.deepEqual([first.scope, 'id_token' in first], ['offline_access', false])
    const wide = expectStatus(200, await refresh(w, environment, client, first.refresh_token))
    assert.deepEqual([(await validate(wide.access_token)).aud, 'id_token' in wide], [[mcp, tools], false])
    const narrow = expectStatus(200, await refresh(w, environment, client, { refresh_token: wide.refresh_token, resource: tools }))
    assert.deepEqual((await validate(narrow.access_token)).aud, tools)
    assert.equal((await revoke(w, environment, client, narrow.refresh_token)).status, 200)
    assert.deepEqual(await validate(narrow.access_token), { active: false, reason: 'revoked' })
    assert.deepEqual(errorOf(await refresh(w, environment, client, narrow.refresh_token)), [400, 'invalid_grant'])
  })

  test(`a token with openid has the issuer in its audience, whatever a refresh leaves out (${type})`, async () => {
    const first = await person.tokens(client, { scope: 'openid offline_access notes:read', resource: mcp })
    assert.deepEqual([decodeJwt(first.access_token).aud, typeof first.id_token], [[mcp, environment.issuer], 'string'])
    const narrow = expectStatus(200, await refresh(w, environment, client, { refresh_token: first.refresh_token, scope: 'notes:read' }))
    assert.deepEqual(decodeJwt(narrow.access_token).aud, [mcp, environment.issuer])
  })

  test(`an origin is found with a slash at both endpoints, and the token has the registered identifier (${type})`, async () => {
    const { request, code } = await person.code(client, { scope: 'offline_access notes:read', resource: `${mcp}/` })
    const tokens = expectStatus(200, await exchange(w, environment, client, { request, code, change: { resource: `${mcp}/` } }))
    assert.equal(decodeJwt(tokens.access_token).aud, mcp)
    const again = expectStatus(200, await refresh(w, environment, client, { refresh_token: tokens.refresh_token, resource: `${mcp}/` }))
    assert.equal(decodeJwt(again.access_token).aud, mcp)
    const third = expectStatus(
      200,
      await refresh(w, environment, client, { refresh_token: again.refresh_token, resource: [mcp, `${mcp}/`] }),
    )
    assert.equal(decodeJwt(third.access_token).aud, mcp)
    for (const resource of [`${mcp}//`, `${tools}/`, `${mcp}/?`])
      assert.deepEqual(errorOf(await refresh(w, environment, client, { refresh_token: third.refresh_token, resource })), [
        400,
        'invalid_target',
      ])
    for (const resource of [`${mcp}//`, `${tools}/`]) assert.equal(await refusalOf({ scope: 'notes:read', resource }), 'invalid_target')
  })

  test(`a resource server with exactly the slash counts by itself (${type})`, async () => {
    const origin = 'https://exact.example.com'
    await serve({ identifier: origin, name: 'Without' })
    const first = await person.tokens(client, { scope: 'offline_access', resource: origin })
    const other = await serve({ identifier: `${origin}/`, name: 'With', access_token_format: 'jwt' })
    const refused = await refresh(w, environment, client, { refresh_token: first.refresh_token, resource: `${origin}/` })
    assert.deepEqual(errorOf(refused), [400, 'invalid_target'])
    const tokens = await person.tokens(client, { scope: undefined, resource: `${origin}/` })
    assert.equal((await validate(tokens.access_token)).aud, other.identifier)
    assert.equal((await w.call('DELETE', `${environment.path}/resource-servers/${other.id}`)).status, 204)
    expectStatus(200, await refresh(w, environment, client, { refresh_token: first.refresh_token, resource: `${origin}/` }))
  })

  test(`a grant whose resource servers were deleted gives no token (${type})`, async () => {
    const server = await serve({ identifier: 'https://gone.example.com', name: 'Gone' })
    const { refresh_token } = await person.tokens(client, { scope: 'offline_access', resource: server.identifier })
    assert.equal((await w.call('DELETE', `${environment.path}/resource-servers/${server.id}`)).status, 204)
    assert.deepEqual(errorOf(await refresh(w, environment, client, refresh_token)), [400, 'invalid_target'])
  })

  const refusals: [why: string, change: Fields, error: string][] = [
    ['email comes without openid', { scope: 'notes:read email', resource: mcp }, 'invalid_scope'],
    ['there is no resource', { scope: 'offline_access' }, 'invalid_scope'],
    ['there is neither scope nor resource', { scope: undefined }, 'invalid_scope'],
    ['a scope is of another resource server', { scope: 'tools:run', resource: mcp }, 'invalid_scope'],
    ['the resource is unknown', { scope: undefined, resource: 'https://other.example.com/' }, 'invalid_target'],
  ]
  for (const [why, change, error] of refusals)
    test(`a request is ${error} where ${why} (${type})`, async () => assert.equal(await refusalOf(change), error))

  test(`a consent to a resource server without a scope is asked once, and the account page names it (${type})`, async () => {
    const visitor = await createPerson(w, environment)
    await visitor.tokens(client, { scope: undefined, resource: tools })
    const request = authorizationRequest(environment, client, { scope: undefined, resource: tools, prompt: 'none' })
    const { headers } = await visitor.agent.get(request.url)
    assert.ok(new URL(headers.get('location') ?? '').searchParams.has('code'))
    assert.match((await openAccount(environment, visitor)).page.body, /Tools/)
  })
}

test('without the setting a request needs openid and a resource its exact identifier, and grants from before keep their tokens', async () => {
  const environment = w.test
  await w.changeSettings(environment, { oauth: { openid_optional: true } })
  const identifier = 'https://later.example.com'
  expectStatus(201, await w.call('POST', `${environment.path}/resource-servers`, { body: { identifier, name: 'Later' } }))
  const client = await w.createApplication(environment, { allowed_scopes: ['openid', 'offline_access'] })
  const person = await createPerson(w, environment)
  const { refresh_token } = await person.tokens(client, { scope: 'offline_access', resource: identifier })
  await w.changeSettings(environment, { oauth: { openid_optional: null } })
  for (const [change, error] of [
    [{ scope: 'offline_access', resource: identifier }, 'invalid_scope'],
    [{ scope: undefined, resource: identifier }, 'invalid_scope'],
    [{ scope: 'openid', resource: `${identifier}/` }, 'invalid_target'],
  ] as const) {
    const { headers } = await person.agent.get(authorizationRequest(environment, client, change).url)
    assert.equal(new URL(headers.get('location') ?? '').searchParams.get('error'), error)
  }
  assert.deepEqual(errorOf(await refresh(w, environment, client, { refresh_token, resource: `${identifier}/` })), [400, 'invalid_target'])
  const tokens = expectStatus(200, await refresh(w, environment, client, refresh_token))
  assert.equal(decodeJwt(tokens.access_token).aud, identifier)
})

test('the group has only the fields that are there, and unknown ones are refused', async () => {
  for (const name of ['device_authorization', 'client_credentials', 'token_exchange']) {
    const reply = await w.call('PATCH', `${w.test.path}/settings`, { body: { oauth: { [name]: false } } })
    assert.deepEqual([reply.status, reply.body.errors[0].pointer], [422, `/oauth/${name}`])
  }
})

test('the root environment takes no change of the group', () => {
  const surroundings = { seal: (password: string) => password, allowed: [], issuer: w.admin_issuer, has_provider: true, is_root: true }
  const outcome = applySettingsChange('live', {}, { oauth: { openid_optional: true } }, surroundings)
  assert.ok('problem' in outcome)
  assert.deepEqual(
    outcome.problem.issues.map(({ path }) => path),
    [['oauth']],
  )
  for (const change of [{ oauth: {} }, { oauth: null }, { mfa: { totp: false } }])
    assert.ok('stored' in applySettingsChange('live', {}, change, surroundings), JSON.stringify(change))
})

test('an operator cannot change the group in the root environment', async () => {
  const token = await administratorToken(w, owner)
  const { root_tenant_id } = expectStatus(200, await asAdministrator(w, token, null)('GET', '/v1/me'))
  const admin = asAdministrator(w, token, root_tenant_id)
  const [project] = expectStatus(200, await admin('GET', '/v1/platform/projects')).data
  const [root] = expectStatus(200, await admin('GET', `/v1/platform/projects/${project.id}/environments`)).data
  const path = `/v1/platform/projects/${project.id}/environments/${root.id}/settings`
  const reply = await admin('PATCH', path, { oauth: { openid_optional: true } })
  assert.deepEqual([reply.status, reply.body.errors[0].pointer], [422, '/oauth'])
  assert.equal(expectStatus(200, await admin('GET', path)).oauth.openid_optional, false)
})
