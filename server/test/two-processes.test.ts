/**
 * Two `ostiary serve` processes on one PostgreSQL database. After either of them has answered that a right is withdrawn,
 * no later request succeeds with it at either process. A code and a refresh token work once over both processes.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeJwt } from 'jose'
import { sql } from '../src/db/db.ts'
import { administratorToken, asAdministrator } from './support/administrator.ts'
import { serve } from './support/cli-process.ts'
import {
  type Agent,
  authorizationRequest,
  type Client,
  createAgent,
  createPerson,
  exchange,
  followPages,
  refresh,
  revoke,
  userinfo,
} from './support/cookie-browser.ts'
import { freePort } from './support/free-port.ts'
import { freshDatabase, noPostgres } from './support/postgres.ts'
import { expectStatus, owner, type Reply, world } from './support/world.ts'

if (noPostgres) test('two processes on one database', { skip: noPostgres })
else await testTwoProcesses()

/** One of the two processes. */
interface Side {
  issuer: string
  at(path: string): string
}

/** A request that a right allows. */
interface Use {
  /** `admitted`, or the refusal. */
  ask(side: Side): Promise<string>
  /** The only outcome after the right is withdrawn. */
  refusal: string
  /** The request uses its credential up, so it is not repeated in the background. */
  is_single_use?: true
}

type Person = Awaited<ReturnType<typeof createPerson>>

interface Right {
  uses: Use[]
  /** Withdraws the right. */
  withdraw(side: Side): Promise<Reply>
}

async function testTwoProcesses() {
  const rounds = 20
  const requests_per_round = 28

  // This process creates the tenant and the users; then the two processes serve the same database.
  const env = { OSTIARY_DATABASE_URL: await freshDatabase(), OSTIARY_MASTER_KEY: Buffer.alloc(32, 1).toString('base64') }
  const w = await world({ env })
  const unlimited = { rate_limit: { limit: 100_000, window_seconds: 1 } }
  await w.deployment.db.run(sql`update api_keys set rate_limit = ${unlimited.rate_limit} where id = ${w.key_id}`)
  const [person, blocked, forgetful] = [await createPerson(w, w.test), await createPerson(w, w.test), await createPerson(w, w.test)]
  await w.service.stop()

  const ports = [new URL(w.base_url).port, String(await freePort())]
  const [a, b] = ports.map((port): Side => {
    const at = (path: string) => `http://localhost:${port}${path}`
    return { issuer: at(new URL(w.test.issuer).pathname), at }
  })
  assert.ok(a && b)
  const sides = [a, b]
  const children = await Promise.all(ports.map((port) => serve({ ...env, OSTIARY_BASE_URL: w.base_url, OSTIARY_PORT: port })))
  const sideOf = (i: number) => sides[i % 2] ?? a

  const platform = async (status: number, method: string, path: string, body?: unknown) =>
    expectStatus(status, await w.call(method, path, { body }))
  const backend = (await platform(201, 'POST', `${w.test.path}/auth-keys`, { type: 'auth_secret', ...unlimited })).key
  const administrator = asAdministrator(w, await administratorToken(w, owner))
  const platform_keys = `/v1/tenants/${w.tenant_id}/platform-keys`
  const members = `/v1/tenants/${w.tenant_id}/members`
  const client = await w.createApplication(w.test)

  const outcomeOf = ({ status, body }: Reply) => (status < 300 ? 'admitted' : `${status} ${body.code ?? body.error}`)

  const withKey = (key: string, path = '/v1/api-keys/whoami', refusal = '401 invalid_key', headers = {}): Use => ({
    ask: async (side) => outcomeOf(await w.call('GET', side.at(path), { key, headers })),
    refusal,
  })
  const asMember = (member_token: string, refusal: string): Use => ({
    ask: async (side) => outcomeOf(await asAdministrator(w, member_token)('GET', side.at(platform_keys))),
    refusal,
  })
  const withAccessToken = (access_token: string): Use[] => [
    { ask: async (side) => outcomeOf(await userinfo(w, side, access_token)), refusal: '401 invalid_token' },
    {
      async ask(side) {
        const validate = { key: backend, body: { token: access_token } }
        const { active } = expectStatus(200, await w.call('POST', side.at('/v1/auth/tokens/validate'), validate))
        return active ? 'admitted' : 'inactive'
      },
      refusal: 'inactive',
    },
  ]
  /** Presents the latest refresh token of the family. */
  const withRefreshToken = (held: { refresh_token: string }, of: Client, refusal = '400 invalid_grant'): Use => ({
    async ask(side) {
      const reply = await refresh(w, side, of, held.refresh_token)
      if (reply.status === 200) held.refresh_token = reply.body.refresh_token
      return outcomeOf(reply)
    },
    refusal,
    is_single_use: true,
  })
  /** One code for each side to exchange, and one left for the refusals. */
  const threeCodes = (who: Person, of: Client) => Promise.all([who.code(of), who.code(of), who.code(of)])
  const withCodes = (codes: Awaited<ReturnType<typeof threeCodes>>, of: Client, refusal = '400 invalid_grant'): Use => {
    const [left, ...others] = codes
    return {
      async ask(side) {
        const { request, code } = others.pop() ?? left
        return outcomeOf(await exchange(w, side, of, { request, code }))
      },
      refusal,
      is_single_use: true,
    }
  }
  const withSession = (who: Person, of: Client, refusal: string): Use => ({
    async ask(side) {
      const { headers, status } = await who.agent.get(authorizationRequest(side, of, { prompt: 'none' }).url)
      const called = URL.parse(headers.get('location') ?? '')?.searchParams
      return called?.has('code') ? 'admitted' : (called?.get('error') ?? String(status))
    },
    refusal,
  })
  /** Every request that a sign-in of the person at a client allows. */
  async function signedIn(who: Person, of: Client, refusals: { refresh?: string; code?: string; session: string }) {
    const tokens = await who.tokens(of)
    const codes = await threeCodes(who, of)
    const uses = [
      ...withAccessToken(tokens.access_token),
      withSession(who, of, refusals.session),
      withRefreshToken({ ...tokens }, of, refusals.refresh),
      withCodes(codes, of, refusals.code),
    ]
    return { tokens, uses }
  }

  const newAuthKey = (fields: object) => platform(201, 'POST', `${w.test.path}/auth-keys`, { ...unlimited, ...fields })
  const newPlatformKey = async () =>
    expectStatus(201, await administrator('POST', platform_keys, { label: 'CI', scopes: ['projects:read'], ...unlimited }))
  const user = `/v1/auth/users/${person.id}`

  /** Each prepares a new right for every round. */
  const withdrawals: Record<string, () => Promise<Right>> = {
    async 'an auth secret key is rotated'() {
      const { id, key } = await newAuthKey({ type: 'auth_secret' })
      return {
        uses: [withKey(key), withKey(key, user)],
        withdraw: (side) => w.call('POST', side.at(`${w.test.path}/auth-keys/${id}/rotate`)),
      }
    },
    async 'an auth secret key is revoked'() {
      const { id, key } = await newAuthKey({ type: 'auth_secret' })
      return {
        uses: [withKey(key), withKey(key, user)],
        withdraw: (side) => w.call('DELETE', side.at(`${w.test.path}/auth-keys/${id}`)),
      }
    },
    async 'the addresses of a key are narrowed'() {
      const { id, key } = await newAuthKey({ type: 'auth_secret', ip_allowlist: ['127.0.0.0/8', '::1'] })
      return {
        uses: [withKey(key, user, '403 ip_not_allowed')],
        withdraw: (side) => w.call('PATCH', side.at(`${w.test.path}/auth-keys/${id}`), { body: { ip_allowlist: ['192.0.2.1'] } }),
      }
    },
    async 'an origin of a publishable key is removed'() {
      const [origin, other] = ['https://a.example.com', 'https://b.example.com']
      const { id, key } = await newAuthKey({ type: 'auth_publishable', allowed_origins: [origin, other] })
      return {
        uses: [withKey(key, '/v1/auth/config', '403 origin_not_allowed', { origin })],
        withdraw: (side) => w.call('PATCH', side.at(`${w.test.path}/auth-keys/${id}`), { body: { allowed_origins: [other] } }),
      }
    },
    async 'a platform key is rotated'() {
      const { id, key } = await newPlatformKey()
      return {
        uses: [withKey(key), withKey(key, '/v1/platform/projects')],
        withdraw: (side) => administrator('POST', side.at(`${platform_keys}/${id}/rotate`)),
      }
    },
    async 'a platform key is revoked'() {
      const { id, key } = await newPlatformKey()
      return {
        uses: [withKey(key), withKey(key, '/v1/platform/projects')],
        withdraw: (side) => administrator('DELETE', side.at(`${platform_keys}/${id}`)),
      }
    },
    async 'a scope of a platform key is removed'() {
      const { id, key } = await newPlatformKey()
      return {
        uses: [withKey(key, '/v1/platform/projects', '403 insufficient_scope')],
        withdraw: (side) => administrator('PATCH', side.at(`${platform_keys}/${id}`), { scopes: ['users:read'] }),
      }
    },
    async 'a client secret is rotated'() {
      const of = await w.createApplication(w.test)
      const codes = await threeCodes(person, of)
      const revoking = async (side: Side) => outcomeOf(await revoke(w, side, of, 'unknown'))
      return {
        uses: [
          { ask: revoking, refusal: '401 invalid_client' },
          withRefreshToken(await person.tokens(of), of, '401 invalid_client'),
          withCodes(codes, of, '401 invalid_client'),
        ],
        withdraw: (side) => w.call('POST', side.at(`${w.test.path}/applications/${of.id}/rotate-secret`)),
      }
    },
    async 'one of two client secrets is deleted'() {
      const of = await w.createApplication(w.test)
      const secrets = `${w.test.path}/applications/${of.id}/secrets`
      const added = await platform(201, 'POST', secrets, {})
      const second = { ...of, client_secret: added.client_secret as string }
      const codes = await threeCodes(person, of)
      const revoking = async (side: Side) => outcomeOf(await revoke(w, side, second, 'unknown'))
      return {
        uses: [
          { ask: revoking, refusal: '401 invalid_client' },
          withRefreshToken(await person.tokens(of), second, '401 invalid_client'),
          withCodes(codes, second, '401 invalid_client'),
        ],
        withdraw: (side) => w.call('DELETE', side.at(`${secrets}/${added.id}`)),
      }
    },
    async 'an application is disabled'() {
      const of = await w.createApplication(w.test)
      const { uses } = await signedIn(person, of, { refresh: '401 invalid_client', code: '401 invalid_client', session: '400' })
      return { uses, withdraw: (side) => w.call('PATCH', side.at(`${w.test.path}/applications/${of.id}`), { body: { disabled: true } }) }
    },
    async 'a person is blocked'() {
      const user = `/v1/auth/users/${blocked.id}`
      expectStatus(200, await w.call('POST', `${user}/unblock`, { key: backend }))
      const { uses } = await signedIn(blocked, client, { session: 'login_required' })
      return { uses, withdraw: (side) => w.call('POST', side.at(`${user}/block`), { key: backend }) }
    },
    async 'a person gets another password'() {
      const user = `/v1/auth/users/${forgetful.id}`
      expectStatus(200, await w.call('PATCH', user, { key: backend, body: { password: forgetful.password } }))
      const { uses } = await signedIn(forgetful, client, { session: 'login_required' })
      return { uses, withdraw: (side) => w.call('PATCH', side.at(user), { key: backend, body: { password: 'another long password' } }) }
    },
    async 'a session is ended'() {
      const { tokens, uses } = await signedIn(person, client, { session: 'login_required' })
      return {
        uses,
        withdraw: (side) => w.call('DELETE', side.at(`/v1/auth/sessions/${decodeJwt(tokens.id_token).sid}`), { key: backend }),
      }
    },
    async 'a refresh token is revoked'() {
      const tokens = await person.tokens(client)
      return {
        uses: [...withAccessToken(tokens.access_token), withRefreshToken(tokens, client)],
        withdraw: (side) => revoke(w, side, client, tokens.refresh_token),
      }
    },
    async 'an access token is revoked'() {
      const { access_token } = await person.tokens(client)
      return { uses: withAccessToken(access_token), withdraw: (side) => revoke(w, side, client, access_token) }
    },
    async 'a refresh token is replaced'() {
      const tokens = await person.tokens(client)
      return { uses: [withRefreshToken(tokens, client)], withdraw: (side) => refresh(w, side, client, tokens.refresh_token) }
    },
    async 'a code is exchanged'() {
      const codes = await threeCodes(person, client)
      const [{ request, code }] = codes
      return { uses: [withCodes(codes, client)], withdraw: (side) => exchange(w, side, client, { request, code }) }
    },
    async 'an administrator becomes a viewer'() {
      await administrator('PATCH', `${members}/${colleague.user_id}`, { role: 'admin' })
      return {
        uses: [asMember(colleague.token, '403 insufficient_role')],
        withdraw: (side) => administrator('PATCH', side.at(`${members}/${colleague.user_id}`), { role: 'viewer' }),
      }
    },
    async 'a member is removed'() {
      await join(colleague.agent)
      await administrator('PATCH', `${members}/${colleague.user_id}`, { role: 'admin' })
      return {
        uses: [asMember(colleague.token, '404 not_found')],
        withdraw: (side) => administrator('DELETE', side.at(`${members}/${colleague.user_id}`)),
      }
    },
  }
  let invited = 0
  const colleague = await invite()

  /** Creates another administrator of the tenant. */
  async function invite() {
    const user = { email: 'grace@example.com', password: 'a memorable sentence' }
    const agent = createAgent()
    await join(agent, user)
    const { data } = expectStatus(200, await administrator('GET', members))
    const { user_id } = data.find(({ email }: { email: string }) => email === user.email)
    return { ...user, user_id, agent, token: await administratorToken(w, user) }
  }

  /** Invites a new email and accepts in this browser. With `user`, the browser creates that account first. */
  async function join(agent: Agent, user?: { email: string; password: string }): Promise<void> {
    const body = { email: `invited${invited++}@example.com`, role: 'admin' }
    const { invitation_url } = expectStatus(201, await administrator('POST', members, body))
    const page = await agent.get(invitation_url)
    const signed_in = user ? await followPages(agent, await agent.submit(page, user)) : page
    if (signed_in.body.includes('accept-invitation')) expectStatus(200, await agent.submit(signed_in, {}))
  }

  let requests = 0
  for (const [event, prepare] of Object.entries(withdrawals)) {
    test(`after the response that ${event}, neither process admits a request that depended on it`, async () => {
      for (let round = 0; round < rounds; round++) {
        const { uses, withdraw } = await prepare()
        await Promise.all(uses.map(async ({ ask }) => assert.deepEqual([await ask(a), await ask(b)], ['admitted', 'admitted'])))
        // Both processes use the right while it is withdrawn, so both have just read it.
        const meanwhile = sides.flatMap((side) => uses.filter(({ is_single_use }) => !is_single_use).map(({ ask }) => ask(side)))
        const { status, body } = await withdraw(sideOf(round))
        assert.ok(status < 300, JSON.stringify(body))
        const asked = Array.from({ length: requests_per_round }, async (_, i) => {
          const { ask, refusal } = uses[Math.floor(i / 2) % uses.length] ?? assert.fail('No request is defined.')
          return { outcome: await ask(sideOf(i)), refusal }
        })
        for (const { outcome, refusal } of await Promise.all(asked)) assert.equal(outcome, refusal)
        requests += asked.length
        await Promise.all(meanwhile)
      }
    })
  }

  test('these rounds made at least 10,000 requests to two processes that still run', () => {
    assert.ok(requests >= 10_000, `${requests}`)
    assert.deepEqual(
      [new Set(children.map(({ process }) => process.pid)).size, children.map(({ process }) => process.exitCode)],
      [2, [null, null]],
    )
  })

  const fiftyTimes = (work: (side: Side) => Promise<Reply>) => Promise.all(Array.from({ length: 50 }, (_, i) => work(sideOf(i))))
  const assertOneSucceeded = (replies: Reply[], round: number) => {
    const statuses = replies.map(({ status }) => status).sort()
    assert.deepEqual(statuses, [200, ...Array(49).fill(400)], `in round ${round}`)
  }

  test('of 50 parallel exchanges of one code over both processes, exactly one succeeds', async () => {
    for (let round = 0; round < 10; round++) {
      const { request, code } = await person.code(client)
      assertOneSucceeded(await fiftyTimes((side) => exchange(w, side, client, { request, code })), round)
    }
  })

  test('of 50 parallel refreshes of one token over both processes, exactly one succeeds, and the family is revoked', async () => {
    for (let round = 0; round < 10; round++) {
      const { refresh_token } = await person.tokens(client)
      const replies = await fiftyTimes((side) => refresh(w, side, client, refresh_token))
      assertOneSucceeded(replies, round)
      const won = replies.find(({ status }) => status === 200)?.body
      for (const side of sides) assert.equal((await userinfo(w, side, won.access_token)).status, 401)
    }
  })
}
