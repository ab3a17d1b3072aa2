/** Environments whose access tokens are for one resource server, by the algorithm that signs them. */
import { caller, type Seeded, seedEnvironment } from './ostiary.ts'

export type AccessTokenAlg = 'RS256' | 'ES256'

const people = 64
const made = new WeakMap<Seeded, Map<AccessTokenAlg, Promise<Seeded>>>()

/** The environment of this algorithm, which is made once for each service. */
export function withAccessTokens(ostiary: Seeded, alg: AccessTokenAlg): Promise<Seeded> {
  const of_service = made.get(ostiary) ?? new Map<AccessTokenAlg, Promise<Seeded>>()
  made.set(ostiary, of_service)
  const environment = of_service.get(alg) ?? makeEnvironment(ostiary, alg)
  of_service.set(alg, environment)
  return environment
}

/** The environment of ES256, asked for tokens of its resource server alone. */
export const withoutOpenid = async (ostiary: Seeded): Promise<Seeded> => ({
  ...(await withAccessTokens(ostiary, 'ES256')),
  scope: 'offline_access',
})

async function makeEnvironment({ address, platform_key, project_id, admin_issuer }: Seeded, alg: AccessTokenAlg): Promise<Seeded> {
  const call = await caller(address)
  const platform = { 'x-api-key': platform_key }
  const environments = `/v1/platform/projects/${project_id}/environments`
  const environment = await call.post(environments, platform, { slug: alg.toLowerCase(), name: alg, type: 'test' })
  const identifier = 'https://orders.example.com'
  // The default is left out, so that an older checkout makes this environment too.
  const signing = alg === 'RS256' ? {} : { access_token_signing_alg: alg }
  await call.post(`${environments}/${environment.id}/resource-servers`, platform, { name: 'Orders', identifier, ...signing })
  if (alg === 'ES256') await call.change(`${environments}/${environment.id}/settings`, platform, { oauth: { openid_optional: true } })
  call.close()
  const seeded = await seedEnvironment(
    address,
    { platform_key, project_id, environment },
    { people, at_server: { identifier, scopes: [] } },
  )
  return { ...seeded, admin_issuer, jwt_access_token: { ...seeded.jwt_access_token, alg } }
}
