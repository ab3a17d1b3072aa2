/** Every kind of outgoing call ends by its deadline, however the peer misbehaves. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { generateKeyPair, SignJWT } from 'jose'
import { parseNetwork } from '../../src/base/networks.ts'
import { createOutbound, type Outbound } from '../../src/deployment/outbound/fetch.ts'
import { authorizationRequest, createAgent, createPerson, formOf, postAsClient } from '../support/cookie-browser.ts'
import { misbehaviour_names, misbehaviours, startHostilePeer } from '../support/hostile-peer.ts'
import { until } from '../support/receiver.ts'
import { startUpstreams } from '../support/upstream-provider.ts'
import { insertWebhooks } from '../support/webhooks.ts'
import { expectStatus, randomText, world } from '../support/world.ts'

const [peer, upstreams] = [await startHostilePeer(), await startUpstreams()]
const loopback = parseNetwork('127.0.0.1/32')
if (typeof loopback === 'string') throw new Error(loopback)
const real = createOutbound({ base_url: 'http://localhost', webhook_allowed_networks: [loopback] })

/** The deadlines of the callers, which are a few seconds. The calls of this test get a shorter one. */
const deadlines = new Set<number>()
const outbound: Outbound = async (request) => {
  deadlines.add(request.timeout_ms)
  const { host, pathname } = new URL(request.url)
  const [, step, row] = /^(\w+)-(\d+)\.test$/.exec(host) ?? []
  if (step !== 'all' && !pathname.endsWith(`/${step}`)) return upstreams.outbound(request)
  const url = `http://127.0.0.1:${peer.port}${peer.pathOf(misbehaviour_names[Number(row)] ?? '')}`
  return real({ ...request, url, https_only: false, timeout_ms: 300 })
}
const w = await world({ outbound })

/** The URL of a peer that misbehaves in this step. */
const urlOf = (what: string, step = 'all') => `https://${step}-${misbehaviour_names.indexOf(what)}.test`

/** Calls all peers at once, and then reports each in a subtest of its own. */
function each(rule: string, outcomesOf: () => Promise<string[]>, expected: (what: string) => RegExp): void {
  test(rule, async (t) => {
    const outcomes = await outcomesOf()
    assert.equal(outcomes.length, misbehaviour_names.length)
    for (const [i, what] of misbehaviour_names.entries())
      await t.test(`the peer ${what}`, () => assert.match(outcomes[i] ?? 'nothing', expected(what)))
    await peer.idle()
  })
}

const { privateKey } = await generateKeyPair('ES256')

async function authenticate(what: string): Promise<string> {
  const fields = { token_endpoint_auth_method: 'private_key_jwt', jwks_uri: urlOf(what) }
  const client = await w.createApplication(w.test, fields)
  const now = Math.floor(w.now().getTime() / 1000)
  const claims = { iss: client.client_id, sub: client.client_id, aud: w.test.issuer, iat: now, exp: now + 60, jti: randomText() }
  const client_assertion = await new SignJWT(claims).setProtectedHeader({ alg: 'ES256' }).sign(privateKey)
  const client_assertion_type = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'
  const form = { grant_type: 'refresh_token', refresh_token: 'none', client_assertion, client_assertion_type }
  const { client_id, redirect_uris } = client
  const { status, body } = await postAsClient(w, `${w.test.issuer}/v1/oauth/token`, { client_id, redirect_uris }, form)
  return `${status} ${body.error}`
}
each(
  'a token request ends as invalid_client when the jwks_uri misbehaves',
  () => Promise.all(misbehaviour_names.map(authenticate)),
  () => /^401 invalid_client$/,
)

const addProvider = async (what: string, step?: string) =>
  expectStatus(
    201,
    await w.call('POST', `${w.test.path}/providers`, {
      body: { type: 'oidc', client_id: 'o', client_secret: 's', issuer: urlOf(what, step) },
    }),
  )

/** Starts a sign-in at each provider. */
async function startSignIns(providers: { id: string }[]) {
  const agent = createAgent()
  const page = await agent.get(authorizationRequest(w.test, await w.createApplication(w.test)).url)
  const start = ({ id }: { id: string }) => agent.post(`${w.test.issuer}/federate`, { ...formOf(page.body).hidden, provider: id })
  return { agent, replies: await Promise.all(providers.map(start)) }
}
each(
  'a sign-in at a provider ends with its page when the discovery misbehaves',
  async () =>
    (await startSignIns(await Promise.all(misbehaviour_names.map((what) => addProvider(what))))).replies.map(({ status }) =>
      String(status),
    ),
  () => /^502$/,
)

for (const step of ['token', 'jwks', 'userinfo']) {
  for (const what of ['switches protocols', 'says nothing', 'sends 103 again and again', 'sends a status above 599']) {
    test(`a sign-in at a provider ends with its page when ${step} at the provider ${what}`, async () => {
      const provider = await addProvider(what, step)
      const { agent, replies } = await startSignIns([provider])
      const location = replies[0]?.headers.get('location') ?? assert.fail('The provider was not reached.')
      const back = new URLSearchParams(upstreams.agree(location, { claims: { sub: what } }))
      assert.equal((await agent.get(`${provider.callback_url}?${back}`)).status, 502)
      await peer.idle()
    })
  }
}

each(
  'a webhook gets its failed attempt when the receiver misbehaves',
  async () => {
    const webhooks = await insertWebhooks(
      w,
      w.test,
      misbehaviour_names.map((what) => urlOf(what)),
    )
    const paths = webhooks.map(({ id }) => `${w.test.path}/webhooks/${id}`)
    for (const path of paths) expectStatus(202, await w.call('POST', `${path}/test`))
    return Promise.all(
      paths.map((path) =>
        until('an attempt', async () => {
          const attempt = expectStatus(200, await w.call('GET', `${path}/deliveries`)).data[0]?.attempts[0]
          return attempt && String(attempt.status)
        }),
      ),
    )
  },
  // The beginning of a longer body is enough.
  (what) => (['sends a body without end', 'sends chunks without end'].includes(what) ? /^(200|null)$/ : /^null$/),
)

each(
  'a back-channel logout ends when the application misbehaves',
  async () => {
    const clients = await Promise.all(
      misbehaviour_names.map((what) => w.createApplication(w.test, { backchannel_logout_uri: urlOf(what) })),
    )
    const person = await createPerson(w, w.test)
    await person.code(await w.createApplication(w.test))
    for (const client of clients) await person.tokens(client)
    await person.agent.submit(await person.agent.get(`${w.test.issuer}/oauth/logout`), { decision: 'sign_out' })
    const failureOf = (client_id: string) => {
      const line = w.log.find((entry) => entry.includes('A back-channel logout did not arrive.') && entry.includes(client_id))
      return line && JSON.parse(line).why
    }
    // A head with the status 200 is an answer, whatever follows.
    const has_status = /body|chunk|trailer|tunnel|upgrade|promises/
    return until('an outcome for each', async () => {
      const outcomes = clients.map(
        ({ client_id }, i) => failureOf(client_id) ?? (has_status.test(misbehaviour_names[i] ?? '') && 'answered'),
      )
      return outcomes.every(Boolean) && outcomes
    })
  },
  (what) => new RegExp(`^(answered|timeout|${misbehaviours[what]?.reason})$`),
)

test('every caller sets a deadline of at most 15 seconds', () => {
  assert.ok(deadlines.size >= 4)
  for (const timeout_ms of deadlines) assert.ok(timeout_ms > 0 && timeout_ms <= 15_000, String(timeout_ms))
})
