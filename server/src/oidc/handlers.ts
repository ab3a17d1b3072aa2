/** The management side of an environment's issuer: its signing keys, what a browser may know of it, and what a token is worth. */
import type { routes } from '@ostiary/contract/routes.ts'
import type { TokenVerdict } from '@ostiary/contract/session.ts'
import { readPageBy } from '../api/lists.ts'
import type { Handlers } from '../api/mount.ts'
import { findPublicApplications } from '../applications/store.ts'
import { notFound } from '../http/problem.ts'
import { locales } from '../pages/locale.ts'
import { findOfferedProviders } from '../providers/store.ts'
import { environmentOf } from '../tenancy/environment.ts'
import { findEnvironmentWithProject } from '../tenancy/store.ts'
import { judgeToken } from './introspection.ts'
import type { Issuers } from './issuer.ts'
import { keyStates } from './protocol/key-states.ts'
import { insertSigningKey, type KeyPool, type SigningKey } from './signing-keys.ts'

type Table = Pick<typeof routes, 'authConfig' | 'validateToken' | 'listSigningKeys' | 'rotateSigningKey'>

export function createIssuerHandlers(issuers: Issuers, pool: KeyPool): Handlers<Table> {
  const issuerOf = async (environment_id: string) => {
    const issuer = await issuers.find(environment_id)
    if (!issuer) throw notFound()
    return issuer
  }

  return {
    async authConfig({ db }, { caller }) {
      const environment_id = caller.key.environment_id ?? ''
      const [issuer, place] = await Promise.all([issuerOf(environment_id), findEnvironmentWithProject(db, environment_id)])
      if (!place) throw notFound()
      const { sign_in, sign_up, password, branding, links } = issuer.settings
      return {
        environment: { id: place.id, type: place.type },
        project: { id: place.project_id, slug: place.project_slug, name: place.project_name },
        issuer: issuer.url,
        discovery_url: `${issuer.url}/.well-known/openid-configuration`,
        applications: await findPublicApplications(db, place.id),
        sign_in: {
          methods: (['password', 'email_code', 'passkey'] as const).filter((method) => sign_in[method]),
          providers: await findOfferedProviders(db, place.id),
        },
        sign_up,
        password_policy: password,
        branding: { ...branding, display_name: issuer.display_name },
        links,
        locales,
        test_mode: issuer.type === 'test',
      }
    },

    validateToken: async (deployment, { caller, body }): Promise<TokenVerdict> =>
      judgeToken(deployment, issuers, await issuerOf(caller.environment.id), body.token),

    async listSigningKeys(deployment, call) {
      const environment = await environmentOf(deployment, call)
      const { keys } = await issuerOf(environment.id)
      const shown = keyStates(keys, deployment.now()).flatMap(({ key, state }) =>
        state === 'expired' ? [] : [show(environment.id, key, state)],
      )
      const newest_first = shown.reverse()
      const from = (last: string | null) => (last === null ? 0 : newest_first.findIndex(({ id }) => id === last) + 1)
      return readPageBy<ReturnType<typeof show>>(
        deployment,
        `signing-keys.${environment.id}`,
        call.query,
        (key) => key.id,
        async (last, limit) => newest_first.slice(from(last), from(last) + limit),
      )
    },

    /** A key that waits already is answered again: rotating twice in a row, or at once, publishes one next key. */
    async rotateSigningKey(deployment, call) {
      const environment = await environmentOf(deployment, call)
      for (;;) {
        const issuer = await issuerOf(environment.id)
        // After the look-up, which may have made the environment's first key.
        const at = deployment.now()
        const waiting = keyStates(issuer.keys, at).find(({ state }) => state === 'next')
        if (waiting) {
          const answer = show(environment.id, waiting.key, 'next')
          await call.commit({ statements: [], before: answer, answer }, at)
          return answer
        }
        const { key, statements } = await insertSigningKey(deployment, pool, environment.id, at)
        const answer = show(environment.id, key, 'next')
        const data = { kid: key.kid, signs_from: key.signs_from.toISOString() }
        const event = { environment_id: environment.id, type: 'signing_key.rotated', data } as const
        const object = { type: 'signing_key', id: key.kid }
        const added = await call.commit({ statements, before: null, answer, event, object }, at)
        if (added) return answer
      }
    },
  }
}

function show(
  environment_id: string,
  key: Pick<SigningKey, 'kid' | 'public_jwk' | 'signs_from' | 'created_at'>,
  state: 'next' | 'current' | 'retired',
) {
  const created_at = key.created_at.toISOString()
  return {
    id: key.kid,
    kid: key.kid,
    environment_id,
    state,
    alg: 'RS256',
    public_jwk: key.public_jwk,
    signs_from: key.signs_from.toISOString(),
    created_at,
    updated_at: created_at,
  }
}
