/** The account page: the change of the address by both ends, and the proof of an unproven one (decision 0046). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formFor, linkOf, openAccount, press, problemOf, stepOf } from '../support/account.ts'
import {
  type Agent,
  authorizationRequest,
  createAgent,
  createPerson,
  exchange,
  followPages,
  obtainCode,
  userinfo,
} from '../support/cookie-browser.ts'
import { mailsTo, newestMail } from '../support/mailed.ts'
import { until } from '../support/receiver.ts'
import { expectStatus, type Reply, randomText, world } from '../support/world.ts'

const w = await world()
const account_url = `${w.test.issuer}/account`
const client = await w.createApplication(w.test)
const unlimited = { limit: 100_000, window_seconds: 1 }
const key = expectStatus(
  201,
  await w.call('POST', `${w.test.path}/auth-keys`, { body: { type: 'auth_secret', rate_limit: unlimited } }),
).key
const backend = (method: string, path: string, body?: object) => w.call(method, `/v1/auth/users/${path}`, { key, ...(body && { body }) })
const userOf = async ({ id }: { id: string }) => expectStatus(200, await backend('GET', id))
const newAddress = () => `New.${randomText().slice(0, 12)}@example.com`
const events = (user_id: string, type: string, count: number) =>
  until(`${count} events ${type}`, async () => {
    const { data } = expectStatus(200, await w.call('GET', `${w.test.path}/events?user_id=${user_id}&type=${type}`))
    return data.length >= count && data
  })
const mailOf = async (to: string, kind: string) => {
  const mail = (await mailsTo(w, w.test, to)).find((each) => each.kind === kind)
  return mail ?? assert.fail(`no mail ${kind} to ${to}`)
}
const noticeOf = ({ headers }: Reply) => new URL(headers.get('location') ?? '', account_url).searchParams.get('done')
const changePage = (agent: Agent) => agent.get(`${account_url}?action=change-email`)

/** Asks for the change, and returns the page that follows. */
const askFor = async (agent: Agent, email: string) =>
  followPages(agent, await press(agent, await changePage(agent), 'change-email', { email }))

/** A person who has asked for a change. */
async function withChange(fields: { email_verified?: boolean } = {}) {
  const person = await w.createUser(w.test, fields)
  const { agent } = await openAccount(w.test, person)
  const to = newAddress()
  const page = await askFor(agent, to)
  return { person, agent, to, page }
}

const enterCode = async (agent: Agent, page: Reply, to: string) =>
  press(agent, page, 'change-email', { code: (await mailOf(to, 'change_email')).code ?? '' })

/** Presses the button of a mailed link, in another browser. */
async function useLink(to: string, kind: string, fields: Record<string, string> = {}, agent = createAgent()): Promise<Reply> {
  const shown = await agent.get((await mailOf(to, kind)).link ?? '')
  return shown.status === 200 ? agent.submit(shown, fields) : shown
}

test('the code and the link of the old address change it: every other session and grant ends, and this session stays', async () => {
  const person = await createPerson(w, w.test, {})
  const here = await person.tokens(client)
  const other = createAgent()
  const request = authorizationRequest(w.test, client)
  const there = expectStatus(200, await exchange(w, w.test, client, { request, code: await obtainCode(other, request, person) }))
  const to = newAddress()
  const page = await askFor(person.agent, to)
  const { pending_email, email } = await userOf(person)
  assert.deepEqual([pending_email.email, email], [to, person.email])
  assert.equal(Math.round((Date.parse(pending_email.expires_at) - w.now().getTime()) / 86_400_000), 7)
  assert.match((await person.agent.get(account_url)).body, new RegExp(`To become ${to}`))

  const waits = await followPages(person.agent, await enterCode(person.agent, page, to))
  assert.match(waits.body, /has confirmed the change/)
  assert.equal((await userOf(person)).email, person.email, 'one end changes nothing')
  const done = await useLink(person.email, 'change_email_notice')
  assert.match(done.body, /Your address has been changed/)

  const user = await userOf(person)
  assert.deepEqual([user.email, user.email_verified, user.pending_email], [to, true, null])
  const [changed, began] = await events(person.id, 'user.updated', 2)
  assert.deepEqual([changed.data.changed, began.data.changed], [['email', 'pending_email'], ['pending_email']])
  assert.deepEqual(changed.actor, { type: 'user', id: person.id })
  const [ended] = await events(person.id, 'session.ended', 1)
  assert.equal(ended.data.reason, 'address_changed')
  const active = async ({ access_token }: { access_token: string }) => (await userinfo(w, w.test, access_token)).status
  assert.deepEqual([await active(here), await active(there)], [200, 401])
  assert.deepEqual([stepOf(await person.agent.get(account_url)), stepOf(await other.get(account_url))], ['account', 'sign-in'])
  assert.equal(stepOf((await openAccount(w.test, { email: to, password: person.password })).page), 'account')
  assert.equal((await openAccount(w.test, person)).page.status, 400, 'the old address signs in no more')
})

const orders = [
  { what: 'the old link, then the code', steps: ['old', 'code'] },
  { what: 'the old link, then the new link', steps: ['old', 'link'] },
  { what: 'the new link, then the old link', steps: ['link', 'old'] },
] as const
for (const { what, steps } of orders)
  test(`both ends confirm in any order: ${what}`, async () => {
    const { person, agent, to, page } = await withChange()
    for (const step of steps) {
      assert.equal((await userOf(person)).email, person.email)
      if (step === 'code') assert.equal(noticeOf(await enterCode(agent, page, to)), 'change-email')
      else if (step === 'old') assert.equal((await useLink(person.email, 'change_email_notice')).status, 200)
      else assert.equal((await useLink(to, 'change_email')).status, 200)
    }
    assert.equal((await userOf(person)).email, to)
    assert.equal(stepOf(await agent.get(account_url)), 'account', 'the session that asked stays')
  })

test('a GET or HEAD of the links changes nothing, and a pressed link works once', async () => {
  const { person, to } = await withChange()
  for (const [address, kind] of [
    [to, 'change_email'],
    [person.email, 'change_email_notice'],
  ] as const) {
    const { link } = await mailOf(address, kind)
    for (const method of ['GET', 'HEAD']) assert.equal((await fetch(link ?? '', { method })).status, 200)
    assert.deepEqual((await userOf(person)).pending_email?.email, to)
    const other = createAgent()
    const shown = await other.get(link ?? '')
    assert.equal((await other.submit(shown, {})).status, 200)
    assert.equal((await other.submit(shown, {})).status, 410)
  }
  assert.equal((await userOf(person)).email, to)
})

test('the old end cancels: the change is over for both ends, and the person sees nothing pending', async () => {
  const { person, agent, to, page } = await withChange()
  const cancelled = await useLink(person.email, 'change_email_notice', { decision: 'cancel' })
  assert.match(cancelled.body, /Your address stays/)
  assert.equal((await userOf(person)).pending_email, null)
  assert.equal((await enterCode(agent, page, to)).status, 400)
  assert.equal((await useLink(to, 'change_email')).status, 410)
  assert.doesNotMatch((await agent.get(account_url)).body, /To become/)
  assert.equal((await events(person.id, 'user.updated', 2)).length, 2)
})

test('the person keeps the old address, or asks for another one: earlier codes and links end', async () => {
  const { person, agent, to, page } = await withChange()
  assert.equal(noticeOf(await press(agent, page, 'cancel', { step: 'cancel' })), 'keep-email')
  assert.equal((await useLink(to, 'change_email')).status, 410)
  assert.equal((await useLink(person.email, 'change_email_notice')).status, 410)
  w.advance(31)
  const [one, two] = [newAddress(), newAddress()]
  const form = formFor(await changePage(agent), 'change-email')
  await agent.post(form.action, { ...form.fields, email: one })
  w.advance(31)
  await agent.post(form.action, { ...form.fields, email: two })
  assert.equal((await useLink(one, 'change_email')).status, 410)
  assert.equal((await useLink(person.email, 'change_email_notice')).status, 200)
  assert.equal((await useLink(two, 'change_email')).status, 200)
  assert.equal((await userOf(person)).email, two)
})

test('the change ends after seven days', async () => {
  const { person, to } = await withChange()
  assert.equal((await useLink(to, 'change_email')).status, 200)
  const { link } = await mailOf(person.email, 'change_email_notice')
  w.advance(7 * 86_400 + 1)
  assert.equal((await fetch(link ?? '')).status, 410)
  assert.equal((await userOf(person)).email, person.email)
})

test('of an unproven account the new end alone changes the address, and the proof is an event', async () => {
  const { person, agent, to, page } = await withChange({ email_verified: false })
  assert.ok((await mailOf(person.email, 'change_email_notice')).link)
  assert.equal(noticeOf(await enterCode(agent, page, to)), 'change-email')
  const user = await userOf(person)
  assert.deepEqual([user.email, user.email_verified], [to, true])
  const [event] = await events(person.id, 'user.email_verified', 1)
  assert.deepEqual(event.data, { email: to, sub: person.id })
  assert.equal((await useLink(person.email, 'change_email_notice')).status, 410)
})

test('a taken address looks like a free one to the person, and its owner gets a mail without a code', async () => {
  const owner = await w.createUser(w.test)
  const person = await w.createUser(w.test)
  const { agent } = await openAccount(w.test, person)
  const free = newAddress()
  /** Removes the parts that differ between any two changes of a person. */
  const plain = (text: string, address: string) =>
    text.replaceAll(new RegExp(address, 'gi'), 'ADDRESS').replaceAll(/value="[^"]{40,}"/g, '')
  const seen: string[][] = []
  for (const address of [free, owner.email]) {
    const asked = await press(agent, await changePage(agent), 'change-email', { email: address })
    const page = await followPages(agent, asked)
    const wrong = await press(agent, page, 'change-email', { code: '000000' })
    const { pending_email } = await userOf(person)
    assert.equal(pending_email.email.toLowerCase(), address.toLowerCase())
    const account = await agent.get(account_url)
    const exported = await press(agent, account, 'export')
    const { events: own } = JSON.parse(exported.body)
    const mails = own.filter(({ type }: { type: string }) => type === 'mail.sent').map(({ data }: { data: { kind: string } }) => data.kind)
    seen.push(
      [asked.status, page.body, wrong.status, wrong.body, account.body.includes('To become')].map((part) => plain(String(part), address)),
    )
    assert.ok(!mails.includes('existing_account') && !mails.includes('change_email'))
    assert.equal((await useLink(person.email, 'change_email_notice')).status, 200)
    await press(agent, page, 'cancel', { step: 'cancel' })
    w.advance(31)
  }
  assert.deepEqual(seen[1], seen[0])
  const mail = await mailOf(owner.email, 'existing_account')
  assert.deepEqual([mail.code, mail.link], [null, null])
  assert.match(mail.text, /Another account/)
  assert.equal((await userOf(person)).email, person.email)
})

test('an address that is malformed, too long, or the same is refused on the page', async () => {
  const { agent } = await openAccount(w.test, await w.createUser(w.test, { email: 'same@example.com' }))
  for (const email of [
    '',
    'no address',
    `${'x'.repeat(70_000)}@example.com`,
    'a@example.com\r\nBcc: b@example.com',
    ' SAME@example.com ',
  ]) {
    const refused = await press(agent, await changePage(agent), 'change-email', { email })
    assert.equal(refused.status, 400)
    assert.ok(problemOf(refused))
  }
})

test('the fifth wrong code ends it, and a new one works', async () => {
  const { person, agent, to, page } = await withChange()
  const right = (await mailOf(to, 'change_email')).code ?? ''
  const wrong = right === '111111' ? '222222' : '111111'
  for (let i = 0; i < 5; i++) assert.equal((await press(agent, page, 'change-email', { code: wrong })).status, 400)
  const refused = await press(agent, page, 'change-email', { code: right })
  assert.deepEqual([refused.status, stepOf(refused)], [400, 'account'])
  const before = (await mailsTo(w, w.test, to)).length
  await press(agent, page, 'resend-code', { step: 'resend' })
  assert.equal((await mailsTo(w, w.test, to)).length, before, 'within 30 seconds nothing is sent')
  w.advance(31)
  await press(agent, page, 'resend-code', { step: 'resend' })
  assert.equal((await mailsTo(w, w.test, to)).length, before + 1)
  await enterCode(agent, page, to)
  assert.equal((await useLink(person.email, 'change_email_notice')).status, 200)
  assert.equal((await userOf(person)).email, to)
})

test('over the limit of emailed codes nothing is sent, and the page is the same', async () => {
  const person = await w.createUser(w.test)
  const { agent } = await openAccount(w.test, person)
  const addresses = Array.from({ length: 8 }, newAddress)
  const pages: string[] = []
  for (const email of addresses) {
    const form = formFor(await changePage(agent), 'change-email')
    const page = await followPages(agent, await agent.post(form.action, { ...form.fields, step: 'email', email }))
    pages.push(page.body.replaceAll(new RegExp(email, 'gi'), 'ADDRESS').replaceAll(/name="csrf" value="[^"]*"/g, ''))
    w.advance(31)
  }
  assert.equal(new Set(pages).size, 1)
  const sent = await Promise.all(addresses.map(async (email) => (await mailsTo(w, w.test, email)).length))
  assert.deepEqual(sent, [1, 1, 1, 1, 1, 0, 0, 0])
  assert.equal((await userOf(person)).pending_email.email, addresses.at(-1))
})

const endings: { what: string; end: (ready: Awaited<ReturnType<typeof withChange>>) => Promise<unknown> }[] = [
  { what: 'a block', end: ({ person }) => backend('POST', `${person.id}/block`) },
  { what: 'another address by the backend', end: ({ person }) => backend('PATCH', person.id, { email: newAddress() }) },
  { what: 'another password by the backend', end: ({ person }) => backend('PATCH', person.id, { password: 'an engine of brass' }) },
  {
    what: 'a password reset',
    end: async ({ person }) => {
      expectStatus(202, await backend('POST', `${person.id}/send-reset`))
      const agent = createAgent()
      const page = await agent.submit(await agent.get((await mailOf(person.email, 'reset_password')).link ?? ''), {})
      assert.match((await agent.submit(page, { password: 'an engine of brass' })).body, /Your password is changed/)
    },
  },
]
for (const { what, end } of endings)
  test(`a pending change ends with ${what}`, async () => {
    const ready = await withChange()
    const { person, to } = ready
    assert.equal((await useLink(to, 'change_email')).status, 200)
    await end(ready)
    assert.equal((await userOf(person)).pending_email, null)
    assert.equal((await useLink(person.email, 'change_email_notice')).status, 410)
    assert.notEqual((await userOf(person)).email, to)
  })

test('a pending change of an unproven account ends with the proof from outside', async () => {
  const { person, to } = await withChange({ email_verified: false })
  await w.changeSettings(w.test, { sign_in: { email_code: true } })
  const agent = createAgent()
  const sign_in = await agent.get(account_url)
  const code = await agent.submit(sign_in, { email: person.email, method: 'email_code' })
  await agent.submit(code, { code: (await mailOf(person.email, 'sign_in_code')).code ?? '' })
  const user = await userOf(person)
  assert.deepEqual([user.email_verified, user.pending_email], [true, null])
  assert.equal((await useLink(to, 'change_email')).status, 410)
})

test('the deletion of the user ends the change, and leaves no address in its codes', async () => {
  const { person, to } = await withChange()
  expectStatus(204, await backend('DELETE', person.id))
  assert.equal((await useLink(to, 'change_email')).status, 410)
  assert.equal((await useLink(person.email, 'change_email_notice')).status, 410)
})

test('a change by the backend that concerns neither address nor password leaves the pending change', async () => {
  const { person, to } = await withChange()
  const changed = expectStatus(200, await backend('PATCH', person.id, { name: 'Another' }))
  assert.equal(changed.pending_email.email, to)
  assert.equal((await backend('PATCH', person.id, { pending_email: null })).status, 422)
})

test('of 50 accounts that change to one address at the same time one gets it', async () => {
  const to = newAddress()
  const people = []
  for (let i = 0; i < 50; i++) {
    const person = await w.createUser(w.test, { email_verified: false })
    const { agent } = await openAccount(w.test, person)
    await askFor(agent, to)
    people.push({ person, ...(await newestMail(w, w.test, to)) })
    if (i % 4 === 3) w.advance(3_601) // the limits of one address and source allow five codes an hour
  }
  // Half of them by code: a code counts as a try, and an address has 30.
  const ready = await Promise.all(
    people.map(async ({ person, code, link }, i) => {
      if (i % 2 === 0) {
        const { agent } = await openAccount(w.test, person)
        const page = await changePage(agent)
        return () => press(agent, page, 'change-email', { code: code ?? '' })
      }
      const agent = createAgent()
      const page = await agent.get(link ?? '')
      return () => agent.submit(page, {})
    }),
  )
  const replies = await Promise.all(ready.map((send) => send()))
  const statuses = replies.map(({ status }) => status)
  assert.equal(statuses.filter((status) => status === 303 || status === 200).length, 1)
  assert.equal(statuses.filter((status) => status === 409 || status === 410).length, 49, 'their codes and links were right')
  const users = await Promise.all(people.map(({ person }) => userOf(person)))
  assert.equal(users.filter(({ email }) => email === to).length, 1)
})

test('of 50 parallel presses and codes of one change it happens once, with one event', async () => {
  const { person, agent, to, page } = await withChange()
  await useLink(person.email, 'change_email_notice')
  const { code, link } = await mailOf(to, 'change_email')
  const other = createAgent()
  const shown = await other.get(link ?? '')
  const replies = await Promise.all(
    Array.from({ length: 50 }, (_, i) =>
      i % 2 === 0 ? other.submit(shown, {}) : press(agent, page, 'change-email', { code: code ?? '' }),
    ),
  )
  const happened = replies.filter((reply) => noticeOf(reply) === 'change-email' || /Your address has been changed/.test(reply.body))
  assert.equal(happened.length, 1)
  assert.equal((await userOf(person)).email, to)
  assert.equal((await events(person.id, 'user.updated', 2)).length, 2)
})

test('both ends that confirm at the same moment change the address', async () => {
  for (let round = 0; round < 10; round++) {
    const { person, to } = await withChange()
    await Promise.all([useLink(person.email, 'change_email_notice'), useLink(to, 'change_email')])
    assert.equal((await userOf(person)).email, to)
  }
})

test('of 50 parallel changes to different addresses the last one that is confirmed is pending', async () => {
  const person = await w.createUser(w.test)
  const { agent } = await openAccount(w.test, person)
  const form = formFor(await changePage(agent), 'change-email')
  const replies = await Promise.all(Array.from({ length: 50 }, () => agent.post(form.action, { ...form.fields, email: newAddress() })))
  assert.ok(replies.every(({ status }) => status === 303 || status === 409))
  const begun = replies.filter(({ status }) => status === 303).length
  assert.ok(begun >= 1)
  assert.ok((await userOf(person)).pending_email)
})

test('a code of another person, of another kind or of another environment confirms nothing', async () => {
  const [mine, theirs] = [await withChange(), await withChange()]
  const foreign = (await mailOf(theirs.to, 'change_email')).code ?? ''
  const own = (await mailOf(mine.to, 'change_email')).code
  if (foreign !== own) assert.equal((await press(mine.agent, mine.page, 'change-email', { code: foreign })).status, 400)
  const elsewhere = (await mailOf(mine.to, 'change_email')).link?.replace(w.test.issuer, w.live.issuer) ?? ''
  assert.equal((await fetch(elsewhere)).status, 410)
  assert.deepEqual([(await userOf(mine.person)).email, (await userOf(theirs.person)).email], [mine.person.email, theirs.person.email])
})

test('without mail neither the change nor the proof is offered, and their forms do nothing', async () => {
  const person = await w.createUser(w.test, { email_verified: false })
  const { agent, page } = await openAccount(w.test, person)
  const [change, proof] = [formFor(await changePage(agent), 'change-email'), formFor(page, 'email-code')]
  await w.changeSettings(w.test, { sign_in: { email_code: null }, email: { delivery: 'none' } })
  const without = await agent.get(account_url)
  assert.doesNotMatch(without.body, /data-action="(change-email|email-code)"/)
  assert.equal((await changePage(agent)).headers.get('location'), account_url)
  for (const form of [change, proof])
    assert.equal((await agent.post(form.action, { ...form.fields, email: newAddress() })).headers.get('location'), account_url)
  assert.equal((await userOf(person)).pending_email, null)
  await w.changeSettings(w.test, { email: { delivery: null } })
})

test('a person proves an unproven address by the code, in the session, and nothing else changes', async () => {
  const person = await w.createUser(w.test, { email_verified: false })
  const { agent, page } = await openAccount(w.test, person)
  const form = await followPages(agent, await press(agent, page, 'email-code'))
  const { code, link } = await mailOf(person.email, 'verify_email')
  assert.ok(link)
  const wrong = await press(agent, form, 'confirm', { code: code === '111111' ? '222222' : '111111' })
  assert.deepEqual([wrong.status, stepOf(wrong)], [400, 'account'])
  const done = await press(agent, wrong, 'confirm', { code: code ?? '' })
  assert.equal(noticeOf(done), 'confirm-email')
  assert.deepEqual([(await userOf(person)).email_verified, (await userOf(person)).has_password], [true, true])
  const [event] = await events(person.id, 'user.email_verified', 1)
  assert.deepEqual(event.data, { email: person.email, sub: person.id })
  const after = await agent.get(account_url)
  assert.equal(stepOf(after), 'account')
  assert.doesNotMatch(after.body, /data-action="email-code"/)
  assert.equal((await fetch(link ?? '')).status, 410, 'the link ended with its code')
})

test('a proof asked for in two browsers is entered in each with its own code', async () => {
  for (const first_enters of [true, false]) {
    const person = await w.createUser(w.test, { email_verified: false })
    const browsers = []
    for (let i = 0; i < 2; i++) {
      const { agent } = await openAccount(w.test, person)
      const form = formFor(await agent.get(`${account_url}?action=confirm-email`), 'resend-code')
      await agent.post(form.action, { ...form.fields, step: 'send' })
      browsers.push({ agent, form, code: (await newestMail(w, w.test, person.email)).code ?? '' })
      w.advance(31)
    }
    const { agent, form, code } = browsers[first_enters ? 0 : 1] ?? assert.fail()
    assert.equal(noticeOf(await agent.post(form.action, { ...form.fields, step: 'code', code })), 'confirm-email')
    assert.equal((await userOf(person)).email_verified, true)
  }
})

test('the proof is mailed at most once in 30 seconds and five times an hour from one source', async () => {
  const person = await w.createUser(w.test, { email_verified: false })
  const { agent, page } = await openAccount(w.test, person)
  await press(agent, page, 'email-code')
  await press(agent, page, 'email-code')
  assert.equal((await mailsTo(w, w.test, person.email)).length, 1)
  for (let i = 0; i < 8; i++) {
    w.advance(31)
    assert.equal((await press(agent, page, 'email-code')).status, 303)
  }
  assert.equal((await mailsTo(w, w.test, person.email)).length, 5)
})

test('the link to the change is the row of the address, in German too', async () => {
  const { agent, page } = await openAccount(w.test, await w.createUser(w.test))
  const form = await agent.get(linkOf(page, 'change-email'), { 'accept-language': 'de' })
  assert.match(form.body, /<h1>E-Mail-Adresse ändern<\/h1>/)
})
