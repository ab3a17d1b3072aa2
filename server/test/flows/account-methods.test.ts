/** The account page: adding and removing passkeys, apps and recovery codes (decision 0045). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  addApp,
  addPasskey,
  formFor,
  linkOf,
  offersOf,
  openAccount,
  press,
  problemOf,
  rowsOf,
  signInOn,
  stepOf,
} from '../support/account.ts'
import { createAuthenticator } from '../support/authenticator.ts'
import { appCode, recoveryCodesOn, secretOn, wrongCode } from '../support/authenticator-app.ts'
import { createAgent, followPages } from '../support/cookie-browser.ts'
import { mailsTo } from '../support/mailed.ts'
import { until } from '../support/receiver.ts'
import { expectStatus, type Reply, world } from '../support/world.ts'

const w = await world()
const account_url = `${w.test.issuer}/account`
const newDevice = () => createAuthenticator(new URL(w.test.issuer).origin)
const settings = (mode: 'off' | 'optional' | 'required', passkey = true) =>
  w.changeSettings(w.test, { mfa: { mode }, sign_in: { passkey } })

const events = (user_id: string, type: string, count: number) =>
  until(`${count} events ${type}`, async () => {
    const { data } = expectStatus(200, await w.call('GET', `${w.test.path}/events?user_id=${user_id}&type=${type}`))
    return data.length >= count && data
  })
const kindsOf = async (email: string) => (await mailsTo(w, w.test, email)).map(({ kind }) => kind)
const noticeOf = ({ headers }: Reply) => new URL(headers.get('location') ?? '', account_url).searchParams.get('done')

/** A person on the account page with what they have added there. */
async function withMethods(methods: { apps?: number; passkeys?: number }) {
  await settings('optional')
  const person = await w.createUser(w.test)
  const { agent } = await openAccount(w.test, person)
  const added = []
  for (let i = 0; i < (methods.apps ?? 0); i++) added.push(await addApp(w, w.test, agent))
  for (let i = 0; i < (methods.passkeys ?? 0); i++) assert.equal(noticeOf(await addPasskey(w.test, agent, newDevice())), 'add-passkey')
  return { person, agent, page: await agent.get(account_url), apps: added }
}

/** Signs in with the password as far as the second step. */
async function reachSecondStep(person: { email: string; password: string }) {
  const agent = createAgent()
  const page = await signInOn(agent, await agent.get(account_url), person)
  return { agent, page }
}

const offers: [mode: 'off' | 'optional' | 'required', passkey: boolean, links: string[]][] = [
  ['off', false, []],
  ['off', true, ['add-passkey']],
  ['optional', false, ['add-totp']],
  ['optional', true, ['add-passkey', 'add-totp']],
]
for (const [mode, passkey, links] of offers)
  test(`with mfa ${mode} and passkeys ${passkey ? 'on' : 'off'} the page offers: ${links.join(', ') || 'nothing'}`, async () => {
    await settings(mode, passkey)
    const { agent, page } = await openAccount(w.test, await w.createUser(w.test))
    for (const action of ['add-passkey', 'add-totp'])
      assert.equal(page.body.includes(`data-action="${action}"`), links.includes(action), action)
    for (const action of ['add-passkey', 'add-totp', 'remove-totp', 'remove-passkey'].filter((name) => !links.includes(name)))
      assert.equal((await agent.get(`${account_url}?action=${action}`)).headers.get('location'), account_url, action)
  })

test('a person adds an app: recovery codes are shown once, and the next sign-in asks for a code', async () => {
  await settings('optional')
  const person = await w.createUser(w.test)
  const { agent, page } = await openAccount(w.test, person)
  const form = await agent.get(linkOf(page, 'add-totp'))
  assert.match(form.body, /<svg [^>]*role="img"/)
  const secret = secretOn(form)
  const nothing = await press(agent, form, 'add-totp', { code: '' })
  assert.deepEqual([nothing.status, secretOn(nothing)], [400, secret])
  const wrong = await press(agent, form, 'add-totp', { code: wrongCode(secret, w.now()) })
  assert.deepEqual([wrong.status, secretOn(wrong)], [400, secret], 'the same app stays')
  assert.match(problemOf(wrong) ?? '', /does not match/)
  const shown = await press(agent, wrong, 'add-totp', { code: appCode(secret, w.now()) })
  assert.deepEqual([shown.status, stepOf(shown), shown.headers.get('cache-control')], [200, 'recovery-codes', 'no-store'])
  const codes = recoveryCodesOn(shown)
  assert.equal(new Set(codes).size, 10)
  const after = await followPages(agent, await agent.submit(shown, {}))
  assert.match(after.body, /The authenticator app has been added\./)
  assert.equal(rowsOf(after, 'second').length, 2)
  assert.doesNotMatch(after.body, new RegExp(codes[0] ?? 'no codes'))
  assert.equal((await press(agent, wrong, 'add-totp', { code: appCode(secret, w.now()) })).status, 409, 'the form was sent before')
  const [event] = await events(person.id, 'mfa.enrolled', 1)
  assert.deepEqual([event.data.method, event.actor], ['totp', { type: 'user', id: person.id }])
  assert.deepEqual(await kindsOf(person.email), ['method_added'])

  w.advance(30)
  const second = await reachSecondStep(person)
  assert.equal(stepOf(second.page), 'second-factor')
  const account = await followPages(second.agent, await second.agent.submit(second.page, { code: appCode(secret, w.now()) }))
  assert.equal(stepOf(account), 'account')
})

test('a second app brings no recovery codes, and of the sixth the page says that there is no room', async () => {
  const { agent, page, apps } = await withMethods({ apps: 4 })
  assert.deepEqual(
    apps.map(({ codes }) => codes.length),
    [10, 0, 0, 0],
  )
  assert.match(linkOf(page, 'add-totp'), /add-totp/)
  assert.equal(noticeOf((await addApp(w, w.test, agent)).reply), 'add-totp')
  const open = await agent.get(`${account_url}?action=add-totp`)
  const full = await press(agent, open, 'add-totp', { code: appCode(secretOn(open), w.now()) })
  assert.deepEqual([full.status, offersOf(full)], [409, []])
  assert.match(full.body, /as many authenticator apps/)
  assert.doesNotMatch((await agent.get(account_url)).body, /data-action="add-totp"/)
})

test('new recovery codes are shown once, and the old ones end', async () => {
  const { person, agent, page, apps } = await withMethods({ apps: 1 })
  const [old = ''] = apps[0]?.codes ?? []
  const shown = await press(agent, await agent.get(linkOf(page, 'new-recovery-codes')), 'new-recovery-codes')
  assert.deepEqual([shown.status, stepOf(shown), shown.headers.get('cache-control')], [200, 'recovery-codes', 'no-store'])
  const codes = recoveryCodesOn(shown)
  assert.equal(new Set([...codes, ...(apps[0]?.codes ?? [])]).size, 20)
  assert.equal((await events(person.id, 'mfa.enrolled', 2))[0].data.method, 'recovery_codes')
  assert.deepEqual(await kindsOf(person.email), ['recovery_codes_made', 'method_added'])
  const second = await reachSecondStep(person)
  assert.equal((await second.agent.submit(second.page, { recovery_code: old })).status, 400)
  const account = await followPages(second.agent, await second.agent.submit(second.page, { recovery_code: codes[0] ?? '' }))
  assert.equal(stepOf(account), 'account')
})

test('a person without an app gets no recovery codes', async () => {
  const { person, agent, page } = await withMethods({})
  const { fields } = formFor(page, 'export')
  const refused = await agent.post(`${account_url}/new-recovery-codes`, fields)
  assert.equal(refused.status, 409)
  assert.deepEqual([recoveryCodesOn(refused), await kindsOf(person.email)], [[], []])
})

test('the recovery codes go with the last app, and the next sign-in asks for one factor', async () => {
  const { person, agent, page } = await withMethods({ apps: 1 })
  const form = await agent.get(linkOf(page, 'remove-totp'))
  assert.match(form.body, /recovery codes end too/)
  const removed = await press(agent, form, 'remove-totp')
  assert.equal(noticeOf(removed), 'remove-totp')
  const [event] = await events(person.id, 'mfa.removed', 1)
  assert.deepEqual([event.data.method, event.actor.type], ['totp', 'user'])
  assert.deepEqual(await kindsOf(person.email), ['method_removed', 'method_added'])
  assert.equal(rowsOf(await agent.get(account_url), 'second').length, 0)
  assert.equal(stepOf((await reachSecondStep(person)).page), 'account')
})

test('where a second factor is required the last app stays, and another one can go', async () => {
  const { person, agent, page } = await withMethods({ apps: 2 })
  await settings('required')
  const [one, two] = [...page.body.matchAll(/href="([^"]*)" data-action="remove-totp"/g)].map(([, url = '']) =>
    url.replaceAll('&amp;', '&'),
  )
  const last = await agent.get(two ?? '')
  assert.equal(noticeOf(await press(agent, await agent.get(one ?? ''), 'remove-totp')), 'remove-totp')
  const refused = await press(agent, last, 'remove-totp')
  assert.deepEqual([refused.status, stepOf(refused), offersOf(refused)], [409, 'account', ['add-totp', 'add-passkey']])
  assert.match(refused.body, /needs a second step, and this is the only one/)
  const left = await agent.get(account_url)
  assert.equal(rowsOf(left, 'second').length, 2)
  assert.doesNotMatch(left.body, /data-action="remove-totp"/, 'what is refused is not offered')
  assert.equal((await events(person.id, 'mfa.removed', 1)).length, 1)
})

test('a person adds a passkey, and removes it', async () => {
  const { person, agent, page } = await withMethods({ passkeys: 1 })
  assert.equal(rowsOf(page, 'signing-in').length, 1)
  assert.match((await agent.get(`${account_url}?done=add-passkey`)).body, /The passkey has been added\./)
  const [added] = await events(person.id, 'mfa.enrolled', 1)
  assert.equal(added.data.method, 'passkey')
  const removed = await press(agent, await agent.get(linkOf(page, 'remove-passkey')), 'remove-passkey')
  assert.equal(noticeOf(removed), 'remove-passkey')
  const [event] = await events(person.id, 'mfa.removed', 1)
  assert.deepEqual([event.data.method, event.data.method_id], ['passkey', rowsOf(page, 'signing-in')[0]])
  assert.deepEqual(await kindsOf(person.email), ['method_removed', 'method_added'])
  assert.equal(rowsOf(await agent.get(account_url), 'signing-in').length, 0)
})

test('a response that is not a passkey adds none', async () => {
  const { agent, page } = await withMethods({})
  const form = await agent.get(linkOf(page, 'add-passkey'))
  for (const credential of ['', '{}', 'x'.repeat(60_000)]) {
    const refused = await press(agent, form, 'add-passkey', { credential })
    assert.deepEqual([refused.status, stepOf(refused)], [400, 'account'])
    assert.ok(problemOf(refused))
  }
  assert.equal(rowsOf(await agent.get(account_url), 'signing-in').length, 0)
})

test('a passkey that is the only way to sign in stays', async () => {
  const { agent, page } = await withMethods({ passkeys: 1 })
  const form = await agent.get(linkOf(page, 'remove-passkey'))
  await w.changeSettings(w.test, { sign_in: { password: false, email_code: false } })
  const refused = await press(agent, form, 'remove-passkey')
  const left = await agent.get(account_url)
  await w.changeSettings(w.test, { sign_in: { password: true, email_code: null } })
  assert.deepEqual([refused.status, offersOf(refused)], [409, ['add-passkey']])
  assert.match(refused.body, /only way to sign in/)
  assert.doesNotMatch(left.body, /data-action="remove-passkey"/)
})

test('where a second factor is required the last passkey stays without an app, and goes with one', async () => {
  for (const apps of [0, 1]) {
    const { agent, page } = await withMethods({ passkeys: 1, apps })
    const form = await agent.get(linkOf(page, 'remove-passkey'))
    await settings('required')
    const is_offered = /data-action="remove-passkey"/.test((await agent.get(account_url)).body)
    const reply = await press(agent, form, 'remove-passkey')
    assert.deepEqual([reply.status, is_offered], apps === 0 ? [409, false] : [303, true])
    assert.equal(rowsOf(await agent.get(account_url), 'signing-in').length, 1 - apps)
  }
})

test('each change of a method needs a sign-in of the last ten minutes', async (t) => {
  const { person, agent, page } = await withMethods({ apps: 1, passkeys: 1 })
  const before = await kindsOf(person.email)
  const actions = ['add-totp', 'remove-totp', 'new-recovery-codes', 'add-passkey', 'remove-passkey'] as const
  const pages = await Promise.all(actions.map(async (action) => ({ action, form: await agent.get(linkOf(page, action)) })))
  w.advance(601)
  for (const { action, form } of pages)
    await t.test(action, async () => {
      const refused = await press(agent, form, action, action === 'add-totp' ? { code: appCode(secretOn(form), w.now()) } : {})
      assert.deepEqual([refused.status, noticeOf(refused)], [303, null])
      const location = refused.headers.get('location') ?? ''
      assert.ok(location.includes(`action=${action}`))
      assert.equal(stepOf(await agent.get(location)), 'sign-in')
    })
  assert.deepEqual(await kindsOf(person.email), before)
})

test('German pages of methods are in German', async () => {
  const { agent, page } = await withMethods({ apps: 1, passkeys: 1 })
  const words = {
    'add-totp': 'Authenticator-App einrichten',
    'remove-totp': 'Authenticator-App entfernen\\?',
    'new-recovery-codes': 'Neue Wiederherstellungscodes holen\\?',
    'add-passkey': 'keinen Passkey hinzufügen',
  }
  for (const [action, text] of Object.entries(words))
    assert.match((await agent.get(linkOf(page, action), { 'accept-language': 'de' })).body, new RegExp(text))
})
