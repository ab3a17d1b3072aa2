/** The second factor of a sign-in: enrolment, codes of the app, recovery codes, and no way around them (decision 0042). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeJwt } from 'jose'
import {
  appCode,
  codeAfter,
  enrolPerson,
  passwordStep,
  recoveryCodesOn,
  secretOn,
  stepOn,
  wrongCode,
} from '../support/authenticator-app.ts'
import { authorizationRequest, createAgent, createPerson, exchange, followPages, formOf } from '../support/cookie-browser.ts'
import { inLanes } from '../support/lanes.ts'
import { until } from '../support/receiver.ts'
import { expectStatus, type TestEnvironment, world } from '../support/world.ts'

const w = await world()

async function setUp(environment: TestEnvironment) {
  await w.changeSettings(environment, { mfa: { mode: 'required' }, email: { delivery: 'none' }, lockout: { max_attempts: 100 } })
  const client = await w.createApplication(environment)
  const key = expectStatus(201, await w.call('POST', `${environment.path}/auth-keys`, { body: { type: 'auth_secret' } })).key
  const backend = (method: string, path: string) => w.call(method, `/v1/auth/users/${path}`, { key })
  const events = (query: string, count = 1) =>
    until(`${count} events ${query}`, async () => {
      const { data } = expectStatus(200, await w.call('GET', `${environment.path}/events?${query}`))
      return data.length >= count && data
    })
  return { environment, client, backend, events }
}

for (const set of [await setUp(w.test), await setUp(w.live)]) {
  const { environment, client, backend, events } = set
  const { type } = environment

  test(`a person enrols an app in the sign-in, gets ten recovery codes once, and an ID token of two factors (${type})`, async () => {
    const person = await w.createUser(environment)
    const { agent, request, page } = await passwordStep(environment, client, person)
    assert.equal(stepOn(page), 'enrol-totp')
    assert.match(page.body, /<svg role="img" aria-label="QR code[^"]*" viewBox="0 0 \d+ \d+"/)
    const secret = secretOn(page)
    assert.ok(page.body.includes(`<code>${secret.match(/.{4}/g)?.join(' ')}</code>`), 'the secret as text')
    const { attempt, request: query } = formOf(page.body).hidden
    const again = await agent.get(`${environment.issuer}/second-factor?attempt=${attempt}&${query}`)
    assert.equal(secretOn(again), secret, 'the page can be opened again')

    const wrong = await agent.submit(page, { code: wrongCode(secret, w.now()) })
    assert.deepEqual([wrong.status, stepOn(wrong), secretOn(wrong)], [400, 'enrol-totp', secret])
    const opened = await followPages(agent, await agent.get(formOf(wrong.body).action))
    assert.deepEqual([opened.status, secretOn(opened)], [400, secret], 'the page of a wrong code can be opened again')
    assert.equal(expectStatus(200, await backend('GET', `${person.id}/methods`)).data.length, 1)

    const code = appCode(secret, w.now())
    const shown = await agent.submit(page, { code: `${code.slice(0, 3)} ${code.slice(3)}` })
    assert.deepEqual([shown.status, stepOn(shown)], [200, 'recovery-codes'])
    assert.equal(new Set(recoveryCodesOn(shown)).size, 10)
    const done = await codeAfter(agent, await agent.submit(shown, {}), request)
    const tokens = expectStatus(200, await exchange(w, environment, client, { request, code: done.code ?? '' }))
    const { acr, amr, sid } = decodeJwt(tokens.id_token)
    assert.deepEqual([acr, amr], ['urn:ostiary:2fa', ['pwd', 'otp', 'mfa']])
    assert.equal(decodeJwt(tokens.access_token).acr, 'urn:ostiary:2fa')

    const [session] = expectStatus(200, await backend('GET', `${person.id}/sessions`)).data
    assert.deepEqual([session.id, session.amr], [sid, ['pwd', 'otp', 'mfa']])
    const { data } = expectStatus(200, await backend('GET', `${person.id}/methods`))
    const shape = data.map(({ type, codes_left, name }: any) => [type, codes_left, name]) // any: rows of the answer
    assert.deepEqual(shape.sort(), [
      ['password', null, null],
      ['recovery_codes', 10, null],
      ['totp', null, null],
    ])
    const [enrolled] = await events(`type=mfa.enrolled&user_id=${person.id}`)
    assert.deepEqual(enrolled.data, { method: 'totp', method_id: data.find(({ type }: any) => type === 'totp').id, sub: person.id }) // any: as above
    const repeated = await agent.submit(page, { code: appCode(secret, w.now(), 1) })
    assert.notEqual(stepOn(repeated), 'recovery-codes', 'the half sign-in is used up')
  })

  test(`an enrolled person is asked for a code of the app, which works once (${type})`, async () => {
    const person = await enrolPerson(w, environment, client)
    const first = await passwordStep(environment, client, person)
    assert.deepEqual([stepOn(first.page), first.code], ['second-factor', null])
    assert.match(first.page.body, /name="code"[^>]* autocomplete="one-time-code"|autocomplete="one-time-code"/)
    const used = await first.agent.submit(first.page, { code: appCode(person.secret, w.now()) })
    assert.deepEqual([used.status, stepOn(used)], [400, 'second-factor'], 'the code of the enrolment was used')
    w.advance(30)
    const code = appCode(person.secret, w.now())
    const second = await passwordStep(environment, client, person)
    assert.ok((await codeAfter(first.agent, await first.agent.submit(first.page, { code }), first.request)).code)
    assert.equal((await second.agent.submit(second.page, { code })).status, 400, 'a code of the app works once')
    w.advance(30)
    const next = await second.agent.submit(second.page, { code: appCode(person.secret, w.now()) })
    assert.ok((await codeAfter(second.agent, next, second.request)).code)
  })

  test(`a recovery code replaces the app once, in any spelling, and is mailed and counted (${type})`, async () => {
    const person = await enrolPerson(w, environment, client)
    const [recovery = '', other = ''] = person.codes
    const { agent, page, request } = await passwordStep(environment, client, person)
    const asked = await followPages(agent, await agent.submit(page, { use: 'recovery_code' }))
    assert.deepEqual([asked.status, stepOn(asked)], [200, 'second-factor'])
    assert.match(asked.body, /name="recovery_code"/)
    assert.match((await followPages(agent, await agent.submit(asked, { use: 'code' }))).body, /name="code"/)
    const done = await codeAfter(
      agent,
      await agent.submit(asked, { recovery_code: ` ${recovery.replaceAll('-', ' ').toUpperCase()} ` }),
      request,
    )
    const tokens = expectStatus(200, await exchange(w, environment, client, { request, code: done.code ?? '' }))
    assert.deepEqual(decodeJwt(tokens.id_token).amr, ['pwd', 'otp', 'mfa'])
    const { data } = expectStatus(200, await backend('GET', `${person.id}/methods`))
    const method = data.find(({ type }: any) => type === 'recovery_codes') // any: rows of the answer
    assert.deepEqual([method.codes_left, typeof method.last_used_at], [9, 'string'])

    const again = await passwordStep(environment, client, person)
    for (const sent of [recovery, other.slice(1), '', 'x'.repeat(5_000)])
      assert.equal((await again.agent.submit(again.page, { recovery_code: sent })).status, 400, sent.slice(0, 20))
    assert.ok(
      (await codeAfter(again.agent, await again.agent.submit(again.page, { recovery_code: other.replaceAll('-', '') }), again.request))
        .code,
    )
  })

  test(`five wrong second factors end the attempt, and the sign-in begins again (${type})`, async () => {
    const person = await enrolPerson(w, environment, client)
    w.advance(30)
    const { agent, page } = await passwordStep(environment, client, person)
    assert.equal((await agent.submit(page, { code: '' })).status, 400, 'an empty form is not a try')
    for (let i = 0; i < 4; i++) {
      const fields = i % 2 === 0 ? { code: wrongCode(person.secret, w.now()) } : { recovery_code: '0000-0000-0000' }
      assert.equal(stepOn(await agent.submit(page, fields)), 'second-factor')
    }
    const fifth = await agent.submit(page, { code: wrongCode(person.secret, w.now()) })
    assert.deepEqual([fifth.status, stepOn(fifth)], [400, 'sign-in'])
    const after = await agent.submit(page, { code: appCode(person.secret, w.now()) })
    const { page: restarted, code } = await codeAfter(agent, after, { redirect_uri: 'https://app.example.com' })
    assert.deepEqual([stepOn(restarted), code], ['sign-in', null], 'the right code comes too late')
    const failed = await events(`type=sign_in.failed&user_id=${person.id}`, 5)
    assert.deepEqual(failed[0].data.reason, 'wrong_code')
    assert.equal(expectStatus(200, await backend('GET', `${person.id}/sessions`)).data.length, 1)
  })

  test(`a half sign-in ends after ten minutes (${type})`, async () => {
    const person = await enrolPerson(w, environment, client)
    const { agent, page, request } = await passwordStep(environment, client, person)
    w.advance(601)
    const late = await codeAfter(agent, await agent.submit(page, { code: appCode(person.secret, w.now()) }), request)
    assert.deepEqual([stepOn(late.page), late.code], ['sign-in', null])
  })

  test(`no step of the sign-in can be skipped, whatever is posted in whatever order (${type})`, async () => {
    const person = await enrolPerson(w, environment, client)
    const victim = await enrolPerson(w, environment, client)
    const newcomer = await w.createUser(environment)
    w.advance(30)
    const code = appCode(person.secret, w.now())

    const { agent, page, request } = await passwordStep(environment, client, person)
    const { hidden } = formOf(page.body)
    const outcome = async (reply: Awaited<ReturnType<typeof agent.get>>, by = agent) => {
      const { page: shown, code } = await codeAfter(by, reply, request)
      return code === null ? stepOn(shown) : 'a code'
    }
    const at = (path: string) => `${environment.issuer}/${path}`
    assert.equal(await outcome(await agent.get(request.url)), 'sign-in', 'the request itself')
    for (const [path, fields] of [
      ['enrol-totp', { code }],
      ['enrolment-code', { code }],
      ['enrolment-code', { resend: 'yes' }],
      ['consent', { decision: 'allow' }],
      ['select-account', {}],
      ['second-factor', {}],
      ['second-factor', { code: '' }],
      ['second-factor', { recovery_code: '' }],
    ] as const) {
      const reached = await outcome(await agent.post(at(path), { ...hidden, ...fields }))
      const ended = path === 'consent' && reached === 'error' // its form names a session, and there is none
      assert.ok(reached === 'second-factor' || reached === 'sign-in' || ended, `${path} ${JSON.stringify(fields)}: ${reached}`)
    }
    assert.equal(await outcome(await agent.post(at('second-factor'), { code })), 'error', 'without the request')
    assert.equal(
      await outcome(await agent.post(at('second-factor'), { request: hidden.request ?? '', attempt: hidden.attempt ?? '', code })),
      'second-factor',
      'without the form token',
    )
    assert.equal(await outcome(await createAgent().post(at('second-factor'), { ...hidden, code })), 'sign-in', 'from another browser')
    const other = authorizationRequest(environment, client, { prompt: 'login' }).url.split('?')[1] ?? ''
    assert.equal(
      await outcome(await agent.post(at('second-factor'), { ...hidden, request: other, code })),
      'sign-in',
      'for another request',
    )
    assert.equal(
      await outcome(await agent.post(at('second-factor'), { ...hidden, code: appCode(victim.secret, w.now()) })),
      'second-factor',
      'the app of another person',
    )
    assert.equal(await outcome(await agent.post(at('second-factor'), { ...hidden, recovery_code: victim.codes[0] ?? '' })), 'second-factor')

    const enrolling = await passwordStep(environment, client, newcomer)
    const posted = await enrolling.agent.submit(enrolling.page, { code })
    assert.equal(stepOn(posted), 'enrol-totp')
    const { hidden: own } = formOf(enrolling.page.body)
    assert.equal(
      await outcome(await enrolling.agent.post(at('second-factor'), { ...own, code }), enrolling.agent),
      'enrol-totp',
      'enrolment is not skipped',
    )
    assert.equal(await outcome(await enrolling.agent.get(enrolling.request.url), enrolling.agent), 'sign-in')

    // The half sign-in of another person, in the browser of the victim's.
    const isHalf = (name: string) => name.startsWith(`ostiary_half_${environment.id}`)
    const theirs = await passwordStep(environment, client, victim)
    for (const name of agent.cookies.keys()) if (isHalf(name)) agent.cookies.delete(name)
    for (const [name, value] of theirs.agent.cookies) if (isHalf(name)) agent.cookies.set(name, value)
    assert.equal(await outcome(await agent.post(at('second-factor'), { ...hidden, code })), 'sign-in', 'another half sign-in')
    const { request: request_of_victim = '', attempt = '' } = formOf(theirs.page.body).hidden
    const own_code = await agent.post(at('second-factor'), { ...hidden, request: request_of_victim, attempt, code })
    assert.deepEqual([own_code.status, stepOn(own_code)], [400, 'second-factor'], 'the own app for another account')
  })

  test(`a half sign-in is not a session: it ends with the account, its password and a removal of the factor (${type})`, async () => {
    const ends: [string, (id: string) => Promise<unknown>][] = [
      ['blocked', (id) => backend('POST', `${id}/block`)],
      ['deleted', (id) => backend('DELETE', id)],
      ['ended', (id) => backend('POST', `${id}/end-sessions`)],
      [
        'without the factor',
        async (id) => {
          const { data } = expectStatus(200, await backend('GET', `${id}/methods`))
          const totp = data.find(({ type }: any) => type === 'totp') // any: rows of the answer
          return expectStatus(204, await backend('DELETE', `${id}/methods/${totp.id}`))
        },
      ],
    ]
    for (const [how, end] of ends) {
      const person = await enrolPerson(w, environment, client)
      w.advance(30)
      const { agent, page, request } = await passwordStep(environment, client, person)
      await end(person.id)
      const reply = await agent.submit(page, { code: appCode(person.secret, w.now()) })
      const { page: shown, code } = await codeAfter(agent, reply, request)
      assert.deepEqual([stepOn(shown), code], ['sign-in', null], how)
    }
  })
}

test('the half sign-in of one environment counts in no other', async () => {
  const [a, b] = [w.test, w.live]
  const [first, second] = [await w.createApplication(a), await w.createApplication(b)]
  const email = 'both@example.com'
  const [here, there] = [await enrolPerson(w, a, first, { email }), await enrolPerson(w, b, second, { email })]
  w.advance(30)
  const one = await passwordStep(a, first, here)
  const two = await passwordStep(b, second, there, { agent: one.agent })
  const [[, of_a = ''] = []] = [...one.agent.cookies].filter(([name]) => name.startsWith(`ostiary_half_${a.id}`))
  for (const name of one.agent.cookies.keys()) if (name.startsWith(`ostiary_half_${b.id}`)) one.agent.cookies.set(name, of_a)
  const reply = await one.agent.submit(two.page, { code: appCode(there.secret, w.now()) })
  const { page, code } = await codeAfter(one.agent, reply, two.request)
  assert.deepEqual([stepOn(page), code], ['sign-in', null])
})

test('of 50 parallel uses of one code of the app or of one recovery code, in one browser or in many, one succeeds', async () => {
  const { environment, client } = { environment: w.live, client: await w.createApplication(w.live) }
  const person = await enrolPerson(w, environment, client)
  const [first = '', second = ''] = person.codes
  const races = [
    { browsers: 1, sent: () => ({ code: appCode(person.secret, w.now()) }) },
    { browsers: 10, sent: () => ({ code: appCode(person.secret, w.now()) }) },
    { browsers: 1, sent: () => ({ recovery_code: first }) },
    { browsers: 10, sent: () => ({ recovery_code: second }) },
  ]
  for (const { browsers, sent } of races) {
    w.advance(60)
    const begun = await Promise.all(Array.from({ length: browsers }, () => passwordStep(environment, client, person)))
    const fields = sent()
    const replies = await Promise.all(
      Array.from({ length: 50 }, (_, i) => {
        const { agent, page } = begun[i % browsers] as (typeof begun)[number] // as: within the list
        return agent.submit(page, fields)
      }),
    )
    const sessions = replies.flatMap(({ headers }) => headers.getSetCookie()).filter((line) => line.startsWith('ostiary_session_'))
    assert.equal(sessions.length, 1, JSON.stringify([Object.keys(fields), browsers]))
  }
})

test('of a thousand parallel wrong codes no more than the limit of the account are checked, whatever the source', async () => {
  const environment = (await w.createProject('guesses')).test
  await w.changeSettings(environment, { mfa: { mode: 'required' }, email: { delivery: 'none' } })
  const client = await w.createApplication(environment)
  const person = await enrolPerson(w, environment, client)
  w.advance(30)
  const lockout = { max_attempts: 7, duration_seconds: 600 }
  await w.changeSettings(environment, { lockout })
  const begun = await Promise.all(Array.from({ length: 5 }, () => passwordStep(environment, client, person)))
  const code = wrongCode(person.secret, w.now())
  const replies = await inLanes(200, 1_000, (i) => {
    const { agent, page } = begun[i % begun.length] as (typeof begun)[number] // as: within the list
    return agent.submit(page, { code })
  })
  const failed = await until('the events', async () => {
    const { data } = expectStatus(200, await w.call('GET', `${environment.path}/events?type=sign_in.failed&user_id=${person.id}&limit=100`))
    return data.length >= lockout.max_attempts && data
  })
  assert.equal(failed.length, lockout.max_attempts)
  const checked = replies.filter(({ status, body }) => status === 400 && !body.includes('or it is over'))
  assert.equal(checked.length, lockout.max_attempts, 'the others are 429, or say that the attempt is over')
  const fresh = await passwordStep(environment, client, person)
  const locked = await fresh.agent.submit(fresh.page, { code: appCode(person.secret, w.now()) })
  assert.deepEqual([locked.status, stepOn(locked)], [429, 'second-factor'], 'a right password and a right code do not help')
  assert.ok(Number(locked.headers.get('retry-after')) > 500)
  w.advance(lockout.duration_seconds)
  const after = await passwordStep(environment, client, person)
  assert.ok(
    (await codeAfter(after.agent, await after.agent.submit(after.page, { code: appCode(person.secret, w.now()) }), after.request)).code,
  )
})

test('a person without a second factor signs in with one where it is optional, and an enrolled one is asked even where it is off', async () => {
  const environment = (await w.createProject('modes')).test
  const client = await w.createApplication(environment)
  await w.changeSettings(environment, { mfa: { mode: 'required' }, email: { delivery: 'none' } })
  const enrolled = await enrolPerson(w, environment, client)
  for (const mode of ['optional', 'off']) {
    await w.changeSettings(environment, { mfa: { mode } })
    const person = await createPerson(w, environment)
    assert.deepEqual(decodeJwt((await person.tokens(client)).id_token).acr, 'urn:ostiary:1fa')
    assert.equal(stepOn((await passwordStep(environment, client, enrolled)).page), 'second-factor', mode)
  }
})
