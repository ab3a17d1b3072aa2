/** Access tokens for resource servers: `resource` at the authorization and token endpoints (RFC 8707, docs/decisions/0013). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRemoteJWKSet, decodeJwt, jwtVerify } from 'jose'
import { authorizationRequest, createPerson, exchange, type Fields, refresh, revoke, userinfo } from '../support/cookie-browser.ts'
import { expectStatus, type Reply, type TestEnvironment, types_of_run, world } from '../support/world.ts'

const w = await world()

const orders = 'https://orders.example.com'
const stock = 'urn:example:stock'
const own = 'openid email offline_access'
const all_scopes = `${own} orders:read read stock:read`

/** An environment with two APIs, an application that may use them except for writing orders, and a person. */
async function setUp(type: 'test' | 'live', slug: string) {
  const project = await w.createProject(`${slug}-${type}`)
  const environment = project[type]
  const path = `${environment.path}/resource-servers`
  const serve = async (body: object) => expectStatus(201, await w.call('POST', path, { body }))
  const scopes = (...names: string[]) => names.map((name) => ({ name, description: name === 'read' ? null : `Words for ${name}` }))
  const servers = {
    orders: await serve({
      identifier: orders,
      name: 'Orders API',
      scopes: scopes('orders:read', 'orders:write', 'read'),
      access_token_ttl_seconds: 600,
    }),
    stock: await serve({ identifier: stock, name: 'Stock', scopes: scopes('stock:read', 'read'), access_token_format: 'opaque' }),
  }
  const allowed_scopes = all_scopes.split(' ')
  const client = await w.createApplication(environment, { allowed_scopes })
  const key = expectStatus(201, await w.call('POST', `${environment.path}/auth-keys`, { body: { type: 'auth_secret' } })).key
  const person = await createPerson(w, environment)
  return {
    environment,
    elsewhere: project[type === 'test' ? 'live' : 'test'],
    serve,
    servers,
    client,
    person,
    allowed_scopes,
    change: async (server: { id: string }, body: object) => expectStatus(200, await w.call('PATCH', `${path}/${server.id}`, { body })),
    remove: async (server: { id: string }) => assert.equal((await w.call('DELETE', `${path}/${server.id}`)).status, 204),
    tokens: (change: Fields = {}) => person.tokens(client, { scope: all_scopes, resource: [orders, stock], ...change }),
    refresh: (refresh_token: string, change: Fields = {}) => refresh(w, environment, client, { refresh_token, ...change }),
    validate: async (token: string) => (await w.call('POST', '/v1/auth/tokens/validate', { key, body: { token } })).body,
  }
}

/** Validates an access token as the API with this identifier does (RFC 9068 §4). */
async function verify(environment: TestEnvironment, access_token: string, audience: string) {
  const keys = createRemoteJWKSet(new URL(`${environment.issuer}/v1/oauth/jwks.json`))
  return (
    await jwtVerify(access_token, keys, {
      issuer: environment.issuer,
      audience,
      typ: 'at+jwt',
      algorithms: ['RS256'],
      currentDate: w.now(),
    })
  ).payload
}

const errorOf = ({ status, body }: Reply) => [status, body.error]

for (const type of types_of_run) {
  const env = await setUp(type, 'shared')
  const { environment, client, person } = env

  test(`a token for one API has the audience, lifetime and scopes of that API (${type})`, async () => {
    const scope = 'openid email orders:read'
    const tokens = await person.tokens(client, { scope, resource: orders })
    const claims = await verify(environment, tokens.access_token, orders)
    assert.deepEqual(claims.aud, [orders, environment.issuer])
    assert.deepEqual([claims.scope, tokens.scope, tokens.expires_in, (claims.exp ?? 0) - (claims.iat ?? 0)], [scope, scope, 600, 600])
    await assert.rejects(verify(environment, tokens.access_token, stock), { code: 'ERR_JWT_CLAIM_VALIDATION_FAILED' })
    assert.equal(decodeJwt(tokens.id_token).aud, client.client_id)
    assert.equal((await userinfo(w, environment, tokens.access_token)).body.email, person.email)
    const { active, aud } = await env.validate(tokens.access_token)
    assert.deepEqual([active, aud], [true, [orders, environment.issuer]])
  })

  test(`a token for several APIs names them all, is a JWT if one requires it, and has the shortest lifetime (${type})`, async () => {
    const tokens = await env.tokens()
    const claims = await verify(environment, tokens.access_token, stock)
    assert.deepEqual([claims.aud, claims.scope, tokens.expires_in], [[orders, stock, environment.issuer], all_scopes, 600])
    assert.equal(tokens.scope, all_scopes)
  })

  test(`an API with opaque tokens gets them, and they are read, validated and revoked like others (${type})`, async () => {
    const tokens = await env.tokens({ scope: 'openid email stock:read', resource: stock })
    assert.match(tokens.access_token, /^svc_at_/)
    assert.equal(tokens.expires_in, 3_600)
    assert.equal((await userinfo(w, environment, tokens.access_token)).body.email, person.email)
    const verdict = await env.validate(tokens.access_token)
    assert.deepEqual([verdict.active, verdict.aud, verdict.scope], [true, [stock, environment.issuer], 'openid email stock:read'])
    expectStatus(200, await revoke(w, environment, client, tokens.access_token))
    assert.equal((await userinfo(w, environment, tokens.access_token)).status, 401)
    assert.deepEqual(await env.validate(tokens.access_token), { active: false, reason: 'revoked' })
  })

  test(`without resource the audience of a token is the issuer (${type})`, async () => {
    const tokens = await person.tokens(client, { scope: own })
    assert.deepEqual([decodeJwt(tokens.access_token).aud, tokens.expires_in], [environment.issuer, 3_600])
    assert.deepEqual(errorOf(await env.refresh(tokens.refresh_token, { resource: orders })), [400, 'invalid_target'])
    expectStatus(200, await env.refresh(tokens.refresh_token))
  })

  const elsewhere = 'https://elsewhere.example.com'
  expectStatus(201, await w.call('POST', `${env.elsewhere.path}/resource-servers`, { body: { identifier: elsewhere, name: 'Elsewhere' } }))
  const refusals: [why: string, change: Fields, error: string][] = [
    ['the scope of an API is sent without its resource', { scope: 'openid orders:read' }, 'invalid_scope'],
    ['the scope belongs to another API', { scope: 'openid orders:read', resource: stock }, 'invalid_scope'],
    ['the application may not have the scope', { scope: 'openid orders:write', resource: orders }, 'invalid_scope'],
    ['the API is unknown', { scope: 'openid', resource: 'https://unknown.example.com' }, 'invalid_target'],
    ['one of two APIs is unknown', { scope: 'openid', resource: [orders, 'urn:unknown'] }, 'invalid_target'],
    ['the identifier ends with an extra slash', { scope: 'openid', resource: `${orders}/` }, 'invalid_target'],
    ['the identifier is in upper case', { scope: 'openid', resource: orders.toUpperCase() }, 'invalid_target'],
    ['the API belongs to another environment', { scope: 'openid', resource: elsewhere }, 'invalid_target'],
    ['the resource is the issuer', { scope: 'openid', resource: environment.issuer }, 'invalid_target'],
    ['there are more than twenty', { scope: 'openid', resource: Array.from({ length: 21 }, (_, i) => `urn:${i}`) }, 'invalid_target'],
  ]
  for (const [why, change, error] of refusals) {
    test(`an authorization request is ${error} when ${why} (${type})`, async () => {
      const request = authorizationRequest(environment, client, change)
      const sent = new URL((await person.agent.get(request.url)).headers.get('location') ?? '')
      assert.deepEqual([sent.searchParams.get('error'), sent.searchParams.get('state')], [error, request.state])
    })
  }

  test(`an API may be requested without any of its scopes (${type})`, async () => {
    const tokens = await person.tokens(client, { scope: 'openid', resource: [stock, orders] })
    assert.deepEqual((await verify(environment, tokens.access_token, orders)).aud, [stock, orders, environment.issuer])
  })

  test(`a code exchange may narrow the token to some APIs, and its refresh token keeps them all (${type})`, async () => {
    const { request, code } = await person.code(client, { scope: all_scopes, resource: [orders, stock] })
    const refused = await exchange(w, environment, client, { request, code, change: { resource: [orders, 'urn:unknown'] } })
    assert.deepEqual(errorOf(refused), [400, 'invalid_target'])
    const narrow = expectStatus(200, await exchange(w, environment, client, { request, code, change: { resource: stock } }))
    assert.deepEqual([narrow.scope, narrow.expires_in], [`${own} read stock:read`, 3_600])
    assert.deepEqual((await env.validate(narrow.access_token)).aud, [stock, environment.issuer])
    assert.equal(decodeJwt(narrow.id_token).email, person.email)
    const wide = expectStatus(200, await env.refresh(narrow.refresh_token))
    assert.deepEqual([decodeJwt(wide.access_token).aud, wide.scope], [[orders, stock, environment.issuer], all_scopes])
  })

  test(`a refresh narrows by resource, by scope, and by both, for one token only (${type})`, async (t) => {
    let { refresh_token } = await env.tokens()
    const narrowings: [change: Fields, aud: string[], scope: string, expires_in: number][] = [
      [{ resource: orders }, [orders, environment.issuer], `${own} orders:read read`, 600],
      [{ resource: stock }, [stock, environment.issuer], `${own} read stock:read`, 3_600],
      [{ scope: 'openid stock:read' }, [orders, stock, environment.issuer], 'openid stock:read', 600],
      [{ scope: 'orders:read', resource: orders }, [orders, environment.issuer], 'orders:read', 600],
      [{ scope: 'openid orders:read read', resource: stock }, [stock, environment.issuer], 'openid read', 3_600],
      [{ resource: [stock, orders] }, [stock, orders, environment.issuer], all_scopes, 600],
      [{ resource: '' }, [orders, stock, environment.issuer], all_scopes, 600],
    ]
    for (const [change, aud, scope, expires_in] of narrowings)
      await t.test(JSON.stringify(change), async () => {
        const tokens = expectStatus(200, await env.refresh(refresh_token, change))
        refresh_token = tokens.refresh_token
        const verdict = await env.validate(tokens.access_token)
        assert.deepEqual([verdict.aud, verdict.scope, verdict.exp - verdict.iat], [aud, scope, expires_in])
        assert.deepEqual([tokens.scope, tokens.expires_in], [scope, expires_in])
        assert.equal((await userinfo(w, environment, tokens.access_token)).status, scope.includes('openid') ? 200 : 403)
      })
  })

  const refreshRefusals: [change: Fields, error: string][] = [
    [{ resource: 'urn:unknown' }, 'invalid_target'],
    [{ resource: [orders, `${orders}/`] }, 'invalid_target'],
    [{ resource: orders, scope: 'stock:read' }, 'invalid_scope'],
    [{ resource: orders, scope: 'orders:write' }, 'invalid_scope'],
    [{ resource: 'urn:\0' }, 'invalid_request'],
  ]
  for (const [change, error] of refreshRefusals) {
    test(`a refresh with ${JSON.stringify(change)} is ${error}, and the token stays valid (${type})`, async () => {
      const { refresh_token } = await env.tokens()
      assert.deepEqual(errorOf(await env.refresh(refresh_token, change)), [400, error])
      expectStatus(200, await env.refresh(refresh_token))
    })
  }

  test(`a refresh for an API that was not granted is invalid_target (${type})`, async () => {
    const { refresh_token } = await env.tokens({ scope: own, resource: stock })
    assert.deepEqual(errorOf(await env.refresh(refresh_token, { resource: [stock, orders] })), [400, 'invalid_target'])
  })

  test(`a spent refresh token is reuse, whatever resource is sent (${type})`, async () => {
    const { refresh_token } = await env.tokens()
    const second = expectStatus(200, await env.refresh(refresh_token))
    assert.deepEqual(errorOf(await env.refresh(refresh_token, { resource: 'urn:unknown' })), [400, 'invalid_grant'])
    assert.deepEqual(errorOf(await env.refresh(second.refresh_token)), [400, 'invalid_grant'])
  })

  test(`a deleted API is left out of new tokens, and issued tokens stay valid until they expire (${type})`, async () => {
    const apart = await setUp(type, 'deleted')
    const first = await apart.tokens()
    await apart.remove(apart.servers.orders)
    assert.equal((await apart.validate(first.access_token)).active, true)
    assert.equal((await userinfo(w, apart.environment, first.access_token)).status, 200)

    assert.deepEqual(errorOf(await apart.refresh(first.refresh_token, { resource: orders })), [400, 'invalid_target'])
    const second = expectStatus(200, await apart.refresh(first.refresh_token))
    const { aud, scope } = await apart.validate(second.access_token)
    assert.deepEqual([aud, scope, second.expires_in], [[stock, apart.environment.issuer], `${own} read stock:read`, 3_600])
    const request = authorizationRequest(apart.environment, apart.client, { scope: 'openid', resource: orders })
    assert.match((await apart.person.agent.get(request.url)).headers.get('location') ?? '', /error=invalid_target/)

    await apart.remove(apart.servers.stock)
    const third = expectStatus(200, await apart.refresh(second.refresh_token))
    assert.deepEqual([decodeJwt(third.access_token).aud, third.scope], [apart.environment.issuer, own])
    await apart.serve({ identifier: orders, name: 'Orders API again', scopes: [{ name: 'orders:read' }, { name: 'orders:write' }] })
    const fourth = expectStatus(200, await apart.refresh(third.refresh_token))
    assert.deepEqual([decodeJwt(fourth.access_token).aud, fourth.scope], [[orders, apart.environment.issuer], `${own} orders:read`])
  })

  test(`a change of an API or of allowed_scopes applies from the next token on (${type})`, async () => {
    const apart = await setUp(type, 'changed')
    const first = await apart.tokens({ resource: orders, scope: `${own} orders:read read` })
    await apart.change(apart.servers.orders, {
      scopes: [{ name: 'orders:read' }, { name: 'orders:write' }],
      access_token_ttl_seconds: 86_400,
      access_token_format: 'opaque',
    })
    const second = expectStatus(200, await apart.refresh(first.refresh_token))
    assert.match(second.access_token, /^svc_at_/)
    assert.deepEqual([second.scope, second.expires_in], [`${own} orders:read`, 86_400])
    w.advance(86_300)
    assert.equal((await userinfo(w, apart.environment, second.access_token)).status, 200)

    expectStatus(
      200,
      await w.call('PATCH', `${apart.environment.path}/applications/${apart.client.id}`, { body: { allowed_scopes: own.split(' ') } }),
    )
    assert.equal(expectStatus(200, await apart.refresh(second.refresh_token)).scope, own)
  })

  test(`a retried refresh returns the same refresh token and a valid opaque access token (${type})`, async () => {
    const apart = await setUp(type, 'retried')
    await w.changeSettings(apart.environment, { tokens: { refresh_retry_window_seconds: 30 } })
    const { refresh_token } = await apart.tokens()
    const [one, two] = [await apart.refresh(refresh_token, { resource: stock }), await apart.refresh(refresh_token, { resource: stock })]
    assert.equal(one.body.refresh_token, two.body.refresh_token)
    for (const { body } of [one, two]) assert.deepEqual((await apart.validate(body.access_token)).aud, [stock, apart.environment.issuer])
  })

  test(`consent is asked once for each scope at each API, with the description of the scope (${type})`, async () => {
    const third_party = await w.createApplication(environment, { name: 'Planner', consent: 'ask', allowed_scopes: env.allowed_scopes })
    const ada = await createPerson(w, environment)
    const asks = async (change: Fields) => {
      const request = authorizationRequest(environment, third_party, { ...change, prompt: 'none' })
      const sent = new URL((await ada.agent.get(request.url)).headers.get('location') ?? '')
      return sent.searchParams.get('error')
    }
    await ada.code(third_party, { scope: 'openid email' })
    const at_orders = { scope: 'openid email orders:read read', resource: orders }
    assert.equal(await asks(at_orders), 'consent_required')
    const page = await ada.agent.get(authorizationRequest(environment, third_party, at_orders).url)
    assert.match(page.body, /<b>Words for orders:read<\/b><span>Orders API, <code>orders:read<\/code><\/span>/)
    assert.match(page.body, /<b>read<\/b><span>Orders API, <code>read<\/code><\/span>/)
    await ada.code(third_party, at_orders)
    assert.equal(await asks(at_orders), null)
    assert.equal(await asks({ scope: 'openid', resource: orders }), null)

    const at_stock = { scope: 'openid read', resource: stock }
    assert.equal(await asks(at_stock), 'consent_required')
    assert.equal(await asks({ scope: 'openid', resource: stock }), 'consent_required')
    await ada.code(third_party, { scope: 'openid', resource: stock })
    assert.equal(await asks(at_stock), 'consent_required')
    await ada.code(third_party, at_stock)
    assert.equal(await asks({ scope: 'openid email orders:read read', resource: [stock, orders] }), null)
  })
}

test('the widest token that authorization admits is read by UserInfo', async () => {
  const env = await setUp('test', 'wide')
  const names = Array.from({ length: 19 }, (_, i) => `s${i}`.padEnd(200, 'y'))
  const scope = ['openid', ...names].join(' ')
  const resource = Array.from({ length: 20 }, (_, i) =>
    `https://api${i}.example.com/`.padEnd(i < 19 ? 309 : 10_000 - scope.length - 19 * 309, 'x'),
  )
  const longer = `${resource[19]}x`
  for (const [i, identifier] of [...resource, longer].entries())
    await env.serve({ identifier, name: `API ${i}`, scopes: i === 0 ? names.map((name) => ({ name })) : [] })
  const client = await w.createApplication(env.environment, { allowed_scopes: ['openid', ...names] })

  const { access_token } = await env.person.tokens(client, { scope, resource })
  assert.ok(access_token.length > 14_000 && access_token.length < 16_384, `${access_token.length}`)
  assert.equal((await userinfo(w, env.environment, access_token)).status, 200)
  assert.equal((await env.validate(access_token)).active, true)
  expectStatus(200, await revoke(w, env.environment, client, access_token))
  assert.equal((await userinfo(w, env.environment, access_token)).status, 401)

  const wider = authorizationRequest(env.environment, client, { scope, resource: [...resource.slice(0, 19), longer] })
  const sent = new URL((await env.person.agent.get(wider.url)).headers.get('location') ?? '')
  assert.equal(sent.searchParams.get('error'), 'invalid_target')
})
