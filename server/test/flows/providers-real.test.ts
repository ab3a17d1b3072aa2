import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { createServer as createServerWithTls } from 'node:https'
import { after, test } from 'node:test'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { decodeJwt } from 'jose'
import { makeCertificate } from '../support/certificate.ts'
import { type Agent, authorizationRequest, createAgent, exchange, formOf, obtainCode } from '../support/cookie-browser.ts'
import { expectStatus, freePort, world } from '../support/world.ts'

/** An issuer uses https, so this process trusts the certificate of the other provider. */
const certificate = makeCertificate('localhost')
setDefaultCACertificates([...getCACertificates(), certificate.cert])

const w = await world({ env: { OSTIARY_WEBHOOK_ALLOWED_NETWORKS: '127.0.0.1/32,::1/128' } })
const application = await w.createApplication(w.test)

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
  test(`people sign in through oidc-provider at an ${scheme} issuer, and the ID token names no method`, () =>
    signInThroughOidcProvider(scheme))

async function signInThroughOidcProvider(scheme: string) {
  const { default: Provider } = await import('oidc-provider')
  const port = await freePort()
  const issuer = `${scheme}://localhost:${port}`
  const provider = await addProvider({ issuer, client_id: 'ostiary', client_secret: 'a-client-secret' })
  const upstream = new Provider(issuer, {
    clients: [
      {
        client_id: 'ostiary',
        client_secret: 'a-client-secret',
        redirect_uris: [provider.callback_url],
        token_endpoint_auth_method: 'client_secret_basic',
      },
    ],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    findAccount: (_: unknown, id: string) => ({
      accountId: id,
      claims: () => ({ sub: id, email: `${id}@example.com`, email_verified: true, name: 'Up Stream' }),
    }),
    features: { devInteractions: { enabled: true } },
    conformIdTokenClaims: false,
  })
  const listener = upstream.callback()
  const server = (scheme === 'https' ? createServerWithTls(certificate, listener) : createServer(listener)).listen(port, '127.0.0.1')
  after(() => {
    server.closeAllConnections()
    server.close()
  })

  const [here, there] = [createAgent(), createAgent()]
  const { request, location } = await startSignIn(here, provider.id)
  let at = location
  for (let steps = 0; steps < 12 && !at.startsWith(provider.callback_url); steps++) {
    const reply = await there.get(at)
    if (reply.status < 300) {
      const action = /<form[^>]*action="([^"]*)"/.exec(reply.body)?.[1] ?? ''
      const prompt = /name="prompt" value="([^"]*)"/.exec(reply.body)?.[1] ?? ''
      const posted = await there.post(new URL(action, at).href, { prompt, login: `person-${scheme}`, password: 'any' })
      at = new URL(posted.headers.get('location') ?? '', at).href
    } else at = new URL(reply.headers.get('location') ?? '', at).href
  }
  const tokens = expectStatus(200, await exchange(w, w.test, application, { request, code: await follow(here, at) }))
  assert.equal(decodeJwt(tokens.id_token).email, `person-${scheme}@example.com`)
  assert.equal(decodeJwt(tokens.id_token).email_verified, true)
  assert.equal(decodeJwt(tokens.id_token).amr, undefined)
}
