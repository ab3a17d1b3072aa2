/** Passkeys with an authenticator in software: enrolment, sign-in, and everything that must be refused (decision 0043). */
import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { test } from 'node:test'
import { decodeJwt } from 'jose'
import { type Algorithm, type Cbor, type Changes, coseKey, createAuthenticator } from '../support/authenticator.ts'
import { exchange, followToClient, userinfo } from '../support/cookie-browser.ts'
import { createPasskeyPerson, openSignIn, optionsOf, postCredential, reachOffer, signInByPasskey } from '../support/passkeys.ts'
import { until } from '../support/receiver.ts'
import { expectStatus, type Reply, type TestEnvironment, world } from '../support/world.ts'

const w = await world()
const origin = new URL(w.test.issuer).origin
await w.changeSettings(w.test, { sign_in: { passkey: true } })
await w.changeSettings(w.live, { sign_in: { passkey: true, passkey_shared_host: true } })
const environments = await Promise.all(
  [w.test, w.live].map(async (environment) => ({
    environment,
    client: await w.createApplication(environment),
    secret: expectStatus(201, await w.call('POST', `${environment.path}/auth-keys`, { body: { type: 'auth_secret' } })).key as string,
  })),
)
const [here] = environments
assert.ok(here)
const { client, secret } = here

const events = (type: string, user_id: string, environment: TestEnvironment = w.test) =>
  until(`${type} of ${user_id}`, async () => {
    const { data } = expectStatus(200, await w.call('GET', `${environment.path}/events?type=${type}&user_id=${user_id}`))
    return data.length > 0 && data
  })
const methodsOf = async (user_id: string) =>
  expectStatus(200, await w.call('GET', `/v1/auth/users/${user_id}/methods`, { key: secret })).data
const problemOf = ({ body }: Reply) => / id="problem".*?<div>(.*?)<\/div>/s.exec(body)?.[1] ?? null

for (const { environment, client } of environments)
  for (const algorithm of ['ES256', 'EdDSA', 'RS256'] as Algorithm[])
    test(`a passkey of ${algorithm} is enrolled after a sign-in, and signs in by itself (${environment.type})`, async () => {
      const { id, device, email } = await createPasskeyPerson(w, environment, client, { device: createAuthenticator(origin, algorithm) })
      const { agent, request, reply } = await signInByPasskey(environment, client, device)
      expectStatus(303, reply)
      const redirect = await followToClient(agent, { ...request, url: reply.headers.get('location') ?? '' }, { email, password: 'unused' })
      const tokens = expectStatus(200, await exchange(w, environment, client, { request, code: redirect.searchParams.get('code') ?? '' }))
      const claims = decodeJwt(tokens.id_token)
      assert.deepEqual([claims.sub, claims.amr, claims.acr], [id, ['hwk', 'user'], 'urn:ostiary:passkey'])
      assert.equal(expectStatus(200, await userinfo(w, environment, tokens.access_token)).sub, id)
      await until('the event', async () =>
        (await events('sign_in.succeeded', id, environment)).some(({ data }: { data: { method: string } }) => data.method === 'passkey'),
      )
    })

test('the options ask for a verified person, a discoverable credential, three algorithms, no attestation, and the host of the issuer', async () => {
  const user = await w.createUser(w.test)
  const { agent, offer } = await reachOffer(w.test, client, user)
  const options = optionsOf(offer)
  assert.deepEqual(options.rp, { id: 'localhost', name: 'Project shop' })
  assert.deepEqual(
    options.pubKeyCredParams.map(({ alg }: { alg: number }) => alg),
    [-8, -7, -257],
  )
  assert.deepEqual([options.authenticatorSelection.userVerification, options.authenticatorSelection.residentKey], ['required', 'required'])
  assert.deepEqual([options.attestation, options.excludeCredentials], ['none', []])
  assert.equal(Buffer.from(options.user.id, 'base64url').length, 32)
  assert.equal(Buffer.from(options.challenge, 'base64url').length, 54)
  assert.equal(options.user.name, user.email)

  const first = createAuthenticator(origin)
  expectStatus(303, await postCredential(agent, offer, first.create(options)))
  const { page } = await openSignIn(w.test, client)
  const request = optionsOf(page)
  assert.deepEqual([request.rpId, request.userVerification, request.allowCredentials], ['localhost', 'required', []])
  assert.match(page.body, /autocomplete="username webauthn"/)
})

test('a user handle is the same for every passkey of a user, and another in another environment', async () => {
  const user = await w.createUser(w.test)
  const handles = await Promise.all([1, 2, 3].map(async () => optionsOf((await reachOffer(w.test, client, user)).offer).user.id as string))
  assert.equal(new Set(handles).size, 1)
  const other = await w.createUser(w.live, { email: user.email })
  const { offer } = await reachOffer(w.live, environments[1]?.client ?? client, { ...user, ...other })
  assert.notEqual(optionsOf(offer).user.id, handles[0])
})

test('where passkeys are off the page has neither form nor script, and the forms sign nobody in and add nothing', async (t) => {
  const { device, id } = await createPasskeyPerson(w, w.test, client)
  const { agent, page } = await openSignIn(w.test, client)
  const { agent: offered, offer } = await reachOffer(w.test, client, await w.createUser(w.test))
  await w.changeSettings(w.test, { sign_in: { passkey: false } })
  t.after(() => w.changeSettings(w.test, { sign_in: { passkey: true } }))
  const { page: without } = await openSignIn(w.test, client)
  assert.doesNotMatch(without.body.replaceAll(/<style>.*?<\/style>/gs, ''), /passkey|webauthn|<script>/)
  const reply = await postCredential(agent, page, device.get(optionsOf(page)))
  assert.doesNotMatch(reply.headers.getSetCookie().join('\n'), /_session_/)
  assert.match(reply.body, /data-step="sign-in"/)
  const added = await postCredential(offered, offer, createAuthenticator(origin).create(optionsOf(offer)))
  assert.equal(added.status, 303)
  await w.changeSettings(w.test, { sign_in: { passkey: true } })
  assert.equal((await methodsOf(id)).length, 2)
})

const rsa = (modulusLength: number, publicExponent = 65_537) =>
  coseKey('RS256', generateKeyPairSync('rsa', { modulusLength, publicExponent }).publicKey)
const ec = (change: [number, Cbor][]) =>
  new Map([...coseKey('ES256', generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey), ...change])
const deep = (levels: number): Cbor => {
  let value: Cbor = []
  for (let i = 0; i < levels; i++) value = [value]
  return value
}

// biome-ignore format: this table is read by column
const bad_enrolments: [name: string, change: Changes][] = [
  ['of another origin',                       { origin: 'https://localhost.example' }],
  ['of another port',                         { origin: 'http://localhost:1' }],
  ['for another RP ID',                       { rp_id: 'example.com' }],
  ['without verification of the person',      { verified: false }],
  ['without a present person',                { present: false, verified: false }],
  ['of the other ceremony',                   { type: 'webauthn.get' }],
  ['from a frame of another site',            { cross_origin: true }],
  ['that is backed up but not eligible',      { backed_up: true }],
  ['with an algorithm that is not offered',   { public_key: ec([[3, -35]]) }],
  ['with a post-quantum algorithm',           { public_key: ec([[1, 7], [3, -48]]) }],
  ['with a key of another type',              { public_key: ec([[3, -257]]) }],
  ['with a point that is not on the curve',   { public_key: ec([[-3, new Uint8Array(32)]]) }],
  ['with half a key',                         { public_key: ec([[-3, new Uint8Array(0)]]) }],
  ['with an RSA key of 1024 bits',            { public_key: rsa(1024) }],
  ['with a public key that is a number',      { public_key: 7 }],
  ['with deeply nested CBOR',                 { public_key: deep(2_000) }],
]
for (const [name, change] of bad_enrolments)
  test(`a registration ${name} adds nothing and shows the offer again`, async () => {
    const user = await w.createUser(w.test)
    const { agent, offer } = await reachOffer(w.test, client, user)
    const reply = await postCredential(agent, offer, createAuthenticator(origin).create(optionsOf(offer), change))
    assert.equal(reply.status, 400)
    assert.match(reply.body, /data-step="offer-passkey"/)
    assert.match(problemOf(reply) ?? '', /cannot be used here/)
    assert.equal((await methodsOf(user.id)).length, 1)
  })

test('an attestation statement is not read: neither its certificates nor the addresses in them', async () => {
  const statement = new Map<string, Cbor>([['alg', -7], ['sig', new Uint8Array(8)], ['x5c', [new Uint8Array(64)]]]) // biome-ignore format: one line
  for (const fmt of ['packed', 'tpm', 'android-safetynet', 'unheard-of']) {
    const user = await w.createUser(w.test)
    const { agent, offer } = await reachOffer(w.test, client, user)
    expectStatus(
      303,
      await postCredential(agent, offer, createAuthenticator(origin).create(optionsOf(offer), { attestation: { fmt, statement } })),
    )
    assert.equal((await methodsOf(user.id)).length, 2)
  }
})

// biome-ignore format: this table is read by column
const bad_sign_ins: [name: string, change: Changes, code: string][] = [
  ['of another origin',                        { origin: 'https://localhost.example' },        'passkey_refused'],
  ['for another RP ID',                        { rp_id: 'example.com' },                       'passkey_refused'],
  ['without verification of the person',       { verified: false },                            'passkey_refused'],
  ['without a present person',                 { present: false },                             'passkey_refused'],
  ['of the other ceremony',                    { type: 'webauthn.create' },                    'passkey_refused'],
  ['with a wrong signature',                   { wrong_signature: true },                      'passkey_refused'],
  ['that names another user',                  { user_handle: 'A'.repeat(43) },                'passkey_refused'],
  ['that names no user',                       { user_handle: null },                          'passkey_refused'],
  ['with the counter of the last',             { counter: 5 },                                 'passkey_counter_back'],
  ['with a lower counter',                     { counter: 4 },                                 'passkey_counter_back'],
  ['with a counter that is gone',              { counter: 0 },                                 'passkey_counter_back'],
  ['with a lower counter and a wrong signature', { counter: 4, wrong_signature: true },        'passkey_refused'],
  ['that can be backed up now',                { counter: 9, backup_eligible: true },          'passkey_backup_changed'],
  ['that is backed up without being eligible', { counter: 9, backed_up: true },                'passkey_refused'],
]
for (const [name, change, code] of bad_sign_ins)
  test(`a passkey ${name} is refused, and sign_in.failed says ${code}`, async () => {
    const { id, device } = await createPasskeyPerson(w, w.test, client)
    expectStatus(303, (await signInByPasskey(w.test, client, device, { more: { counter: 5 } })).reply)
    const { reply, agent } = await signInByPasskey(w.test, client, device, { more: { counter: 6, ...change } })
    assert.equal(reply.status, 400)
    assert.match(problemOf(reply) ?? '', /could not be checked/)
    assert.match(reply.body, /name="password"/, 'the other ways stay')
    assert.equal(
      [...agent.cookies.keys()].some((cookie) => cookie.includes('session')),
      false,
    )
    const [{ data }] = await events('sign_in.failed', id)
    assert.deepEqual([data.method, data.reason], ['passkey', code])
    const record = expectStatus(200, await w.call('GET', `${w.test.path}/requests/${reply.headers.get('x-request-id')}`))
    assert.deepEqual([record.code, record.user_id, record.route], [code, id, '/e/{environment_id}/passkey'])
    expectStatus(303, (await signInByPasskey(w.test, client, device, { more: { counter: 10 } })).reply)
  })

test('a passkey that may be backed up is swk, may change whether it is backed up, and not whether it may be', async () => {
  const device = createAuthenticator(origin, 'ES256', { backup_eligible: true, counter: 0 })
  const { id } = await createPasskeyPerson(w, w.test, client, { device })
  for (const backed_up of [false, true, false])
    expectStatus(303, (await signInByPasskey(w.test, client, device, { more: { backed_up } })).reply)
  const { data } = expectStatus(200, await w.call('GET', `/v1/auth/users/${id}/sessions`, { key: secret }))
  assert.deepEqual([data[0].method, data[0].amr], ['passkey', ['swk', 'user']])
  for (const change of [{ backup_eligible: false }, { backup_eligible: false, backed_up: true }]) {
    assert.equal((await signInByPasskey(w.test, client, device, { more: change })).reply.status, 400)
    const [{ data }] = await events('sign_in.failed', id)
    assert.equal(data.reason, 'passkey_backup_changed')
  }
})

test('a sign-in page that stood open for ten minutes says so, and the page that follows takes the passkey', async () => {
  const { device } = await createPasskeyPerson(w, w.test, client)
  const { agent, page } = await openSignIn(w.test, client)
  w.advance(601)
  const late = await postCredential(agent, page, device.get(optionsOf(page)))
  assert.equal(late.status, 400)
  assert.match(problemOf(late) ?? '', /open too long for a passkey/)
  assert.notEqual(optionsOf(late).challenge, optionsOf(page).challenge)
  assert.equal((await postCredential(agent, late, device.get(optionsOf(late)))).status, 303)
})
