/**
 * The round trips to PostgreSQL that a request waits for, counted on the wire. What runs in the background can only add to the count, so the
 * least of several counts is exact.
 */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, test } from 'node:test'
import { authorizationRequest, type Client, createPerson, exchange, refresh, userinfo } from './support/cookie-browser.ts'
import { dropDatabase, migratedDatabase, noPostgres } from './support/postgres.ts'
import { createRoleWorld } from './support/role-person.ts'
import { countTrips, openLine } from './support/tcp-proxy.ts'
import { expectStatus, world } from './support/world.ts'

/** Of each direction. */
const delay_ms = 10
const counts = 5

if (noPostgres) test('round trips', { skip: noPostgres })
else await testRoundTrips()

async function testRoundTrips() {
  const url = await migratedDatabase()
  const line = await openLine(url)
  const env = { OSTIARY_DATABASE_URL: line.url, OSTIARY_MASTER_KEY: randomBytes(32).toString('base64') }
  const w = await world({ env, database: (engine) => engine })
  after(async () => {
    line.close()
    await dropDatabase(url)
  })
  const client: Client = await w.createApplication(w.test)
  const person = await createPerson(w, w.test)
  const of_others: Client = await w.createApplication(w.test, { consent: 'ask' })
  let { access_token, refresh_token } = await person.tokens(client)
  await person.tokens(of_others)
  const with_two: Client & { id: string } = await w.createApplication(w.test)
  const { client_secret } = expectStatus(201, await w.call('POST', `${w.test.path}/applications/${with_two.id}/secrets`))
  let of_second = (await person.tokens(with_two)).refresh_token

  const tripsSince = countTrips(line)
  async function tripsOf(work: () => Promise<unknown>): Promise<number> {
    line.delay_ms = delay_ms
    tripsSince()
    await work()
    line.delay_ms = 0
    return tripsSince()
  }

  async function renew() {
    refresh_token = expectStatus(200, await refresh(w, w.test, client, refresh_token)).refresh_token
  }
  async function renewBySecond() {
    of_second = expectStatus(200, await refresh(w, w.test, { ...with_two, client_secret }, of_second)).refresh_token
  }
  const flow = (client: Client) => async () => {
    const request = authorizationRequest(w.test, client)
    const location = (await person.agent.get(request.url)).headers.get('location') ?? ''
    const code = new URL(location).searchParams.get('code') ?? ''
    expectStatus(200, await exchange(w, w.test, client, { request, code }))
  }
  const get = (url: string) => async () => expectStatus(200, await w.call('GET', url))

  // biome-ignore format: this table is read by column
  const requests: [name: string, trips: number, ask: () => Promise<unknown>][] = [
    ['a refresh',                                2, renew],
    ['a refresh by a second client secret',      2, renewBySecond],
    ['a code flow of a person with a session',   4, flow(client)],
    ['a code flow with a consent',               5, flow(of_others)],
    ['UserInfo',                                 1, async () => expectStatus(200, await userinfo(w, w.test, access_token))],
    ['whoami',                                   2, get('/v1/api-keys/whoami')],
    ['the metadata of an issuer',                1, get(`${w.test.issuer}/.well-known/openid-configuration`)],
    ['the keys of an issuer',                    1, get(`${w.test.issuer}/v1/oauth/jwks.json`)],
  ]
  for (const [name, trips, ask] of requests)
    test(`round trips of ${name}: ${trips}`, async () => {
      const counted: number[] = []
      for (let i = 0; i < counts; i++) counted.push(await tripsOf(ask))
      assert.equal(Math.min(...counted), trips, `${counted}`)
    })

  test('roles and data add no round trip to a refresh, a code flow, UserInfo and validation', async () => {
    const roles = await createRoleWorld(w, w.live)
    const server = await roles.createServer('orders', ['orders:read'], { require_roles: false })
    const allowed_scopes = ['openid', 'offline_access', 'orders:read']
    const app = await w.createApplication(w.live, { allowed_scopes })
    const who = await roles.createPerson()
    const ask = { scope: allowed_scopes.join(' '), resource: server.identifier }
    let tokens = await who.tokens(app, ask)
    const requests: Record<string, () => Promise<unknown>> = {
      refresh: async () => {
        tokens = expectStatus(200, await refresh(w, w.live, app, tokens.refresh_token))
      },
      flow: async () => {
        const request = authorizationRequest(w.live, app, ask)
        const location = (await who.agent.get(request.url)).headers.get('location') ?? ''
        expectStatus(200, await exchange(w, w.live, app, { request, code: new URL(location).searchParams.get('code') ?? '' }))
      },
      userinfo: async () => expectStatus(200, await userinfo(w, w.live, tokens.access_token)),
      validate: () => roles.validate(tokens.access_token),
    }
    async function least(): Promise<Record<string, number>> {
      const found: Record<string, number> = {}
      for (const [name, ask] of Object.entries(requests)) {
        const counted: number[] = []
        for (let i = 0; i < counts; i++) counted.push(await tripsOf(ask))
        found[name] = Math.min(...counted)
      }
      return found
    }
    const before = await least()
    const role = await roles.createRole('reader', { orders: ['orders:read'] })
    await roles.give(who, role)
    await w.call('PATCH', `/v1/auth/users/${who.id}`, { key: roles.key, body: { claims: { plan: 'team' } } })
    await roles.change('resource-servers', server, { require_roles: true, roles_claim: 'roles', data_claims: true })
    await roles.change('applications', app, { allowed_roles: [role.slug], roles_claim: 'groups', data_claims: true })
    assert.deepEqual(await least(), before)
    assert.deepEqual((await roles.validate(tokens.access_token)).claims, { plan: 'team' })
  })
}
