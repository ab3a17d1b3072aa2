/** Who would be hurt by a deletion, a revocation or a switch that goes off: live grants, people and uses of 30 days. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { most_counted } from '@ostiary/contract/activity.ts'
import type { EnvironmentId } from '@ostiary/contract/ids.ts'
import { sql } from '../../src/db/db.ts'
import { authorizationRequest, createAgent, createPerson, formOf, revoke } from '../support/cookie-browser.ts'
import { startUpstreams } from '../support/upstream-provider.ts'
import { expectStatus, type TestEnvironment, world } from '../support/world.ts'

const upstreams = await startUpstreams()
const w = await world({ outbound: upstreams.outbound })
const exactly = (count: number) => ({ count, or_more: false })
const nothing = { grants: null, people: null, locked_out: null, calls_30_days: null }

async function impactOf(environment: TestEnvironment, path: string) {
  await w.deployment.counters.write()
  return expectStatus(200, await w.call('GET', `${environment.path}/${path}`))
}

for (const environment of [w.test, w.live]) {
  const place = environment === w.test ? 'Test' : 'Live'

  test(`of an application: grants that are live, their people, and its token requests of 30 days, in ${place}`, async () => {
    const shop = await w.createApplication(environment)
    const read = () => impactOf(environment, `applications/${shop.client_id}/impact`)
    assert.deepEqual(await read(), { ...nothing, grants: exactly(0), people: exactly(0), calls_30_days: 0 })
    const [ada, bob] = [await createPerson(w, environment), await createPerson(w, environment)]
    await ada.tokens(shop, { scope: 'openid' })
    const tokens = await ada.tokens(shop, { scope: 'openid offline_access' })
    await bob.tokens(shop, { scope: 'openid' })
    assert.deepEqual(await read(), { ...nothing, grants: exactly(3), people: exactly(2), calls_30_days: 3 })
    await revoke(w, environment, shop, tokens.refresh_token)
    assert.deepEqual((await read()).grants, exactly(2))
    w.advance(2 * 86_400)
    assert.deepEqual(await read(), { ...nothing, grants: exactly(0), people: exactly(0), calls_30_days: 3 }, 'what expired is not live')
    w.advance(31 * 86_400)
    assert.equal((await read()).calls_30_days, 0)
  })

  test(`of a resource server and of one scope of it, and of a scope that begins alike, in ${place}`, async () => {
    const scopes = ['orders', 'orders:read', 'orders:write'].map((name) => ({ name }))
    const identifier = `https://api.example.com/${place.toLowerCase()}`
    const create = (body: object) => w.call('POST', `${environment.path}/resource-servers`, { body })
    const server = expectStatus(201, await create({ identifier, name: 'Orders', scopes }))
    const other = expectStatus(201, await create({ identifier: `${identifier}/v2`, name: 'Other', scopes: [] }))
    const application = await w.createApplication(environment, { allowed_scopes: ['openid', 'orders:read', 'orders:write'] })
    const [ada, bob] = [await createPerson(w, environment), await createPerson(w, environment)]
    await ada.tokens(application, { scope: 'openid orders:read', resource: identifier })
    await bob.tokens(application, { scope: 'openid orders:read orders:write', resource: identifier })
    const read = (id: string, scope?: string) =>
      impactOf(environment, `resource-servers/${id}/impact${scope === undefined ? '' : `?scope=${scope}`}`)
    // biome-ignore format: this table is read by column
    const cases: [id: string, scope: string | undefined, count: number, calls: number | null][] = [
      [server.id, undefined,      2, 2],
      [server.id, 'orders:read',  2, null],
      [server.id, 'orders:write', 1, null],
      [server.id, 'orders',       0, null],
      [other.id,  undefined,      0, 0],
    ]
    for (const [id, scope, count, calls_30_days] of cases)
      assert.deepEqual(await read(id, scope), { ...nothing, grants: exactly(count), people: exactly(count), calls_30_days }, scope)
    const refused = await w.call('GET', `${environment.path}/resource-servers/${server.id}/impact?scope=unknown`)
    assert.deepEqual([refused.status, refused.body.errors[0].pointer], [422, '/scope'])
  })

  test(`of a provider: who is linked, who has no other way in, grants that began there, and sign-ins, in ${place}`, async () => {
    const provider = expectStatus(
      201,
      await w.call('POST', `${environment.path}/providers`, {
        body: { type: 'oidc', display_name: 'Company', issuer: 'https://sso.example.com', client_id: 'o', client_secret: 's' },
      }),
    )
    const read = () => impactOf(environment, `providers/${provider.id}/impact`)
    assert.deepEqual(await read(), { grants: exactly(0), people: exactly(0), locked_out: exactly(0), calls_30_days: 0 })
    const client = await w.createApplication(environment)
    const agent = createAgent()
    const { hidden } = formOf((await agent.get(authorizationRequest(environment, client).url)).body)
    const started = await agent.post(`${environment.issuer}/federate`, { ...hidden, provider: provider.id })
    const email = `ada.${place.toLowerCase()}@company.example`
    const identity = { claims: { sub: email, email, email_verified: true, name: 'Ada' } }
    const parameters = upstreams.agree(started.headers.get('location') ?? '', identity)
    let reply = await agent.get(`${environment.issuer}/oauth/callback/${provider.id}?${new URLSearchParams(parameters)}`)
    while (reply.status === 303 && !(reply.headers.get('location') ?? '').startsWith('https://app.example.com'))
      reply = await agent.get(reply.headers.get('location') ?? '')
    assert.deepEqual(await read(), { grants: exactly(1), people: exactly(1), locked_out: exactly(1), calls_30_days: 1 })
  })

  test(`of a method: who could not sign in without it, and its sign-ins, in ${place}`, async () => {
    const project = await w.createProject(`methods-${place.toLowerCase()}`)
    const own = environment === w.test ? project.test : project.live
    const client = await w.createApplication(own)
    const person = await createPerson(w, own)
    await person.tokens(client)
    const read = (query = '') => impactOf(own, `settings/impact${query}`)
    assert.deepEqual(await read(), { ...nothing, locked_out: exactly(1), calls_30_days: 1 })
    assert.deepEqual(await read('?method=password'), { ...nothing, locked_out: exactly(1), calls_30_days: 1 })
    assert.deepEqual(await read('?method=passkey'), { ...nothing, locked_out: exactly(0), calls_30_days: 0 })
    assert.equal((await w.call('GET', `${own.path}/settings/impact?method=totp`)).status, 422)
  })

  test(`of a key: its calls of 30 days, in ${place}`, async () => {
    const key = expectStatus(201, await w.call('POST', `${environment.path}/auth-keys`, { body: { type: 'auth_secret' } }))
    for (let call = 0; call < 3; call++) await w.call('GET', '/v1/auth/users', { key: key.key })
    assert.deepEqual(await impactOf(environment, `auth-keys/${key.id}/impact`), { ...nothing, calls_30_days: 3 })
    w.advance(30 * 86_400 + 3_600)
    assert.deepEqual(await impactOf(environment, `auth-keys/${key.id}/impact`), { ...nothing, calls_30_days: 0 })
  })
}

test('a count of grants stops, and says that there can be more', async () => {
  const { client_id } = await w.createApplication(w.test)
  const person = await createPerson(w, w.test)
  await person.tokens({ ...(await w.createApplication(w.test)) })
  const environment_id = w.test.id as EnvironmentId // as: an id of the API
  const copied = Array.from({ length: most_counted + 5 }, (_, n) => `grt_${String(n).padStart(26, '0')}`)
  await w.deployment.db.of(environment_id).batch(
    copied.map(
      (
        id,
      ) => sql`insert into grants (environment_id, id, user_id, application_id, session_id, scope, resource, offline, auth_time, amr, acr, created_at,
          expires_at, began_with, ending, began_ending, application_ending, disconnection, code_hash, visit_at, used_since, lasts_until)
        select environment_id, ${id}, user_id, ${client_id}, session_id, scope, resource, offline, auth_time, amr, acr, created_at,
               expires_at, began_with, ending, began_ending, application_ending, disconnection, ${id}, visit_at, used_since, lasts_until
          from grants where environment_id = ${environment_id} and user_id = ${person.id} order by id limit 1`,
    ),
  )
  const { grants, people } = await impactOf(w.test, `applications/${client_id}/impact`)
  assert.deepEqual(grants, { count: most_counted, or_more: true })
  assert.deepEqual(people, { count: 1, or_more: true })
})
