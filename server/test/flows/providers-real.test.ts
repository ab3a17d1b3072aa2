import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { createServer as createServerWithTls } from 'node:https'
import { after, test } from 'node:test'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { decodeJwt } from 'jose'
import { makeCertificate } from '../support/certificate.ts'
import { type Agent, authorizationRequest, createAgent, exchange, formOf, obtainCode } from '../support/cookie-browser.ts'
import { freePort } from '../support/free-port.ts'
import { until } from '../support/receiver.ts'
import { expectStatus, world } from '../support/world.ts'

/** An issuer uses https, so this process trusts the certificate of the other provider. */
const certificate = makeCertificate('localhost')
setDefaultCACertificates([...getCACertificates(), certificate.cert])

const w = await world({ env: { OSTIARY_WEBHOOK_ALLOWED_NETWORKS: '127.0.0.1/32,::1/128' } })
const bye = 'https://app.example.com/bye'
const application = await w.createApplication(w.test, { post_logout_redirect_uris: [bye] })

const addProvider = async (body: Record<string, unknown>) =>
  expectStatus(201, await w.call('POST', `${w.test.path}/providers`, { body: { type: 'oidc', ...body } }))

async function startSignIn(agent: Agent, provider_id: string) {
  const request = authorizationRequest(w.test, application)
  const { hidden } = formOf((await agent.get(request.url)).body)
  const started = await agent.post(`${w.test.issuer}/federate`, { ...hidden, provider: provider_id })
  return { request, location: started.headers.get('location') ?? '' }
}

/** Follows redirects until the application has its code. */
async function follow(agent: Agent, location: string): Promise<string> {
  let at = location
  while (!at.startsWith('https://app.example.com')) {
    const reply = await agent.get(at)
    if (reply.status !== 303 && reply.status !== 302)
      throw new Error(`${reply.status} ${reply.body.replace(/<style>.*?<\/style>/gs, '').slice(0, 800)}`)
    at = new URL(reply.headers.get('location') ?? '', at).href
  }
  return new URL(at).searchParams.get('code') ?? ''
}

test('users of one environment sign in to another one of the same service', async () => {
  const upstream = await w.createApplication(w.live, { redirect_uris: ['https://placeholder.example.com/'] })
  const provider = await addProvider({ issuer: w.live.issuer, client_id: upstream.client_id, client_secret: upstream.client_secret })
  // Live accepts this http callback, since it is under the base URL.
  expectStatus(
    200,
    await w.call('PATCH', `${w.live.path}/applications/${upstream.id}`, { body: { redirect_uris: [provider.callback_url] } }),
  )
  const user = await w.createUser(w.live)

  const agent = createAgent()
  const { request, location } = await startSignIn(agent, provider.id)
  const back = { url: location, redirect_uri: provider.callback_url, code_verifier: '', state: '', nonce: '' }
  const code = await obtainCode(agent, back, user)
  const state = new URL(location).searchParams.get('state') ?? ''
  const done = await follow(agent, `${provider.callback_url}?${new URLSearchParams({ code, state, iss: w.live.issuer })}`)
  const tokens = expectStatus(200, await exchange(w, w.test, application, { request, code: done }))
  assert.equal(decodeJwt(tokens.id_token).email, user.email)
})

// In Test a provider on the developer's own machine needs no certificate.
for (const scheme of ['https', 'http'])
  test(`people sign in through oidc-provider at an ${scheme} issuer, and the ID token names no method`, async () => {
    const provider = await startOidcProvider(scheme)
    const { id_token } = await signInThrough(provider, createAgent(), createAgent())
    assert.equal(decodeJwt(id_token).email, `person-${provider.id}@example.com`.toLowerCase())
    assert.equal(decodeJwt(id_token).email_verified, true)
    assert.equal(decodeJwt(id_token).amr, undefined)
  })

test('a sign-out here asks for the password at oidc-provider again, and a sign-out there ends the session here', async () => {
  const provider = await startOidcProvider('http')
  const there = createAgent()
  const [here, beside, later] = [createAgent(), createAgent(), createAgent()]
  const first = await signInThrough(provider, here, there)
  assert.deepEqual([first.asked, (await signInThrough(provider, beside, there)).asked], [true, false])

  const query = new URLSearchParams({ id_token_hint: first.id_token, post_logout_redirect_uri: bye })
  const leaving = await here.get(`${w.test.issuer}/oauth/logout?${query}`)
  const returning = await confirmSignOut(there, leaving.headers.get('location') ?? '')
  assert.equal(returning.split('?')[0], provider.post_logout_redirect_uri)
  assert.equal((await here.get(returning)).headers.get('location'), bye)
  assert.equal((await signInThrough(provider, later, there)).asked, true)

  const isSignedIn = async (agent: Agent) => {
    const reply = await agent.get(authorizationRequest(w.test, application, { prompt: 'none' }).url)
    return new URL(reply.headers.get('location') ?? '').searchParams.has('code')
  }
  await until('the session at the provider takes those with it that began there', async () => !(await isSignedIn(beside)))
  assert.deepEqual(await Promise.all([here, later].map(isSignedIn)), [false, true])
  await confirmSignOut(there, `${provider.issuer}/session/end`)
  await until('the logout token ends the last session', async () => !(await isSignedIn(later)))
})

type OidcProvider = Awaited<ReturnType<typeof startOidcProvider>>

async function startOidcProvider(scheme: string) {
  const { default: Provider } = await import('oidc-provider')
  const port = await freePort()
  const issuer = `${scheme}://localhost:${port}`
  const provider = await addProvider({ issuer, client_id: 'ostiary', client_secret: 'a-client-secret', sign_out: 'rp_initiated' })
  const upstream = new Provider(issuer, {
    clients: [
      {
        client_id: 'ostiary',
        client_secret: 'a-client-secret',
        redirect_uris: [provider.callback_url],
        post_logout_redirect_uris: [provider.post_logout_redirect_uri],
        backchannel_logout_uri: provider.backchannel_logout_uri,
        backchannel_logout_session_required: true,
        token_endpoint_auth_method: 'client_secret_basic',
      },
    ],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    findAccount: (_: unknown, id: string) => ({
      accountId: id,
      claims: () => ({ sub: id, email: `${id}@example.com`, email_verified: true, name: 'Up Stream' }),
    }),
    features: { devInteractions: { enabled: true }, backchannelLogout: { enabled: true } },
    // Its own dispatcher refuses addresses of this machine.
    fetch: (url: string | URL, { dispatcher: _, ...options }: RequestInit) => fetch(url, options),
    conformIdTokenClaims: false,
  })
  const listener = upstream.callback()
  const server = (scheme === 'https' ? createServerWithTls(certificate, listener) : createServer(listener)).listen(port, '127.0.0.1')
  after(() => {
    server.closeAllConnections()
    server.close()
  })
  return { ...provider, issuer }
}

/** Signs in by two browsers, one for each service. `asked`: the provider asked for a password. */
async function signInThrough(provider: OidcProvider, here: Agent, there: Agent): Promise<{ id_token: string; asked: boolean }> {
  const { request, location } = await startSignIn(here, provider.id)
  let at = location
  let asked = false
  for (let steps = 0; steps < 12 && !at.startsWith(provider.callback_url); steps++) {
    const reply = await there.get(at)
    if (reply.status < 300) {
      asked ||= /type="password"/.test(reply.body)
      const action = /<form[^>]*action="([^"]*)"/.exec(reply.body)?.[1] ?? ''
      const prompt = /name="prompt" value="([^"]*)"/.exec(reply.body)?.[1] ?? ''
      const login = `person-${provider.id}`.toLowerCase()
      const posted = await there.post(new URL(action, at).href, { prompt, login, password: 'any' })
      at = new URL(posted.headers.get('location') ?? '', at).href
    } else at = new URL(reply.headers.get('location') ?? '', at).href
  }
  const { id_token } = expectStatus(200, await exchange(w, w.test, application, { request, code: await follow(here, at) }))
  return { id_token, asked }
}

/** Presses "Yes" on the page of the provider that asks. Returns where the browser goes then. */
async function confirmSignOut(there: Agent, url: string): Promise<string> {
  const page = await there.get(url)
  const action = /<form[^>]*action="([^"]*)"/.exec(page.body)?.[1] ?? ''
  const xsrf = /name="xsrf" value="([^"]*)"/.exec(page.body)?.[1] ?? ''
  return (await there.post(action, { xsrf, logout: 'yes' })).headers.get('location') ?? ''
}
