/** Client libraries against an issuer: one library, configured by discovery alone, for every type of application. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { after, test } from 'node:test'
import { promisify } from 'node:util'
import { createRemoteJWKSet, decodeJwt, jwtVerify } from 'jose'
import * as client from 'openid-client'
import { authorizationRequest, createAgent, followToClient, formOf, signInForTokens } from '../support/cookie-browser.ts'
import { organizationsOf } from '../support/organizations.ts'
import { randomText, type TestEnvironment, world } from '../support/world.ts'

const w = await world()

const kinds = {
  'web, client_secret_basic': {
    fields: { application_type: 'web' },
    auth: (secret: string) => client.ClientSecretBasic(secret),
  },
  'web, client_secret_post': {
    fields: { application_type: 'web', token_endpoint_auth_method: 'client_secret_post' },
    auth: (secret: string) => client.ClientSecretPost(secret),
  },
  spa: { fields: { application_type: 'spa' }, auth: () => client.None() },
  'native, a loopback redirect with any port': {
    fields: { application_type: 'native', redirect_uris: ['http://127.0.0.1/callback'], allow_loopback_port: true },
    redirect_uri: 'http://127.0.0.1:51004/callback',
    auth: () => client.None(),
  },
  'native, a private-use scheme': {
    fields: { application_type: 'native', redirect_uris: ['com.example.app:/callback'] },
    redirect_uri: 'com.example.app:/callback',
    auth: () => client.None(),
  },
}

const discover = (environment: TestEnvironment, client_id: string, auth: client.ClientAuth) =>
  client.discovery(new URL(environment.issuer), client_id, undefined, auth, { execute: [client.allowInsecureRequests] })

const signed_out_uri = 'https://app.example.com/signed-out'

for (const environment of [w.test, w.live]) {
  for (const [kind, { fields, auth, ...rest }] of Object.entries(kinds)) {
    test(`openid-client signs in, refreshes, reads UserInfo, revokes and signs out (${environment.type}: ${kind})`, async () => {
      const post_logout_redirect_uris = fields.application_type === 'native' ? ['com.example.app:/signed-out'] : [signed_out_uri]
      const application = await w.createApplication(environment, { ...fields, post_logout_redirect_uris })
      const sub = `auth0|${randomText()}`
      const user = await w.createUser(environment, { sub })
      const agent = createAgent()
      const config = await discover(environment, application.client_id, auth(application.client_secret))

      const pkceCodeVerifier = client.randomPKCECodeVerifier()
      const expectedState = client.randomState()
      const expectedNonce = client.randomNonce()
      const redirect_uri = 'redirect_uri' in rest ? rest.redirect_uri : application.redirect_uris[0]
      const url = client.buildAuthorizationUrl(config, {
        redirect_uri,
        scope: 'openid profile email offline_access',
        code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
        code_challenge_method: 'S256',
        state: expectedState,
        nonce: expectedNonce,
      })
      const called = await followToClient(agent, { url: url.href, redirect_uri }, user)
      assert.equal(called.searchParams.get('iss'), environment.issuer)
      const tokens = await client.authorizationCodeGrant(config, called, {
        pkceCodeVerifier,
        expectedState,
        expectedNonce,
        idTokenExpected: true,
      })
      assert.equal(tokens.claims()?.sub, sub)

      const refreshed = await client.refreshTokenGrant(config, tokens.refresh_token ?? '')
      const about = await client.fetchUserInfo(config, refreshed.access_token, sub)
      assert.equal(about.email, user.email)

      await client.tokenRevocation(config, refreshed.refresh_token ?? '')
      await assert.rejects(client.fetchUserInfo(config, refreshed.access_token, sub), { code: 'OAUTH_WWW_AUTHENTICATE_CHALLENGE' })
      await assert.rejects(client.refreshTokenGrant(config, refreshed.refresh_token ?? ''), { error: 'invalid_grant' })

      const [post_logout_redirect_uri = ''] = post_logout_redirect_uris
      const logout = { post_logout_redirect_uri, id_token_hint: refreshed.id_token ?? '', state: 'bye' }
      const signed_out = await agent.get(client.buildEndSessionUrl(config, logout).href)
      assert.equal(signed_out.headers.get('location'), `${post_logout_redirect_uri}?state=bye`)
    })
  }

  test(`openid-client signs in to an organization, switches to another one without a page, and keeps each (${environment.type})`, async () => {
    const { create } = await organizationsOf(w, environment)
    const user = await w.createUser(environment)
    const [first, second] = [await create({ members: [{ user_id: user.id }] }), await create({ members: [{ user_id: user.id }] })]
    const application = await w.createApplication(environment, { organizations: 'required' })
    const agent = createAgent()
    const config = await discover(environment, application.client_id, client.ClientSecretBasic(application.client_secret))
    const redirect_uri = application.redirect_uris[0] ?? ''
    const signIn = async (parameters: Record<string, string>) => {
      const pkceCodeVerifier = client.randomPKCECodeVerifier()
      const expectedNonce = client.randomNonce()
      const url = client.buildAuthorizationUrl(config, {
        redirect_uri,
        scope: 'openid offline_access',
        code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
        code_challenge_method: 'S256',
        nonce: expectedNonce,
        ...parameters,
      })
      const called = await followToClient(agent, { url: url.href, redirect_uri }, user)
      return client.authorizationCodeGrant(config, called, { pkceCodeVerifier, expectedNonce })
    }
    const tokens = {
      [first.id]: await signIn({ organization: first.id }),
      [second.id]: await signIn({ organization: second.slug, prompt: 'none' }),
    }
    for (const [id, signed_in] of Object.entries(tokens)) {
      const { refresh_token = '' } = signed_in
      assert.equal(signed_in.claims()?.org_id, id)
      const other = id === first.id ? second : first
      await assert.rejects(client.refreshTokenGrant(config, refresh_token, { organization: other.id }), { error: 'invalid_target' })
      const refreshed = await client.refreshTokenGrant(config, refresh_token)
      assert.deepEqual([refreshed.claims()?.org_id, decodeJwt(refreshed.access_token).org_id], [id, id])
      assert.equal((await client.fetchUserInfo(config, refreshed.access_token, user.id)).org_id, id)
    }
    await assert.rejects(signIn({ organization: 'unknown', prompt: 'none' }), { error: 'access_denied' })
    await assert.rejects(signIn({ prompt: 'none' }), { error: 'interaction_required' })
  })

  test(`openid-client reports a refused authorization request by its error code (${environment.type})`, async () => {
    const application = await w.createApplication(environment)
    const config = await discover(environment, application.client_id, client.ClientSecretBasic(application.client_secret))
    const request = authorizationRequest(environment, application, { prompt: 'none' })
    const called = await followToClient(createAgent(), request, { email: '', password: '' })
    const checks = { pkceCodeVerifier: request.code_verifier, expectedState: request.state, expectedNonce: request.nonce }
    await assert.rejects(client.authorizationCodeGrant(config, called, checks), { error: 'login_required' })
  })

  test(`jose verifies access and ID tokens with the published keys, and takes neither for the other (${environment.type})`, async () => {
    const application = await w.createApplication(environment)
    const sub = `auth0|${randomText()}`
    const user = await w.createUser(environment, { sub })
    const { request, tokens } = await signInForTokens(w, environment, application, { user })
    const { access_token, id_token } = tokens

    const keys = createRemoteJWKSet(new URL(`${environment.issuer}/v1/oauth/jwks.json`))
    const as_access_token = { issuer: environment.issuer, audience: environment.issuer, typ: 'at+jwt', algorithms: ['RS256'] }
    const as_id_token = { issuer: environment.issuer, audience: application.client_id, typ: 'JWT', algorithms: ['RS256'] }
    const { payload: access } = await jwtVerify(access_token, keys, {
      ...as_access_token,
      requiredClaims: ['exp', 'iat', 'jti', 'sub', 'client_id', 'scope'],
    })
    assert.deepEqual([access.client_id, access.sub, access.scope], [application.client_id, sub, 'openid profile email offline_access'])
    const { payload: about } = await jwtVerify(id_token, keys, {
      ...as_id_token,
      requiredClaims: ['exp', 'iat', 'sub', 'nonce', 'auth_time', 'sid', 'at_hash', 'amr', 'acr'],
    })
    const at_hash = createHash('sha256').update(access_token).digest().subarray(0, 16).toString('base64url')
    assert.deepEqual([about.nonce, about.at_hash, about.amr, about.acr], [request.nonce, at_hash, ['pwd'], 'urn:ostiary:1fa'])
    assert.deepEqual([about.email, about.email_verified, about.name], [user.email, true, 'Ada Example'])

    await assert.rejects(jwtVerify(id_token, keys, as_access_token))
    await assert.rejects(jwtVerify(access_token, keys, as_id_token))
    const elsewhere = createRemoteJWKSet(new URL(`${(environment === w.test ? w.live : w.test).issuer}/v1/oauth/jwks.json`))
    await assert.rejects(jwtVerify(access_token, elsewhere), { code: 'ERR_JWKS_NO_MATCHING_KEY' })
  })
}

for (const environment of [w.test, w.live])
  test(`cookies, forms and redirects belong to the issuer, as its kind demands (${environment.type})`, async () => {
    const { issuer, id } = environment
    const { protocol, pathname, origin } = new URL(issuer)
    const prefix = protocol === 'http:' ? '' : pathname === '/' ? '__Host-' : '__Secure-'
    const application = await w.createApplication(environment)
    const user = await w.createUser(environment)
    const agent = createAgent()
    const page = await agent.get(authorizationRequest(environment, application).url)
    assert.ok(formOf(page.body).action.startsWith(`${issuer}/`))
    const signIn = (sent_from: string) => agent.submit(page, { email: user.email, password: user.password }, { origin: sent_from })
    for (const other of ['https://evil.example', origin.replace('//', '//a.'), `${origin}0`])
      assert.equal((await signIn(other)).status, 400, other)
    const signed_in = await signIn(origin)
    assert.ok(signed_in.headers.get('location')?.startsWith(`${issuer}/oauth/authorize?`))
    const lines = [page, signed_in].flatMap(({ headers }) => headers.getSetCookie())
    assert.deepEqual(
      lines
        .map((line) => line.replace(/(_env_[0-9a-z]{26})(_[^=]+)?=.*$/, '$1'))
        .sort(), // each form has a cookie of its own
      ['device', 'form', 'last', 'refused', 'session'].map((name) => `${prefix}ostiary_${name}_${id}`),
    )
    const secure = protocol === 'https:' ? '; Secure' : ''
    for (const line of lines) assert.match(line, new RegExp(`=[^;]*; Path=${pathname}; Max-Age=\\d+; HttpOnly; SameSite=Lax${secure}$`))
    const hsts = page.headers.get('strict-transport-security')
    assert.equal(hsts, protocol === 'https:' ? 'max-age=31536000' : null)
    assert.match(page.headers.get('content-security-policy') ?? '', /frame-ancestors 'none'/)
  })

const hasCurl = (process.env.PATH ?? '').split(delimiter).some((folder) => existsSync(join(folder, 'curl')))

test('the whole flow works with curl', { skip: hasCurl ? false : 'needs curl' }, async () => {
  const { issuer } = w.test
  const application = await w.createApplication(w.test, { post_logout_redirect_uris: [signed_out_uri] })
  const user = await w.createUser(w.test)
  const jar = join(mkdtempSync(join(tmpdir(), 'ostiary-curl-')), 'cookies')
  after(() => rmSync(join(jar, '..'), { recursive: true }))
  const run = promisify(execFile)
  const curl = async (...args: string[]) =>
    (await run('curl', ['--silent', '--show-error', '--max-time', '10', ...w.curl_options, ...args])).stdout
  const browser = (...args: string[]) => curl('--cookie', jar, '--cookie-jar', jar, ...args)
  const location = ['--output', '/dev/null', '--write-out', '%{redirect_url}']
  const form = (fields: Record<string, string>) => Object.entries(fields).flatMap((field) => ['--data-urlencode', field.join('=')])
  const asClient = ['--user', `${application.client_id}:${application.client_secret}`]

  const metadata = JSON.parse(await curl(`${issuer}/.well-known/openid-configuration`))
  const request = authorizationRequest(w.test, application)
  const { action, hidden } = formOf(await browser(request.url))
  const next = await browser(...location, ...form({ ...hidden, email: user.email, password: user.password }), action)
  const code = new URL(await browser(...location, next)).searchParams.get('code') ?? ''
  const exchanged = { grant_type: 'authorization_code', code, redirect_uri: request.redirect_uri, code_verifier: request.code_verifier }
  const tokens = JSON.parse(await curl(...asClient, ...form(exchanged), metadata.token_endpoint))
  const again = JSON.parse(
    await curl(...asClient, ...form({ grant_type: 'refresh_token', refresh_token: tokens.refresh_token }), metadata.token_endpoint),
  )
  const bearer = ['--header', `Authorization: Bearer ${again.access_token}`]
  assert.equal(JSON.parse(await curl(...bearer, metadata.userinfo_endpoint)).sub, user.id)
  assert.equal(await curl(...asClient, ...form({ token: again.refresh_token }), metadata.revocation_endpoint), '{}')
  assert.equal(await curl(...bearer, '--output', '/dev/null', '--write-out', '%{http_code}', metadata.userinfo_endpoint), '401')
  const logout = new URLSearchParams({ id_token_hint: again.id_token, post_logout_redirect_uri: signed_out_uri })
  assert.equal(await browser(...location, `${metadata.end_session_endpoint}?${logout}`), signed_out_uri)
  assert.equal(decodeJwt(again.id_token).iss, issuer)
})
