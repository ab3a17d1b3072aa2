/** Which domains may sign up (`sign_up.allowed_domains`, `blocked_domains`): way × list, and what a stranger sees of it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Email } from '@ostiary/contract/values.ts'
import { admitsDomain } from '../../src/protocol/sign-up.ts'
import { openAccount, press } from '../support/account.ts'
import { authorizationRequest, createAgent, followPages, formOf } from '../support/cookie-browser.ts'
import { mailsTo, newestMail } from '../support/mailed.ts'
import { startUpstreams } from '../support/upstream-provider.ts'
import { visibleIn } from '../support/visible.ts'
import { expectStatus, type Reply, randomText, world } from '../support/world.ts'

const upstreams = await startUpstreams()
const w = await world({ outbound: upstreams.outbound })
const environment = w.test
const client = await w.createApplication(environment)
const body = { type: 'oidc', issuer: 'https://sso.example.com', client_id: 'o', client_secret: 's', link_by_verified_email: true }
const provider = expectStatus(201, await w.call('POST', `${environment.path}/providers`, { body }))
await w.changeSettings(environment, { sign_in: { email_code: true }, lockout: { max_attempts: 100 } })
const lists = {
  allowed_domains: ['corp.example', '*.corp.example'],
  blocked_domains: ['bad.corp.example', '*.bad.example', 'xn--mller-kva.example'],
}
const choose = (sign_up: object | null) => w.changeSettings(environment, { sign_up })

// biome-ignore format: this table is read by column
const judged: [address: string, with_both: boolean, with_blocked: boolean][] = [
  ['ada@corp.example',               true,  true],
  ['ada@CORP.example',               true,  true],
  ['ada@sub.corp.example',           true,  true],
  ['ada@deep.sub.corp.example',      true,  true],
  ['ada@bad.corp.example',           false, false],
  ['ada@sub.bad.corp.example',       true,  true],
  ['ada@notcorp.example',            false, true],
  ['ada@corp.example.org',           false, true],
  ['ada@bad.example',                false, true],
  ['ada@a.bad.example',              false, false],
  ['ada@müller.example',             false, false],
  ['ada@xn--mller-kva.example',      false, false],
  ['"ada@corp.example"@else.example', false, true],
  ['ada@x-.bad.example',             false, false],
  ['ada@X-.Bad.example',             false, false],
  ['ada@xn--999999999.bad.example',  false, false],
  ['ada@x-.sub.corp.example',        true,  true],
]
for (const [address, with_both, with_blocked] of judged)
  test(`${address} ${with_both ? 'may' : 'may not'} sign up with both lists, and ${with_blocked ? 'may' : 'may not'} with the blocked one alone`, () => {
    assert.ok(address.startsWith('"') || Email.safeParse(address).success, 'an account can have the address')
    assert.equal(admitsDomain(lists, address), with_both)
    assert.equal(admitsDomain({ ...lists, allowed_domains: [] }, address), with_blocked)
  })

// biome-ignore format: this table is read by column
const patterns: [what: string, pattern: unknown, status: number][] = [
  ['a domain',                          'corp.example',                 200],
  ['all below a domain',                '*.corp.example',               200],
  ['an international domain as A-labels', 'xn--mller-kva.example',      200],
  ['an international domain as it is written', 'müller.example',        422],
  ['capitals',                          'Corp.example',                 422],
  ['a top-level domain',                '*.example',                    422],
  ['a star elsewhere',                  'a.*.example',                  422],
  ['a star alone',                      '*',                            422],
  ['an address',                        'ada@corp.example',             422],
  ['a URL',                             'https://corp.example',         422],
  ['a final dot',                       'corp.example.',                422],
  ['a blank',                           ' corp.example',                422],
  ['a domain of 254 characters',        `${'a'.repeat(60)}.${'b'.repeat(60)}.${'c'.repeat(60)}.${'d'.repeat(60)}.example.org`, 422],
  ['a number',                          1,                              422],
]
for (const [what, pattern, status] of patterns)
  test(`${what} is ${status === 200 ? 'taken' : 'refused'} in a list`, async () => {
    for (const list of ['allowed_domains', 'blocked_domains'])
      assert.equal((await w.call('PATCH', `${environment.path}/settings`, { body: { sign_up: { [list]: [pattern] } } })).status, status)
    await choose(null)
  })

test('a list has at most 200 domains', async () => {
  const many = (count: number) => ({ sign_up: { blocked_domains: Array.from({ length: count }, (_, i) => `d${i}.example`) } })
  assert.equal((await w.call('PATCH', `${environment.path}/settings`, { body: many(201) })).status, 422)
  expectStatus(200, await w.call('PATCH', `${environment.path}/settings`, { body: many(200) }))
  await choose(null)
})

test('the public configuration says nothing of the lists', async () => {
  await choose(lists)
  const key = expectStatus(
    201,
    await w.call('POST', `${environment.path}/auth-keys`, {
      body: { type: 'auth_publishable', allowed_origins: ['https://shop.example'] },
    }),
  ).key
  const config = expectStatus(200, await w.call('GET', '/v1/auth/config', { key, headers: { origin: 'https://shop.example' } }))
  assert.deepEqual(config.sign_up, { mode: 'open', name: 'off' })
  await choose(null)
})

const password = 'a sentence to remember'
const accounts = async (email: string) =>
  expectStatus(200, await w.call('GET', `${environment.path}/users?email=${encodeURIComponent(email)}`)).data
const outside = () => `${randomText().slice(0, 10)}@bad.corp.example`.toLowerCase()

/** Each way to begin an account. Returns the pages, and gives up where there is no code. */
const ways: Record<string, (email: string) => Promise<Reply[]>> = {
  async 'by password'(email) {
    const agent = createAgent()
    const page = await agent.get(authorizationRequest(environment, client, { prompt: 'create' }).url)
    const asked = await followPages(agent, await agent.submit(page, { email, password }))
    const [mail] = await mailsTo(w, environment, email)
    const wrong = await agent.submit(asked, { code: '000000' })
    return [asked, wrong, await agent.submit(wrong, { code: mail?.code ?? '000001' })]
  },
  async 'by a code'(email) {
    const agent = createAgent()
    const page = await agent.get(authorizationRequest(environment, client).url)
    const asked = await followPages(agent, await agent.submit(page, { email, password: '', method: 'email_code' }))
    const [mail] = await mailsTo(w, environment, email)
    return [asked, await agent.submit(asked, { code: mail?.code ?? '000001' })]
  },
  async 'by a provider'(email) {
    const agent = createAgent()
    const { hidden } = formOf((await agent.get(authorizationRequest(environment, client).url)).body)
    const started = await agent.post(`${environment.issuer}/federate`, { ...hidden, provider: provider.id })
    const answer = upstreams.agree(started.headers.get('location') ?? '', { claims: { sub: email, email, email_verified: true } })
    return [await agent.get(`${environment.issuer}/oauth/callback/${provider.id}?${new URLSearchParams(answer)}`)]
  },
}

for (const [way, begin] of Object.entries(ways)) {
  test(`an address of a blocked domain makes no account ${way}`, async () => {
    await choose(lists)
    const email = outside()
    const replies = await begin(email)
    assert.deepEqual(await accounts(email), [])
    assert.ok(replies.every(({ status }) => status < 500))
    if (way === 'by a provider') assert.match(replies[0]?.body ?? '', /addresses of this domain cannot sign up here/)
    else
      assert.deepEqual(
        (await mailsTo(w, environment, email)).map(({ kind, code, link }) => [kind, code, link]),
        [['sign_up_refused', null, null]],
      )
    await choose(null)
  })
  test(`an address of an allowed domain makes an account ${way}`, async () => {
    await choose(lists)
    const email = `${randomText().slice(0, 10)}@sub.corp.example`.toLowerCase()
    await begin(email)
    assert.equal((await accounts(email)).length, 1)
    await choose(null)
  })
}

for (const way of ['by password', 'by a code'])
  test(`a sign-up ${way} shows the same bytes for a blocked domain, an ordinary one and a taken address`, async () => {
    await choose(lists)
    const taken = `${randomText().slice(0, 10)}@corp.example`.toLowerCase()
    await w.createUser(environment, { email: taken })
    const shown: unknown[] = []
    for (const email of [outside(), `${randomText().slice(0, 10)}@corp.example`.toLowerCase(), ...(way === 'by password' ? [taken] : [])]) {
      const [asked] = (await ways[way]?.(email)) ?? []
      shown.push(visibleIn(asked ?? assert.fail(), email))
    }
    for (const each of shown) assert.deepEqual(each, shown[0])
    await choose(null)
  })

test('a code that was mailed before the domain was blocked makes no account', async () => {
  const email = outside()
  const agent = createAgent()
  const page = await agent.get(authorizationRequest(environment, client, { prompt: 'create' }).url)
  const asked = await followPages(agent, await agent.submit(page, { email, password }))
  const { code } = await newestMail(w, environment, email)
  await choose(lists)
  assert.equal((await agent.submit(asked, { code: code ?? '' })).status, 400)
  assert.deepEqual(await accounts(email), [])
  await choose(null)
})

test('without mail the page says that the domain cannot sign up', async () => {
  const { test: plain } = await w.createProject('plain')
  await w.changeSettings(plain, { email: { delivery: 'none' }, sign_up: lists })
  const app = await w.createApplication(plain)
  const agent = createAgent()
  const page = await agent.get(authorizationRequest(plain, app, { prompt: 'create' }).url)
  const refused = await agent.submit(page, { email: 'ada@bad.corp.example', password })
  assert.equal(refused.status, 400)
  assert.match(refused.body, /Addresses of this domain cannot sign up here/)
  assert.equal((await agent.submit(refused, { email: 'ada@corp.example', password })).status, 303)
})

test('a backend and an invitation bring in any address', async () => {
  await choose(lists)
  const key = expectStatus(201, await w.call('POST', `${environment.path}/auth-keys`, { body: { type: 'auth_secret' } })).key
  expectStatus(201, await w.call('POST', '/v1/auth/users', { key, body: { email: outside() } }))
  const organization = expectStatus(201, await w.call('POST', '/v1/auth/organizations', { key, body: { name: 'Acme' } }))
  const email = outside()
  expectStatus(201, await w.call('POST', `/v1/auth/organizations/${organization.id}/invitations`, { key, body: { email, roles: [] } }))
  const { link } = await newestMail(w, environment, email)
  const agent = createAgent()
  const page = await followPages(agent, await agent.get(link ?? ''))
  const asked = await followPages(agent, await press(agent, page, 'accept-invitation'))
  await agent.submit(asked, { code: (await newestMail(w, environment, email)).code ?? '' })
  assert.equal((await accounts(email)).length, 1, 'the invited address')
  const other = outside()
  expectStatus(
    201,
    await w.call('POST', `/v1/auth/organizations/${organization.id}/invitations`, { key, body: { email: other, roles: [] } }),
  )
  const stranger = outside()
  const opened = createAgent()
  const invitation = await opened.get((await newestMail(w, environment, other)).link ?? '')
  await opened.post(`${environment.issuer}/sign-up`, { ...formOf(invitation.body).hidden, email: stranger, password })
  assert.deepEqual(
    (await mailsTo(w, environment, stranger)).filter(({ code }) => code !== null),
    [],
  )
  assert.deepEqual(await accounts(stranger), [], 'another address than the invited one')
  await choose(null)
})

test('a person changes to no address of a blocked domain, and only the mail says why', async () => {
  await choose(lists)
  const person = await w.createUser(environment, { email: `${randomText().slice(0, 10)}@corp.example` })
  const { agent } = await openAccount(environment, person)
  const open = () => agent.get(`${environment.issuer}/account?action=change-email`)
  const email = outside()
  const asked = await followPages(agent, await press(agent, await open(), 'change-email', { email }))
  assert.equal(asked.status, 200)
  assert.deepEqual(
    (await mailsTo(w, environment, email)).map(({ kind, code, link }) => [kind, code, link]),
    [['sign_up_refused', null, null]],
  )
  await choose(null)
})

test('a change of address that began before the domain was blocked does not end there', async () => {
  const person = await w.createUser(environment)
  const { agent } = await openAccount(environment, person)
  const email = outside()
  const page = await agent.get(`${environment.issuer}/account?action=change-email`)
  const asked = await followPages(agent, await press(agent, page, 'change-email', { email }))
  await choose(lists)
  const { code } = (await mailsTo(w, environment, email)).find(({ kind }) => kind === 'change_email') ?? assert.fail()
  await press(agent, asked, 'change-email', { code: code ?? '' })
  const old = (await mailsTo(w, environment, person.email)).find(({ kind }) => kind === 'change_email_notice') ?? assert.fail()
  const link = await agent.get(old.link ?? '')
  await agent.submit(link, { decision: 'confirm' })
  assert.equal(expectStatus(200, await w.call('GET', `${environment.path}/users/${person.id}`)).email, person.email)
  await choose(null)
})
