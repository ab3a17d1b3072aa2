/** `live` without a service: what is asked, and what counts of the answer. */
import { TokenError, type VerifyOptions, verifyAccessToken } from '../../src/verify.ts'
import { type Case, outcomeOf, same } from './case.ts'
import { audience, claimsOf, type SigningKey } from './signing-key.ts'

const key = 'svc_auth_sk_test_1'

interface Asked {
  url: string
  headers: Headers
  body: string
}

/** A service that gives these answers, one after the other, and the last one from then on. An answer that is an error breaks the connection. */
function serviceWith(...answers: readonly (object | Response | Error)[]) {
  const asked: Asked[] = []
  const call: typeof fetch = async (input, init) => {
    asked.push({ url: String(input), headers: new Headers(init?.headers), body: String(init?.body) })
    const answer = answers[Math.min(asked.length, answers.length) - 1]
    if (answer instanceof Error) throw answer
    return answer instanceof Response ? answer.clone() : Response.json(answer)
  }
  return { asked, call }
}

const answered = (issuer: string, change: object = {}) => ({
  active: true,
  token_type: 'Bearer',
  ...claimsOf(issuer),
  org_id: null,
  ...change,
})
const broken = new Error('The connection broke.')
const status = (code: number) => new Response('{}', { status: code })

// biome-ignore format: this table is read by column
const outcomes: [what: string, answers: (issuer: string) => (object | Response | Error)[], code: string, calls: number][] = [
  ['a valid token',                          (issuer) => [answered(issuer)],                                     'accepted',            1],
  ['a token that has ended',                 () => [{ active: false, reason: 'revoked' }],                       'inactive',            1],
  ['a token whose scope is gone',            (issuer) => [answered(issuer, { scope: undefined })],               'insufficient_scope',  1],
  ['a token whose scope became narrower',    (issuer) => [answered(issuer, { scope: 'openid' })],                'insufficient_scope',  1],
  ['a token that is of an organization now', (issuer) => [answered(issuer, { org_id: 'org_1' })],                'wrong_organization',  1],
  ['another issuer in the answer',           (issuer) => [answered(issuer, { iss: `${issuer}x` })],              'wrong_issuer',        1],
  ['another audience in the answer',         (issuer) => [answered(issuer, { aud: ['https://other.example'] })], 'wrong_audience',      1],
  ['one broken connection',                  (issuer) => [broken, answered(issuer)],                             'accepted',            2],
  ['two broken connections',                 () => [broken, broken],                                             'service_unavailable', 2],
  ['one 503',                                (issuer) => [status(503), answered(issuer)],                        'accepted',            2],
  ['a 503 and a broken connection',          () => [status(503), broken],                                        'service_unavailable', 2],
  ['a key that is refused',                  () => [status(401)],                                                'service_unavailable', 1],
  ['too many calls',                         () => [status(429)],                                                'service_unavailable', 1],
  ['a redirect',                             () => [new Response(null, { status: 307 })],                        'service_unavailable', 1],
  ['an answer that is not JSON',              () => [new Response('<html>')],                                     'service_unavailable', 1],
  ['an answer about something else',         () => [{ active: 'yes' }],                                          'service_unavailable', 1],
  ['an answer that is null',                 () => [Response.json(null)],                                        'service_unavailable', 1],
]

export function liveCases(signing: SigningKey, own: VerifyOptions): Case[] {
  const { issuer } = own
  const verify = async (token: string, { call }: ReturnType<typeof serviceWith>, change: object = {}) =>
    verifyAccessToken(token, { ...own, required_scopes: ['orders:read'], live: { key, fetch: call }, ...change })
  const signed = (change: object = {}) => signing.sign({}, { ...claimsOf(issuer), ...change })

  return [
    ...outcomes.map(([what, answers, code, calls]) => ({
      title: `with live, ${what} is ${code} after ${calls === 1 ? 'one call' : 'two calls'}`,
      async run() {
        const service = serviceWith(...answers(issuer))
        same(await outcomeOf(verify(await signed(), service)), code)
        same(service.asked.length, calls)
      },
    })),
    {
      title: 'with live, the service of the issuer is asked with the key, and for its claims of now',
      async run() {
        const service = serviceWith(answered(issuer, { scope: 'orders:read', roles: ['editor'], claims: { plan: 'gold' } }))
        const token = await signed({ roles: ['admin'] })
        const { scope, roles, claims, client_id, active } = await verify(token, service)
        same([scope, roles, claims, client_id, active], ['orders:read', ['editor'], { plan: 'gold' }, 'app_1', undefined])
        const [asked] = service.asked
        same([asked?.url, asked?.headers.get('x-api-key')], ['https://id.example.com/v1/auth/tokens/validate', key])
        same(JSON.parse(asked?.body ?? ''), { token })
      },
    },
    {
      title: 'with live, a token that is not signed or has expired causes no call',
      async run() {
        const service = serviceWith(answered(issuer))
        same(await outcomeOf(verify(`${(await signed()).slice(0, -8)}AAAAAAAA`, service)), 'bad_signature')
        same(await outcomeOf(verify(await signed({ exp: 1 }), service)), 'expired')
        same(await outcomeOf(verify('a text', service)), 'malformed')
        same(service.asked.length, 0)
      },
    },
    {
      title: 'with live, an opaque token is accepted by the answer alone, which must be for this audience',
      async run() {
        same((await verify('svc_at_abc', serviceWith(answered(issuer)))).sub, 'usr_1')
        same(await outcomeOf(verify('svc_at_abc', serviceWith(answered(issuer, { aud: issuer })))), 'wrong_audience')
        same(await outcomeOf(verify('svc_at_abc', serviceWith({ active: false, reason: 'unknown' }))), 'inactive')
        same(await outcomeOf(verifyAccessToken('svc_at_abc', own)), 'malformed')
      },
    },
    {
      title: 'with live, a service that does not answer in time is unavailable',
      async run() {
        const call: typeof fetch = (_, init) =>
          new Promise((_, reject) => {
            init?.signal?.addEventListener('abort', () => reject(init.signal?.reason), { once: true })
            if (init?.signal?.aborted) reject(init.signal.reason)
          })
        const error = await verifyAccessToken(await signed(), { ...own, live: { key, fetch: call, timeout_ms: 20 } }).catch(
          (thrown) => thrown,
        )
        same([error instanceof TokenError, error.code, error.status], [true, 'service_unavailable', 503])
      },
    },
    {
      title: 'with live, an issuer with a host of its own needs the address of the service',
      async run() {
        const host = 'https://login.shop.example'
        const of_host = { ...own, issuer: host }
        const token = await signed({ iss: host })
        const service = serviceWith(answered(host))
        const live = { key, fetch: service.call }
        same(/base_url/.test(await outcomeOf(verifyAccessToken(token, { ...of_host, live }))), true)
        same(service.asked.length, 0)
        const base_url = 'https://id.example.com/'
        same((await verifyAccessToken(token, { ...of_host, audience, live: { ...live, base_url } })).iss, host)
        same(service.asked[0]?.url, 'https://id.example.com/v1/auth/tokens/validate')
      },
    },
    {
      title: 'live without a key is a mistake of the program',
      run: async () => same(/needs key/.test(await outcomeOf(verify(await signed(), serviceWith({}), { live: { key: '' } }))), true),
    },
  ]
}
