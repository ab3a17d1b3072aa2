/** Keycloak as a provider, signed out of from both sides. It runs where `npm run applications -- --install keycloak` has unpacked it. */
import assert from 'node:assert/strict'
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { type Agent, authorizationRequest, createAgent, exchange, formOf } from '../server/test/support/cookie-browser.ts'
import { freePort } from '../server/test/support/free-port.ts'
import { until } from '../server/test/support/receiver.ts'
import { expectStatus, world } from '../server/test/support/world.ts'
import { folderOfPackages, isInstalled } from './install.ts'
import { answers, start } from './processes.ts'
import keycloak from './products/keycloak.ts'

const skip = isInstalled(keycloak, folderOfPackages(keycloak)) ? false : 'needs npm run applications -- --install keycloak'
const admin = { username: 'admin', password: 'admin' }
const pat = { username: 'pat', password: 'a long enough password', email: 'pat@example.com', firstName: 'Pat', lastName: 'Doe' }
const bye = 'https://app.example.com/bye'

test('a sign-out here asks for the password at Keycloak again, and a sign-out there ends the session here', { skip }, async () => {
  const w = await world({ env: { OSTIARY_WEBHOOK_ALLOWED_NETWORKS: '127.0.0.1/32,::1/128' } })
  const application = await w.createApplication(w.test, { post_logout_redirect_uris: [bye] })
  const there = await startKeycloak()
  const registration = {
    type: 'oidc',
    issuer: there.issuer,
    client_id: 'ostiary',
    client_secret: 'a-client-secret',
    sign_out: 'rp_initiated',
  }
  const provider = expectStatus(201, await w.call('POST', `${w.test.path}/providers`, { body: registration }))
  const user_id = await there.createRealm(provider)
  assert.deepEqual(expectStatus(200, await w.call('POST', `${w.test.path}/providers/${provider.id}/check`, { body: {} })), {
    ok: true,
    cause: null,
    detail: null,
  })

  /** Signs in by two browsers, one for each service. `asked`: Keycloak asked for a password. */
  const signIn = async (here: Agent, at_keycloak: Agent): Promise<{ id_token: string; asked: boolean }> => {
    const request = authorizationRequest(w.test, application)
    const { hidden } = formOf((await here.get(request.url)).body)
    const started = await here.post(`${w.test.issuer}/federate`, { ...hidden, provider: provider.id })
    let at = started.headers.get('location') ?? ''
    let asked = false
    for (let steps = 0; steps < 12 && !at.startsWith('https://app.example.com'); steps++) {
      const agent = at.startsWith(there.url) ? at_keycloak : here
      const reply = await agent.get(at)
      if (reply.status < 300) {
        asked = true
        const action = /<form[^>]*action="([^"]*)"/.exec(reply.body)?.[1]?.replaceAll('&amp;', '&') ?? assert.fail(reply.body)
        const posted = await agent.post(action, { username: pat.username, password: pat.password })
        at = new URL(posted.headers.get('location') ?? assert.fail(posted.body), at).href
      } else at = new URL(reply.headers.get('location') ?? assert.fail(reply.body), at).href
    }
    const code = new URL(at).searchParams.get('code') ?? assert.fail(at)
    const { id_token } = expectStatus(200, await exchange(w, w.test, application, { request, code }))
    return { id_token, asked }
  }
  const isSignedIn = async (agent: Agent) => {
    const reply = await agent.get(authorizationRequest(w.test, application, { prompt: 'none' }).url)
    return new URL(reply.headers.get('location') ?? '').searchParams.has('code')
  }

  const browser = createAgent()
  const [here, beside, later] = [createAgent(), createAgent(), createAgent()]
  const first = await signIn(here, browser)
  assert.deepEqual([first.asked, (await signIn(beside, browser)).asked], [true, false])

  const query = new URLSearchParams({ id_token_hint: first.id_token, post_logout_redirect_uri: bye })
  const leaving = await here.get(`${w.test.issuer}/oauth/logout?${query}`)
  const returning = await browser.get(leaving.headers.get('location') ?? '')
  const back = returning.headers.get('location') ?? assert.fail(returning.body)
  assert.equal(back.split('?')[0], provider.post_logout_redirect_uri)
  assert.equal((await here.get(back)).headers.get('location'), bye)
  await until('the session at Keycloak takes those with it that began there', async () => !(await isSignedIn(beside)))

  assert.equal((await signIn(later, browser)).asked, true, 'the button asks for the password again')
  assert.deepEqual(await Promise.all([here, later].map(isSignedIn)), [false, true])
  await there.signOut(user_id)
  await until('the logout token ends the last session', async () => !(await isSignedIn(later)))
})

async function startKeycloak() {
  const folder = mkdtempSync(join(tmpdir(), 'ostiary-keycloak-'))
  const port = await freePort()
  const url = `http://localhost:${port}`
  const [version] = Object.values(keycloak.maven)
  cpSync(join(folderOfPackages(keycloak), `maven/keycloak-${version}`), folder, { recursive: true, preserveTimestamps: true })
  const log = join(folder, 'keycloak.log')
  const env = {
    PATH: process.env.PATH,
    HOME: folder,
    KC_BOOTSTRAP_ADMIN_USERNAME: admin.username,
    KC_BOOTSTRAP_ADMIN_PASSWORD: admin.password,
  }
  const options = ['start-dev', '--http-host', 'localhost', '--http-port', String(port)]
  const program = start([join(folder, 'bin/kc.sh'), ...options], { cwd: folder, env, log })
  after(async () => {
    await program.stop()
    rmSync(folder, { recursive: true, force: true })
  })
  await Promise.race([answers(`${url}/realms/master`, 240), program.gone]).catch((error: unknown) => {
    throw new Error(existsSync(log) ? readFileSync(log, 'utf8').slice(-2_000) : 'Keycloak wrote nothing.', { cause: error })
  })

  const asAdmin = async (method: string, path: string, body?: object) => {
    const form = new URLSearchParams({ grant_type: 'password', client_id: 'admin-cli', ...admin })
    const signed_in = await fetch(`${url}/realms/master/protocol/openid-connect/token`, { method: 'POST', body: form })
    const { access_token } = (await signed_in.json()) as { access_token: string } // as: Keycloak's answer
    const headers = { authorization: `Bearer ${access_token}`, 'content-type': 'application/json' }
    const reply = await fetch(`${url}/admin/realms${path}`, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) })
    assert.ok(reply.ok, `${method} ${path}: ${reply.status} ${await reply.clone().text()}`)
    return reply
  }
  return {
    url,
    issuer: `${url}/realms/main`,
    /** @returns the id of the person there */
    async createRealm(provider: {
      callback_url: string
      post_logout_redirect_uri: string
      backchannel_logout_uri: string
    }): Promise<string> {
      const client = {
        clientId: 'ostiary',
        secret: 'a-client-secret',
        redirectUris: [provider.callback_url],
        attributes: {
          'post.logout.redirect.uris': provider.post_logout_redirect_uri,
          'backchannel.logout.url': provider.backchannel_logout_uri,
          'backchannel.logout.session.required': 'true',
        },
      }
      const { password, ...person } = pat
      const users = [{ ...person, enabled: true, emailVerified: true, credentials: [{ type: 'password', value: password }] }]
      await asAdmin('POST', '', { realm: 'main', enabled: true, sslRequired: 'none', clients: [client], users })
      const found = (await (await asAdmin('GET', '/main/users?username=pat')).json()) as { id: string }[] // as: Keycloak's answer
      return found[0]?.id ?? assert.fail('Keycloak has no such person.')
    },
    signOut: (user_id: string) => asAdmin('POST', `/main/users/${user_id}/logout`),
  }
}
