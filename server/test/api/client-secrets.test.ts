/** The client secrets of an application: two at most, what each of them opens, and how one is replaced without a refused call. */
import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { test } from 'node:test'
import { z } from 'zod'
import { digestOf } from '../../src/base/digest.ts'
import { sql } from '../../src/db/db.ts'
import { type Client, createPerson, exchange, postAsClient, refresh, userinfo } from '../support/cookie-browser.ts'
import { expectStatus, type Reply, world } from '../support/world.ts'

const w = await world()
const redirect_uris = ['https://app.example.com/callback']
const jwk = { ...generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'jwk' }), kid: 'one' }

const create = async (fields: object = {}) =>
  expectStatus(
    201,
    await w.call('POST', `${w.test.path}/applications`, { body: { name: 'App', application_type: 'web', redirect_uris, ...fields } }),
  )
const pathOf = ({ id }: { id: string }) => `${w.test.path}/applications/${id}`
const secrets = (method: string, application: { id: string }, at = '', body?: object) =>
  w.call(method, `${pathOf(application)}/secrets${at}`, body === undefined ? {} : { body })
const add = async (application: { id: string }, body: object = {}) => expectStatus(201, await secrets('POST', application, '', body))
const list = async (application: { id: string }) => expectStatus(200, await secrets('GET', application)).data
const later = (seconds: number) => new Date(w.now().getTime() + seconds * 1000).toISOString()
const refusal = ({ status, body }: Reply) => `${status} ${body.code}${body.errors ? ` ${body.errors[0].pointer}` : ''}`

/** Whether the token endpoint knows the client by this secret: a client that it knows learns that its code is wrong. */
async function accepts(client: Pick<Client, 'client_id'>, client_secret: string): Promise<boolean> {
  const of = { ...client, redirect_uris, application_type: 'web', client_secret }
  const form = { grant_type: 'authorization_code', code: 'x', redirect_uri: 'x' }
  const { error } = (await postAsClient(w, `${w.test.issuer}/v1/oauth/token`, of, form)).body
  assert.ok(['invalid_grant', 'invalid_client'].includes(error), error)
  return error === 'invalid_grant'
}

test('a second secret works beside the first, and is shown once', async () => {
  const app = await create()
  const [first] = await list(app)
  assert.deepEqual([first.label, first.expires_at, first.last_used_at, 'client_secret' in first], [null, null, null, false])
  const { client_secret, ...added } = await add(app, { label: 'New', expires_at: later(3600) })
  assert.match(added.id, /^sec_/)
  assert.match(client_secret, /^svc_client_/)
  assert.deepEqual(await list(app), [added, first])
  assert.deepEqual(expectStatus(200, await secrets('GET', app, `/${added.id}`)), added)
  assert.deepEqual([await accepts(app, app.client_secret), await accepts(app, client_secret)], [true, true])
})

test('the creation answers with the address of the secret, and a repeat of it has no plaintext', async () => {
  const app = await create()
  const ask = () => w.call('POST', `${pathOf(app)}/secrets`, { body: { label: 'New' }, headers: { 'idempotency-key': app.id } })
  const [reply, repeated] = [await ask(), await ask()]
  const { client_secret, ...added } = expectStatus(201, reply)
  assert.equal(reply.headers.get('location'), `${w.base_url}${pathOf(app)}/secrets/${added.id}`)
  assert.deepEqual(expectStatus(201, repeated), { ...added, client_secret: null })
  assert.equal((await list(app)).length, 2)
})

test('50 parallel additions leave two secrets, and each of them works', async () => {
  const app = await create()
  const replies = await Promise.all(Array.from({ length: 50 }, () => secrets('POST', app)))
  const made = replies.filter(({ status }) => status === 201)
  assert.equal(made.length, 1)
  for (const reply of replies) if (reply.status !== 201) assert.equal(refusal(reply), '422 quota_exceeded')
  assert.equal((await list(app)).length, 2)
  assert.deepEqual([await accepts(app, app.client_secret), await accepts(app, made[0]?.body.client_secret)], [true, true])
})

test('50 parallel deletions of both secrets leave one, which works', async () => {
  const app = await create()
  const added = await add(app)
  const ids = (await list(app)).map(({ id }: { id: string }) => id)
  const replies = await Promise.all(Array.from({ length: 50 }, (_, n) => secrets('DELETE', app, `/${ids[n % 2]}`)))
  assert.equal(replies.filter(({ status }) => status === 204).length, 1)
  for (const reply of replies) if (reply.status !== 204) assert.match(refusal(reply), /^(404 not_found|409 last_secret)$/)
  assert.equal((await list(app)).length, 1)
  assert.deepEqual([await accepts(app, app.client_secret), await accepts(app, added.client_secret)].filter(Boolean), [true])
})

test('a client secret of a running application is replaced without one refused call', async () => {
  const app = await create()
  const first = (await list(app))[0]
  let [present, is_over] = [app.client_secret as string, false]
  const outcomes: boolean[] = []
  const callers = Array.from({ length: 5 }, async () => {
    while (!is_over) outcomes.push(await accepts(app, present))
  })
  const added = await add(app)
  const before = outcomes.length
  while (outcomes.length < before + 50) await accepts(app, app.client_secret)
  present = added.client_secret
  const moved = outcomes.length + 5 // each caller has at most one call with the first secret in flight
  while (outcomes.length < moved + 5) await accepts(app, present)
  expectStatus(204, await secrets('DELETE', app, `/${first.id}`))
  const deleted = outcomes.length
  while (outcomes.length < deleted + 50) assert.equal(await accepts(app, app.client_secret), false)
  is_over = true
  await Promise.all(callers)
  assert.ok(outcomes.length > 100)
  assert.ok(outcomes.every(Boolean))
})

test('deletion ends no grant: a person goes on with the other secret', async () => {
  const app = await create()
  const person = await createPerson(w, w.test)
  const tokens = await person.tokens(app)
  const added = await add(app)
  expectStatus(204, await secrets('DELETE', app, `/${(await list(app))[1].id}`))
  expectStatus(200, await userinfo(w, w.test, tokens.access_token))
  assert.equal((await refresh(w, w.test, app, tokens.refresh_token)).body.error, 'invalid_client')
  expectStatus(200, await refresh(w, w.test, { ...app, client_secret: added.client_secret }, tokens.refresh_token))
})

test('an expired secret is refused, ends no grant, and counts until it is deleted', async () => {
  const app = await create()
  const person = await createPerson(w, w.test)
  const added = await add(app, { expires_at: later(60) })
  const { request, code } = await person.code(app)
  const by = { ...app, client_secret: added.client_secret }
  const tokens = expectStatus(200, await exchange(w, w.test, by, { request, code }))
  w.advance(60)
  assert.deepEqual([await accepts(app, added.client_secret), await accepts(app, app.client_secret)], [false, true])
  expectStatus(200, await userinfo(w, w.test, tokens.access_token))
  assert.equal(refusal(await secrets('POST', app)), '422 quota_exceeded')
  expectStatus(204, await secrets('DELETE', app, `/${added.id}`))
  expectStatus(201, await secrets('POST', app))
})

test('a rotation ends both secrets and leaves one', async () => {
  const app = await create()
  const added = await add(app)
  const rotated = expectStatus(200, await w.call('POST', `${pathOf(app)}/rotate-secret`))
  assert.equal((await list(app)).length, 1)
  const works = await Promise.all([app, added, rotated].map(({ client_secret }) => accepts(app, client_secret)))
  assert.deepEqual(works, [false, false, true])
})

test('an application that stops authenticating with a secret loses both, and may add one when it starts again', async () => {
  const app = await create()
  await add(app)
  const by_key = { token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [jwk] } }
  expectStatus(200, await w.call('PATCH', pathOf(app), { body: by_key }))
  assert.deepEqual(await list(app), [])
  assert.equal(refusal(await secrets('POST', app)), '409 secret_not_used')
  expectStatus(200, await w.call('PATCH', pathOf(app), { body: { token_endpoint_auth_method: 'client_secret', jwks: null } }))
  const { client_secret } = await add(app)
  assert.deepEqual([await accepts(app, client_secret), await accepts(app, app.client_secret)], [true, false])
})

// biome-ignore format: this table is read by column
const refused: { rule: string; ask: (app: { id: string }) => Promise<Reply>; code: string }[] = [
  { rule: 'a third secret',                    ask: async (app) => { await add(app); return secrets('POST', app) },                      code: '422 quota_exceeded' },
  { rule: 'a secret that ends now',            ask: (app) => secrets('POST', app, '', { expires_at: later(0) }),                         code: '422 validation_failed /expires_at' },
  { rule: 'a secret that ended a year ago',    ask: (app) => secrets('POST', app, '', { expires_at: later(-31_536_000) }),               code: '422 validation_failed /expires_at' },
  { rule: 'an end in words',            ask: (app) => secrets('POST', app, '', { expires_at: 'tomorrow' }),                       code: '422 validation_failed /expires_at' },
  { rule: 'a label of 101 characters',         ask: (app) => secrets('POST', app, '', { label: 'a'.repeat(101) }),                       code: '422 validation_failed /label' },
  { rule: 'a secret of the caller\'s choice',  ask: (app) => secrets('POST', app, '', { client_secret: 'chosen' }),                     code: '422 validation_failed /client_secret' },
  { rule: 'deletion of the last secret',       ask: async (app) => secrets('DELETE', app, `/${(await list(app))[0].id}`),               code: '409 last_secret' },
  { rule: 'deletion of a secret of another application', ask: async (app) => secrets('DELETE', app, `/${(await list(await create()))[0].id}`), code: '404 not_found' },
  { rule: 'deletion of a deleted secret',      ask: async (app) => { const { id } = await add(app); await secrets('DELETE', app, `/${id}`); return secrets('DELETE', app, `/${id}`) }, code: '404 not_found' },
  { rule: 'a stale If-Match',                  ask: async (app) => w.call('DELETE', `${pathOf(app)}/secrets/${(await add(app)).id}`, { headers: { 'if-match': '"7"' } }), code: '412 stale_version' },
]
for (const { rule, ask, code } of refused)
  test(`refused with ${code}: ${rule}`, async () => {
    const app = await create()
    assert.equal(refusal(await ask(app)), code)
    assert.equal(await accepts(app, app.client_secret), true)
  })

test('an unexpired secret cannot be deleted beside an expired one, and the expired one can', async () => {
  const app = await create()
  const added = await add(app, { expires_at: later(60) })
  w.advance(61)
  const first = (await list(app))[1]
  assert.equal(refusal(await secrets('DELETE', app, `/${first.id}`)), '409 last_secret')
  expectStatus(204, await secrets('DELETE', app, `/${added.id}`))
})

test('last_used_at is that of the secret that was used, before it is written and after', async () => {
  const app = await create()
  const added = await add(app)
  const before = w.deployment.now().toISOString()
  await accepts(app, added.client_secret)
  await accepts(app, 'svc_client_of-nobody')
  const used = async () => (await list(app)).map(({ last_used_at }: { last_used_at: string | null }) => last_used_at !== null)
  assert.deepEqual(await used(), [true, false])
  assert.ok((await list(app))[0].last_used_at >= before)
  await w.deployment.secret_uses.write()
  assert.deepEqual(await used(), [true, false])
})

test('a program of the release before replaces every secret by its own, and the next addition keeps that one', async () => {
  const app = await create()
  const second = await add(app)
  const { db } = w.deployment
  await db.run(
    sql`update applications set client_secret_hash = ${digestOf('made before')}, version = version + 1 where environment_id = ${w.test.id} and id = ${app.id}`,
  )
  const works = () => Promise.all([app.client_secret, second.client_secret, 'made before'].map((secret) => accepts(app, secret)))
  assert.deepEqual(await works(), [false, false, true])
  assert.equal((await list(app)).length, 1)
  const added = await add(app)
  assert.deepEqual([...(await works()), await accepts(app, added.client_secret)], [false, false, true, true])
  const [newest, before] = await list(app)
  assert.equal(newest.id, added.id)
  expectStatus(204, await secrets('DELETE', app, `/${before.id}`))
  assert.deepEqual([...(await works()), await accepts(app, added.client_secret)], [false, false, false, true])
})

test('a secret has its events and its audit entries, without the secret', async () => {
  const app = await create()
  const added = await add(app, { label: 'New' })
  expectStatus(204, await secrets('DELETE', app, `/${added.id}`))
  const { db } = w.deployment
  const Event = z.object({ type: z.string(), data: z.record(z.string(), z.unknown()) })
  assert.deepEqual(
    await db.all(
      Event,
      sql`select type, data from events where application_id = ${app.id} and type like 'application.secret_%' order by id`,
    ),
    [
      { type: 'application.secret_added', data: { client_secret_id: added.id, expires_at: null } },
      { type: 'application.secret_deleted', data: { client_secret_id: added.id } },
    ],
  )
  const Entry = z.object({
    action: z.string(),
    object_type: z.string(),
    before_change: z.string().nullable(),
    after_change: z.string().nullable(),
  })
  const entries = await db.all(
    Entry,
    sql`select action, object_type, before_change, after_change from audit_log where object_id = ${added.id} order by id`,
  )
  assert.deepEqual(
    entries.map(({ action, object_type }) => [action, object_type]),
    [
      ['addClientSecret', 'client_secret'],
      ['deleteClientSecret', 'client_secret'],
    ],
  )
  assert.ok(!JSON.stringify(entries).includes(added.client_secret))
})
