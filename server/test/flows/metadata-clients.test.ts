/** Clients whose client id is the URL of a document about themselves (decision 0183), from the first request to the last token. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeJwt, exportJWK, generateKeyPair, SignJWT } from 'jose'
import { z } from 'zod'
import { sql } from '../../src/db/db.ts'
import { openAccount, press, rowsOf, stepOf } from '../support/account.ts'
import { startClientHost } from '../support/client-host.ts'
import {
  authorizationRequest,
  createAgent,
  createPerson,
  exchange,
  type Fields,
  refresh,
  revoke,
  userinfo,
} from '../support/cookie-browser.ts'
import { organizationsOf } from '../support/organizations.ts'
import { expectStatus, type Reply, randomText, types_of_run, world } from '../support/world.ts'

const host = await startClientHost()
const w = await world({ outbound: host.outbound, env: { OSTIARY_LIMITS: '{"metadata_clients": 40}' } })
const api = 'https://notes.example.com'
const other_api = 'https://closed.example.com'
const redirect_uri = 'https://client.test/callback'
const scope = 'openid offline_access notes:read'

const clientOf = (url: string, uri = redirect_uri) => ({ client_id: url, redirect_uris: [uri] })
const errorOf = ({ status, body }: Reply) => [status, body.error]
const markOf = ({ body }: Reply, name: string) => new RegExp(`<main[^>]* data-${name}="([^"]*)"`).exec(body)?.[1]

type Mode = 'off' | 'listed' | 'any'

async function setUp(type: 'test' | 'live', slug: string, mode: Mode) {
  const project = await w.createProject(`${slug}-${type}`)
  const environment = project[type]
  const path = `${environment.path}/metadata-clients`
  const change = (mode: Mode) => w.changeSettings(environment, { oauth: { metadata_clients: mode, openid_optional: true } })
  await change(mode)
  const serve = async (body: object) => expectStatus(201, await w.call('POST', `${environment.path}/resource-servers`, { body }))
  const scopes = [{ name: 'notes:read', description: null }]
  const server = await serve({ identifier: api, name: 'Notes', scopes, allow_metadata_clients: true })
  await serve({ identifier: other_api, name: 'Closed' })
  const key = expectStatus(201, await w.call('POST', `${environment.path}/auth-keys`, { body: { type: 'auth_secret' } })).key
  const person = await createPerson(w, environment)
  return {
    environment,
    path,
    server,
    key,
    person,
    change,
    newPerson: () => createPerson(w, environment),
    validate: async (token: string) => (await w.call('POST', '/v1/auth/tokens/validate', { key, body: { token } })).body,
    add: async (url: string, body: object = {}) => expectStatus(201, await w.call('POST', path, { body: { client_id: url, ...body } })),
    patch: async (id: string, body: object) => expectStatus(200, await w.call('PATCH', `${path}/${id}`, { body })),
    records: async () => expectStatus(200, await w.call('GET', `${path}?limit=100`)).data,
    recordOf: async (url: string) => expectStatus(200, await w.call('GET', `${path}?client_id=${encodeURIComponent(url)}`)).data[0],
    ask: (url: string, fields: Fields = {}, uri = redirect_uri) =>
      authorizationRequest(environment, clientOf(url, uri), { scope, resource: api, ...fields }),
    tokens: (url: string, fields: Fields = {}, by = person) => by.tokens(clientOf(url), { scope, resource: api, ...fields }),
  }
}

const Reason = z.object({ code: z.string(), client_id: z.string().nullable() })
/** The record of the refused call behind a page. */
async function refusedCall(reply: Reply) {
  const id = reply.headers.get('x-request-id') ?? ''
  await w.deployment.refused_calls.write()
  return w.deployment.db.maybeOne(Reason, sql`select code, client_id from refused_calls where id = ${id}`)
}

for (const type of types_of_run) {
  const any = await setUp(type, 'any', 'any')
  const listed = await setUp(type, 'listed', 'listed')

  for (const [mode, env] of [
    ['any', any],
    ['listed', listed],
  ] as const)
    test(`${mode}: a client gets tokens with its URL as client_id, refreshes and is revoked, and reads its document only at the beginning (${type})`, async () => {
      const url = host.publish(host.newUrl())
      if (mode === 'listed') await env.add(url)
      const client = clientOf(url)
      const { request, code } = await env.person.code(client, { scope, resource: api })
      const calls = host.calls.filter((each) => each === url).length
      assert.equal(calls, 1)
      host.answer(url, 500)
      w.advance(7_200)
      const started = await env.newPerson()
      assert.notEqual(started, null)
      w.advance(-7_200)
      const tokens = expectStatus(200, await exchange(w, env.environment, client, { request, code }))
      assert.deepEqual([decodeJwt(tokens.access_token).client_id, decodeJwt(tokens.id_token).aud], [url, url])
      const verdict = await env.validate(tokens.access_token)
      assert.deepEqual([verdict.active, verdict.client_id, verdict.scope], [true, url, scope])
      assert.equal((await userinfo(w, env.environment, tokens.access_token)).body.sub, env.person.id)
      const next = expectStatus(200, await refresh(w, env.environment, client, tokens.refresh_token))
      assert.equal(decodeJwt(next.access_token).client_id, url)
      const again = expectStatus(200, await refresh(w, env.environment, client, tokens.refresh_token)) // another process of the client
      assert.equal(again.refresh_token, next.refresh_token)
      expectStatus(200, await revoke(w, env.environment, client, next.access_token))
      assert.equal((await env.validate(next.access_token)).active, false)
      expectStatus(200, await revoke(w, env.environment, client, next.refresh_token))
      assert.deepEqual(errorOf(await refresh(w, env.environment, client, next.refresh_token)), [400, 'invalid_grant'])
      assert.equal(host.calls.filter((each) => each === url).length, calls)
      const record = await env.recordOf(url)
      assert.deepEqual(
        [record.client_id, record.client_name, record.host, record.listed, record.added_by],
        [url, 'Agent', `client.test:${host.port}`, mode === 'listed', mode === 'listed' ? 'administrator' : 'person'],
      )
    })

  test(`both discovery documents say so while the setting is not off (${type})`, async () => {
    for (const [mode, says] of [
      ['off', undefined],
      ['listed', true],
      ['any', true],
    ] as const) {
      await any.change(mode)
      const { issuer } = any.environment
      const { origin, pathname } = new URL(issuer)
      for (const address of [
        `${issuer}/.well-known/openid-configuration`,
        `${origin}/.well-known/oauth-authorization-server${pathname === '/' ? '' : pathname}`,
      ])
        assert.equal(expectStatus(200, await w.call('GET', address, { key: null })).client_id_metadata_document_supported, says)
    }
  })

  test(`off: a URL is an unknown client, and nothing is read (${type})`, async () => {
    const env = await setUp(type, 'off', 'off')
    const url = host.publish(host.newUrl())
    const reply = await env.person.agent.get(env.ask(url).url)
    assert.deepEqual([reply.status, (await refusedCall(reply))?.code], [400, 'unknown_client'])
    assert.deepEqual(errorOf(await refresh(w, env.environment, clientOf(url), 'x')), [401, 'invalid_client'])
    assert.ok(!host.calls.includes(url))
    const record = await env.add(url) // works in every mode
    assert.deepEqual([record.listed, record.disabled, record.last_used_at], [true, false, null])
  })

  test(`listed: a URL that nobody approved is shown to the person, and nothing is read (${type})`, async () => {
    const url = host.publish(host.newUrl())
    const reply = await listed.person.agent.get(listed.ask(url).url)
    assert.deepEqual([reply.status, reply.headers.get('location')], [400, null])
    assert.deepEqual(await refusedCall(reply), { code: 'metadata_client_unlisted', client_id: url })
    assert.ok(!host.calls.includes(url))
  })

  const documents: [why: string, code: string, status: number, publish: (url: string) => unknown][] = [
    ['the document is not there', 'metadata_client_unavailable', 400, (url) => host.answer(url, 404)],
    ['it is a redirect', 'metadata_client_unavailable', 400, (url) => host.answer(url, 302)],
    ['it holds no JSON', 'metadata_client_invalid', 400, (url) => host.answer(url, 200, '<html>')],
    ['it is of another URL', 'metadata_client_invalid', 400, (url) => host.publish(url, { client_id: `${url}x` })],
    ['it has a secret', 'metadata_client_invalid', 400, (url) => host.publish(url, { client_secret: 'x' })],
    ['no redirect URI can be used', 'metadata_client_invalid', 400, (url) => host.publish(url, { redirect_uris: ['com.example.app:/cb'] })],
  ]
  for (const [why, code, status, publish] of documents)
    test(`where ${why} the person sees ${code} and is never redirected (${type})`, async () => {
      const url = host.newUrl()
      publish(url)
      await any.change('any')
      const reply = await any.person.agent.get(any.ask(url).url)
      assert.deepEqual([reply.status, stepOf(reply), reply.headers.get('location')], [status, 'error', null])
      assert.deepEqual(await refusedCall(reply), { code, client_id: url })
      const added = await w.call('POST', any.path, { body: { client_id: url } })
      assert.deepEqual([added.status, added.body.code, added.body.errors[0].pointer], [422, code.replace('_client', ''), '/client_id'])
      w.advance(61)
    })

  test(`a redirect URI that the document lacks is shown, after the document was read again (${type})`, async () => {
    const url = host.publish(host.newUrl())
    const moved = 'https://client.test/new'
    const first = await any.person.agent.get(any.ask(url, {}, moved).url)
    assert.deepEqual([first.status, await refusedCall(first)], [400, { code: 'invalid_redirect_uri', client_id: url }])
    host.publish(url, { redirect_uris: [moved] })
    assert.equal((await any.person.agent.get(any.ask(url, {}, moved).url)).status, 400, 'it is remembered for a minute')
    w.advance(61)
    assert.equal(stepOf(await any.person.agent.get(any.ask(url, {}, moved).url)) !== 'error', true)
  })

  // biome-ignore format: this table is read by column
  const refusals: [why: string, fields: Fields, error: string, members?: object][] = [
    ['there is no resource',                             { resource: undefined },                          'invalid_target'],
    ['the resource server lets no such client in',       { resource: other_api },                          'invalid_target'],
    ['one of the resource servers does not',             { resource: [api, other_api] },                   'invalid_target'],
    ['the resource is unknown',                          { resource: 'https://x.example.com' },            'invalid_target'],
    ['a scope is of no resource server',                 { scope: 'notes:write' },                         'invalid_scope'],
    ['the document allows fewer scopes',                 { scope: 'openid notes:read' },                   'invalid_scope', { scope: 'notes:read' }],
    ['offline_access lacks its grant type',              {},                                               'invalid_scope', { grant_types: ['authorization_code'] }],
    ['there is no PKCE',                                 { code_challenge: undefined, code_challenge_method: undefined }, 'invalid_request'],
    ['there is no PKCE, of a client with keys',          { code_challenge: undefined, code_challenge_method: undefined }, 'invalid_request', { token_endpoint_auth_method: 'private_key_jwt', jwks_uri: 'https://client.test/jwks' }],
    ['the person has not consented, and no page may be shown', { prompt: 'none' },                         'consent_required'],
  ]
  for (const [why, fields, error, members] of refusals)
    test(`a request is ${error} where ${why} (${type})`, async () => {
      const url = host.publish(host.newUrl(), { ...members })
      w.advance(61)
      await openAccount(any.environment, any.person, any.person.agent).catch(() => null)
      const { headers } = await any.person.agent.get(any.ask(url, fields).url)
      assert.equal(new URL(headers.get('location') ?? 'about:blank').searchParams.get('error'), error)
    })

  test(`the consent page names the host, and says who checked it and where the answer goes (${type})`, async () => {
    const person = await any.newPerson()
    await openAccount(any.environment, person, person.agent)
    const shown = (url: string, uri = redirect_uri) => person.agent.get(any.ask(url, {}, uri).url)
    const plain = await shown(host.publish(host.newUrl('client.test'), { client_name: 'Claude' }))
    assert.deepEqual(
      [stepOf(plain), markOf(plain, 'client-host'), markOf(plain, 'redirect-host'), markOf(plain, 'warning')],
      ['consent', `client.test:${host.port}`, 'client.test', 'unchecked other-host'],
    )
    const text = plain.body.replaceAll(/<[^>]*>/g, '').replaceAll(/\s+/g, ' ')
    assert.match(text, /Claude is the name this program gives itself\. Its address is client\.test:\d+\. .* has not checked it\./)
    assert.match(text, /The answer goes to client\.test\. This is not the address of the program\./)
    const local = 'http://localhost:4711/cb'
    const device = await shown(host.publish(host.newUrl(), { redirect_uris: ['http://localhost/cb'] }), local)
    assert.equal(markOf(device, 'warning'), 'unchecked loopback')
    assert.match(device.body, /continue only if you have just started/)
    assert.ok(!/autofocus/.test(plain.body + device.body))
    const url = host.publish(host.newUrl(), { redirect_uris: [`https://client.test:${host.port}/cb`] })
    await any.add(url)
    const approved = await shown(url, `https://client.test:${host.port}/cb`)
    assert.deepEqual([markOf(approved, 'warning'), /has approved this address/.test(approved.body)], [undefined, true])
  })

  test(`consent is kept until the name or the hosts change, and is for one origin (${type})`, async () => {
    w.advance(61)
    const url = host.publish(host.newUrl(), { redirect_uris: [redirect_uri, 'https://other.test/cb'] }, { 'cache-control': 'no-store' })
    const silent = async (uri = redirect_uri) => {
      const { headers } = await any.person.agent.get(any.ask(url, { prompt: 'none' }, uri).url)
      return new URL(headers.get('location') ?? 'about:blank').searchParams.get('error')
    }
    await any.tokens(url)
    assert.equal(await silent(), null)
    assert.equal(await silent('https://other.test/cb'), 'consent_required')
    host.publish(url, { redirect_uris: ['https://client.test/callback?new', redirect_uri, 'https://other.test/cb'] })
    w.advance(61)
    assert.equal(await silent(), null, 'the hosts are the same')
    host.publish(url, { client_name: 'Another name', redirect_uris: [redirect_uri, 'https://other.test/cb'] })
    w.advance(301)
    assert.equal(await silent(), 'consent_required')
    await any.tokens(url)
    assert.equal(await silent(), null)
    host.publish(url, { client_name: 'Another name', redirect_uris: [redirect_uri] })
    w.advance(301)
    assert.equal(await silent(), 'consent_required')
  })

  test(`a document that changes while its page is open is shown again, and nothing is allowed before (${type})`, async () => {
    w.advance(61)
    const url = host.publish(host.newUrl(), { client_name: 'Harmless' }, { 'cache-control': 'no-store' })
    const person = await any.newPerson()
    await openAccount(any.environment, person, person.agent)
    const page = await person.agent.get(any.ask(url).url)
    host.publish(url, { client_name: 'Acme Bank' }, { 'cache-control': 'no-store' })
    w.advance(61)
    const answer = await person.agent.submit(page, { decision: 'allow' })
    assert.equal(await any.recordOf(url), undefined)
    const again = await person.agent.get(answer.headers.get('location') ?? '')
    assert.deepEqual([stepOf(again), /Acme Bank/.test(again.body)], ['consent', true])
    const allowed = await person.agent.submit(again, { decision: 'allow' })
    const sent = await person.agent.get(allowed.headers.get('location') ?? '')
    assert.ok(new URL(sent.headers.get('location') ?? 'about:blank').searchParams.has('code'))
  })

  test(`with a loopback redirect URI the person is asked at every request (${type})`, async () => {
    w.advance(61)
    const url = host.publish(host.newUrl(), { redirect_uris: ['http://127.0.0.1/cb'] })
    const person = await any.newPerson()
    for (const port of ['50001', '50002', '50003']) {
      const uri = `http://127.0.0.1:${port}/cb`
      const request = any.ask(url, {}, uri)
      let page = await person.agent.get(request.url)
      if (stepOf(page) === 'sign-in') {
        const next = await person.agent.submit(page, { email: person.email, password: person.password, method: 'password' })
        page = await person.agent.get(next.headers.get('location') ?? '')
      }
      assert.equal(stepOf(page), 'consent')
      const pressed = await person.agent.submit(page, { decision: 'allow' })
      const sent = await person.agent.get(pressed.headers.get('location') ?? '')
      const code = new URL(sent.headers.get('location') ?? 'about:blank').searchParams.get('code')
      expectStatus(200, await exchange(w, any.environment, clientOf(url, uri), { request, code: code ?? '' }))
      const { headers } = await person.agent.get(any.ask(url, { prompt: 'none' }, uri).url)
      assert.equal(new URL(headers.get('location') ?? 'about:blank').searchParams.get('error'), 'interaction_required')
    }
  })

  test(`a sign-in within the request does not answer the question about a loopback redirect URI (${type})`, async () => {
    w.advance(61)
    const uri = 'http://127.0.0.1/cb'
    const url = host.publish(host.newUrl(), { redirect_uris: [uri] })
    const person = await any.newPerson()
    for (let n = 0; n < 2; n++) {
      const agent = createAgent() // another browser, in which the earlier consent counts too
      const form = await agent.get(any.ask(url, {}, uri).url)
      const signed = await agent.submit(form, { email: person.email, password: person.password, method: 'password' })
      const page = await agent.get(signed.headers.get('location') ?? '')
      assert.equal(stepOf(page), 'consent')
      const allowed = await agent.submit(page, { decision: 'allow' })
      const sent = await agent.get(allowed.headers.get('location') ?? '')
      assert.ok(new URL(sent.headers.get('location') ?? 'about:blank').searchParams.has('code'))
    }
  })

  test(`a client with keys authenticates by an assertion for its URL (${type})`, async () => {
    w.advance(61)
    const { publicKey, privateKey } = await generateKeyPair('ES256')
    const url = host.newUrl()
    host.publish(url, { token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [await exportJWK(publicKey)] } })
    const { request, code } = await any.person.code(clientOf(url), { scope, resource: api })
    const assertion = (sub: string) =>
      new SignJWT({ jti: randomText() })
        .setProtectedHeader({ alg: 'ES256' })
        .setIssuer(sub)
        .setSubject(sub)
        .setAudience(any.environment.issuer)
        .setExpirationTime(Math.floor(w.now().getTime() / 1_000) + 60)
        .sign(privateKey)
    assert.deepEqual(errorOf(await exchange(w, any.environment, clientOf(url), { request, code })), [401, 'invalid_client'])
    const { id } = await any.recordOf(url)
    const with_assertion = async (sub: string) => ({
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      client_assertion: await assertion(sub),
    })
    const wrong = await exchange(w, any.environment, clientOf(url), { request, code, change: await with_assertion(id) })
    assert.deepEqual(errorOf(wrong), [401, 'invalid_client'])
    expectStatus(200, await exchange(w, any.environment, clientOf(url), { request, code, change: await with_assertion(url) }))
  })

  const endings: [how: string, end: (env: Awaited<ReturnType<typeof setUp>>, id: string) => Promise<unknown>][] = [
    ['it is disabled', (env, id) => env.patch(id, { disabled: true })],
    ['it is deleted', (env, id) => w.call('DELETE', `${env.path}/${id}`)],
    ['the setting is off', (env) => env.change('off')],
    ['the setting admits listed ones only', (env) => env.change('listed')],
  ]
  for (const [how, end] of endings)
    test(`where ${how}, everything of the client ends at once, and nothing returns (${type})`, async () => {
      w.advance(61)
      await any.change('any')
      const url = host.publish(host.newUrl())
      const client = clientOf(url)
      const tokens = await any.tokens(url)
      const { request, code } = await any.person.code(client, { scope, resource: api })
      const { id } = await any.recordOf(url)
      await end(any, id)
      const checkEnded = async () => {
        assert.deepEqual(await any.validate(tokens.access_token), { active: false, reason: 'revoked' })
        assert.equal((await userinfo(w, any.environment, tokens.access_token)).status, 401)
      }
      await checkEnded()
      assert.deepEqual(errorOf(await refresh(w, any.environment, client, tokens.refresh_token)), [401, 'invalid_client'])
      assert.deepEqual(errorOf(await exchange(w, any.environment, client, { request, code })), [401, 'invalid_client'])
      await any.change('any')
      if (how === 'it is disabled') {
        const page = await any.person.agent.get(any.ask(url).url)
        assert.equal((await refusedCall(page))?.code, 'metadata_client_unlisted')
        await any.patch(id, { disabled: false })
      }
      await checkEnded()
      if (how !== 'it is deleted')
        assert.deepEqual(errorOf(await refresh(w, any.environment, client, tokens.refresh_token)), [400, 'invalid_grant'])
      const next = await any.tokens(url)
      assert.equal((await any.validate(next.access_token)).active, true)
    })

  test(`taking back the approval ends a client where only listed ones get in (${type})`, async () => {
    const url = host.publish(host.newUrl())
    const { id } = await listed.add(url)
    const tokens = await listed.tokens(url)
    await listed.patch(id, { listed: false })
    assert.deepEqual(await listed.validate(tokens.access_token), { active: false, reason: 'revoked' })
    assert.deepEqual(errorOf(await refresh(w, listed.environment, clientOf(url), tokens.refresh_token)), [401, 'invalid_client'])
  })

  test(`a resource server that lets no such client in any more gets no new tokens (${type})`, async () => {
    w.advance(61)
    const url = host.publish(host.newUrl())
    const tokens = await any.tokens(url)
    const path = `${any.environment.path}/resource-servers/${any.server.id}`
    expectStatus(200, await w.call('PATCH', path, { body: { allow_metadata_clients: false } }))
    assert.deepEqual(errorOf(await refresh(w, any.environment, clientOf(url), tokens.refresh_token)), [400, 'invalid_target'])
    expectStatus(200, await w.call('PATCH', path, { body: { allow_metadata_clients: true } }))
    expectStatus(200, await refresh(w, any.environment, clientOf(url), tokens.refresh_token))
  })

  test(`the account page shows name and host, and disconnects (${type})`, async () => {
    w.advance(61)
    const person = await any.newPerson()
    const url = host.publish(host.newUrl(), { client_name: 'Writer' })
    const tokens = await any.tokens(url, {}, person)
    const { page, agent } = await openAccount(any.environment, person)
    assert.ok(rowsOf(page, 'apps').length > 0 || /Writer/.test(page.body))
    assert.match(page.body.replaceAll('<wbr>', ''), new RegExp(`Writer \\(client\\.test:${host.port}\\)`))
    const { id } = await any.recordOf(url)
    await press(agent, page, { action: 'disconnect', id })
    assert.equal((await any.validate(tokens.access_token)).active, false)
    assert.deepEqual(errorOf(await refresh(w, any.environment, clientOf(url), tokens.refresh_token)), [400, 'invalid_grant'])
  })

  test(`people are counted who allowed a client something and have not withdrawn it (${type})`, async () => {
    w.advance(61)
    await any.change('any')
    const url = host.publish(host.newUrl())
    const { id, people: at_first } = await any.add(url)
    const count = async () => {
      const { people } = expectStatus(200, await w.call('GET', `${any.path}/${id}`))
      assert.equal((await any.recordOf(url)).people, people)
      return people
    }
    assert.deepEqual([at_first, await count()], [0, 0])
    const [leaves, deleted, blocked, stays] = [await any.newPerson(), await any.newPerson(), await any.newPerson(), await any.newPerson()]
    for (const person of [leaves, deleted, blocked, stays, stays]) await any.tokens(url, {}, person)
    assert.equal(await count(), 4)
    const { page, agent } = await openAccount(any.environment, leaves)
    await press(agent, page, { action: 'disconnect', id })
    assert.equal(await count(), 3)
    const auth = (method: string, path: string, body?: object) => w.call(method, `/v1/auth/${path}`, { key: any.key, body })
    expectStatus(204, await auth('DELETE', `users/${deleted.id}`))
    assert.equal(await count(), 2)
    expectStatus(200, await auth('POST', `users/${blocked.id}/block`))
    assert.equal(await count(), 1)
    assert.equal((await any.patch(id, { disabled: true })).people, 1)
  })

  test(`a member is counted once, whatever number of organizations the client may act for (${type})`, async () => {
    w.advance(61)
    const teams = 'https://teams.example.com'
    const body = { identifier: teams, name: 'Teams', allow_metadata_clients: true, organizations: 'required', require_roles: false }
    expectStatus(201, await w.call('POST', `${any.environment.path}/resource-servers`, { body }))
    const orgs = await organizationsOf(w, any.environment)
    const url = host.publish(host.newUrl())
    const person = await any.newPerson()
    const both = [await orgs.create({ name: 'Acme' }), await orgs.create({ name: 'Birch' })]
    for (const { id } of both) {
      expectStatus(201, await orgs.add(id, person.id))
      await any.tokens(url, { resource: teams, scope: 'openid', organization: id }, person)
    }
    for (const left of [1, 0]) {
      assert.equal((await any.recordOf(url)).people, 1)
      expectStatus(204, await orgs.remove(both[left]?.id ?? '', person.id))
    }
    assert.equal((await any.recordOf(url)).people, 0)
  })

  test(`at most 1,000 people are counted (${type})`, async () => {
    w.advance(61)
    const { id } = await any.add(host.publish(host.newUrl()))
    const of = any.environment.id
    const numbers = sql`with recursive n (i) as (select 1 union all select i + 1 from n where i < 1005)`
    for (const statement of [
      sql`insert into users (environment_id, id, email, email_key, email_verified, phone_number_verified, metadata, created_at, updated_at)
            ${numbers} select ${of}, 'usr_many' || i, 'many' || i || '@example.com', 'many' || i || '@example.com', 1, 0, '{}', 0, 0 from n`,
      sql`insert into consents (environment_id, user_id, application_id, scope, created_at, updated_at)
            ${numbers} select ${of}, 'usr_many' || i, ${id}, 'openid', 0, 0 from n`,
    ])
      await w.deployment.db.batch([statement])
    assert.equal(expectStatus(200, await w.call('GET', `${any.path}/${id}`)).people, 1_000)
  })

  test(`scripts of every origin may call token and revocation, without credentials (${type})`, async () => {
    const origin = 'https://script.example.com'
    const allowOf = async (env: typeof any, path: string, method: string) => {
      const { headers } = await w.call(method, `${env.environment.issuer}${path}`, {
        key: null,
        headers: { origin, 'access-control-request-method': 'POST' },
      })
      return [headers.get('access-control-allow-origin'), headers.get('access-control-allow-credentials')]
    }
    for (const path of ['/v1/oauth/token', '/v1/oauth/revoke'])
      for (const method of ['OPTIONS', 'POST']) {
        assert.deepEqual(await allowOf(any, path, method), ['*', null])
      }
    assert.deepEqual(await allowOf(any, '/v1/oauth/userinfo', 'OPTIONS'), [null, null])
    await w.changeSettings(any.environment, { cors: { allowed_origins: [origin] } })
    assert.deepEqual(await allowOf(any, '/v1/oauth/token', 'OPTIONS'), [origin, 'true'])
    await w.changeSettings(any.environment, { cors: null })
  })

  test(`of fifty first consents at once one makes the record (${type})`, async () => {
    w.advance(61)
    const url = host.publish(host.newUrl())
    const people = await Promise.all(Array.from({ length: 50 }, () => any.newPerson()))
    const pages: { agent: (typeof people)[number]['agent']; page: Reply; request: ReturnType<typeof any.ask> }[] = []
    for (const { agent, email, password } of people) {
      const request = any.ask(url)
      const form = await agent.get(request.url)
      const signed = await agent.submit(form, { email, password, method: 'password' })
      pages.push({ agent, request, page: await agent.get(signed.headers.get('location') ?? '') })
    }
    const answers = await Promise.all(pages.map(({ agent, page }) => agent.submit(page, { decision: 'allow' })))
    assert.equal((await any.records()).filter(({ client_id }: { client_id: string }) => client_id === url).length, 1)
    let codes = 0
    for (const [i, { agent }] of pages.entries()) {
      const sent = await agent.get(answers[i]?.headers.get('location') ?? '')
      if (new URL(sent.headers.get('location') ?? 'about:blank').searchParams.has('code')) codes++
    }
    assert.equal(codes, 50)
    const Created = z.object({ count: z.coerce.number() })
    const row = await w.deployment.db.maybeOne(
      Created,
      sql`select count(*) as count from events where environment_id = ${any.environment.id} and type = 'metadata_client.created'
           and application_id = ${(await any.recordOf(url)).id}`,
    )
    assert.equal(row?.count, 1)
  })
}

test('at the quota a new client replaces the longest unused one that is neither approved nor in use; without one nobody is asked', async () => {
  const env = await setUp(types_of_run[0] ?? 'test', 'quota', 'any')
  const most = 40
  const insert = async (n: number, listed: boolean) => {
    const url = host.publish(host.newUrl())
    w.advance(7)
    const added = await w.call('POST', env.path, { body: { client_id: url, listed } })
    return { url, added, n }
  }
  for (let n = 0; n < most - 1; n++) expectStatus(201, (await insert(n, true)).added)
  w.advance(61)
  const idle = await insert(most, false)
  expectStatus(201, idle.added)
  w.advance(61)
  const url = host.publish(host.newUrl())
  const tokens = await env.tokens(url)
  assert.equal(await env.recordOf(idle.url), undefined)
  assert.equal((await env.records()).length, most)
  w.advance(61)
  const full = await w.call('POST', env.path, { body: { client_id: host.publish(host.newUrl()) } })
  assert.deepEqual([full.status, full.body.code], [422, 'quota_exceeded'])
  const page = await env.person.agent.get(env.ask(host.publish(host.newUrl())).url)
  assert.deepEqual([page.status, (await refusedCall(page))?.code, page.headers.has('retry-after')], [503, 'metadata_client_busy', true])
  expectStatus(200, await revoke(w, env.environment, clientOf(url), tokens.refresh_token))
  w.advance(61)
  expectStatus(201, await w.call('POST', env.path, { body: { client_id: host.publish(host.newUrl()) } }))
  assert.equal(await env.recordOf(url), undefined)
})

test('records: what POST, PATCH, read and DELETE answer, and their events', async () => {
  const env = await setUp(types_of_run[0] ?? 'test', 'records', 'listed')
  w.advance(61)
  for (const client_id of [
    'https://client.test',
    'https://client.test/',
    'http://client.test/a',
    'https://client.test/a?b',
    'https://CLIENT.test/a',
    'app_1',
    `https://client.test/${'a'.repeat(500)}`,
  ]) {
    const reply = await w.call('POST', env.path, { body: { client_id } })
    assert.deepEqual([reply.status, reply.body.errors?.[0]?.pointer], [422, '/client_id'], client_id)
  }
  const url = host.publish(host.newUrl())
  const record = await env.add(url)
  const again = await w.call('POST', env.path, { body: { client_id: url } })
  assert.deepEqual([again.status, again.body.code], [409, 'identifier_taken'])
  host.publish(url, { client_name: 'Renamed' })
  const read = expectStatus(200, await w.call('POST', `${env.path}/${record.id}/read`))
  assert.deepEqual([read.client_name, read.id], ['Renamed', record.id])
  host.answer(url, 500)
  const failed = await w.call('POST', `${env.path}/${record.id}/read`)
  assert.deepEqual([failed.status, failed.body.code], [422, 'metadata_unavailable'])
  assert.equal(expectStatus(200, await w.call('GET', `${env.path}/${record.id}`)).client_name, 'Renamed')
  assert.equal((await env.patch(record.id, { listed: false })).listed, false)
  assert.equal((await env.patch(record.id, { disabled: true })).disabled, true)
  assert.equal((await w.call('DELETE', `${env.path}/${record.id}`)).status, 204)
  assert.equal((await w.call('GET', `${env.path}/${record.id}`)).status, 404)
  const Kind = z.object({ type: z.string() })
  const events = await w.deployment.db.all(
    Kind,
    sql`select type from events where environment_id = ${env.environment.id} and type like 'metadata_client.%' order by created_at, id`,
  )
  assert.deepEqual(
    events.map(({ type }) => type.split('.')[1]),
    ['created', 'updated', 'updated', 'updated', 'deleted'],
  )
})
