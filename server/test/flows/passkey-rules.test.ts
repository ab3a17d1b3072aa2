/** Passkeys under attack and in care: single use, races, limits, foreign and removed credentials, management. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { z } from 'zod'
import { sql } from '../../src/db/db.ts'
import { most_passkeys, removeAllPasskeys } from '../../src/domain/passkeys/store.ts'
import type { OidcCall, OidcServices } from '../../src/oidc/call.ts'
import { createIssuers } from '../../src/oidc/issuer.ts'
import { createKeyPool } from '../../src/oidc/key-pool.ts'
import { removeExpiredRows } from '../../src/workers/expiring-rows.ts'
import { createAuthenticator, encode } from '../support/authenticator.ts'
import { createAgent, formOf } from '../support/cookie-browser.ts'
import {
  createPasskeyPerson,
  openSignIn,
  optionsOf,
  passkeyForm,
  postCredential,
  reachOffer,
  setAble,
  signInByPasskey,
} from '../support/passkeys.ts'
import { until } from '../support/receiver.ts'
import { expectStatus, type Reply, world } from '../support/world.ts'

const w = await world()
const origin = new URL(w.test.issuer).origin
const { db } = w.deployment
await w.changeSettings(w.test, { sign_in: { passkey: true } })
await w.changeSettings(w.live, { sign_in: { passkey: true, passkey_shared_host: true } })
const client = await w.createApplication(w.test)
const live_client = await w.createApplication(w.live)
const { key } = expectStatus(201, await w.call('POST', `${w.test.path}/auth-keys`, { body: { type: 'auth_secret' } }))
const backend = (method: string, path: string, body?: unknown) => w.call(method, `/v1/auth/users/${path}`, { key, body })
const methodsOf = async (user_id: string) => expectStatus(200, await backend('GET', `${user_id}/methods`)).data
const passkeyOf = async (user_id: string) => (await methodsOf(user_id)).find(({ type }: { type: string }) => type === 'passkey')
const eventsOf = (type: string, user_id: string) =>
  until(`${type} of ${user_id}`, async () => {
    const { data } = expectStatus(200, await w.call('GET', `${w.test.path}/events?type=${type}&user_id=${user_id}`))
    return data.length > 0 && data
  })
const inboxOf = async (email: string) => expectStatus(200, await w.call('GET', `${w.test.path}/inbox?to=${encodeURIComponent(email)}`)).data
const problemOf = ({ body }: Reply) => / id="problem".*?<div>(.*?)<\/div>/s.exec(body)?.[1] ?? null
const Count = z.object({ count: z.int() })
const rowsOf = async (table: 'passkeys' | 'passkey_ceremonies' | 'sign_in_attempts' | 'events') => {
  const counted = { passkeys: sql`passkeys`, passkey_ceremonies: sql`passkey_ceremonies`, sign_in_attempts: sql`sign_in_attempts`, events: sql`events` } // biome-ignore format: one line
  return (await db.all(Count, sql`select count(*) as count from ${counted[table]}`))[0]?.count ?? -1
}

test('of fifty parallel posts of one response exactly one signs in', async () => {
  const { device } = await createPasskeyPerson(w, w.test, client, { device: createAuthenticator(origin, 'ES256', { counter: 0 }) })
  const { agent, page } = await openSignIn(w.test, client)
  const response = device.get(optionsOf(page))
  const replies = await Promise.all(Array.from({ length: 50 }, () => postCredential(agent, page, response)))
  assert.equal(replies.filter(({ status }) => status === 303).length, 1)
  assert.equal((await postCredential(agent, page, response)).status, 400, 'and none later')
})

test('of fifty parallel posts of one registration exactly one adds the passkey', async () => {
  const user = await w.createUser(w.test)
  const { agent, offer } = await reachOffer(w.test, client, user)
  const response = createAuthenticator(origin).create(optionsOf(offer))
  const replies = await Promise.all(Array.from({ length: 50 }, () => postCredential(agent, offer, response)))
  assert.equal((await methodsOf(user.id)).length, 2)
  // 200: a browser keeps few refusals, so the page to which a refused post leads may show the step as it is.
  assert.ok(replies.every(({ status }) => [303, 400, 200].includes(status)))
  assert.equal((await eventsOf('mfa.enrolled', user.id)).length, 1)
})

test('of parallel sign-ins with rising counters the stored counter is never lowered', async () => {
  const { device, id } = await createPasskeyPerson(w, w.test, client)
  const pages = await Promise.all(Array.from({ length: 8 }, () => openSignIn(w.test, client)))
  const replies = await Promise.all(
    pages.map(({ agent, page }, i) => postCredential(agent, page, device.get(optionsOf(page), { counter: 10 + i }))),
  )
  assert.ok(replies.some(({ status }) => status === 303))
  const [row] = await db.all(z.object({ counter: z.int() }), sql`select counter from passkeys where user_id = ${id}`)
  const best = Math.max(...replies.flatMap(({ status }, i) => (status === 303 ? [10 + i] : [])))
  assert.equal(row?.counter, best)
})

// biome-ignore format: this table is read by column
const challenges: [name: string, of: (browser: { agent: ReturnType<typeof createAgent>; page: Reply }) => Promise<string>][] = [
  ['of another browser',       async () => optionsOf((await openSignIn(w.test, client)).page).challenge],
  ['of another environment',   async () => optionsOf((await openSignIn(w.live, live_client)).page).challenge],
  ['of an enrolment',          async () => optionsOf((await reachOffer(w.test, client, await w.createUser(w.test))).offer).challenge],
  ['that nobody made',         async () => randomBytes(54).toString('base64url')],
  ['that is empty',            async () => ''],
  ['that was lengthened',      async ({ page }) => `${optionsOf(page).challenge}AA`],
  ['that has expired',         async ({ page }) => { w.advance(601); return optionsOf(page).challenge }],
]
for (const [name, challengeOf] of challenges)
  test(`a response to a challenge ${name} signs nobody in, and writes nothing`, async () => {
    const { device } = await createPasskeyPerson(w, w.test, client)
    const { agent, page } = await openSignIn(w.test, client)
    const challenge = await challengeOf({ agent, page })
    const before = [await rowsOf('passkey_ceremonies'), await rowsOf('sign_in_attempts')]
    const reply = await postCredential(agent, page, device.get({ challenge }))
    assert.equal(reply.status, 400)
    assert.deepEqual([await rowsOf('passkey_ceremonies'), await rowsOf('sign_in_attempts')], before)
    assert.equal((await postCredential(agent, reply, device.get(optionsOf(reply)))).status, 303, 'the page has a new challenge')
  })

test('pages with challenges write nothing, and finished ceremonies go after ten minutes', async () => {
  const before = [await rowsOf('passkey_ceremonies'), await rowsOf('sign_in_attempts')]
  for (let i = 0; i < 5; i++) await openSignIn(w.test, client)
  assert.deepEqual([await rowsOf('passkey_ceremonies'), await rowsOf('sign_in_attempts')], before)
  w.advance(601)
  await removeExpiredRows(db, w.now())
  assert.equal(await rowsOf('passkey_ceremonies'), 0)
})

const device = createAuthenticator(origin)
const valid = device.get({ challenge: 'x' })
// biome-ignore format: this table is read by column
const junk: [name: string, credential: unknown][] = [
  ['an empty text',              ''],
  ['no JSON',                    '{'],
  ['a number',                   1],
  ['an array',                   []],
  ['deeply nested JSON',         '['.repeat(16_000)],
  ['a text that is too long',    `{"id":"${'A'.repeat(17_000)}"}`],
  ['an id that is too long',     { ...valid, id: 'A'.repeat(1_400) }],
  ['an id that is not base64url', { ...valid, id: '../../etc' }],
  ['another type',               { ...valid, type: 'password' }],
  ['a signature too long',       { ...valid, response: { ...valid.response, signature: 'A'.repeat(2_000) } }],
  ['data too long',              { ...valid, response: { ...valid.response, authenticatorData: 'A'.repeat(4_000) } }],
  ['client data that is not JSON', { ...valid, response: { ...valid.response, clientDataJSON: 'AAAA' } }],
  ['client data without a challenge', { ...valid, response: { ...valid.response, clientDataJSON: 'e30' } }],
  ['a user handle too long',     { ...valid, response: { ...valid.response, userHandle: 'A'.repeat(100) } }],
  ['a null response',            { ...valid, response: null }],
  ['the text of U+0000',         '\u0000'],
]
for (const [name, credential] of junk)
  test(`${name} in place of a response is 400 at the sign-in and at the enrolment`, async () => {
    const { agent, page } = await openSignIn(w.test, client)
    assert.equal((await postCredential(agent, page, credential)).status, 400)
    const user = await w.createUser(w.test)
    const { agent: enrolling, offer } = await reachOffer(w.test, client, user)
    const reply = await postCredential(enrolling, offer, credential)
    assert.equal(reply.status, credential === '' ? 303 : 400)
    assert.equal((await methodsOf(user.id)).length, 1)
  })

test('CBOR that claims huge lists or nests deeply is refused at once', async () => {
  const { agent, offer } = await reachOffer(w.test, client, await w.createUser(w.test))
  const registration = device.create(optionsOf(offer))
  const bombs = [
    Buffer.from('9bffffffffffffffff', 'hex'),
    Buffer.alloc(6_000, 0x81),
    Buffer.alloc(6_000, 0xa1),
    encode([]),
    Buffer.alloc(0),
  ]
  for (const bomb of bombs) {
    const response = { ...registration.response, attestationObject: bomb.toString('base64url') }
    assert.equal((await postCredential(agent, offer, { ...registration, response })).status, 400)
  }
})

test('a form of another browser, without cookies or from another site checks nothing', async () => {
  const { device } = await createPasskeyPerson(w, w.test, client)
  const { agent, page } = await openSignIn(w.test, client)
  const response = device.get(optionsOf(page))
  for (const [other, headers] of [
    [createAgent(), {}],
    [(await openSignIn(w.test, client)).agent, {}],
    [agent, { origin: 'https://evil.example' }],
    [agent, { 'sec-fetch-site': 'cross-site' }],
  ] as const)
    assert.equal((await postCredential(other, page, response, headers)).status, 400)
  assert.equal((await postCredential(agent, page, response)).status, 303)
})

test('a passkey of another environment with the same RP ID is unknown, and never signalled to the browser', async () => {
  const { device } = await createPasskeyPerson(w, w.live, live_client)
  const { reply } = await signInByPasskey(w.test, client, device)
  assert.equal(reply.status, 400)
  assert.match(problemOf(reply) ?? '', /does not belong to an account here/)
  assert.doesNotMatch(reply.body, / data-removed=/)
  const record = expectStatus(200, await w.call('GET', `${w.test.path}/requests/${reply.headers.get('x-request-id')}`))
  assert.deepEqual([record.code, record.user_id], ['unknown_passkey', null])
})

test('a blocked or deleted user cannot sign in with a passkey, even if that happens during the sign-in', async () => {
  const { device, id } = await createPasskeyPerson(w, w.test, client)
  expectStatus(200, await backend('POST', `${id}/block`))
  assert.equal((await signInByPasskey(w.test, client, device)).reply.status, 400)
  const [{ data }] = await eventsOf('sign_in.failed', id)
  assert.equal(data.reason, 'user_blocked')
  expectStatus(200, await backend('POST', `${id}/unblock`))
  const { agent, page } = await openSignIn(w.test, client)
  const [reply, blocked] = await Promise.all([postCredential(agent, page, device.get(optionsOf(page))), backend('POST', `${id}/block`)])
  assert.ok([200, 412].includes(blocked.status))
  if (reply.status === 303 && blocked.status === 200)
    assert.match((await agent.get(reply.headers.get('location') ?? '')).body, /data-step="sign-in"/)
  expectStatus(204, await backend('DELETE', id))
  assert.equal((await signInByPasskey(w.test, client, device)).reply.status, 400)
  assert.deepEqual(await db.all(Count, sql`select count(*) as count from passkeys where user_id = ${id}`), [{ count: 0 }])
})

test('a backend lists and removes a passkey: its sessions end, the person is mailed, mfa.removed is raised, the browser may forget it', async () => {
  const { device, id, email, agent } = await createPasskeyPerson(w, w.test, client, {
    enrol: { aaguid: 'ea9b8d66-4d01-1d21-3ce4-b6b48cb575d4' },
  })
  const passkey = await passkeyOf(id)
  assert.deepEqual(
    [passkey.name, passkey.provider_id, passkey.codes_left, passkey.last_used_at],
    ['Google Password Manager', null, null, null],
  )
  assert.match(passkey.id, /^mth_/)
  const [{ data: enrolled }] = await eventsOf('mfa.enrolled', id)
  assert.deepEqual(enrolled, { method: 'passkey', method_id: passkey.id, sub: id })
  assert.deepEqual(
    (await inboxOf(email)).map(({ kind }: { kind: string }) => kind),
    ['method_added'],
  )

  const { agent: other } = await signInByPasskey(w.test, client, device)
  assert.ok((await passkeyOf(id)).last_used_at)
  const sessions = async () => expectStatus(200, await backend('GET', `${id}/sessions`)).data.length
  assert.equal(await sessions(), 2)
  expectStatus(204, await backend('DELETE', `${id}/methods/${passkey.id}`))
  assert.equal((await backend('DELETE', `${id}/methods/${passkey.id}`)).status, 404)
  assert.equal(await sessions(), 1, 'the session that began with the password stays')
  assert.match((await other.get((await openSignIn(w.test, client)).request.url)).body, /data-step="sign-in"/)
  assert.doesNotMatch((await agent.get((await openSignIn(w.test, client)).request.url)).body, /data-step="sign-in"/)
  const [{ data: removed }] = await eventsOf('mfa.removed', id)
  assert.deepEqual(removed, { method: 'passkey', method_id: passkey.id, sub: id })
  assert.equal((await inboxOf(email))[0].kind, 'method_removed')

  const { reply } = await signInByPasskey(w.test, client, device)
  assert.match(problemOf(reply) ?? '', /does not belong to an account here/)
  const signal = JSON.parse(/ data-removed="([^"]*)"/.exec(reply.body)?.[1]?.replaceAll('&quot;', '"') ?? 'null')
  assert.deepEqual(signal, { rpId: 'localhost', credentialId: device.credential_id })
  assert.equal((await signInByPasskey(w.live, live_client, device)).reply.body.includes('data-removed'), false)
})

test('all passkeys of a user are removed together', async () => {
  const { device, id } = await createPasskeyPerson(w, w.test, client)
  assert.ok(await db.batch(removeAllPasskeys(w.test.id, id, w.now())))
  assert.equal(await passkeyOf(id), undefined)
  assert.match((await signInByPasskey(w.test, client, device)).reply.body, / data-removed=/)
})

test('a stranger causes at most 100 refused passkeys in a quarter of an hour, and people in known browsers still sign in', async () => {
  const person = await createPasskeyPerson(w, w.test, client)
  const stranger = createAuthenticator(origin)
  w.advance(1_000)
  const { agent, page } = await openSignIn(w.test, client)
  const events = await rowsOf('events')
  const replies = await Promise.all(Array.from({ length: 120 }, () => postCredential(agent, page, stranger.get(optionsOf(page)))))
  assert.equal(replies.filter(({ status }) => status === 400).length, 100)
  const refused = replies.find(({ status }) => status === 429)
  assert.ok(Number(refused?.headers.get('retry-after')) > 0)
  assert.equal((await rowsOf('events')) - events, 100)
  assert.equal((await signInByPasskey(w.test, client, person.device)).reply.status, 429, 'in an unknown browser of the same network')
  assert.equal((await signInByPasskey(w.test, client, person.device, { agent: person.agent })).reply.status, 303)
  w.advance(1_000)
  assert.equal((await signInByPasskey(w.test, client, person.device)).reply.status, 303)
})

test('a successful sign-in gives its attempt back', async () => {
  const { device } = await createPasskeyPerson(w, w.test, client, { device: createAuthenticator(origin, 'ES256', { counter: 0 }) })
  w.advance(1_000)
  for (let i = 0; i < 103; i++) {
    const { agent, page } = await openSignIn(w.test, client)
    assert.equal((await postCredential(agent, page, device.get(optionsOf(page)))).status, 303, `${i}`)
  }
})

test('a user has at most twenty passkeys, also of parallel registrations', async () => {
  const { id, device } = await createPasskeyPerson(w, w.test, client)
  for (let i = 0; i < most_passkeys - 3; i++)
    await db.run(sql`insert into passkeys (environment_id, id, user_id, credential_id, public_key, counter, backup_eligible, backed_up, transports, name, created_at)
      select environment_id, ${w.deployment.newId('mth')}, user_id, ${randomBytes(16).toString('base64url')}, public_key, 0, 0, 0, transports, name, created_at
        from passkeys where user_id = ${id} and counter = 0 order by id limit 1`)
  // The offer is only for people without a passkey, so the pages are from another person's start.
  const offers = await Promise.all(
    Array.from({ length: 6 }, async () => {
      const { agent, request, page } = await openSignIn(w.test, client)
      setAble(agent, w.test)
      return { agent, request, page }
    }),
  )
  const issuers = createIssuers(w.deployment, createKeyPool(1))
  const issuer = await issuers.find(w.test.id)
  assert.ok(issuer)
  const { beginEnrolment, finishEnrolment } = await import('../../src/oidc/flow/passkey/passkey-enrolment.ts')
  const { readBrowser } = await import('../../src/oidc/browser.ts')
  const outcomes = await Promise.all(
    offers.map(async ({ agent, page }) => {
      await postCredential(agent, page, device.get(optionsOf(page), { counter: 0 }))
      const cookie = [...agent.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
      const call = {
        issuer,
        headers: { cookie },
        now: w.now(),
        ip: '127.0.0.1',
        request_id: w.deployment.newId('req'),
      } as unknown as OidcCall // as: the members that a ceremony reads
      const services = w.deployment as unknown as OidcServices // as: a ceremony uses the deployment only
      const browser = await readBrowser(services, call)
      const [session] = browser.sessions
      assert.ok(session)
      const options = await beginEnrolment(services, call, session)
      assert.ok(options)
      assert.equal(JSON.parse(options).excludeCredentials.length, most_passkeys - 2)
      return () =>
        finishEnrolment(services, call, { browser, session }, JSON.stringify(createAuthenticator(origin).create(JSON.parse(options))))
    }),
  )
  const finished = await Promise.all(outcomes.map((finish) => finish()))
  assert.equal(finished.filter((outcome) => 'added' in outcome).length, 2)
  for (const outcome of finished) if ('problem' in outcome) assert.equal(outcome.problem, 'too_many')
})

test('the offer comes once in the flow, can be put off on the device, and comes neither after a passkey nor to a browser without its script', async () => {
  const user = await w.createUser(w.test)
  const { agent, offer } = await reachOffer(w.test, client, user)
  const { action, hidden } = formOf(offer.body.slice(offer.body.lastIndexOf('<form')))
  const put_off = await agent.post(action, { ...hidden, decision: 'not-now' })
  expectStatus(303, put_off)
  const on = await agent.get(put_off.headers.get('location') ?? '')
  assert.match(on.headers.get('location') ?? '', /^https:\/\/app\.example\.com\/callback\?code=/)
  await assert.rejects(reachOffer(w.test, client, user, { agent, change: { prompt: 'login' } }), /no offer/)
  agent.cookies.delete(`ostiary_later_${w.test.id}`)
  await reachOffer(w.test, client, user, { agent, change: { prompt: 'login' } })

  const without_script = createAgent()
  const { page } = await openSignIn(w.test, client, without_script)
  const signed_in = await without_script.submit(page, { email: user.email, password: user.password })
  assert.match((await without_script.get(signed_in.headers.get('location') ?? '')).headers.get('location') ?? '', /^https:\/\/app/)

  const person = await createPasskeyPerson(w, w.test, client)
  setAble(person.agent, w.test)
  const { reply } = await signInByPasskey(w.test, client, person.device, { agent: person.agent })
  assert.match((await person.agent.get(reply.headers.get('location') ?? '')).headers.get('location') ?? '', /^https:\/\/app/)
  await assert.rejects(reachOffer(w.test, client, person), /no offer/)
})

// biome-ignore format: this table is read by column
const stale: [name: string, spoil: (user_id: string) => Promise<unknown>][] = [
  ['the sign-in is older than ten minutes', async () => w.advance(601)],
  ['the session was ended',                 async (id) => backend('POST', `${id}/end-sessions`)],
  ['the user was blocked',                  async (id) => backend('POST', `${id}/block`)],
  ['the user was deleted',                  async (id) => backend('DELETE', id)],
]
for (const [name, spoil] of stale)
  test(`no passkey is added where ${name}`, async () => {
    const user = await w.createUser(w.test)
    const { agent, offer } = await reachOffer(w.test, client, user)
    const before = await rowsOf('passkeys')
    await spoil(user.id)
    const reply = await postCredential(agent, offer, createAuthenticator(origin).create(optionsOf(offer)))
    assert.ok([303, 400].includes(reply.status))
    assert.equal(await rowsOf('passkeys'), before)
  })

test('a session that is no longer fresh gets no passkey through a challenge that was renewed, and its request goes on', async () => {
  const user = await w.createUser(w.test)
  const { agent, offer, request } = await reachOffer(w.test, client, user)
  w.advance(590)
  const again = await postCredential(agent, offer, { id: 'none' })
  assert.equal(again.status, 400)
  const device = createAuthenticator(origin)
  w.advance(20)
  for (const page of [again, offer]) {
    const reply = await postCredential(agent, page, device.create(optionsOf(page)))
    assert.equal(reply.status, 303, 'no page whose button can never succeed')
    assert.deepEqual(
      (await methodsOf(user.id)).map(({ type }: { type: string }) => type),
      ['password'],
    )
    const onward = await agent.get(reply.headers.get('location') ?? '')
    assert.ok(onward.headers.get('location')?.startsWith(request.redirect_uri), `${onward.status}`)
  }
})

test('a registration for the session of another person adds nothing', async () => {
  const [ada, ben] = [await w.createUser(w.test), await w.createUser(w.test)]
  const first = await reachOffer(w.test, client, ada)
  const second = await reachOffer(w.test, client, ben)
  const { action, hidden } = passkeyForm(second.offer)
  const credential = JSON.stringify(createAuthenticator(origin).create(optionsOf(first.offer)))
  const session = passkeyForm(first.offer).hidden.session ?? ''
  assert.equal((await second.agent.post(action, { ...hidden, credential })).status, 400)
  assert.equal((await second.agent.post(action, { ...hidden, session, credential })).status, 303)
  for (const { id } of [ada, ben]) assert.equal((await methodsOf(id)).length, 1)
})

test('the same credential cannot be added twice', async () => {
  const { device } = await createPasskeyPerson(w, w.test, client)
  const user = await w.createUser(w.test)
  const { agent, offer } = await reachOffer(w.test, client, user)
  const reply = await postCredential(agent, offer, device.create(optionsOf(offer)))
  assert.equal(reply.status, 400)
  assert.match(problemOf(reply) ?? '', /already has a passkey/)
  assert.equal((await methodsOf(user.id)).length, 1)
})
