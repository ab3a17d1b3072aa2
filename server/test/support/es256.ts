/** An environment with resource servers of both algorithms, an application for them, and a person. */
import { decodeProtectedHeader } from 'jose'
import { createIssuers, type Issuer } from '../../src/oidc/issuer.ts'
import { createPerson, type Fields, refresh } from './cookie-browser.ts'
import { spareKeys } from './spare-keys.ts'
import { createAuthKey } from './tenants.ts'
import { expectStatus, type TestEnvironment, type World } from './world.ts'

/** Identifiers of resource servers. Two of them can say ES256. */
export const orders = 'https://orders.example.com'
export const stock = 'https://stock.example.com'
export const plain = 'https://plain.example.com'

export const headerOf = (token: string) => decodeProtectedHeader(token)

export interface Jwks {
  keys: Record<string, string>[]
}

export async function createEs256World(w: World, type: 'test' | 'live', slug: string) {
  const environment = (await w.createProject(slug))[type]
  const path = `${environment.path}/resource-servers`
  const add = async (identifier: string, name: string, fields: object = {}) =>
    expectStatus(201, await w.call('POST', path, { body: { identifier, name, scopes: [{ name: 'read', description: null }], ...fields } }))
  const servers = { orders: await add(orders, 'Orders'), stock: await add(stock, 'Stock'), plain: await add(plain, 'Plain') }
  const client = await w.createApplication(environment, { allowed_scopes: ['openid', 'email', 'offline_access', 'read'] })
  const { key } = await createAuthKey(w, environment, 'auth_secret')
  const person = await createPerson(w, environment)
  const keysAt = (alg: string) => `${environment.path}/signing-keys/rotate${alg}`
  return {
    environment,
    servers,
    client,
    person,
    async choose(server: { id: string }, access_token_signing_alg: 'RS256' | 'ES256' | null) {
      return expectStatus(200, await w.call('PATCH', `${path}/${server.id}`, { body: { access_token_signing_alg } }))
    },
    async remove(server: { id: string }) {
      expectStatus(204, await w.call('DELETE', `${path}/${server.id}`))
    },
    tokens: (resource: Fields['resource'] = orders) => person.tokens(client, { scope: 'openid offline_access read', resource }),
    refresh: async (refresh_token: string) => expectStatus(200, await refresh(w, environment, client, refresh_token)),
    jwks: async (): Promise<Jwks> => expectStatus(200, await w.call('GET', `${environment.issuer}/v1/oauth/jwks.json`, { key: null })),
    validate: async (token: string) => (await w.call('POST', '/v1/auth/tokens/validate', { key, body: { token } })).body,
    /** @param alg as the query, such as `?alg=ES256` */
    rotate: (alg = '', headers: Record<string, string> = {}) => w.call('POST', keysAt(alg), { headers }),
    async shown(): Promise<string[]> {
      const { data } = expectStatus(200, await w.call('GET', `${environment.path}/signing-keys`))
      return data.map(({ alg, state }: { alg: string; state: string }) => `${alg} ${state}`)
    },
  }
}

/** The issuer with its private keys, as the service has it. */
export async function issuerOf(w: World, { id }: Pick<TestEnvironment, 'id'>): Promise<Issuer> {
  const issuer = await createIssuers(w.deployment, spareKeys()).find(id)
  if (!issuer) throw new Error('The environment has no issuer.')
  return issuer
}
