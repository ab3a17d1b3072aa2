/** The account page: who gets it, what it shows, and its changes of profile, devices, applications and sign-in methods (decision 0045). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { linkOf, offersOf, openAccount, press, problemOf, rowsOf, signInOn, stepOf } from '../support/account.ts'
import {
  authorizationRequest,
  createAgent,
  createPerson,
  exchange,
  followPages,
  formOf,
  obtainCode,
  refresh,
  userinfo,
} from '../support/cookie-browser.ts'
import { until } from '../support/receiver.ts'
import { startUpstreams } from '../support/upstream-provider.ts'
import { expectStatus, type TestEnvironment, type World, world } from '../support/world.ts'

const upstreams = await startUpstreams()
const w = await world({ outbound: upstreams.outbound })
const client = await w.createApplication(w.test, { consent: 'ask', name: 'Meal Planner' })
await w.changeSettings(w.test, { notices: { new_sign_in: false } }) // people of this test sign in in several browsers
const account_url = `${w.test.issuer}/account`

const events = (user_id: string, type: string, count = 1, environment: TestEnvironment = w.test) =>
  until(`${count} events ${type}`, async () => {
    const { data } = expectStatus(200, await w.call('GET', `${environment.path}/events?user_id=${user_id}&type=${type}`))
    return data.length >= count && data
  })
const inbox = async (to: string) => expectStatus(200, await w.call('GET', `${w.test.path}/inbox?to=${encodeURIComponent(to)}`)).data
const kindsOf = async (to: string) => (await inbox(to)).map(({ kind }: { kind: string }) => kind)
const userOf = async ({ id }: { id: string }) => expectStatus(200, await w.call('GET', `${w.test.path}/users/${id}`))
const isActive = async (tokens: { access_token: string }) => (await userinfo(w, w.test, tokens.access_token)).status === 200

test('without a session the account page is the sign-in page without a client, and comes back', async () => {
  const person = await w.createUser(w.test, { name: 'Demo Example' })
  const agent = createAgent()
  const first = await agent.get(account_url)
  assert.deepEqual([first.status, stepOf(first), first.headers.get('cache-control')], [200, 'sign-in', 'no-store'])
  assert.match(first.body, /to your account/)
  const wrong = await agent.submit(first, { email: person.email, password: 'not the password', method: 'password' })
  assert.deepEqual([wrong.status, stepOf(wrong)], [400, 'sign-in'])
  const page = await signInOn(agent, wrong, person)
  assert.deepEqual([page.status, stepOf(page), page.headers.get('cache-control')], [200, 'account', 'no-store'])
  assert.match(page.body, /<h1>Demo Example<\/h1>/)
  const again = await agent.get(account_url)
  assert.deepEqual([stepOf(again), problemOf(again)], ['account', undefined])
})

for (const address of [w.test.issuer, `${w.test.issuer}/`])
  test(`${address.endsWith('/') ? 'the root of an issuer' : 'the address of an issuer'} leads to the account, in the language that was asked for`, async () => {
    const answers = await Promise.all([address, `${address}?ui_locales=de&action=delete-account`].map((url) => createAgent().get(url)))
    assert.deepEqual(
      answers.map(({ status, headers }) => [status, headers.get('location')]),
      [
        [303, account_url],
        [303, `${account_url}?ui_locales=de`],
      ],
    )
  })

// biome-ignore format: this table is read by column
const ways_to_password: [when: string, password: boolean, query: string, to: string][] = [
  ['with passwords',                  true,  '',                                    '?action=change-password'],
  ['with a language',                 true,  '?ui_locales=de',                      '?action=change-password&ui_locales=de'],
  ['with parameters of strangers',    true,  '?action=delete-account&id=a&done=x',  '?action=change-password'],
  ['without passwords',               false, '',                                    ''],
]
for (const [when, password, query, to] of ways_to_password)
  test(`/.well-known/change-password leads to the change on the account page: ${when}`, async () => {
    const { test: environment } = await w.createProject(`passwords-${when.split(' ').at(-1)}-${password}`)
    await w.changeSettings(environment, { sign_in: { password, email_code: true } })
    const url = `${environment.issuer}/.well-known/change-password${query}`
    const { status, headers } = await createAgent().get(url)
    assert.deepEqual([status, headers.get('location')], [303, `${environment.issuer}/account${to}`])
    assert.equal((await w.call('POST', url, { key: null })).status, 405)
  })

test('a password manager leads a person to the form for a new password, and after a sign-in of long ago through another one', async () => {
  const person = await w.createUser(w.test)
  const agent = createAgent()
  const first = await followPages(agent, await agent.get(`${w.test.issuer}/.well-known/change-password`))
  assert.equal(stepOf(first), 'sign-in')
  assert.match((await signInOn(agent, first, person)).body, /autocomplete="new-password"/)
  w.advance(601)
  const later = await followPages(agent, await agent.get(`${w.test.issuer}/.well-known/change-password`))
  assert.equal(stepOf(later), 'sign-in')
})

test('a person without an account creates one on the way to the account page', async () => {
  await w.changeSettings(w.test, { test: { fixed_code: '246810' } })
  const agent = createAgent()
  const sign_up = await agent.get(linkOf(await agent.get(account_url), 'create-account'))
  assert.equal(stepOf(sign_up), 'sign-up')
  const code = await agent.submit(sign_up, { email: 'new@example.com', name: 'New', password: 'an engine of brass' })
  const page = await followPages(agent, await agent.submit(code, { code: '246810' }))
  assert.deepEqual([stepOf(page), /new@example\.com/.test(page.body)], ['account', true])
})

test('of several accounts in a browser the page shows the current one, and leads to the others', async () => {
  const [one, two] = [await w.createUser(w.test, { name: 'One' }), await w.createUser(w.test, { name: 'Two' })]
  const { agent } = await openAccount(w.test, one)
  const page = (await openAccount(w.test, two, agent, '?prompt=login')).page
  assert.match(page.body, /<h1>Two<\/h1>/)
  const chooser = await agent.get(`${account_url}?prompt=select_account`)
  assert.equal(stepOf(chooser), 'select-account')
  const session = new RegExp(`<li data-id="(ses_\\w+)">(?:(?!</li>).)*${one.email}`, 's').exec(chooser.body)?.[1] ?? ''
  const chosen = await followPages(agent, await agent.submit(chooser, { session }))
  assert.match(chosen.body, /<h1>One<\/h1>/)
})

test('the German account page is in German', async () => {
  const { agent } = await openAccount(w.test, await w.createUser(w.test, { name: null }))
  const page = await agent.get(account_url, { 'accept-language': 'de' })
  assert.match(page.body, /<html lang="de">.*<h1>Ihr Konto<\/h1>/s)
})

test('a person changes their profile: the record, the event and the claims follow', async () => {
  const person = await w.createUser(w.test, { name: 'Old Name', nickname: 'Nick', locale: 'fr', zoneinfo: 'Europe/Vienna' })
  const { agent, page } = await openAccount(w.test, person)
  const form = await agent.get(linkOf(page, 'change-name'))
  assert.match(form.body, /name="name" type="text" autocomplete="name" value="Old Name"/)
  const values = { name: ' New Name ', given_name: 'New', family_name: '', nickname: '', locale: 'fr', zoneinfo: 'Asia/Tokyo' }
  const after = await followPages(agent, await press(agent, form, 'change-name', values))
  assert.match(after.body, /Your profile has been changed\..*New Name/s)
  const { name, given_name, family_name, nickname, locale, zoneinfo } = await userOf(person)
  assert.deepEqual([name, given_name, family_name, nickname, locale, zoneinfo], ['New Name', 'New', null, null, 'fr', 'Asia/Tokyo'])
  const [event] = await events(person.id, 'user.updated')
  assert.deepEqual(event.data, { changed: ['name', 'given_name', 'nickname', 'zoneinfo'], sub: person.id })
  assert.deepEqual(event.actor, { type: 'user', id: person.id })
  await press(agent, form, 'change-name', { name: 'New Name' })
  assert.equal((await userOf(person)).given_name, 'New', 'a field that the form does not have stays')
  assert.equal((await events(person.id, 'user.updated')).length, 1, 'a form without a change raises no event')
})

const wrong_values: [what: string, fields: Record<string, string>][] = [
  ['a name of 201 characters', { name: 'x'.repeat(201) }],
  ['a name of 70,000 characters', { name: 'x'.repeat(70_000) }],
  ['a control character', { given_name: 'a\u0000b' }],
  ['a line break', { family_name: 'a\nb' }],
  ['a bidirectional control', { nickname: 'a\u202Eb' }],
  ['a locale that is not a tag', { locale: 'no tag' }],
  ['an unknown time zone', { zoneinfo: 'Mars/Olympus' }],
  ['an offset in place of a time zone', { zoneinfo: '+01:00' }],
  ['a name without a visible character', { name: '\u2800' }],
  ['a first name of a letter that is not seen', { given_name: '\u3164' }],
]
for (const [what, fields] of wrong_values)
  test(`the profile refuses ${what}, keeps what was typed, and changes nothing`, async () => {
    const person = await w.createUser(w.test, { name: 'Stays' })
    const { agent, page } = await openAccount(w.test, person)
    const form = await agent.get(linkOf(page, 'change-name'))
    const refused = await press(agent, form, 'change-name', { nickname: 'Typed', ...fields })
    assert.equal(refused.status, 400)
    assert.match(problemOf(refused) ?? '', /^(?:Use at most 200|Choose a language|This time zone)/)
    if (!('nickname' in fields)) assert.match(refused.body, /value="Typed"/)
    assert.equal((await userOf(person)).nickname, null)
  })

test('what is not seen around a typed name is taken off, judged and shown without', async () => {
  const person = await w.createUser(w.test, { name: 'Old' })
  const { agent, page } = await openAccount(w.test, person)
  const form = await agent.get(linkOf(page, 'change-name'))
  const refused = await press(agent, form, 'change-name', { name: '\u200b Ada\u00a0', zoneinfo: ' Mars/Olympus\u200b' })
  assert.match(refused.body, /value="Ada".*value="Mars\/Olympus"/s)
  await press(agent, refused, 'change-name', { name: '\u2068Ada\u2069', nickname: '\u200b', zoneinfo: '\ufeffEurope/Vienna ' })
  const { name, nickname, zoneinfo } = await userOf(person)
  assert.deepEqual([name, nickname, zoneinfo], ['Ada', null, 'Europe/Vienna'])
})

test('a form of the profile that is too old keeps what was typed', async () => {
  const { agent, page } = await openAccount(w.test, await w.createUser(w.test))
  const form = await agent.get(linkOf(page, 'change-name'))
  const refused = await press(agent, form, 'change-name', { name: 'Typed Name', csrf: 'old' })
  assert.equal(refused.status, 400)
  assert.match(refused.body, /name="name" [^>]*value="Typed Name"/)
})

/** A person with sessions in two browsers, and tokens of each. */
async function onTwoDevices(world: World = w) {
  const person = await createPerson(world, world.test, {})
  const here = await person.tokens(client)
  const other = createAgent()
  const request = authorizationRequest(world.test, client)
  const there = expectStatus(200, await exchange(world, world.test, client, { request, code: await obtainCode(other, request, person) }))
  const page = await person.agent.get(account_url)
  return { person, agent: person.agent, other, here, there, page }
}

test('a session on another device is ended with its grants, and this one is marked and stays', async () => {
  const { person, agent, other, here, there, page } = await onTwoDevices()
  const [mine = '', theirs = ''] = rowsOf(page, 'devices')
  assert.match(page.body, new RegExp(`data-id="${mine}">.*?This device`, 's'))
  const after = await followPages(agent, await press(agent, page, { action: 'end-session', id: theirs }))
  assert.match(after.body, /The device has been signed out\./)
  assert.deepEqual(rowsOf(after, 'devices'), [mine])
  assert.deepEqual([await isActive(here), await isActive(there)], [true, false])
  assert.equal((await refresh(w, w.test, client, there.refresh_token)).body.error, 'invalid_grant')
  assert.equal(stepOf(await other.get(account_url)), 'sign-in')
  const [event] = await events(person.id, 'session.ended')
  assert.deepEqual(event.data, { session_id: theirs, reason: 'ended_by_person', sub: person.id })
})

test('all other sessions end at once, with an event for each and every grant that began there', async () => {
  const { person, agent, here, there } = await onTwoDevices()
  const third = await openAccount(w.test, person)
  const page = await agent.get(account_url)
  assert.equal(rowsOf(page, 'devices').length, 3)
  const after = await followPages(agent, await press(agent, page, 'end-other-sessions'))
  assert.equal(rowsOf(after, 'devices').length, 1)
  assert.doesNotMatch(after.body, /end-other-sessions/)
  assert.deepEqual([await isActive(here), await isActive(there)], [true, false])
  assert.equal(stepOf(await third.agent.get(account_url)), 'sign-in')
  const ended = await events(person.id, 'session.ended', 2)
  assert.deepEqual(
    ended.map(({ data }: { data: { reason: string } }) => data.reason),
    ['ended_by_person', 'ended_by_person'],
  )
})

test('a connected application is shown with what it gets, and disconnecting ends its consent and all its grants', async () => {
  const { person, agent, here, there, page } = await onTwoDevices()
  assert.deepEqual(rowsOf(page, 'apps'), [client.id])
  assert.match(page.body, /Meal Planner.*Can see your name, picture and email address, even while you are away\. Since/s)
  const after = await followPages(agent, await press(agent, page, { action: 'disconnect', id: client.id }))
  assert.deepEqual(rowsOf(after, 'apps'), [])
  assert.deepEqual([await isActive(here), await isActive(there)], [false, false])
  const [event] = await events(person.id, 'consent.revoked')
  assert.equal(event.application_id, client.id)
  const consent = await agent.get(authorizationRequest(w.test, client).url)
  assert.equal(stepOf(consent), 'consent')
  assert.match(consent.body, new RegExp(`<a href="${account_url}" data-action="account">`))
})

test('signing out on the account page signs out the browser, and the page after it leads back', async () => {
  const { agent, page } = await openAccount(w.test, await w.createUser(w.test))
  const out = await press(agent, page, 'sign-out', { decision: 'sign_out' })
  assert.deepEqual([out.status, stepOf(out)], [200, 'signed-out'])
  assert.match(out.body, new RegExp(`href="${account_url}"`))
  assert.equal(stepOf(await agent.get(account_url)), 'sign-in')
})

test('a new password ends every other session and grant, is mailed with the device, and this browser stays', async () => {
  const { person, agent, other, here, there, page } = await onTwoDevices()
  const form = await agent.get(linkOf(page, 'change-password'))
  const headers = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:133.0) Gecko/20100101 Firefox/133.0' }
  const after = await followPages(
    agent,
    await press(agent, form, { action: 'change-password', headers }, { password: 'an engine of brass' }),
  )
  assert.match(after.body, /Your password has been changed\./)
  assert.deepEqual([await isActive(here), await isActive(there)], [true, false])
  assert.equal(stepOf(await other.get(account_url)), 'sign-in')
  assert.deepEqual(rowsOf(after, 'devices').length, 1)
  const [mail] = await inbox(person.email)
  assert.deepEqual([mail.kind, mail.code, mail.link], ['password_changed', null, null])
  const { text } = expectStatus(200, await w.call('GET', `${w.test.path}/inbox/${mail.id}`))
  assert.match(text, /Firefox, Linux/)
  const [event] = await events(person.id, 'user.updated')
  assert.deepEqual(event.data, { changed: ['password'], sub: person.id })
  assert.equal(stepOf((await openAccount(w.test, person)).page), 'sign-in', 'the old password is wrong')
  assert.equal(stepOf((await openAccount(w.test, { ...person, password: 'an engine of brass' })).page), 'account')
})

for (const [what, password] of [
  ['none', ''],
  ['a short one', 'short'],
  ['a common one', 'password1234'],
  ['one of 1,001 characters', 'ä'.repeat(1_001)],
  ['the address of the person', 'ada.lovelace@example.net'],
] as const)
  test(`the account page refuses a new password: ${what}`, async () => {
    const email = what === 'the address of the person' ? password : `refused${password.length}@example.com`
    const person = await w.createUser(w.test, { email })
    const { agent, page } = await openAccount(w.test, person)
    const refused = await press(agent, await agent.get(linkOf(page, 'change-password')), 'change-password', { password })
    assert.deepEqual([refused.status, stepOf(refused)], [400, 'account'])
    assert.ok(password === '' || !refused.body.includes(`value="${password}"`) || email === password)
    assert.equal(stepOf((await openAccount(w.test, person)).page), 'account', 'the old password stays')
    assert.deepEqual(await kindsOf(email), [])
  })

const provider = expectStatus(
  201,
  await w.call('POST', `${w.test.path}/providers`, {
    body: {
      type: 'oidc',
      display_name: 'Company',
      issuer: 'https://sso.example.com',
      client_id: 'o',
      client_secret: 's',
      link_by_verified_email: true,
    },
  }),
)

/** Signs in through the provider on a sign-in page, and follows to the page after it. */
async function signInUpstream(agent: ReturnType<typeof createAgent>, page: { body: string }, email: string) {
  const { hidden } = formOf(page.body)
  const started = await agent.post(`${w.test.issuer}/federate`, { ...hidden, provider: provider.id })
  const sent = new URL(started.headers.get('location') ?? '')
  const identity = { claims: { sub: `subject of ${email}`, email, email_verified: true, name: 'Pat' } }
  const answer = new URLSearchParams(upstreams.agree(sent.href, identity))
  return {
    prompt: sent.searchParams.get('prompt'),
    page: await followPages(agent, await agent.get(`${w.test.issuer}/oauth/callback/${provider.id}?${answer}`)),
  }
}

let pats = 0
async function onlyUpstream() {
  const email = `pat${++pats}@example.com`
  const agent = createAgent()
  const { page } = await signInUpstream(agent, await agent.get(account_url), email)
  assert.equal(stepOf(page), 'account')
  return { email, agent, page }
}

test('a person without a password sets a first one, which is mailed as a new method', async () => {
  const { email, agent, page } = await onlyUpstream()
  assert.match(page.body, /You have no password\./)
  await press(agent, await agent.get(linkOf(page, 'change-password')), 'change-password', { password: 'an engine of brass' })
  assert.deepEqual(await kindsOf(email), ['method_added'])
  assert.equal(stepOf((await openAccount(w.test, { email, password: 'an engine of brass' })).page), 'account')
})

test('the last way in cannot be removed; with a password the identity goes, with its sessions, a mail and an event', async () => {
  const { email, agent, page } = await onlyUpstream()
  const [method_id = ''] = rowsOf(page, 'signing-in')
  assert.doesNotMatch(page.body, /data-action="remove-provider"/)
  assert.match(page.body, /Your only way to sign in, so it stays/)
  const asked = `${account_url}?action=remove-provider&id=${method_id}`
  const refused = await agent.get(asked)
  assert.deepEqual([refused.status, stepOf(refused), offersOf(refused)[0]], [409, 'account', 'change-password'])
  assert.match(refused.body, /the only way to sign in/)
  const set = await agent.get(linkOf(refused, 'change-password'))
  await press(agent, set, 'change-password', { password: 'an engine of brass' })
  const confirm = await agent.get(asked)
  const other = await openAccount(w.test, { email, password: 'an engine of brass' })
  const removed = await followPages(agent, await press(agent, confirm, 'remove-provider'))
  assert.equal(stepOf(removed), 'sign-in', 'this session began with the identity')
  assert.deepEqual(await kindsOf(email), ['method_removed', 'method_added'])
  const left = await other.agent.get(account_url)
  const methods = rowsOf(left, 'signing-in').filter((id) => id.startsWith('mth_'))
  assert.deepEqual([stepOf(left), methods], ['account', []])
  const user_id = /name="user" value="(usr_\w+)"/.exec(left.body)?.[1] ?? ''
  const [event] = await events(user_id, 'user.updated', 2)
  assert.deepEqual(event.data, { changed: ['identities'], method_id, sub: user_id })
})

test('a sign-in older than ten minutes leads through a sign-in of the same account back to the change', async () => {
  const [person, stranger] = [await w.createUser(w.test), await w.createUser(w.test)]
  const { agent } = await openAccount(w.test, stranger)
  const { page } = await openAccount(w.test, person, agent, '?prompt=login')
  const form = await agent.get(linkOf(page, 'change-password'))
  assert.equal(stepOf(form), 'account')
  w.advance(601)
  const late = await press(agent, form, 'change-password', { password: 'an engine of brass' })
  assert.equal(late.status, 303)
  assert.doesNotMatch(late.headers.get('location') ?? '', /engine|brass/)
  const asked = await followPages(agent, late)
  assert.deepEqual([asked.status, stepOf(asked)], [200, 'sign-in'])
  assert.match(asked.body, /please sign in again/)
  assert.doesNotMatch(asked.body, /create-account|prompt=select_account/)
  assert.equal(stepOf(await signInOn(agent, asked, stranger)), 'sign-in', 'the sign-in of another account does not do')
  const back = await signInOn(agent, await agent.get(linkOf(page, 'change-password')), person)
  assert.equal(stepOf(back), 'account')
  assert.match(back.body, /autocomplete="new-password"/)
  const changed = await followPages(agent, await press(agent, back, 'change-password', { password: 'an engine of brass' }))
  assert.match(changed.body, /Your password has been changed\./)
  assert.deepEqual(await kindsOf(person.email), ['password_changed'])
})

test('a fresh sign-in at a provider asks the person there again', async () => {
  const { email, agent, page } = await onlyUpstream()
  w.advance(601)
  const asked = await agent.get(linkOf(page, 'change-password'))
  assert.equal(stepOf(asked), 'sign-in')
  const again = await signInUpstream(agent, asked, email)
  assert.deepEqual([again.prompt, stepOf(again.page)], ['login', 'account'])
  assert.match(again.page.body, /autocomplete="new-password"/)
})

test('changes that are not sensitive need no fresh sign-in', async () => {
  const { agent, page } = await openAccount(w.test, await w.createUser(w.test))
  w.advance(3_600)
  const form = await agent.get(linkOf(page, 'change-name'))
  assert.equal(stepOf(form), 'account')
  assert.match((await followPages(agent, await press(agent, form, 'change-name', { name: 'Later' }))).body, /<h1>Later<\/h1>/)
})

test('the page says what has happened only after an own change, not by a link of another site', async () => {
  const { agent } = await openAccount(w.test, await w.createUser(w.test))
  const said = async (site: string) =>
    /has been changed/.test((await agent.get(`${account_url}?done=change-password`, { 'sec-fetch-site': site })).body)
  assert.deepEqual([await said('same-origin'), await said('cross-site'), await said('none')], [true, false, false])
})
