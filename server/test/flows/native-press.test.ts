/** A session alone gives a public native client no code at an address that any program of the device can have (RFC 8252 §8.6, decision 0153). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { z } from 'zod'
import { sql } from '../../src/db/db.ts'
import { authorizationRequest, type Client, createAgent, createPerson, exchange, type Fields } from '../support/cookie-browser.ts'
import { expectStatus, type Reply, randomText, world } from '../support/world.ts'

const w = await world()
const person = await createPerson(w, w.test)
const { agent } = person

const Named = z.object({ client_id: z.string(), redirect_uris: z.array(z.string()) })
const native = async (redirect_uri: string, fields: Fields = {}) =>
  Named.parse(await w.createApplication(w.test, { application_type: 'native', redirect_uris: [redirect_uri], name: 'Notes', ...fields }))
const requestOf = (client: Client, change: Fields = {}) => authorizationRequest(w.test, client, { scope: 'openid email', ...change })
const answerOf = (reply: Reply) => new URL(reply.headers.get('location') ?? 'about:blank').searchParams
const hasCode = (reply: Reply) => answerOf(reply).has('code')
const actions = ({ body }: Reply) => [...body.matchAll(/data-action="([a-z-]+)"/g)].map(([, action]) => action)

/** The page asks for a press and for nothing else. */
function isPressPage(reply: Reply, status = 200): boolean {
  const is_page = reply.status === status && /<main[^>]* data-step="consent"/.test(reply.body) && actions(reply).includes('continue')
  if (is_page) assert.ok(actions(reply).includes('cancel') && !actions(reply).includes('confirm'))
  return is_page
}
const isConsentPage = (reply: Reply) => reply.status === 200 && actions(reply).includes('confirm')

/** Presses the button, and follows to the answer. */
async function press(page: Reply, fields = { decision: 'allow' }): Promise<Reply> {
  const pressed = await agent.submit(page, fields)
  assert.equal(pressed.status, 303)
  return agent.get(pressed.headers.get('location') ?? '')
}

const Granted = z.object({ count: z.coerce.number() })
async function consentsOf(client: Client): Promise<number> {
  const [row] = await w.deployment.db.all(
    Granted,
    sql`select count(*) as count from events
      where environment_id = ${w.test.id} and type = 'consent.granted' and application_id = ${client.client_id}`,
  )
  return row?.count ?? -1
}

const addresses: [redirect_uri: string, needs_press: boolean][] = [
  ['https://app.example.com/callback', false],
  ['com.example.app:/callback', true],
  ['http://127.0.0.1/callback', true],
  ['http://127.0.0.2/callback', true],
  ['http://127.4.5.6:8080/callback', true],
  ['http://[::1]/callback', true],
  ['http://localhost/callback', true],
  ['http://app.localhost/callback', true],
  ['https://localhost/callback', true],
  ['http://192.168.1.5/callback', true],
]
for (const [redirect_uri, needs_press] of addresses)
  for (const consent of ['skip', 'ask'] as const)
    test(`${redirect_uri}, consent ${consent}: a session ${needs_press ? 'alone gives no code' : 'is enough'}`, async () => {
      const client = await native(redirect_uri, { consent })
      // A sign-in for the request, with its consent, is the press.
      await person.code(client, { scope: 'openid email' })
      const before = await consentsOf(client)

      for (let round = 0; round < 2; round++) {
        const request = requestOf(client)
        const first = await agent.get(request.url)
        assert.equal(isPressPage(first), needs_press)
        const answer = needs_press ? await press(first) : first
        expectStatus(200, await exchange(w, w.test, client, { request, code: answerOf(answer).get('code') ?? '' }))
        const none = await agent.get(requestOf(client, { prompt: 'none' }).url)
        assert.equal(answerOf(none).get('error'), needs_press ? 'interaction_required' : null)
        assert.equal(hasCode(none), !needs_press)
      }
      const nobody = await createAgent().get(requestOf(client, { prompt: 'none' }).url)
      assert.equal(answerOf(nobody).get('error'), 'login_required')
      assert.equal(await consentsOf(client), before, 'a press stores no consent')
    })

test('a sign-in for the request is the press', async () => {
  const client = await native('com.example.app:/callback')
  const fresh = createAgent()
  const page = await fresh.get(requestOf(client).url)
  const signed_in = await fresh.submit(page, { email: person.email, password: person.password, method: 'password' })
  assert.ok(hasCode(await fresh.get(signed_in.headers.get('location') ?? '')))
})

test('a consent for the request is the press, and comes before it', async () => {
  const client = await native('com.example.app:/callback', { consent: 'ask' })
  const page = await agent.get(requestOf(client).url)
  assert.ok(isConsentPage(page))
  assert.ok(hasCode(await press(page)))
  assert.equal(await consentsOf(client), 1)
  assert.ok(isPressPage(await agent.get(requestOf(client).url)), 'earlier consent is not')
  const wider = await agent.get(requestOf(client, { scope: 'openid email profile' }).url)
  assert.ok(isConsentPage(wider), 'a wider request asks for consent')
  const again = await agent.get(requestOf(client, { prompt: 'consent' }).url)
  assert.ok(isConsentPage(again), 'and so does prompt=consent')
})

test('a request by POST needs the press too', async () => {
  const client = await native('http://127.0.0.1/callback')
  await person.code(client)
  const { url } = requestOf(client)
  const posted = await agent.post(`${w.test.issuer}/oauth/authorize`, Object.fromEntries(new URL(url).searchParams))
  assert.equal(posted.status, 303)
  assert.ok(isPressPage(await agent.get(posted.headers.get('location') ?? '')))
})

test('a press of one tab does not count for the request of another one', async () => {
  const client = await native('http://127.0.0.1/callback')
  await person.code(client)
  const [one, two] = [requestOf(client), requestOf(client)]
  const [page_one, page_two] = [await agent.get(one.url), await agent.get(two.url)]
  assert.ok(hasCode(await press(page_one)))
  assert.ok(isPressPage(await agent.get(two.url)))
  assert.ok(hasCode(await press(page_two)), 'the page that was open stays usable')
})

test('a cancelled press is access_denied', async () => {
  const client = await native('com.example.app:/callback')
  await person.code(client)
  const refused = await agent.submit(await agent.get(requestOf(client).url), { decision: 'deny' })
  assert.equal(answerOf(refused).get('error'), 'access_denied')
})

test('a press needs the form token of the page, its origin, and its session', async () => {
  const client = await native('com.example.app:/callback')
  await person.code(client)
  const page = await agent.get(requestOf(client).url)
  const refusals = [
    await agent.submit(page, { decision: 'allow', csrf: randomText() }),
    await agent.submit(page, { decision: 'allow' }, { origin: 'https://evil.example' }),
  ]
  for (const refused of refusals) assert.ok(isPressPage(refused, 400))
  const foreign = await agent.submit(page, { decision: 'allow', session: `ses_${'0'.repeat(26)}` })
  assert.ok(!hasCode(foreign) && !answerOf(foreign).has('pressed'))
})

test('the name that a person adds after the sign-in keeps the press of the sign-in, and does not count by itself', async () => {
  await w.changeSettings(w.test, { sign_up: { name: 'required' } })
  try {
    const nameless = await w.createUser(w.test, { name: null })
    const client = await native('com.example.app:/callback')
    const one = createAgent()
    const sign_in = await one.get(requestOf(client).url)
    const signed_in = await one.submit(sign_in, { email: nameless.email, password: nameless.password, method: 'password' })
    const asked = await one.get(signed_in.headers.get('location') ?? '')
    assert.match(asked.body, /<main[^>]* data-step="profile"/)
    const other = await one.get(requestOf(client).url)
    assert.match(other.body, /<main[^>]* data-step="profile"/)
    w.advance(120)
    const named = await one.submit(asked, { name: 'Ada' })
    assert.ok(hasCode(await one.get(named.headers.get('location') ?? '')))
    const late = await one.submit(other, { name: 'Ada' })
    assert.ok(isPressPage(await one.get(late.headers.get('location') ?? '')))
  } finally {
    await w.changeSettings(w.test, { sign_up: { name: 'off' } })
  }
})
