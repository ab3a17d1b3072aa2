/**
 * The measured scenarios. A scenario prepares each measurement, which is not timed, and returns the step that is timed. Scenarios
 * of the OpenID Connect protocol run the same code for every provider.
 */
import type { Answer, Connection } from './connection.ts'
import { expectStatus, headerOf, openConnection, request } from './connection.ts'
import type { Step } from './load.ts'
import { type Seeded, sendWhenFree, signInRequests } from './ostiary.ts'
import { codeFlow, type Provider, proveTokens, refresh, type Tokens } from './provider.ts'
import { withAccessTokens, withoutOpenid } from './signatures.ts'

export type Prepare<P> = (provider: P, in_flight: number) => Promise<Step>

const nothing = async () => {}

/** Signs in once per request in flight, each with its own browser. */
async function tokensForEach(provider: Provider, in_flight: number, extra?: Record<string, string>): Promise<Tokens[]> {
  const connection = await openConnection(provider.address)
  const all: Tokens[] = []
  for (let slot = 0; slot < in_flight; slot++) {
    const cookie = provider.cookies[slot % provider.cookies.length] ?? ''
    all.push((await codeFlow(provider, connection, cookie, extra)).tokens)
  }
  connection.close()
  return all
}

/** Repeats one request per slot and checks each answer. */
function repeated(requests: readonly string[], holds: (body: ReturnType<typeof JSON.parse>, slot: number) => boolean): Step {
  return async (connection, slot) => {
    const { body } = expectStatus(200, await connection.send(requests[slot] ?? ''))
    if (!holds(JSON.parse(body), slot)) throw new Error(`Unexpected answer: ${body.slice(0, 500)}`)
    return nothing
  }
}

/** @param extra parameters of the requests for the tokens; by default those for a JWT access token */
export async function userinfoOf(provider: Provider, in_flight: number, extra?: Record<string, string>): Promise<Step> {
  const tokens = await tokensForEach(provider, in_flight, extra)
  return repeated(
    tokens.map(({ access_token }) =>
      request(provider.address, 'GET', provider.paths.userinfo, { headers: { authorization: `Bearer ${access_token}` } }),
    ),
    ({ sub, email, name }) => sub && email && name === 'Ada Example',
  )
}

export const common = {
  async refresh(provider, in_flight) {
    const chains = (await tokensForEach(provider, in_flight)).map(({ refresh_token }) => refresh_token)
    return async (connection, slot) => {
      const tokens = await refresh(provider, connection, chains[slot] ?? '')
      chains[slot] = tokens.refresh_token
      return () => proveTokens(provider, tokens)
    }
  },

  async code(provider) {
    let turn = 0
    return async (connection) => {
      const { tokens, nonce } = await codeFlow(provider, connection, provider.cookies[turn++ % provider.cookies.length] ?? '')
      return () => proveTokens(provider, tokens, nonce)
    }
  },

  /** The peer's userinfo does not accept its JWT access tokens, so it gets the opaque one of a request without a resource. */
  userinfo: (provider, in_flight) => userinfoOf(provider, in_flight, {}),

  async jwks(provider, in_flight) {
    const asked = request(provider.address, 'GET', provider.paths.jwks)
    return repeated(Array(in_flight).fill(asked), ({ keys }) => keys.length === 1 && keys[0].kty === 'RSA' && keys[0].d === undefined)
  },

  async discovery(provider, in_flight) {
    const asked = request(provider.address, 'GET', provider.paths.discovery)
    return repeated(Array(in_flight).fill(asked), ({ issuer }) => issuer === provider.issuer)
  },
} satisfies Record<string, Prepare<Provider>>

/** People whose code flows the scenario `bound` measures, and the bound of their grants (`grants_per_person`). */
const people_at_bound = 40
const bound = 100
const filled = new WeakSet<Seeded>()

/** Gives each person as many grants as the bound, once. */
async function fillToBound(ostiary: Seeded, cookies: readonly string[]): Promise<void> {
  if (filled.has(ostiary)) return
  filled.add(ostiary)
  const connections = await Promise.all(cookies.map(() => openConnection(ostiary.address)))
  for (let n = 0; n < bound; n++)
    await Promise.all(connections.map((connection, person) => codeFlow(ostiary, connection, cookies[person] ?? '')))
  for (const connection of connections) connection.close()
}

export const own = {
  /** Two signatures of RSA, for a resource server like that of `refresh-es256`. */
  'refresh-rs256': async (ostiary, in_flight) => common.refresh(await withAccessTokens(ostiary, 'RS256'), in_flight),

  'refresh-es256': async (ostiary, in_flight) => common.refresh(await withAccessTokens(ostiary, 'ES256'), in_flight),

  /** One signature: there is no ID token. */
  'refresh-without-openid': async (ostiary, in_flight) => common.refresh(await withoutOpenid(ostiary), in_flight),

  /** Each flow makes a grant of a person who has all that the bound allows. The contestant `below the bound` has another bound. */
  async bound(ostiary) {
    const cookies = ostiary.cookies.slice(0, people_at_bound)
    await fillToBound(ostiary, cookies)
    let turn = 0
    return async (connection) => {
      const { tokens, nonce } = await codeFlow(ostiary, connection, cookies[turn++ % cookies.length] ?? '')
      return () => proveTokens(ostiary, tokens, nonce)
    }
  },

  async validate(ostiary, in_flight) {
    const tokens = await tokensForEach(ostiary, in_flight)
    const headers = { 'x-api-key': ostiary.secret_key, 'content-type': 'application/json' }
    return repeated(
      tokens.map(({ access_token }) =>
        request(ostiary.address, 'POST', '/v1/auth/tokens/validate', { headers, body: JSON.stringify({ token: access_token }) }),
      ),
      ({ active, iss }) => active === true && iss === ostiary.issuer,
    )
  },

  async whoami(ostiary, in_flight) {
    const asked = request(ostiary.address, 'GET', '/v1/api-keys/whoami', { headers: { 'x-api-key': ostiary.secret_key } })
    return repeated(Array(in_flight).fill(asked), ({ type }) => type === 'auth_secret')
  },

  /** All people in turn, since one person may sign in 300 times an hour. */
  async 'sign-in'(ostiary) {
    const requests = await Promise.all(ostiary.people.map((person) => signInRequests(ostiary, person)))
    let turn = 0
    return async (connection: Connection) => {
      const answer = expectStatus(303, await sendWhenFree(connection, requests[turn++ % requests.length]?.() ?? ''))
      return async () => proveSession(ostiary, answer)
    }
  },
} satisfies Record<string, Prepare<Seeded>>

/** Verifies that the cookie of a sign-in gets a code. */
async function proveSession({ address }: Provider, answer: Answer): Promise<void> {
  const cookie = [...answer.head.matchAll(/\r\nset-cookie: ([^;\r]*)/gi)].map(([, pair]) => pair).join('; ')
  const connection = await openConnection(address)
  const path = (headerOf(answer, 'location') ?? '').replace(/^https?:\/\/[^/]+/, '')
  const next = expectStatus(303, await connection.send(request(address, 'GET', path, { headers: { cookie } })))
  connection.close()
  if (!headerOf(next, 'location')?.includes('code=')) throw new Error(`The sign-in returned no code: ${next.head}`)
}
