import type { TokenVerdict } from '@ostiary/contract/session.ts'
import { switched_methods } from '@ostiary/contract/sign-in-methods.ts'
import { refusal } from '../../base/refusal.ts'
import { findPublicApplications } from '../../domain/applications/store.ts'
import { readPageBy } from '../../domain/lists/lists.ts'
import { findOfferedProviders } from '../../domain/providers/store.ts'
import { findEnvironmentWithProject } from '../../domain/tenancy/store.ts'
import { found, notFound } from '../../http/problem.ts'
import { judgeToken } from '../../oidc/introspection.ts'
import { insertSigningKey, type SigningKey } from '../../oidc/signing-keys.ts'
import { describeInactive } from '../../oidc/validation-notes.ts'
import { locales } from '../../pages/locale.ts'
import { keyStates } from '../../protocol/key-states.ts'
import { environmentOf } from '../environment.ts'
import type { Handler } from '../handler.ts'
import type { Services } from '../services.ts'

export const authConfig: Handler<'authConfig'> = async (services, { caller }) => {
  const { db } = services
  const environment_id = caller.key.environment_id ?? ''
  const [issuer, environment] = await Promise.all([loadIssuer(services, environment_id), findEnvironmentWithProject(db, environment_id)])
  if (!environment) throw notFound()
  const { sign_in, sign_up, password, branding, links } = issuer.settings
  return {
    environment: { id: environment.id, type: environment.type },
    project: { id: environment.project_id, slug: environment.project_slug, name: environment.project_name },
    issuer: issuer.url,
    discovery_url: `${issuer.url}/.well-known/openid-configuration`,
    applications: await findPublicApplications(db, environment.id),
    sign_in: {
      methods: switched_methods.filter((method) => sign_in[method]),
      providers: await findOfferedProviders(db, environment.id),
    },
    sign_up,
    password_policy: password,
    branding: { ...branding, display_name: issuer.display_name },
    links,
    locales,
    test_mode: issuer.type === 'test',
  }
}

export const validateToken: Handler<'validateToken'> = async (services, { caller, body, note }): Promise<TokenVerdict> => {
  const issuer = await loadIssuer(services, caller.environment.id)
  const verdict = await judgeToken(services, services.issuers, issuer, body.token)
  const who = caller.key?.key_id ?? caller.administrator?.user_id ?? ''
  if (!verdict.active && services.isFirstVerdict(who, verdict.reason, services.now()))
    note(refusal(verdict.reason, describeInactive(issuer, verdict.reason, body.token)))
  return verdict
}

export const listSigningKeys: Handler<'listSigningKeys'> = async (services, call) => {
  const environment = await environmentOf(services, call)
  const { keys, es256_keys } = await loadIssuer(services, environment.id)
  const states = [keys, es256_keys].flatMap((sequence) => keyStates<SigningKey>(sequence, services.now()))
  const newest_first = states
    .sort((a, b) => b.key.signs_from.getTime() - a.key.signs_from.getTime())
    .flatMap(({ key, state }) => (state === 'expired' ? [] : [show(environment.id, key, state)]))
  const from = (last: string | null) => (last === null ? 0 : newest_first.findIndex(({ id }) => id === last) + 1)
  return readPageBy<ReturnType<typeof show>>(services, call, `signing-keys.${environment.id}`, {
    keyOf: (key) => key.id,
    read: async (last, limit) => newest_first.slice(from(last), from(last) + limit),
  })
}

/** An existing next key is returned again: repeated and concurrent rotations publish one next key. */
export const rotateSigningKey: Handler<'rotateSigningKey'> = async (services, call) => {
  const environment = await environmentOf(services, call)
  const { alg } = call.query
  for (;;) {
    const { keys, es256_keys } = await loadIssuer(services, environment.id)
    // After the look-up, which may create the environment's first key.
    const at = services.now()
    const states = keyStates<SigningKey>(alg === 'RS256' ? keys : es256_keys, at)
    if (!states.some(({ state }) => state === 'current' || state === 'next'))
      call.fail('no_signing_key', 'No resource server of the environment asks for ES256, so it has no such key to replace.')
    const next = states.find(({ state }) => state === 'next')
    if (next) {
      const answer = show(environment.id, next.key, 'next')
      await call.commit({ statements: [], before: answer, answer }, at)
      return answer
    }
    const { key, statements } = await insertSigningKey(services, services.key_pool, { environment_id: environment.id, alg }, at)
    const answer = show(environment.id, key, 'next')
    const data = { kid: key.kid, signs_from: key.signs_from.toISOString() }
    const event = { environment_id: environment.id, type: 'signing_key.rotated', data } as const
    const object = { type: 'signing_key', id: key.kid }
    const added = await call.commit({ statements, before: null, answer, event, object }, at)
    if (added) return answer
  }
}

async function loadIssuer({ issuers }: Services, environment_id: string) {
  return found(issuers.find(environment_id))
}

function show(
  environment_id: string,
  key: Pick<SigningKey, 'kid' | 'alg' | 'public_jwk' | 'signs_from' | 'created_at'>,
  state: 'next' | 'current' | 'retired',
) {
  const created_at = key.created_at.toISOString()
  return {
    id: key.kid,
    kid: key.kid,
    environment_id,
    state,
    alg: key.alg,
    public_jwk: key.public_jwk,
    signs_from: key.signs_from.toISOString(),
    created_at,
    updated_at: created_at,
  }
}
