/** Emailed codes as a way in: limits, decoys, the browser they are bound to, and proof of an address (decision 0041). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeJwt } from 'jose'
import { z } from 'zod'
import { sql } from '../../src/db/db.ts'
import { type Agent, authorizationRequest, createAgent, exchange, followPages, formOf } from '../support/cookie-browser.ts'
import { inLanes } from '../support/lanes.ts'
import { mailsTo, newestMail } from '../support/mailed.ts'
import { visibleIn } from '../support/visible.ts'
import { expectStatus, type Reply, world } from '../support/world.ts'

const w = await world({ env: { OSTIARY_TRUSTED_PROXIES: '127.0.0.0/8,::1' } })
const environment = w.test
await w.changeSettings(environment, { sign_in: { email_code: true } })
const client = await w.createApplication(environment)
const secret = expectStatus(201, await w.call('POST', `${environment.path}/auth-keys`, { body: { type: 'auth_secret' } })).key

let sources = 0
/** Another address for each test, so that the limits of one do not meet another. */
const from = () => ({ 'x-forwarded-for': `198.51.${Math.floor(++sources / 250)}.${sources % 250}` })

/** Asks for a code on the sign-in page and returns the page that asks for it. */
async function ask(email: string, agent: Agent = createAgent(), headers: Record<string, string> = from()) {
  const request = authorizationRequest(environment, client, { prompt: 'login' })
  const page = await agent.get(request.url)
  const asked = await agent.submit(page, { email, password: '', method: 'email_code' }, headers)
  return { agent, request, page: asked }
}

const codeOf = async (email: string) => (await newestMail(w, environment, email)).code ?? ''
const other = (code: string) => String((Number(code) + 1) % 1_000_000).padStart(6, '0')

test('a person signs in with an emailed code: amr otp, and the page names its step and its actions', async () => {
  const user = await w.createUser(environment)
  const { agent, request, page } = await ask(user.email)
  assert.equal(page.status, 200)
  for (const part of ['data-step="code"', 'autocomplete="one-time-code"', 'data-action="resend-code"', 'data-action="use-password"'])
    assert.ok(page.body.includes(part), part)
  const mail = await newestMail(w, environment, user.email)
  assert.deepEqual([mail.kind, mail.link], ['sign_in_code', null])
  const pasted = ` ${mail.code?.slice(0, 3)} ${mail.code?.slice(3)} `
  const redirect = await followPagesToClient(agent, await agent.submit(page, { code: pasted }), request.redirect_uri)
  const { id_token } = expectStatus(200, await exchange(w, environment, client, { request, code: redirect.searchParams.get('code') ?? '' }))
  const { sub, amr, acr } = decodeJwt(id_token)
  assert.deepEqual({ sub, amr, acr }, { sub: user.id, amr: ['otp'], acr: 'urn:ostiary:1fa' })
  const { data } = expectStatus(200, await w.call('GET', `/v1/auth/users/${user.id}/sessions`, { key: secret }))
  assert.deepEqual([data[0].method, data[0].amr], ['email_code', ['otp']], 'amr alone cannot tell it from the code of an app')
})

async function followPagesToClient(agent: Agent, reply: Reply, redirect_uri: string): Promise<URL> {
  let current = reply
  for (let steps = 0; steps < 6; steps++) {
    const location = current.headers.get('location') ?? ''
    if (location.startsWith(redirect_uri)) return new URL(location)
    assert.ok(location, current.body.slice(-800))
    current = await agent.get(location)
  }
  throw new Error('There was no redirect to the client.')
}

test('a code works once, and a wrong one is 400 with the same page', async () => {
  const user = await w.createUser(environment)
  const { agent, page } = await ask(user.email)
  const code = await codeOf(user.email)
  const wrong = await agent.submit(page, { code: other(code) })
  assert.equal(wrong.status, 400)
  assert.ok(wrong.body.includes('data-step="code"') && wrong.body.includes('data-action="resend-code"'))
  assert.equal((await agent.submit(wrong, { code })).status, 303)
  assert.equal((await agent.submit(wrong, { code })).status, 400, 'a spent code')
})

// biome-ignore format: one address a line
const refused_addresses = [
  '',
  'no address',
  '"x y"@evil.example',
  'a..b@evil.example',
  'me@[203.0.113.9]',
  'аdmin@evil.example', // the first letter is Cyrillic
  'a\0b@example.com',
  'a\nBcc: x@example.com',
  '\ud800a@example.com',
  `${'ﷺ'.repeat(100)}@example.com`, // 18 characters for each, when normalised
  `${'a'.repeat(400)}@example.com`,
]
test('a resend mails no address that the sign-in form refuses', async () => {
  const agent = createAgent()
  const page = await agent.get(authorizationRequest(environment, client, { prompt: 'login' }).url)
  const { hidden } = formOf(page.body)
  const mails = async () => expectStatus(200, await w.call('GET', `${environment.path}/inbox?limit=1`)).data[0]?.id
  const before = await mails()
  for (const email of refused_addresses) {
    const asked = await agent.submit(page, { email, password: '', method: 'email_code' }, from())
    const resent = await agent.post(`${environment.issuer}/code`, { ...hidden, email, action: 'resend' }, from())
    for (const reply of [asked, resent]) {
      assert.equal(reply.status, 400, JSON.stringify(email))
      assert.ok(reply.body.includes('data-step="sign-in"'), JSON.stringify(email))
    }
    const entered = await agent.post(`${environment.issuer}/code`, { ...hidden, email, code: '123456' }, from())
    assert.equal(entered.status, 400, JSON.stringify(email))
  }
  assert.equal(await mails(), before)
})

test('a code ends after ten minutes', async () => {
  const [early, late] = [await w.createUser(environment), await w.createUser(environment)]
  const [first, second] = [await ask(early.email), await ask(late.email)]
  w.advance(590)
  assert.equal((await first.agent.submit(first.page, { code: await codeOf(early.email) })).status, 303)
  w.advance(10)
  assert.equal((await second.agent.submit(second.page, { code: await codeOf(late.email) })).status, 400)
})

test('the fifth wrong try ends a code', async () => {
  const user = await w.createUser(environment)
  const { agent, page } = await ask(user.email)
  const code = await codeOf(user.email)
  for (let i = 0; i < 5; i++) assert.equal((await agent.submit(page, { code: other(code) })).status, 400)
  assert.equal((await agent.submit(page, { code })).status, 400)
})

test('text that is not a code of six digits is not a try', async () => {
  const user = await w.createUser(environment)
  const { agent, page } = await ask(user.email)
  const code = await codeOf(user.email)
  for (const text of ['', '12345', '1234567', 'abcdef', '０'.repeat(41), 'x'.repeat(100_000)])
    assert.equal((await agent.submit(page, { code: text })).status, 400)
  assert.equal((await agent.submit(page, { code })).status, 303)
})

test('of a thousand parallel wrong codes five are compared, and the right one does not work afterwards', async () => {
  const user = await w.createUser(environment)
  const { agent, page } = await ask(user.email)
  const code = await codeOf(user.email)
  const replies = await inLanes(250, 1_000, () => agent.submit(page, { code: other(code) }, from()))
  assert.deepEqual(new Set(replies.map(({ status }) => status)), new Set([400]))
  const row = await w.deployment.db.all(
    z.object({ tries: z.int() }),
    sql`select tries from mailed_codes where environment_id = ${environment.id} and user_id = ${user.id}`,
  )
  assert.deepEqual(row, [{ tries: 5 }])
  assert.equal((await agent.submit(page, { code })).status, 400)
})

test('of fifty parallel uses of the right code one signs in', async () => {
  const user = await w.createUser(environment)
  const { agent, page } = await ask(user.email)
  const code = await codeOf(user.email)
  const { cookies } = agent
  const replies = await Promise.all(
    Array.from({ length: 50 }, () => {
      const copy = createAgent()
      for (const [name, value] of cookies) copy.cookies.set(name, value)
      return copy.submit(page, { code })
    }),
  )
  assert.equal(replies.filter(({ status }) => status === 303).length, 1)
})

test('a code works only in the browser that asked for it', async () => {
  const [user, neighbour] = [await w.createUser(environment), await w.createUser(environment)]
  const [mine, theirs] = [await ask(user.email), await ask(neighbour.email)]
  const code = await codeOf(user.email)
  assert.equal((await theirs.agent.submit(mine.page, { code })).status, 400, 'a form of another browser')
  assert.equal((await theirs.agent.submit(theirs.page, { code, email: user.email })).status, 400, 'the address of another person')
  assert.equal((await mine.agent.submit(mine.page, { code, email: neighbour.email })).status, 400, 'for another address')
  assert.equal((await mine.agent.submit(mine.page, { code })).status, 303)
})

test('a new code ends only the earlier one of the same browser', async () => {
  const user = await w.createUser(environment)
  const [mine, stranger] = [await ask(user.email), await ask(user.email)]
  const [stranger_code, my_code] = (await mailsTo(w, environment, user.email)).map(({ code }) => code ?? '')
  w.advance(31)
  const again = await stranger.agent.submit(stranger.page, { action: 'resend' })
  assert.equal((await mailsTo(w, environment, user.email)).length, 3)
  if (stranger_code !== (await codeOf(user.email)))
    assert.equal((await stranger.agent.submit(again, { code: stranger_code ?? '' })).status, 400, 'the replaced code')
  assert.equal((await mine.agent.submit(mine.page, { code: my_code ?? '' })).status, 303)
})

test('a resend within 30 seconds gets the same answer and sends nothing; the code stays valid', async () => {
  const user = await w.createUser(environment)
  const { agent, page } = await ask(user.email)
  const code = await codeOf(user.email)
  w.advance(29)
  const soon = await agent.submit(page, { action: 'resend' })
  assert.deepEqual(visibleIn(soon, user.email), visibleIn(page, user.email))
  assert.equal((await mailsTo(w, environment, user.email)).length, 1)
  w.advance(2)
  await agent.submit(page, { action: 'resend' })
  assert.equal((await mailsTo(w, environment, user.email)).length, 2)
  const fresh = await codeOf(user.email)
  if (fresh !== code) assert.equal((await agent.submit(page, { code })).status, 400, 'a new code ended it')
  assert.equal((await agent.submit(page, { code: fresh })).status, 303)
})

// biome-ignore format: a table
const limits = [
  { rule: 'five from one source', count: 5, source: () => ({ 'x-forwarded-for': '203.0.113.7' }) },
  { rule: 'five from one IPv6 /64', count: 5, source: (i: number) => ({ 'x-forwarded-for': `2001:db8:7:7::${i}` }) },
  { rule: 'fifteen from all unknown browsers of as many sources', count: 15, source: (i: number) => ({ 'x-forwarded-for': `203.0.114.${i}` }) },
]
for (const { rule, count, source } of limits)
  test(`an address gets ${rule} in an hour, and over the limit the same answer`, async () => {
    const user = await w.createUser(environment)
    const pages: Reply[] = []
    for (let i = 0; i < count + 2; i++) pages.push((await ask(user.email, createAgent(), source(i))).page)
    assert.equal((await mailsTo(w, environment, user.email)).length, count)
    assert.deepEqual(new Set(pages.map((page) => JSON.stringify(visibleIn(page, user.email)))).size, 1)
    w.advance(3_601)
    await ask(user.email, createAgent(), source(0))
    assert.equal((await mailsTo(w, environment, user.email)).length, count + 1)
  })

test('of the codes for unknown browsers ten go to any source and five to sources that had none, one each', async () => {
  const user = await w.createUser(environment)
  const mails = async () => (await mailsTo(w, environment, user.email)).length
  const ask_from = async (ip: string) => {
    await ask(user.email, createAgent(), { 'x-forwarded-for': ip })
    return mails()
  }
  for (const ip of ['203.0.118.1', '203.0.118.2']) for (let i = 0; i < 5; i++) await ask_from(ip)
  assert.equal(await mails(), 10)
  // biome-ignore format: a table
  const steps: [string, string, number][] = [
    ['a new source',                     '203.0.118.3', 11],
    ['the same source again',            '203.0.118.3', 11],
    ['another new source',               '203.0.118.4', 12],
    ['a source that had codes before',   '203.0.118.1', 12],
    ['a third new source',               '203.0.118.5', 13],
    ['a fourth new source',              '203.0.118.6', 14],
    ['a fifth new source',               '203.0.118.7', 15],
    ['a sixth new source',               '203.0.118.8', 15],
  ]
  for (const [who, ip, sent] of steps) assert.equal(await ask_from(ip), sent, who)
})

// biome-ignore format: a table
const races = [
  { sources: 1,  sent: 5 },
  { sources: 3,  sent: 11 },
  { sources: 50, sent: 15 },
]
for (const { sources, sent } of races)
  test(`of fifty parallel requests for one address from ${sources} sources at most ${sent} are mailed`, async () => {
    const user = await w.createUser(environment)
    const asks = Array.from({ length: 50 }, (_, i) =>
      ask(user.email, createAgent(), { 'x-forwarded-for': `203.0.${120 + sources}.${i % sources}` }),
    )
    await Promise.all(asks)
    const mailed = (await mailsTo(w, environment, user.email)).length
    // Three sources share ten codes in any order, and a source that comes late gets one of its own.
    assert.ok(mailed <= sent && mailed >= Math.min(sent, 10), `${mailed}`)
    if (sources !== 3) assert.equal(mailed, sent)
  })

test('a browser that signed in before has five codes of its own, whatever strangers ask for', async () => {
  const user = await w.createUser(environment)
  const { agent, page } = await ask(user.email)
  assert.equal((await agent.submit(page, { code: await codeOf(user.email) })).status, 303)
  for (let i = 0; i < 20; i++) await ask(user.email, createAgent(), { 'x-forwarded-for': `203.0.115.${i}` })
  const before = (await mailsTo(w, environment, user.email)).length
  assert.equal(before, 15)
  for (let i = 1; i <= 7; i++) {
    w.advance(31)
    await ask(user.email, agent, { 'x-forwarded-for': '203.0.115.1' })
    assert.equal((await mailsTo(w, environment, user.email)).length, before + Math.min(i, 5))
  }
})

test('an address has thirty wrong tries in an hour over all browsers, and known browsers have their own', async () => {
  const user = await w.createUser(environment)
  const known = await ask(user.email)
  assert.equal((await known.agent.submit(known.page, { code: await codeOf(user.email) })).status, 303)
  for (let i = 0; i < 6; i++) {
    const { agent, page } = await ask(user.email)
    const code = await codeOf(user.email)
    for (let j = 0; j < 5; j++) await agent.submit(page, { code: other(code) })
  }
  const seventh = await ask(user.email)
  assert.equal((await seventh.agent.submit(seventh.page, { code: await codeOf(user.email) })).status, 400, 'no try is left')
  w.advance(31)
  const again = await ask(user.email, known.agent)
  assert.equal((await known.agent.submit(again.page, { code: await codeOf(user.email) })).status, 303)
})

test('wrong emailed codes over many addresses count for their source', async () => {
  const [one, another] = ['203.0.116.1', '203.0.116.2'].map((ip) => ({ 'x-forwarded-for': ip }))
  const failures = async () => {
    const type = sql`type = 'sign_in.failed'`
    const rows = await w.deployment.db.all(
      z.object({ id: z.string() }),
      sql`select id from events where environment_id = ${environment.id} and ${type}`,
    )
    return rows.length
  }
  const user = await w.createUser(environment)
  const known = await ask(user.email)
  const signed_in = await known.agent.submit(known.page, { code: await codeOf(user.email) })
  assert.equal(signed_in.status, 303)
  w.advance(31)
  const { agent, page } = await ask('nobody@example.com')
  const { hidden } = formOf(page.body)
  const guess = (i: number, code = '123456', headers = one) =>
    agent.post(`${environment.issuer}/code`, { ...hidden, email: `guessed${i}@example.com`, code }, headers)
  const before = await failures()
  for (let i = 0; i < 50; i++) assert.equal((await guess(i)).status, 400)
  for (let i = 50; i < 100; i++) assert.equal((await guess(i, 'no code')).status, 400)
  const refused = await guess(100)
  assert.equal(refused.status, 429)
  assert.ok(refused.body.includes('data-step="code"') && Number(refused.headers.get('retry-after')) > 0)
  assert.equal(await failures(), before + 100, 'a refused try raises no event')
  assert.equal((await guess(101, '123456', another)).status, 400, 'another source')
  const again = await ask(user.email, known.agent, one)
  assert.equal((await known.agent.submit(again.page, { code: await codeOf(user.email) }, one)).status, 303, 'a known browser')
  w.advance(1_000)
  assert.equal((await guess(102)).status, 400)
})

test('right emailed codes do not use up the limit of their source', async () => {
  const one = { 'x-forwarded-for': '203.0.117.1' }
  for (let i = 0; i < 3; i++) {
    const user = await w.createUser(environment)
    const { agent, page } = await ask(user.email, createAgent(), one)
    assert.equal((await agent.submit(page, { code: await codeOf(user.email) }, one)).status, 303)
  }
  const rows = await w.deployment.db.all(
    z.object({ attempts: z.int() }),
    sql`select attempts from sign_in_attempts
         where environment_id = ${environment.id} and account = 'email-code' and source like 'ip:203.0.117.1%' and attempts > 0`,
  )
  assert.deepEqual(rows, [])
})

test('a known, an unknown and a blocked address get the same bytes and the same rows, and only the first gets mail', async () => {
  await w.changeSettings(environment, { sign_up: { mode: 'closed' } })
  const known = await w.createUser(environment, { email: 'aaa@example.com' })
  const blocked = await w.createUser(environment, { email: 'bbb@example.com' })
  await w.deployment.db.run(sql`update users set blocked_at = ${w.now()} where environment_id = ${environment.id} and id = ${blocked.id}`)
  const answers: unknown[] = []
  for (const email of [known.email, blocked.email, 'ccc@example.com']) {
    const { agent, page } = await ask(email)
    const wrong: Reply[] = []
    for (let i = 0; i < 6; i++) wrong.push(await agent.submit(page, { code: '000000' }))
    answers.push([page, ...wrong].map((reply) => visibleIn(reply, email)))
  }
  assert.deepEqual(answers[1], answers[0])
  assert.deepEqual(answers[2], answers[0])
  const counts = await Promise.all([known.email, blocked.email, 'ccc@example.com'].map((to) => mailsTo(w, environment, to)))
  assert.deepEqual(
    counts.map(({ length }) => length),
    [1, 0, 0],
  )
  await w.changeSettings(environment, { sign_up: { mode: 'open' } })
})

test('with open sign-up a proven code for an unknown address creates a verified account; closed in the meantime, it fails', async () => {
  const [email, late] = ['fresh-by-code@example.com', 'late-by-code@example.com']
  const [first, second] = [await ask(email), await ask(late)]
  const redirect = await first.agent.submit(first.page, { code: await codeOf(email) })
  assert.equal(redirect.status, 303)
  const { data } = expectStatus(200, await w.call('GET', `${environment.path}/users?email=${email}`))
  assert.deepEqual([data[0].email_verified, data[0].has_password], [true, false])
  await w.changeSettings(environment, { sign_up: { mode: 'closed' } })
  assert.equal((await second.agent.submit(second.page, { code: await codeOf(late) })).status, 400)
  await w.changeSettings(environment, { sign_up: { mode: 'open' } })
})

test('the page of a sign-up offers no password, also for a taken address, a wrong code and a new code', async () => {
  for (const email of ['new-by-form@example.com', (await w.createUser(environment, { email_verified: true })).email]) {
    const agent = createAgent()
    const form = await agent.get(authorizationRequest(environment, client, { prompt: 'create' }).url)
    const asked = await agent.submit(form, { email, password: 'a memorable sentence' }, from())
    const wrong = await agent.submit(asked, { code: '000000' })
    w.advance(31)
    const resent = await agent.submit(wrong, { action: 'resend' })
    for (const page of [asked, wrong, resent]) {
      assert.match(page.body, /data-action="resend-code"/)
      assert.doesNotMatch(page.body, /data-action="use-password"/)
    }
  }
})

test('a fixed code is every code of the environment, but no code of another person or browser', async () => {
  await w.changeSettings(environment, { test: { fixed_code: '424242' }, sign_up: { mode: 'closed' } })
  const user = await w.createUser(environment)
  const [mine, decoy] = [await ask(user.email), await ask('nobody-at-all@example.com')]
  assert.equal(await codeOf(user.email), '424242')
  assert.equal((await decoy.agent.submit(decoy.page, { code: '424242' })).status, 400)
  assert.equal((await createAgent().submit(mine.page, { code: '424242' })).status, 400)
  assert.equal((await mine.agent.submit(mine.page, { code: '424242' })).status, 303)
  await w.changeSettings(environment, { test: { fixed_code: null }, sign_up: { mode: 'open' } })
})

test('the page without passwords asks for the address only, and the state machine refuses steps out of order', async () => {
  await w.changeSettings(environment, { sign_in: { password: false } })
  const agent = createAgent()
  const page = await agent.get(authorizationRequest(environment, client, { prompt: 'login' }).url)
  assert.ok(!page.body.includes('name="password"') && page.body.includes('data-action="email-code"'))
  const user = await w.createUser(environment)
  const url = `${environment.issuer}/code`
  const { hidden } = formOf(page.body)
  for (const form of [
    {},
    { csrf: hidden.csrf ?? '' },
    { ...hidden, csrf: 'x', email: user.email, code: '000000' },
    { ...hidden, code: '000000' },
  ])
    assert.equal((await agent.post(url, form)).status, 400, JSON.stringify(Object.keys(form)))
  for (const email of ['', 'no address', 'x'.repeat(500), '\0@example.com'])
    assert.equal((await agent.submit(page, { email, method: 'email_code' })).status, 400, email.slice(0, 20))
  await w.changeSettings(environment, { sign_in: { password: true } })
})

test('a code of another environment opens nothing', async () => {
  const user = await w.createUser(environment)
  const { agent, page } = await ask(user.email)
  const code = await codeOf(user.email)
  const { hidden } = formOf(page.body)
  assert.equal((await agent.post(`${w.live.issuer}/code`, { ...hidden, code })).status, 400)
  assert.equal((await followPages(agent, await agent.submit(page, { code: other(code) }))).status, 400)
})

test('emailed codes need mail: the settings refuse them without it, in whichever group the change is', async () => {
  const refused = await w.call('PATCH', `${w.live.path}/settings`, { body: { sign_in: { email_code: true } } })
  assert.equal(refused.status, 422)
  assert.equal(refused.body.errors[0].pointer, '/sign_in/email_code')
  const off = await w.call('PATCH', `${environment.path}/settings`, { body: { email: { delivery: 'none' } } })
  assert.equal(off.status, 422)
})
