/**
 * A value is compared exactly as it was sent: longer, padded and disguised forms of it are refused or are another value, and never become
 * it. Typed values may have blanks and invisible format characters around them, which name nobody else. Path × form.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { accountAddress, emailKey } from '../../src/base/email.ts'
import { longest_email } from '../../src/base/normalisation.ts'
import { withoutBlanks } from '../../src/base/text.ts'
import { matchingStep, typedCode } from '../../src/domain/users/totp.ts'
import { readSessionCookie } from '../../src/site/dashboard/cookies.ts'
import { press } from '../support/account.ts'
import { authorizationRequest, createAgent, createPerson, formOf } from '../support/cookie-browser.ts'
import { mailsTo, newestMail } from '../support/mailed.ts'
import { rawRequest, sendRaw } from '../support/raw-http.ts'
import { startUpstreams } from '../support/upstream-provider.ts'
import { expectStatus, type Reply, world } from '../support/world.ts'

const upstreams = await startUpstreams()
const w = await world({ outbound: upstreams.outbound })
const environment = w.test
await w.changeSettings(environment, { sign_in: { email_code: true }, lockout: { max_attempts: 100 } })
const client = await w.createApplication(environment)
const google = { type: 'google', client_id: 'g', client_secret: 's' }
const provider = expectStatus(201, await w.call('POST', `${environment.path}/providers`, { body: google }))

/** Enough blanks that a form field is cut within them. */
const padding = ' '.repeat(longest_email)

const longer_forms: Record<string, (value: string) => string> = {
  'a longer form': (value) => `${value}.evil.example`,
  'a longer form, cut within blanks': (value) => `${value}${padding}.evil.example`,
  'a longer form, cut within tabs': (value) => `${value}${'\t'.repeat(longest_email)}x`,
}
const disguised_forms: Record<string, (value: string) => string> = {
  ...longer_forms,
  'a NUL before it': (value) => `\0${value}`,
  'a control character in it': (value) => `${value.slice(0, 2)}\x1b${value.slice(2)}`,
  'a control character after it': (value) => `${value}\x7f`,
  'a bidirectional control in it': (value) => `${value.slice(0, 2)}\u202e${value.slice(2)}`,
  'a joiner in it': (value) => `${value.slice(0, 2)}\u200d${value.slice(2)}`,
  'a soft hyphen in it': (value) => `${value.slice(0, 2)}\u00ad${value.slice(2)}`,
}
const padded_forms: Record<string, (value: string) => string> = {
  ...disguised_forms,
  'a bidirectional control before it': (value) => `\u202e${value}`,
  'a zero-width space after it': (value) => `${value}\u200b`,
  'a blank before it': (value) => ` ${value}`,
  'a blank after it': (value) => `${value} `,
  'a no-break space before it': (value) => `\u00a0${value}`,
  'a line separator after it': (value) => `${value}\u2028`,
  'a byte order mark before it': (value) => `\ufeff${value}`,
}

/** What a keyboard, a page or a mail adds around a typed value. */
const surroundings: Record<string, (value: string) => string> = {
  blanks: (value) => ` ${value}\t`,
  'no-break spaces': (value) => `\u00a0${value}\u00a0`,
  'zero-width spaces': (value) => `\u200b${value}\u200b`,
  'a byte order mark and a joiner': (value) => `\ufeff${value}\u200d`,
  'an isolate, as other programs copy it': (value) => `\u2068${value}\u2069`,
}

const open = async (prompt: string) => {
  const agent = createAgent()
  return { agent, page: await agent.get(authorizationRequest(environment, client, { prompt }).url) }
}
const forgotUrl = ({ body }: Reply) => /href="([^"]*\/forgot-password\?[^"]*)"/.exec(body)?.[1]?.replaceAll('&amp;', '&') ?? ''

/** Sends a form with a typed address. Each returns whether the address was taken for that of the account `email`. */
const typed: Record<string, (sent: string, person: { email: string; password: string }) => Promise<boolean>> = {
  async 'a password'(sent, { password }) {
    const { agent, page } = await open('login')
    return (await agent.submit(page, { email: sent, password, method: 'password' })).status === 303
  },
  async 'a code'(sent, { email }) {
    const { agent, page } = await open('login')
    await agent.submit(page, { email: sent, password: '', method: 'email_code' })
    return (await mailsTo(w, environment, email)).length > 0
  },
  async 'a new code'(sent, { email }) {
    const { agent, page } = await open('login')
    const { hidden } = formOf(page.body)
    await agent.post(`${environment.issuer}/code`, { ...hidden, email: sent, action: 'resend' })
    return (await mailsTo(w, environment, email)).length > 0
  },
  async 'a sign-up'(sent, { email }) {
    const { agent, page } = await open('create')
    await agent.submit(page, { email: sent, password: 'the sentence of a stranger' })
    return (await mailsTo(w, environment, email)).length > 0
  },
  async 'a reset'(sent, { email }) {
    const { agent, page } = await open('login')
    await agent.submit(await agent.get(forgotUrl(page)), { email: sent })
    return (await mailsTo(w, environment, email)).length > 0
  },
}

let people = 0
const newPerson = () => w.createUser(environment, { email: `exact${++people}@bigcorp.example`, email_verified: true })

for (const [path, isTaken] of Object.entries(typed)) {
  for (const [form, of] of Object.entries(disguised_forms))
    test(`an address typed for ${path} with ${form} is not that address`, async () => {
      const person = await newPerson()
      assert.equal(await isTaken(of(person.email), person), false)
    })
  for (const [around, of] of Object.entries(surroundings))
    test(`an address typed for ${path} may have ${around} around it`, async () => {
      const person = await newPerson()
      const is_new_code = path === 'a new code' // it needs a first one in the same browser
      assert.equal(await isTaken(of(person.email), person), !is_new_code || (await isTaken(person.email, person)))
    })
}

for (const [form, of] of Object.entries(longer_forms))
  test(`an account is not deleted by its address with ${form}`, async () => {
    const person = await createPerson(w, environment)
    await person.tokens(client)
    const page = await person.agent.get(`${environment.issuer}/account?action=delete-account`)
    await press(person.agent, page, 'delete-account', { email: of(person.email) })
    expectStatus(200, await w.call('GET', `${environment.path}/users/${person.id}`))
  })

for (const [form, of] of Object.entries(longer_forms))
  test(`a mailed code with ${form} is wrong`, async () => {
    const person = await newPerson()
    const { agent, page } = await open('login')
    const asked = await agent.submit(page, { email: person.email, password: '', method: 'email_code' })
    const { code } = await newestMail(w, environment, person.email)
    assert.equal((await agent.submit(asked, { code: of(code ?? '') })).status, 400)
    assert.equal((await agent.submit(asked, { code: ` ${code?.slice(0, 3)} ${code?.slice(3)} ` })).status, 303)
  })

for (const [around, of] of Object.entries(surroundings))
  test(`a mailed code may have ${around} around it`, async () => {
    const person = await newPerson()
    const { agent, page } = await open('login')
    const asked = await agent.submit(page, { email: person.email, password: '', method: 'email_code' })
    const { code } = await newestMail(w, environment, person.email)
    assert.equal((await agent.submit(asked, { code: of(code ?? '') })).status, 303)
  })

for (const [form, of] of Object.entries(longer_forms))
  test(`the code of an app with ${form} is refused`, () => {
    const secret = Buffer.alloc(20, 1)
    assert.equal(matchingStep(secret, typedCode(of('123456')), { last_step: 0, now: new Date(0) }), null)
    assert.equal(typedCode(of('123456')).includes('123456') && typedCode(of('123456')).length === 6, false)
  })

for (const [form, of] of Object.entries(padded_forms))
  test(`a subject of a provider with ${form} is another person or nobody`, async () => {
    const email = `subject${++people}@example.com`
    const signIn = async (sub: string) => {
      const { agent, page } = await open('login')
      const started = await agent.post(`${environment.issuer}/federate`, { ...formOf(page.body).hidden, provider: provider.id })
      const claims = { sub, email, email_verified: true }
      const answer = upstreams.agree(started.headers.get('location') ?? '', { claims, github: { user: {}, emails: [] } })
      return (await agent.get(`${environment.issuer}/oauth/callback/${provider.id}?${new URLSearchParams(answer)}`)).status
    }
    const subject = `the subject ${people}`
    assert.equal(await signIn(subject), 303)
    assert.ok([400, 502].includes(await signIn(of(subject))), 'the email has an account, which the other person does not get')
    assert.equal(await signIn(subject), 303)
  })

test('the state of an answer counts only as it was sent', async () => {
  for (const [form, of] of Object.entries(padded_forms)) {
    const { agent, page } = await open('login')
    const started = await agent.post(`${environment.issuer}/federate`, { ...formOf(page.body).hidden, provider: provider.id })
    const claims = { sub: `state ${form}`, email: `state${++people}@example.com`, email_verified: true }
    const answer = upstreams.agree(started.headers.get('location') ?? '', { claims, github: { user: {}, emails: [] } })
    const callback = (state: string) =>
      agent.get(`${environment.issuer}/oauth/callback/${provider.id}?${new URLSearchParams({ ...answer, state })}`)
    assert.equal((await callback(of(answer.state ?? ''))).status, 400, form)
    assert.equal((await callback(answer.state ?? '')).status, 303, form)
  }
})

/** Requests of the API and of the protocol that name something by a value. */
const named: Record<string, (sent: (value: string) => string) => Promise<boolean>> = {
  async client_id(sent) {
    const request = authorizationRequest(environment, client, { client_id: sent(client.client_id) })
    return (await createAgent().get(request.url)).status < 400
  },
  async 'the client of a Basic header'(sent) {
    const web = await w.createApplication(environment, { application_type: 'web' })
    const credentials = `${encodeURIComponent(sent(web.client_id))}:${encodeURIComponent(web.client_secret ?? '')}`
    const headers = {
      authorization: `Basic ${Buffer.from(credentials).toString('base64')}`,
      'content-type': 'application/x-www-form-urlencoded',
    }
    const body = 'grant_type=refresh_token&refresh_token=none'
    const reply = await fetch(w.reach(`${environment.issuer}/v1/oauth/token`), { method: 'POST', headers, body })
    return ((await reply.json()) as { error: string }).error === 'invalid_grant' // as: RFC 6749 §5.2
  },
  async 'the provider of a form'(sent) {
    const { agent, page } = await open('login')
    const fields = { ...formOf(page.body).hidden, provider: sent(provider.id) }
    const { headers } = await agent.post(`${environment.issuer}/federate`, fields)
    return (headers.get('location') ?? '').startsWith('https://accounts.google.com')
  },
  async 'a slug in a filter'(sent) {
    const { slug } = expectStatus(200, await w.call('GET', `/v1/platform/projects/${w.project.id}`))
    const reply = await w.call('GET', `/v1/platform/projects?slug=${encodeURIComponent(sent(slug))}`)
    return reply.status === 200 && reply.body.data.length > 0
  },
  async 'an address in a filter'(sent) {
    const user = await newPerson()
    const reply = await w.call('GET', `${environment.path}/users?email=${encodeURIComponent(sent(user.email))}`)
    return reply.status === 200 && reply.body.data.length > 0
  },
  async 'the address of a new user'(sent) {
    const user = await newPerson()
    const key = expectStatus(201, await w.call('POST', `${environment.path}/auth-keys`, { body: { type: 'auth_secret' } })).key
    const reply = await w.call('POST', '/v1/auth/users', { key, body: { email: sent(user.email) } })
    return reply.status === 409
  },
  async 'the label of a key'(sent) {
    const label = sent('backend')
    const reply = await w.call('POST', `${environment.path}/auth-keys`, { body: { type: 'auth_secret', label } })
    return reply.status === 201 && reply.body.label !== label
  },
  async 'a scope of an application'(sent) {
    const body = {
      name: 'Scopes',
      application_type: 'spa',
      redirect_uris: ['https://a.example/cb'],
      allowed_scopes: ['openid', sent('email')],
    }
    return (await w.call('POST', `${environment.path}/applications`, { body })).status === 201
  },
}
for (const [what, isFound] of Object.entries(named)) {
  for (const [form, of] of Object.entries(padded_forms))
    test(`${what} with ${form} is not that value`, async () => assert.equal(await isFound(of), false))
  if (what !== 'the label of a key') test(`${what} as it is counts`, async () => assert.equal(await isFound((value) => value), true))
}

test('a cookie counts only under its exact name, since browsers keep a name with another character from the rules of its prefix', async () => {
  const person = await createPerson(w, environment)
  await person.tokens(client)
  const [name = '', secret = ''] = [...person.agent.cookies].find(([name]) => name.includes('ostiary_session_')) ?? []
  const { host, pathname } = new URL(`${environment.issuer}/account`)
  const step = async (cookie: string) => {
    const { body } = await sendRaw(w.reach(w.base_url), rawRequest('GET', pathname, { host, cookie }))
    return /data-step="([^"]*)"/.exec(body)?.[1]
  }
  assert.equal(await step(`a=1; ${name}=${secret}`), 'account')
  assert.equal(await step(`a=1;\t${name} = ${secret}`), 'account', 'blanks of RFC 6265bis §5.5')
  for (const cookie of [`\xa0${name}=${secret}`, `a=1; \xa0${name}=${secret}`, `${name}\xa0=${secret}`, `${name}=\xa0${secret}`])
    assert.equal(await step(cookie), 'sign-in', JSON.stringify(cookie))
})

test('the cookie of the dashboard counts only under its exact name', () => {
  const secret = 'a'.repeat(43)
  const read = (header: string) => readSessionCookie('https://id.example.com', header)
  assert.equal(read(`a=1; __Secure-ostiary_dashboard=${secret}`), secret)
  for (const header of [
    `\xa0__Secure-ostiary_dashboard=${secret}`,
    `a=1;\ufeff__Secure-ostiary_dashboard=${secret}`,
    `__Secure-ostiary_dashboard=\xa0${secret}`,
  ])
    assert.equal(read(header), null, JSON.stringify(header))
})

test('blanks are a space and a tab', () => {
  assert.deepEqual([' a\t', '\t a b ', ' ', '\xa0a', 'a\u2028', '\va'].map(withoutBlanks), ['a', 'a b', '', '\xa0a', 'a\u2028', '\va'])
})

for (const [form, of] of Object.entries(padded_forms))
  test(`the key of an address with ${form} is not the key of the address`, () => {
    assert.notEqual(emailKey(of('ada@bigcorp.example').slice(0, longest_email)), emailKey('ada@bigcorp.example'))
    assert.notEqual(form in disguised_forms && accountAddress(of('ada@bigcorp.example').slice(0, longest_email + 1)), 'ada@bigcorp.example')
  })
