/** How old a sign-in may be where the project says it, and what a refusal tells before and after it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { administratorToken, asAdministrator, joinTenant } from '../support/administrator.ts'
import { createAdministrator } from '../support/tenants.ts'
import { expectStatus, owner, type Reply, type TestEnvironment, world } from '../support/world.ts'

const w = await world()
const project_path = `/v1/platform/projects/${w.project.id}`
const defaults = { test_seconds: 600, live_seconds: 600 }

const asOwner = async () => asAdministrator(w, await administratorToken(w, owner))
type As = Awaited<ReturnType<typeof asOwner>>
const set = async (fresh_sign_in: object | null) =>
  expectStatus(200, await (await asOwner())('PATCH', project_path, { fresh_sign_in })).fresh_sign_in
const in_environment = ({ id }: TestEnvironment) => ({ 'x-environment-id': id })
const outcome = ({ status, body }: Reply) => (status === 403 ? `${body.code} ${body.max_age}` : status)

test('a new project asks for ten minutes in Test and Live', async () => {
  const made = expectStatus(201, await w.call('POST', '/v1/platform/projects', { body: { slug: 'fresh', name: 'Fresh' } }))
  assert.deepEqual(made.fresh_sign_in, defaults)
  assert.deepEqual(expectStatus(200, await w.call('GET', `/v1/platform/projects/${made.id}`)).fresh_sign_in, defaults)
})

test('null puts a default back, and a missing field stays', async () => {
  assert.deepEqual(await set({ test_seconds: 3600, live_seconds: 60 }), { test_seconds: 3600, live_seconds: 60 })
  assert.deepEqual(await set({ test_seconds: null }), { test_seconds: 600, live_seconds: 60 })
  assert.deepEqual(await set({ test_seconds: 1200 }), { test_seconds: 1200, live_seconds: 60 })
  assert.deepEqual(await set({}), { test_seconds: 1200, live_seconds: 60 })
  assert.deepEqual(await set(null), defaults)
})

// biome-ignore format: this table is read by column
const refused_values: [string, object, string][] = [
  ['less than ten minutes in Test',   { test_seconds: 599 },   '/fresh_sign_in/test_seconds'],
  ['more than an hour in Test',       { test_seconds: 3601 },  '/fresh_sign_in/test_seconds'],
  ['less than a minute in Live',      { live_seconds: 59 },    '/fresh_sign_in/live_seconds'],
  ['more than ten minutes in Live',   { live_seconds: 601 },   '/fresh_sign_in/live_seconds'],
  ['a part of a second',              { live_seconds: 60.5 },  '/fresh_sign_in/live_seconds'],
  ['a text',                          { live_seconds: '60' },  '/fresh_sign_in/live_seconds'],
  ['an unknown field',                { seconds: 60 },         '/fresh_sign_in/seconds'],
]
for (const [what, fresh_sign_in, pointer] of refused_values)
  test(`${what} is refused`, async () => {
    const { errors } = expectStatus(422, await (await asOwner())('PATCH', project_path, { fresh_sign_in }))
    assert.deepEqual(
      errors.map((error: { pointer: string }) => error.pointer),
      [pointer],
    )
  })

test('an administrator with the role admin changes it, freshly signed in; a developer and a key do not', async () => {
  const change = { fresh_sign_in: { live_seconds: 300 } }
  const as = async (role: string) => {
    const person = await createAdministrator(w, `${role}@fresh.example`)
    await joinTenant(w, { tenant_id: w.tenant_id, token: await administratorToken(w, owner) }, person, role)
    return asAdministrator(w, person.token, w.tenant_id)
  }
  const [admin, developer] = [await as('admin'), await as('developer')]
  assert.equal((await developer('PATCH', project_path, change)).body.code, 'insufficient_role')
  assert.equal((await w.call('PATCH', project_path, { body: change })).body.code, 'wrong_key_type')
  expectStatus(200, await w.call('PATCH', project_path, { body: { name: 'Shop', fresh_sign_in: {} } }))
  expectStatus(200, await admin('PATCH', project_path, change))
  w.advance(601)
  assert.equal(outcome(await admin('PATCH', project_path, { fresh_sign_in: { live_seconds: 60 } })), 'reauthentication_required 300')
  await set(null)
})

/** A call that needs a fresh sign-in and changes nothing: the version is stale, which is judged last. */
const stale_version = { 'if-match': '"0"' }
// biome-ignore format: this table is read by column
const places: [string, (as: As) => Promise<Reply>, 'test_seconds' | 'live_seconds' | null][] = [
  ['a key in Test',                 (as) => as('POST', `${w.test.path}/auth-keys`, { type: 'auth_secret' }),                                             'test_seconds'],
  ['a key in Live',                 (as) => as('POST', `${w.live.path}/auth-keys`, { type: 'auth_secret' }),                                             'live_seconds'],
  ['the settings of mail in Test',  (as) => as('PATCH', `${w.test.path}/settings`, { email: { delivery: 'none' } }),                                     'test_seconds'],
  ['the settings of Live',          (as) => as('PATCH', `${w.live.path}/settings`, { password: { min_length: 20 } }),                                    'live_seconds'],
  ['a new user in Live',            (as) => as('POST', '/v1/auth/users', { email: `${Math.trunc(w.now().getTime())}@example.com` }, in_environment(w.live)), 'live_seconds'],
  ['the project itself',            (as) => as('PATCH', project_path, { fresh_sign_in: { test_seconds: 700 } }),                                         'live_seconds'],
  ['a key of the tenant',           (as) => as('POST', `/v1/tenants/${w.tenant_id}/platform-keys`, { label: 'A', scopes: ['projects:read'] }),           null],
  ['an object of no project',       (as) => as('DELETE', `${w.live.path.replace(/env_\w+$/, 'env_01m7wwr5ftevtv5yxb47hmb4ht')}/webhooks/whk_01m7wwr5ftevtv5yxb47hmb4ht`, undefined, stale_version), null],
]
for (const [place, call, name] of places)
  test(`${place} ${name === null ? 'keeps ten minutes' : `asks for the ${name} of the project`}`, async () => {
    const of_project = { test_seconds: 1800, live_seconds: 90 }
    const seconds = name === null ? 600 : of_project[name]
    await set(of_project)
    const as = await asOwner()
    w.advance(seconds - 20)
    assert.doesNotMatch(String(outcome(await call(as))), /^reauthentication/, 'nearly as old as it may be')
    await w.call('PATCH', `${w.test.path}/settings`, { body: { email: { delivery: 'capture' } } })
    await w.call('PATCH', `${w.live.path}/settings`, { body: { password: null } })
    const stale = await asOwner()
    await set(of_project)
    w.advance(seconds + 1)
    const answer = outcome(await call(stale))
    assert.equal(answer, place === 'an object of no project' ? 404 : `reauthentication_required ${seconds}`)
    await set(null)
  })

test('a promotion asks for the sign-in that its target needs', async () => {
  const promotions = `${project_path}/promotions`
  const to = (target: TestEnvironment, min_length: number) => ({
    document: { version: 1, environment: target === w.live ? 'live' : 'test', settings: { password: { min_length } } },
    to_environment_id: target.id,
  })
  await set({ test_seconds: 3600, live_seconds: 60 })
  const as = await asOwner()
  const plan = async (target: TestEnvironment, min_length: number) =>
    expectStatus(201, await as('POST', promotions, to(target, min_length))).id
  w.advance(61)
  assert.equal(outcome(await as('POST', `${promotions}/${await plan(w.live, 15)}/apply`, {})), 'reauthentication_required 60')
  expectStatus(200, await as('POST', `${promotions}/${await plan(w.test, 15)}/apply`, {}))
  await set(null)
})

// Each body is refused for what it says, whatever the age of the sign-in.
// biome-ignore format: this table is read by column
const judged_first: [string, string, string, object | undefined, number][] = [
  ['an unknown field',             'POST',  `${w.live.path}/auth-keys`,  { type: 'auth_secret', colour: 'red' },                   422],
  ['a value out of range',         'PATCH', `${w.live.path}/settings`,   { lockout: { max_attempts: 1 } },                          422],
  ['settings without a way in',    'PATCH', `${w.live.path}/settings`,   { sign_in: { password: false } },                          422],
  ['an address of no URL',         'POST',  `${w.live.path}/webhooks`,   { url: 'hooks', events: [] },                              422],
  ['a project without a name',     'PATCH', project_path,                { name: '', fresh_sign_in: { live_seconds: 60 } },         422],
]
for (const [what, method, path, body, status] of judged_first)
  test(`${what} is refused before a fresh sign-in is asked for`, async () => {
    const as = await asOwner()
    w.advance(601)
    assert.equal((await as(method, path, body)).status, status)
  })
