/** `sub` of users: given at the creation or the id, unique and unchanged, in each place that names a person, and of nobody else afterwards. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLocalJWKSet, decodeJwt, jwtVerify } from 'jose'
import { eraseDue } from '../../src/workers/erase-due.ts'
import { openAccount, press, stepOf } from '../support/account.ts'
import { authorizationRequest, createPerson, exchange, obtainCode, refresh, userinfo } from '../support/cookie-browser.ts'
import { rowsFollowed } from '../support/endings.ts'
import { overlapping } from '../support/overlapping-batches.ts'
import { type Received, startReceiver, until } from '../support/receiver.ts'
import { createAuthKey } from '../support/tenants.ts'
import { expectStatus, type Reply, randomText, types_of_run, world } from '../support/world.ts'

const w = await world({ env: { OSTIARY_WEBHOOK_ALLOWED_NETWORKS: '127.0.0.1' } })
const api = 'https://api.example.com'
let emails = 0
const newEmail = () => `sub${++emails}@example.com`
const newSub = () => `auth0|${randomText()}`
const pointersOf = ({ status, body }: Reply) => [status, body.errors?.map(({ pointer }: { pointer: string }) => pointer)]
/** A user who is there no more had it. */
const id_form = 'usr_01jbnq6zt8e2m9w4x7c5v3k1ha'

// biome-ignore format: this table is read by column
const accepted: [what: string, sub: string][] = [
  ['one character',                       '7'],
  ['255 characters',                      'x'.repeat(255)],
  ['an id of Auth0',                      'auth0|507f1f77bcf86cd799439020'],
  ['an id of Keycloak',                   '1d9c2f0a-6f0e-4b7f-9f6b-0e9d5a1f2c3d'],
  ['an address',                          'ada@example.com'],
  ['an id of another deployment',         id_form],
  ['characters of URLs',                  'a/../b?c=d&e=f#g;h%00+%2F'],
  ['characters of HTML',                  `<script>alert("1")</script>&amp;'`],
  ['characters of JSON',                  '"\\u0000\\"}{"'],
  ['characters of SQL',                   `'or''1'='1--%_*`],
  ['what a spreadsheet computes',         '=1+1|cmd'],
  ['a name of every object',              '__proto__'],
  ['only a comma',                        ','],
]
// biome-ignore format: this table is read by column
const refused: [what: string, sub: unknown][] = [
  ['no character',         ''],
  ['256 characters',       'x'.repeat(256)],
  ['a blank',              'a b'],
  ['a blank at its end',   'a '],
  ['a line feed',          'a\n'],
  ['a tab',                'a\tb'],
  ['DEL',                  'a\x7f'],
  ['a letter of German',   'für'],
  ['a full-width letter',  'ａ'],
  ['an emoji',             '🧮'],
  ['a number',             7],
  ['null',                 null],
  ['a list',               ['a']],
]

for (const type of types_of_run) {
  const environment = w[type]
  const { key } = await createAuthKey(w, environment, 'auth_secret')
  const call = (method: string, path: string, body?: object) =>
    w.call(method, `/v1/auth/${path}`, { key, ...(body === undefined ? {} : { body }) })
  const post = (fields: object) => call('POST', 'users', { email: newEmail(), ...fields })
  const create = async (fields: object) => expectStatus(201, await post(fields))
  const idsOf = (reply: Reply): string[] => expectStatus(200, reply).data.map(({ id }: { id: string }) => id)
  const find = async (query: Record<string, string>) => idsOf(await call('GET', `users?${new URLSearchParams(query)}`))
  const taken = ({ status, body }: Reply) => assert.deepEqual([status, body.code], [409, 'identifier_taken'])
  const eventsOf = async (user_id: string, kind?: string) =>
    until('the events of a user have their numbers', async () => {
      const query = new URLSearchParams({ user_id, limit: '100', ...(kind === undefined ? {} : { type: kind }) })
      const { data } = expectStatus(200, await w.call('GET', `${environment.path}/events?${query}`))
      return data.length > 0 && data
    })
  const client = await w.createApplication(environment)
  const server = expectStatus(
    201,
    await w.call('POST', `${environment.path}/resource-servers`, { body: { identifier: `${api}/${type}`, name: 'Orders', scopes: [] } }),
  )

  for (const [what, sub] of accepted)
    test(`a sub is ${what}: ${JSON.stringify(sub).slice(0, 40)} (${type})`, async () => {
      const user = await create({ sub })
      assert.equal(user.sub, sub)
      assert.deepEqual(expectStatus(200, await call('GET', `users/${user.id}`)), user)
      assert.deepEqual(expectStatus(200, await w.call('GET', `${environment.path}/users/${user.id}`)), user)
      assert.deepEqual(await find({ sub }), [user.id])
      assert.deepEqual(idsOf(await w.call('GET', `${environment.path}/users?${new URLSearchParams({ sub })}`)), [user.id])
      assert.deepEqual(await find({ sub, email: user.email, blocked: 'false' }), [user.id])
      assert.deepEqual(await find({ sub, blocked: 'true' }), [], 'the other filters count too')
      assert.equal((await find({ query: sub.slice(0, 200) })).includes(user.id), true, 'words find it')
      if (sub.length < 100) assert.equal((await call('GET', `users/${encodeURIComponent(sub)}`)).status, 404, 'routes take the id')
      expectStatus(204, await call('DELETE', `users/${user.id}`))
    })

  for (const [what, sub] of refused)
    test(`a sub is refused with ${what} (${type})`, async () => {
      const [reply, listed] = [await post({ sub }), await call('GET', `users?${new URLSearchParams({ sub: `${sub ?? ''}` })}`)]
      assert.deepEqual(pointersOf(reply), [422, ['/sub']])
      if (typeof sub === 'string') assert.deepEqual(pointersOf(listed), [422, ['/sub']])
    })

  test(`a user without a given sub has the id (${type})`, async () => {
    const user = await create({})
    assert.equal(user.sub, user.id)
    assert.deepEqual(await find({ sub: user.id }), [user.id])
    assert.deepEqual(await find({ sub: user.id, query: user.id }), [user.id])
    assert.deepEqual(await find({ sub: user.id, query: (await create({})).id }), [], 'nobody has two ids')
    assert.deepEqual(await find({ sub: 'auth0|nobody' }), [])
  })

  test(`a user is found by the id where the sub differs, and not by the id as sub (${type})`, async () => {
    const [sub, former] = [newSub(), `usr_01jbnq6zt8e2m9w4x7c5v3k1${type === 'test' ? 'ab' : 'cd'}`]
    const [user, moved] = [await create({ sub }), await create({ sub: former })]
    assert.deepEqual(await find({ query: user.id }), [user.id])
    assert.deepEqual(await find({ sub: user.id }), [])
    assert.deepEqual(await find({ query: former }), [moved.id], 'the id of another deployment')
  })

  test(`no change gives a sub, also not the present one (${type})`, async () => {
    for (const fields of [{ sub: newSub() }, {}]) {
      const user = await create(fields)
      for (const sub of [user.sub, user.id, newSub(), null])
        assert.deepEqual(pointersOf(await call('PATCH', `users/${user.id}`, { sub })), [422, ['/sub']])
      const changed = expectStatus(200, await call('PATCH', `users/${user.id}`, { name: 'Ada', email: newEmail() }))
      assert.equal(changed.sub, user.sub)
      assert.equal((await find({ query: user.sub })).includes(user.id), true, 'it is found after a change')
    }
  })

  test(`a sub is that of one user: as sub or as id, compared exactly, in one environment (${type})`, async () => {
    const [sub, other] = [newSub(), await create({})]
    const user = await create({ sub })
    taken(await post({ sub }))
    taken(await post({ sub: user.id }))
    taken(await post({ sub: other.id }))
    const both = await call('POST', 'users', { email: user.email, sub: newSub() })
    taken(both)
    assert.match(both.body.detail, /email/)
    assert.match((await post({ sub })).body.detail, /sub/)
    for (const free of [sub.toUpperCase(), `${sub}.`, sub.slice(1)]) assert.equal((await create({ sub: free })).sub, free)
    const elsewhere = await createAuthKey(w, type === 'test' ? w.live : w.test, 'auth_secret')
    const there = await w.call('POST', '/v1/auth/users', { key: elsewhere.key, body: { email: newEmail(), sub } })
    assert.equal(expectStatus(201, there).sub, sub)
    expectStatus(204, await w.call('DELETE', `/v1/auth/users/${there.body.id}`, { key: elsewhere.key }))
    assert.deepEqual(await find({ sub }), [user.id])
  })

  test(`of 50 parallel creations with one sub, one succeeds (${type})`, async () => {
    for (let round = 0; round < 2; round++) {
      const sub = newSub()
      const replies = await overlapping(w, () => Array.from({ length: 50 }, () => post({ sub })))
      const kinds = replies.map(({ status, body }) => (status === 201 ? '201' : `${status} ${body.code}`))
      assert.deepEqual(kinds.sort(), ['201', ...Array.from({ length: 49 }, () => '409 identifier_taken')])
      assert.equal((await find({ sub })).length, 1)
    }
  })

  test(`ID token, access token, UserInfo, validation, refreshed tokens and events have the sub (${type})`, async () => {
    const sub = newSub()
    const person = await createPerson(w, environment, { sub, roles: [] })
    const validate = async (token: string) => expectStatus(200, await call('POST', 'tokens/validate', { token }))
    const scope = 'openid email profile offline_access'
    const first = await person.tokens(client, { scope })
    const second = expectStatus(200, await refresh(w, environment, client, first.refresh_token))
    for (const tokens of [first, second]) {
      assert.equal(decodeJwt(tokens.id_token).sub, sub)
      assert.equal(decodeJwt(tokens.access_token).sub, sub)
      assert.equal(expectStatus(200, await userinfo(w, environment, tokens.access_token)).sub, sub)
      const verdict = await validate(tokens.access_token)
      assert.deepEqual([verdict.sub, verdict.user_id], [sub, person.id])
      assert.equal(JSON.stringify([tokens.id_token, tokens.access_token].map((token) => decodeJwt(token))).includes(person.id), false)
    }
    await w.call('PATCH', `${environment.path}/resource-servers/${server.id}`, { body: { access_token_format: 'opaque' } })
    const opaque = await person.tokens(client, { scope: 'openid', resource: server.identifier })
    const verdict = await validate(opaque.access_token)
    assert.deepEqual([opaque.access_token.split('.').length, verdict.sub, verdict.user_id], [1, sub, person.id])
    const events = await eventsOf(person.id)
    assert.deepEqual([...new Set(events.map(({ data }: { data: { sub: string } }) => data.sub))], [sub])
    assert.deepEqual([...new Set(events.map(({ type }: { type: string }) => type))].sort(), ['session.created', 'sign_in.succeeded'])
  })

  test(`validation says user_id and sub of a user without a given sub (${type})`, async () => {
    const person = await createPerson(w, environment)
    const { access_token } = await person.tokens(client)
    const verdict = expectStatus(200, await call('POST', 'tokens/validate', { token: access_token }))
    assert.deepEqual([verdict.sub, verdict.user_id], [person.id, person.id])
    const [event] = await eventsOf(person.id, 'sign_in.succeeded')
    assert.equal(event.data.sub, person.id)
  })

  test(`a hint with the sub chooses and signs out its person (${type})`, async () => {
    const [one, other] = [await createPerson(w, environment, { sub: newSub() }), await createPerson(w, environment, { sub: newSub() })]
    const { id_token } = await one.tokens(client)
    const of_other = await other.tokens(client)
    const silently = (hint: string) => authorizationRequest(environment, client, { prompt: 'none', id_token_hint: hint })
    const answerOf = async (hint: string) => new URL((await one.agent.get(silently(hint).url)).headers.get('location') ?? '').searchParams
    assert.equal((await answerOf(id_token)).has('code'), true)
    assert.equal((await answerOf(of_other.id_token)).get('error'), 'login_required')
    const again = authorizationRequest(environment, client, { prompt: 'login', id_token_hint: id_token })
    const code = await obtainCode(one.agent, again, one)
    assert.equal(
      decodeJwt(expectStatus(200, await exchange(w, environment, client, { request: again, code })).id_token).sub,
      decodeJwt(id_token).sub,
    )
    const signOut = (hint: string) => one.agent.get(`${environment.issuer}/oauth/logout?${new URLSearchParams({ id_token_hint: hint })}`)
    await signOut(of_other.id_token)
    assert.equal((await answerOf(id_token)).has('code'), true, 'the hint of another person signs nobody out')
    await signOut(id_token)
    assert.equal((await answerOf(id_token)).get('error'), 'login_required')
  })

  test(`nothing of a deleted user acts for a later user with the same sub and address (${type})`, async () => {
    const fields = { sub: newSub(), email: newEmail() }
    const former = await createPerson(w, environment, fields)
    const scope = 'openid email offline_access'
    const old = await former.tokens(client, { scope })
    taken(await post({ sub: former.id }))
    expectStatus(204, await call('DELETE', `users/${former.id}`))
    w.advance(2)
    const later = await createPerson(w, environment, fields)
    assert.notEqual(later.id, former.id)
    const fresh = await later.tokens(client, { scope })
    assert.equal(decodeJwt(fresh.id_token).sub, decodeJwt(old.id_token).sub)

    assert.equal((await userinfo(w, environment, old.access_token)).status, 401)
    assert.equal(expectStatus(200, await call('POST', 'tokens/validate', { token: old.access_token })).active, false)
    assert.equal((await refresh(w, environment, client, old.refresh_token)).body.error, 'invalid_grant')
    assert.equal(stepOf(await former.agent.get(`${environment.issuer}/account`)), 'sign-in', 'the session of the former user')
    const hinted = (hint: string) => authorizationRequest(environment, client, { prompt: 'none', id_token_hint: hint }).url
    const answer = async (hint: string) => new URL((await later.agent.get(hinted(hint))).headers.get('location') ?? '').searchParams
    assert.equal((await answer(old.id_token)).get('error'), 'login_required')
    assert.equal((await answer(fresh.id_token)).has('code'), true)
    const asked = await later.agent.get(`${environment.issuer}/oauth/logout?${new URLSearchParams({ id_token_hint: old.id_token })}`)
    assert.equal(stepOf(asked), 'sign-out', 'the page asks')
    assert.equal(expectStatus(200, await userinfo(w, environment, fresh.access_token)).sub, fields.sub)

    await rowsFollowed(w.deployment.db)
    assert.equal(
      (await eventsOf(former.id)).some(({ user_id }: { user_id: string }) => user_id === later.id),
      false,
    )
    const moved = await create({ sub: former.id })
    assert.deepEqual(await find({ sub: former.id }), [moved.id], 'the id of a deleted user is free')
  })

  test(`webhooks and the event of a deletion have the sub, and earlier events of the user lose it (${type})`, async () => {
    if (type === 'live') return // its webhooks need https
    const { received, url } = await startReceiver()
    const body = { url, events: ['user.created', 'user.updated', 'user.deleted'] }
    const webhook = expectStatus(201, await w.call('POST', `${environment.path}/webhooks`, { body }))
    const sub = '"\\auth0|</script>'
    const user = await create({ sub })
    expectStatus(200, await call('PATCH', `users/${user.id}`, { name: 'Ada' }))
    const bodies = () => received.map((message: Received) => JSON.parse(message.body)).filter(({ user_id }) => user_id === user.id)
    await until('two messages', () => bodies().length === 2)
    expectStatus(204, await call('DELETE', `users/${user.id}`))
    await rowsFollowed(w.deployment.db)
    await until('the message of the deletion', () => bodies().length === 3)
    assert.deepEqual(
      bodies().map((event) => [event.type, event.user_id, event.data.sub]),
      ['user.created', 'user.updated', 'user.deleted'].map((kind) => [kind, user.id, sub]),
    )
    assert.deepEqual(
      (await eventsOf(user.id)).map((event: { type: string; data: object }) => [event.type, event.data]),
      [
        ['user.deleted', { sub }],
        ['user.updated', {}],
        ['user.created', {}],
      ],
    )
    expectStatus(204, await w.call('DELETE', `${environment.path}/webhooks/${webhook.id}`))
  })

  test(`an account that is erased later has the sub in its last event (${type})`, async () => {
    await w.changeSettings(environment, { users: { deletion_grace_days: 1 } })
    const user = await create({ sub: newSub() })
    expectStatus(204, await call('DELETE', `users/${user.id}`))
    taken(await post({ sub: user.sub }))
    w.advance(86_401)
    await eraseDue(w.deployment, () => false)
    const [event] = await eventsOf(user.id, 'user.deleted')
    assert.deepEqual(event.data, { sub: user.sub })
    assert.equal((await create({ sub: user.sub })).sub, user.sub)
    await w.changeSettings(environment, { users: { deletion_grace_days: 0 } })
  })

  // biome-ignore format: this table is read by column
  const ends: [what: string, end: (person: Awaited<ReturnType<typeof createPerson>>, id_token: string) => Promise<unknown>][] = [
    ['a sign-out',              (person, id_token) => person.agent.get(`${environment.issuer}/oauth/logout?${new URLSearchParams({ id_token_hint: id_token })}`)],
    ['the end of all sessions', (person) => call('POST', `users/${person.id}/end-sessions`)],
    ['a deletion',              (person) => call('DELETE', `users/${person.id}`)],
  ]
  for (const [what, end] of ends)
    test(`the logout token of ${what} has the sub (${type})`, async () => {
      if (type === 'live') return // its addresses need https
      for (const sub of ['"\\logout|</x>', undefined]) {
        const { received, url } = await startReceiver()
        const listener = await w.createApplication(environment, { backchannel_logout_uri: url })
        const person = await createPerson(w, environment, sub === undefined ? {} : { sub })
        const { id_token } = await person.tokens(listener)
        await end(person, id_token)
        await until('a logout token', () => received.length === 1)
        const jwks = expectStatus(200, await w.call('GET', `${environment.issuer}/v1/oauth/jwks.json`, { key: null }))
        const token = new URLSearchParams(received[0]?.body).get('logout_token') ?? ''
        const { payload } = await jwtVerify(token, createLocalJWKSet(jwks), { issuer: environment.issuer, currentDate: w.now() })
        assert.deepEqual([payload.sub, payload.sid], [sub ?? person.id, decodeJwt(id_token).sid])

        const { data } = expectStatus(200, await w.call('GET', `${environment.path}/backchannel-logouts`))
        const [message] = data.filter(({ user_id }: { user_id: string }) => user_id === person.id)
        assert.equal(message.sub, sub ?? person.id)
        expectStatus(202, await w.call('POST', `${environment.path}/backchannel-logouts/${message.id}/resend`))
        await until('the logout token again', () => received.length === 2)
        assert.equal(decodeJwt(new URLSearchParams(received[1]?.body).get('logout_token') ?? '').sub, sub ?? person.id)
        if (what !== 'a deletion') expectStatus(204, await call('DELETE', `users/${person.id}`))
      }
    })

  test(`the export of the account has the sub, and its events too (${type})`, async () => {
    const sub = newSub()
    const person = await w.createUser(environment, { sub })
    const { agent, page } = await openAccount(environment, person)
    await eventsOf(person.id)
    const { body } = await press(agent, page, 'export')
    const { user, events } = typeof body === 'string' ? JSON.parse(body) : body
    assert.deepEqual([user.id, user.sub], [person.id, sub])
    assert.deepEqual([...new Set(events.map(({ data }: { data: { sub: string } }) => data.sub))], [sub])
  })

  test(`a trace of sign-ins and lists in other forms know the sub (${type})`, async () => {
    const sub = `=${newSub()}`
    const user = await create({ sub })
    const trace = await w.call('GET', `${environment.path}/users/trace?${new URLSearchParams({ person: sub })}`)
    assert.equal(expectStatus(200, trace).user.id, user.id)
    const csv = await w.call('GET', `/v1/auth/users?${new URLSearchParams({ sub })}`, { key, headers: { accept: 'text/csv' } })
    const [head = '', line = ''] = String(csv.body).split(/\r?\n/)
    assert.equal(line.split(',')[head.split(',').indexOf('sub')]?.includes(`'${sub}`), true, 'no spreadsheet computes it')
  })

  test(`a refused call of UserInfo is recorded for the user of the grant, not for who has the sub now (${type})`, async () => {
    const fields = { sub: newSub(), email: newEmail() }
    const former = await createPerson(w, environment, fields)
    const { access_token } = await former.tokens(client)
    expectStatus(204, await call('DELETE', `users/${former.id}`))
    w.advance(2)
    const later = await create(fields)
    assert.equal((await userinfo(w, environment, access_token)).status, 401)
    await w.deployment.refused_calls.write()
    const { data } = expectStatus(200, await w.call('GET', `${environment.path}/requests?limit=100`))
    const users = data.map(({ user_id }: { user_id: string | null }) => user_id)
    assert.equal(users.includes(former.id), true)
    assert.equal(users.includes(later.id), false)
  })
}
