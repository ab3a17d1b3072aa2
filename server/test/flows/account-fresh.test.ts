/** The account page: which sessions may make a sensitive change, and the level after a new factor (decision 0046). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addApp, addPasskey, formFor, openAccount, press, signInOn, stepOf } from '../support/account.ts'
import { createAuthenticator } from '../support/authenticator.ts'
import { appCode, secretOn } from '../support/authenticator-app.ts'
import { createAgent, followPages } from '../support/cookie-browser.ts'
import { optionsOf } from '../support/passkeys.ts'
import { expectStatus, type Reply, world } from '../support/world.ts'

const w = await world()
const account_url = `${w.test.issuer}/account`
const settings = (mode: 'off' | 'optional' | 'required') => w.changeSettings(w.test, { mfa: { mode }, sign_in: { passkey: true } })
await settings('optional')
const newDevice = () => createAuthenticator(new URL(w.test.issuer).origin)
const key = expectStatus(201, await w.call('POST', `${w.test.path}/auth-keys`, { body: { type: 'auth_secret' } })).key
const backend = (path: string) => w.call('GET', `/v1/auth/users/${path}`, { key })
const methodsOf = async ({ id }: { id: string }): Promise<{ id: string; type: string }[]> =>
  expectStatus(200, await backend(`${id}/methods`)).data
const amrOf = async ({ id }: { id: string }): Promise<{ id: string; amr: string[] }[]> =>
  expectStatus(200, await backend(`${id}/sessions`)).data

type Factor = 'none' | 'app' | 'passkey'

/** A person with a factor, a browser that signed in before it was added (`one`), and the browser that added it (`strong`). */
async function withFactor(factor: Factor) {
  const person = await w.createUser(w.test)
  const [one, strong] = [await openAccount(w.test, person), await openAccount(w.test, person)]
  const app = factor === 'app' ? await addApp(w, w.test, strong.agent) : null
  const device = newDevice()
  if (factor === 'passkey') await addPasskey(w.test, strong.agent, device)
  const [method] = (await methodsOf(person)).filter(({ type }) => type === 'totp' || type === 'passkey')
  return { person, one: one.agent, strong: strong.agent, app, method_id: method?.id ?? '' }
}

const sensitive = [
  'change-email',
  'change-password',
  'add-totp',
  'remove-totp',
  'new-recovery-codes',
  'add-passkey',
  'remove-passkey',
  'add-provider',
  'remove-provider',
  'export',
  'delete-account',
] as const

/** The form of each action as an attacker can send it, without its page. */
function sendForm(
  agent: ReturnType<typeof createAgent>,
  page: Reply,
  action: (typeof sensitive)[number],
  { method_id, person: { email } }: { method_id: string; person: { email: string } },
) {
  const { fields } = formFor(page, 'export')
  const typed: Partial<Record<typeof action, Record<string, string>>> = {
    'change-email': { email: `other.${email}` },
    'change-password': { password: 'an engine of brass' },
    'delete-account': { email },
  }
  const path = action.startsWith('remove-') ? 'remove-method' : action
  const removal = action.startsWith('remove-') ? { action, id: method_id } : {}
  return agent.post(`${account_url}/${path}`, { ...fields, ...removal, ...typed[action] })
}

const factors: Factor[] = ['none', 'app', 'passkey']
for (const factor of factors)
  for (const level of ['one', 'strong'] as const)
    for (const age of [0, 590, 601])
      test(`factor ${factor}, session of ${level === 'one' ? 'one factor' : 'the factor'}, ${age} s old: sensitive changes`, async (t) => {
        const ready = await withFactor(factor)
        const agent = ready[level]
        const page = await agent.get(account_url)
        w.advance(age)
        const may = age <= 600 && (factor === 'none' || level === 'strong')
        for (const action of sensitive)
          await t.test(`${action} ${may ? 'begins' : 'leads through a sign-in'}`, async () => {
            const shown = await agent.get(`${account_url}?action=${action}&id=${ready.method_id}`)
            assert.equal(stepOf(shown) === 'sign-in', !may)
            if (may) return
            const before = await methodsOf(ready.person)
            const refused = await sendForm(agent, page, action, ready)
            assert.deepEqual([refused.status, /[?&]done=/.test(refused.headers.get('location') ?? '')], [303, false])
            assert.equal(stepOf(await agent.get(refused.headers.get('location') ?? '')), 'sign-in')
            assert.deepEqual(await methodsOf(ready.person), before)
          })
      })

test('a session of one factor changes what is not sensitive, and the sign-in for the rest asks for the app', async () => {
  const { person, one, app, method_id } = await withFactor('app')
  const profile = await one.get(`${account_url}?action=change-name`)
  assert.match((await press(one, profile, 'change-name', { name: 'New' })).headers.get('location') ?? '', /done=change-name/)
  w.advance(30)
  const second = await signInOn(one, await one.get(`${account_url}?action=remove-totp&id=${method_id}`), person)
  assert.equal(stepOf(second), 'second-factor')
  const removal = await followPages(one, await one.submit(second, { code: appCode(app?.secret ?? '', w.now()) }))
  assert.match((await press(one, removal, 'remove-totp')).headers.get('location') ?? '', /done=remove-totp/)
})

test('where a second factor is required, a session of one factor from before enrols in a sign-in first', async () => {
  const { person, one } = await withFactor('none')
  await settings('required')
  const page = await one.get(`${account_url}?action=add-totp`)
  assert.equal(stepOf(page), 'sign-in')
  assert.notEqual(stepOf(await signInOn(one, page, person)), 'account')
  await settings('optional')
})

test('a new app raises the session that proved it: the same id, another cookie, and no later sign-in time', async () => {
  const { person, strong } = await withFactor('none')
  const before = strong.cookies.get(`ostiary_session_${w.test.id}`)
  const ids = (await amrOf(person)).map(({ id }) => id).sort()
  w.advance(500)
  await addApp(w, w.test, strong)
  const sessions = await amrOf(person)
  assert.deepEqual(sessions.map(({ id }) => id).sort(), ids)
  assert.deepEqual(sessions.map(({ amr }) => amr.join(' ')).sort(), ['pwd', 'pwd otp mfa'])
  assert.notEqual(strong.cookies.get(`ostiary_session_${w.test.id}`), before)
  const old = createAgent()
  old.cookies.set(`ostiary_session_${w.test.id}`, before ?? '')
  assert.equal(stepOf(await old.get(account_url)), 'sign-in', 'the secret from before is not a session')
  w.advance(101)
  assert.equal(stepOf(await strong.get(`${account_url}?action=add-totp`)), 'sign-in')
})

test('a new passkey raises the session to two factors', async () => {
  const { person } = await withFactor('passkey')
  assert.deepEqual((await amrOf(person)).map(({ amr }) => amr.includes('mfa')).sort(), [false, true])
})

test('of parallel enrolments in two sessions of one factor one succeeds, and the other session can remove nothing', async () => {
  const person = await w.createUser(w.test)
  const agents = await Promise.all(Array.from({ length: 10 }, async () => (await openAccount(w.test, person)).agent))
  const forms = await Promise.all(
    agents.map(async (agent) => {
      const page = await agent.get(`${account_url}?action=add-totp`)
      return { agent, page, code: appCode(secretOn(page), w.now()) }
    }),
  )
  const replies = await Promise.all(forms.map(({ agent, page, code }) => press(agent, page, 'add-totp', { code })))
  assert.equal(replies.filter((reply) => stepOf(reply) === 'recovery-codes').length, 1)
  assert.equal((await methodsOf(person)).filter(({ type }) => type === 'totp').length, 1)
})

test('a passkey cannot be added by a session of one factor once there is an app', async () => {
  const person = await w.createUser(w.test)
  const [one, strong] = [await openAccount(w.test, person), await openAccount(w.test, person)]
  const form = await one.agent.get(`${account_url}?action=add-passkey`)
  const credential = JSON.stringify(newDevice().create(optionsOf(form)))
  await addApp(w, w.test, strong.agent)
  const refused = await press(one.agent, form, 'add-passkey', { credential })
  assert.equal(stepOf(await one.agent.get(refused.headers.get('location') ?? '')), 'sign-in')
  assert.ok(!(await methodsOf(person)).some(({ type }) => type === 'passkey'))
})
