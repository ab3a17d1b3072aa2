/** A new account, whichever way it began: its event names the way, and the person as the actor. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Event } from '@ostiary/contract/event.ts'
import { type Agent, authorizationRequest, createAgent, followPages, formOf } from '../support/cookie-browser.ts'
import { newestMail } from '../support/mailed.ts'
import { until } from '../support/receiver.ts'
import { startUpstreams } from '../support/upstream-provider.ts'
import { expectStatus, world } from '../support/world.ts'

const upstreams = await startUpstreams()
const w = await world({ outbound: upstreams.outbound })
const client = await w.createApplication(w.test)
const provider = expectStatus(
  201,
  await w.call('POST', `${w.test.path}/providers`, {
    body: { type: 'oidc', issuer: 'https://sso.example.com', client_id: 'o', client_secret: 's' },
  }),
)
const password = 'a sentence to remember'
const open = (agent: Agent) => agent.get(authorizationRequest(w.test, client, { prompt: 'create' }).url)

async function byPassword(agent: Agent, email: string) {
  await agent.submit(await open(agent), { email, password })
}

async function byCode(agent: Agent, email: string, fields: Record<string, string>) {
  const page = await followPages(agent, await agent.submit(await open(agent), { email, ...fields }))
  await agent.submit(page, { code: (await newestMail(w, w.test, email)).code ?? '' })
}

async function byProvider(agent: Agent, email: string) {
  const { hidden } = formOf((await agent.get(authorizationRequest(w.test, client).url)).body)
  const started = await agent.post(`${w.test.issuer}/federate`, { ...hidden, provider: provider.id })
  const answer = upstreams.agree(started.headers.get('location') ?? '', { claims: { sub: email, email, email_verified: true } })
  await agent.get(`${w.test.issuer}/oauth/callback/${provider.id}?${new URLSearchParams(answer)}`)
}

const with_codes = { email: { delivery: 'capture' }, sign_in: { password: false, email_code: true } }
const ways = [
  { way: 'a password without mail', method: 'password', settings: { email: { delivery: 'none' } }, begin: byPassword },
  { way: 'a password, and a code that proves the address', method: 'password', begin: (a: Agent, e: string) => byCode(a, e, { password }) },
  { way: 'a code alone', method: 'email_code', settings: with_codes, begin: (a: Agent, e: string) => byCode(a, e, {}) },
  { way: 'a provider', method: 'oidc', begin: byProvider },
]
for (const [n, { way, method, settings, begin }] of ways.entries())
  test(`an account that begins with ${way} has the event user.created with the method ${method} and the person as its actor`, async () => {
    await w.changeSettings(w.test, settings ?? { email: { delivery: 'capture' }, sign_in: { password: true, email_code: false } })
    const email = `new${n}@example.com`
    await begin(createAgent(), email)
    const event = await until('the event', async () => {
      const { data } = expectStatus(200, await w.call('GET', `${w.test.path}/events?type=user.created`))
      return (data as Event[]).find((one) => one.data.email === email) // as: the body of the list
    })
    const { user_id } = event
    assert.ok(user_id)
    assert.deepEqual(
      [event.data, event.actor],
      [
        { email, method, sub: user_id },
        { type: 'user', id: user_id },
      ],
    )
    assert.match(event.request_id ?? '', /^req_/)
  })
