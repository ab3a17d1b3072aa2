/** Addresses with letters beyond ASCII: the pairs that are one account, those that are not, and those that no account has, on every path. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openAccount, press, stepOf } from '../support/account.ts'
import { stepOn } from '../support/authenticator-app.ts'
import { authorizationRequest, createAgent, exchange, followPages, obtainCode, userinfo } from '../support/cookie-browser.ts'
import { createTenant } from '../support/invitations.ts'
import { mailsTo, newestMail } from '../support/mailed.ts'
import { createAdministrator } from '../support/tenants.ts'
import { expectStatus, randomText, world } from '../support/world.ts'

const w = await world({ env: { OSTIARY_TRUSTED_PROXIES: '127.0.0.0/8,::1', OSTIARY_LIMITS: '{"tenants_per_person":1000}' } })
const environment = w.test
await w.changeSettings(environment, { sign_in: { email_code: true }, notices: { new_sign_in: false } })
const client = await w.createApplication(environment)
const unlimited = { limit: 100_000, window_seconds: 1 }
const key = expectStatus(
  201,
  await w.call('POST', `${environment.path}/auth-keys`, { body: { type: 'auth_secret', rate_limit: unlimited } }),
).key
const password = 'a memorable sentence'

let sources = 0
const from = () => ({ 'x-forwarded-for': `198.51.${Math.floor(++sources / 250)}.${sources % 250}` })
/** An ASCII word for each account, so that the rows do not meet. */
const fresh = (pattern: string) =>
  pattern.replace(
    '#',
    `x${randomText()
      .replaceAll(/[^a-z]/gi, '')
      .slice(0, 12)
      .toLowerCase()}`,
  )

const create = (email: string) => w.call('POST', '/v1/auth/users', { key, body: { email, password, email_verified: true } })
async function find(email: string): Promise<{ id: string; email: string } | null> {
  const { data } = expectStatus(200, await w.call('GET', `/v1/auth/users?email=${encodeURIComponent(email)}`, { key }))
  return data[0] ?? null
}
async function open(prompt: string) {
  const agent = createAgent()
  const request = authorizationRequest(environment, client, { prompt })
  return { agent, request, page: await agent.get(request.url) }
}
async function signIn(email: string) {
  const { agent, page } = await open('login')
  return agent.submit(page, { email, password, method: 'password' }, from())
}
async function askForCode(email: string) {
  const { agent, page } = await open('login')
  return { agent, page: await agent.submit(page, { email, password: '', method: 'email_code' }, from()) }
}
async function signUp(email: string) {
  const { agent, page } = await open('create')
  return { agent, page: await agent.submit(page, { email, password }, from()) }
}
async function forgot(email: string) {
  const { agent, page } = await open('login')
  const [, href = ''] = /href="([^"]*\/forgot-password\?[^"]*)"/.exec(page.body) ?? []
  return agent.submit(await agent.get(href.replaceAll('&amp;', '&')), { email }, from())
}
async function changeTo(email: string) {
  const person = await w.createUser(environment)
  const { agent } = await openAccount(environment, person)
  const page = await agent.get(`${environment.issuer}/account?action=change-email`)
  return { person, agent, reply: await press(agent, page, 'change-email', { email }) }
}
const kindsTo = async (email: string) => (await mailsTo(w, environment, email)).map(({ kind }) => kind)

// biome-ignore format: this table is read by column
const same: [stored: string, typed: string][] = [
  ['jörg#@exämple.de',             'JÖRG#@EXÄMPLE.DE'],
  ['jörg#@exämple.de',             'jörg#@xn--exmple-cua.de'],
  ['jörg#@xn--exmple-cua.de',      'Jörg#@exämple.de'],
  ['ada#@xn--80a1acny.xn--p1ai',   'ada#@почта.рф'],
  ['Ada#@example.com',             'ada#@EXAMPLE.com'],
]
for (const [one, other] of same)
  test(`${one} and ${other} are one account, and its mail goes to the address of the account`, async () => {
    const word = fresh('#')
    const [stored, typed] = [one.replace('#', word), other.replace('#', word)]
    const user = expectStatus(201, await create(stored))
    assert.equal(user.email, stored)
    assert.equal((await create(typed)).status, 409)
    assert.equal((await find(typed))?.id, user.id)
    assert.equal((await signIn(typed)).status, 303)

    const { agent, page } = await askForCode(typed)
    assert.equal(stepOn(page), 'code')
    const { code } = await newestMail(w, environment, stored)
    assert.equal((await agent.submit(page, { code: code ?? '' })).status, 303)

    assert.equal((await forgot(typed)).status, 200)
    assert.equal(stepOn((await signUp(typed)).page), 'code')
    const { reply } = await changeTo(typed)
    assert.equal(reply.status, 303)
    assert.deepEqual(await kindsTo(typed), ['existing_account', 'existing_account', 'reset_password', 'sign_in_code'])
    const { data } = expectStatus(200, await w.call('GET', `${environment.path}/inbox?to=${encodeURIComponent(typed)}`))
    assert.deepEqual([...new Set(data.map(({ to }: { to: string }) => to))], [stored])
  })

// biome-ignore format: this table is read by column
const others: [stored: string, typed: string][] = [
  ['jörg#@example.com',    'jorg#@example.com'],
  ['ada#@müller.de',       'ada#@muller.de'],
  ['ada#@faß.de',          'ada#@fass.de'],
  ['straße#@example.com',  'strasse#@example.com'],
]
for (const [one, other] of others)
  test(`${one} and ${other} are two accounts`, async () => {
    const word = fresh('#')
    const [stored, typed] = [one.replace('#', word), other.replace('#', word)]
    const user = expectStatus(201, await create(stored))
    assert.equal(await find(typed), null)
    assert.equal((await signIn(typed)).status, 400)
    await forgot(typed)
    assert.deepEqual(await kindsTo(stored), [])
    const { agent, page } = await signUp(typed)
    const { code } = await newestMail(w, environment, typed)
    assert.equal((await agent.submit(page, { code: code ?? '' })).status, 303)
    const second = (await find(typed)) ?? assert.fail('There is no second account.')
    assert.notEqual(second.id, user.id)
  })

// biome-ignore format: this table is read by column
const refused: [what: string, address: string][] = [
  ['a joiner',                            'a\u200Dda@example.com'],
  ['a Cyrillic a among Latin letters',    '\u0430da@example.com'],
  ['a directional mark',                  'ö\u200Fada@example.com'],
  ['a label too long as it travels',      `ada@${'ü'.repeat(60)}.de`],
  ['a domain of one label',               'jörg@localhost'],
]
// biome-ignore format: this table is read by column
const folded: [what: string, address: string, same: string][] = [
  ['full-width letters', 'ａｄａ#@example.com',         'ada#@example.com'],
  ['a ligature',         'ﬁnn#@example.com',         'finn#@example.com'],
  ['a Kelvin sign',      '\u212Aim#@example.com',    'Kim#@example.com'],
  ['a decomposed ö',     'jo\u0308rg#@exämple.de',   'jörg#@exämple.de'],
]
const administrator = await createAdministrator(w, 'olga@example.com')

for (const [what, address] of [...refused, ...folded.map(([name, text]): [string, string] => [name, text.replace('#', '')])])
  test(`the API refuses an address with ${what}, for users, changes and invitations`, async () => {
    assert.equal((await create(address)).status, 422)
    const user = await w.createUser(environment)
    assert.equal((await w.call('PATCH', `/v1/auth/users/${user.id}`, { key, body: { email: address } })).status, 422)
    const t = await createTenant(w, administrator)
    assert.equal((await t.as(administrator, 'POST', '', { email: address, role: 'viewer' })).status, 422)
  })

for (const [what, address] of refused)
  test(`the pages refuse an address with ${what}, and mail nothing`, async () => {
    for (const reply of [
      (await askForCode(address)).page,
      (await signUp(address)).page,
      await forgot(address),
      (await changeTo(address)).reply,
    ])
      assert.equal(reply.status, 400)
    assert.equal((await signIn(address)).status, 400)
    assert.deepEqual(await kindsTo(address), [])
  })

for (const [what, pattern, plain] of folded)
  test(`on pages ${what} mean the plain letters, since a keyboard may send them; no second account begins`, async () => {
    const word = fresh('#')
    const [typed, address] = [pattern.replace('#', word), plain.replace('#', word)]
    const { agent, page } = await signUp(typed)
    const { code } = await newestMail(w, environment, address)
    assert.equal((await agent.submit(page, { code: code ?? '' })).status, 303)
    assert.equal((await find(address))?.email, address)
    assert.equal((await find(typed))?.id, (await find(address))?.id)
    assert.equal((await signIn(typed)).status, 303)
  })

test('a person with an international address signs up, changes the address, resets the password, and applications get the address', async () => {
  const email = fresh('jörg#@exämple.de')
  const { agent, page } = await signUp(email)
  const { code } = await newestMail(w, environment, email)
  assert.equal((await agent.submit(page, { code: code ?? '' })).status, 303)

  const request = authorizationRequest(environment, client)
  const tokens = expectStatus(
    200,
    await exchange(w, environment, client, { request, code: await obtainCode(createAgent(), request, { email, password }) }),
  )
  assert.equal(expectStatus(200, await userinfo(w, environment, tokens.access_token)).email, email)

  const next = fresh('иван@#.рф')
  const { agent: own } = await openAccount(environment, { email, password })
  const form = await own.get(`${environment.issuer}/account?action=change-email`)
  const asked = await followPages(own, await press(own, form, 'change-email', { email: next }))
  const mailed = await newestMail(w, environment, next)
  await press(own, asked, 'change-email', { code: mailed.code ?? '' })
  const notice = (await mailsTo(w, environment, email)).find(({ kind }) => kind === 'change_email_notice')
  const other = createAgent()
  assert.equal((await other.submit(await other.get(notice?.link ?? ''), {})).status, 200)
  assert.equal((await find(next))?.email, next)
  assert.equal(await find(email), null)

  await forgot(next)
  const { link } = await newestMail(w, environment, next)
  const reset = createAgent()
  const chosen = await reset.submit(await reset.get(link ?? ''), {})
  assert.equal((await reset.submit(chosen, { password: 'another memorable sentence' })).status, 200)
  assert.equal(stepOf((await openAccount(environment, { email: next, password: 'another memorable sentence' })).page), 'account')
})

test('of 50 parallel creations of one address in all its spellings one succeeds', async () => {
  const word = fresh('#')
  const spellings = [`jörg${word}@exämple.de`, `JÖRG${word}@EXÄMPLE.de`, `jörg${word}@xn--exmple-cua.de`, `Jörg${word}@XN--EXMPLE-CUA.DE`]
  const body = (i: number) => ({ email: spellings[i % spellings.length] })
  const replies = await Promise.all(Array.from({ length: 50 }, (_, i) => w.call('POST', '/v1/auth/users', { key, body: body(i) })))
  assert.deepEqual(
    [201, 409].map((status) => replies.filter((reply) => reply.status === status).length),
    [1, 49],
  )
})

test('an invitation in another spelling of the address replaces the pending one', async () => {
  const t = await createTenant(w, administrator)
  const [first, second] = [await t.invite('jörg@exämple.de', 'viewer'), await t.invite('JÖRG@xn--exmple-cua.de', 'viewer')]
  assert.equal((await createAgent().get(first.invitation_url ?? '')).status, 410)
  assert.notEqual((await createAgent().get(second.invitation_url ?? '')).status, 410)
})

test('an international person who changes only the spelling of the address keeps its proof', async () => {
  const word = fresh('#')
  const user = expectStatus(201, await create(`jörg${word}@exämple.de`))
  const body = { email: `JÖRG${word}@xn--exmple-cua.de` }
  const changed = expectStatus(200, await w.call('PATCH', `/v1/auth/users/${user.id}`, { key, body }))
  assert.deepEqual([changed.email, changed.email_verified], [body.email, true])
})
