/** The attacks with many connections, and the ordinary requests to compare with, as tables. */
import { authorization } from '../provider.ts'
import type { Attack } from './attacks.ts'
import type { Strangers } from './ground.ts'
import { ofRoute } from './inputs.ts'

const stalled_bytes = 1_048_000
const synonyms_in_turn = 300

function headsOf(strangers: Strangers) {
  const { seeded } = strangers
  const { address, issuer } = seeded
  const at = new URL(issuer).pathname
  const host = `host: ${address.host}:${address.port}\r\nx-forwarded-for: {source}\r\n`
  const get = (path: string) => `GET ${path} HTTP/1.1\r\n${host}\r\n`
  const post = (path: string, type: string, length: number) =>
    `POST ${at}${path} HTTP/1.1\r\n${host}content-type: ${type}\r\ncontent-length: ${length}\r\n\r\n`
  const asked = (name: string, input: string) => {
    const make = ofRoute(strangers, name)[input]
    if (!make) throw new Error(`There is no input "${input}" of ${name}.`)
    return (turn: number) => make(turn)
  }
  return { at, host, get, post, asked, sign_in: get(authorization(seeded, {}).path), account: get(`${at}/account`) }
}

const form = 'application/x-www-form-urlencoded'

/** Ordinary requests in the place of an attack: as many connections, and as many requests of each. */
export const ordinary = (strangers: Strangers, { connections, requests }: Pick<Attack, 'connections' | 'requests'>): Attack => ({
  connections,
  requests,
  heads: [headsOf(strangers).sign_in],
  how: 'in turn',
})

/** Connections that each have asked one thing and wait. */
export const calm = (strangers: Strangers, connections: number): Attack => ({
  connections,
  requests: 1,
  heads: [headsOf(strangers).get('/healthz')],
  how: 'in turn',
})

const stalled = ({ post }: ReturnType<typeof headsOf>) => ({
  requests: 1,
  heads: [post('/v1/oauth/token', form, 1_048_576)],
  body: Buffer.from('token='.padEnd(stalled_bytes, 'a')),
  how: 'ahead' as const,
})

const slow_head = ({ get }: ReturnType<typeof headsOf>) => ({
  requests: 1,
  heads: [`${get('/healthz').slice(0, -2)}x: `],
  how: 'trickled' as const,
})

/** The kinds of hostile connections whose memory is measured. */
export function kindsOfMemory(strangers: Strangers, connections: number): Record<string, Attack> {
  const heads = headsOf(strangers)
  return {
    'written ahead: 1,000 GET {issuer}/account, answers unread': { connections, requests: 1_000, heads: [heads.account], how: 'unread' },
    'slow head: a byte each second': { connections, ...slow_head(heads) },
    'stalled body: 1,048,000 bytes of a token form': { connections, ...stalled(heads) },
    'unread answer: GET /openapi.json': { connections, requests: 1, heads: [heads.get('/openapi.json')], how: 'unread' },
    'unread answer: sign-in pages': { connections, requests: 20, heads: [heads.sign_in], how: 'unread' },
  }
}

/** The attacks beside which another person opens a sign-in page. */
export function kindsOfLatency(strangers: Strangers, connections: number): Record<string, Attack> {
  const heads = headsOf(strangers)
  const many = (count: number, make: (turn: number) => string) => Array.from({ length: count }, (_, n) => make(n))
  const searches = heads.asked('documentSearch', 'twelve words with synonyms')
  const scopes = heads.asked('authorize', '20 unknown scopes')
  const resources = heads.asked('authorize', 'an unknown resource')
  const logout = String(heads.asked('providerLogout', 'a logout token of strangers')(1).body)
  const part = (count: number) => Math.max(1, Math.round((count * connections) / 1_500))
  return {
    'searches with synonyms, 300 ahead on one connection': {
      connections: 1,
      requests: synonyms_in_turn,
      heads: many(synonyms_in_turn, (n) => heads.get(`/docs/search?${searches(n).query}`)),
      how: 'ahead',
    },
    '1,000 GET {issuer}/account ahead on each of 20 connections, unread': {
      connections: part(20),
      requests: 1_000,
      heads: [heads.account],
      how: 'unread',
    },
    '20 unknown scopes, 30 on each of 10 connections': {
      connections: 10,
      requests: 30,
      heads: many(300, (n) => heads.get(`${strangers.seeded.paths.authorize}?${scopes(n).query}`)),
      how: 'ahead',
    },
    'an unknown resource, 30 on each of 10 connections': {
      connections: 10,
      requests: 30,
      heads: many(300, (n) => heads.get(`${strangers.seeded.paths.authorize}?${resources(n).query}`)),
      how: 'ahead',
    },
    'logout tokens of strangers, 30 on each of 10 connections': {
      connections: 10,
      requests: 30,
      heads: [heads.post(`/oauth/backchannel/${strangers.provider_id}`, form, logout.length)],
      body: Buffer.from(logout),
      how: 'ahead',
    },
    'slow heads': { connections, ...slow_head(heads) },
    'stalled bodies': { connections: part(300), ...stalled(heads) },
    'unread answers': { connections: part(300), requests: 1, heads: [heads.get('/openapi.json')], how: 'unread' },
  }
}
