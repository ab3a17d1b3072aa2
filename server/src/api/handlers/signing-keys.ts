import type { EnvironmentId } from '@ostiary/contract/ids.ts'
import type { TokenVerdict } from '@ostiary/contract/session.ts'
import { switched_methods } from '@ostiary/contract/sign-in-methods.ts'
import type { SigningAlg } from '@ostiary/contract/signing-key.ts'
import { picked } from '../../base/picked.ts'
import { refusal } from '../../base/refusal.ts'
import type { JwksReader } from '../../deployment/jwks-readers.ts'
import { findPublicApplications } from '../../domain/applications/store.ts'
import { readPageBy } from '../../domain/lists/lists.ts'
import { findOfferedProviders } from '../../domain/providers/store.ts'
import { findEnvironmentWithProject } from '../../domain/tenancy/store.ts'
import { found, notFound } from '../../http/problem.ts'
import { judgeToken } from '../../oidc/introspection.ts'
import { insertSigningKey, type SigningKey, signFrom } from '../../oidc/signing-keys.ts'
import { describeInactive } from '../../oidc/validation-notes.ts'
import { locales } from '../../pages/locale.ts'
import { keyStates } from '../../protocol/key-states.ts'
import { environmentOf } from '../environment.ts'
import type { Call, Handler } from '../handler.ts'
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
    sign_up: picked(sign_up, ['mode', 'name']),
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
  const readers = states.some(({ state }) => state === 'next') ? await readersOf(services, environment.id) : []
  const newest_first = states
    .sort((a, b) => b.key.signs_from.getTime() - a.key.signs_from.getTime())
    .flatMap(({ key, state }) => (state === 'expired' ? [] : [show(environment.id, key, state, readers)]))
  const from = (last: string | null) => (last === null ? 0 : newest_first.findIndex(({ id }) => id === last) + 1)
  return readPageBy<ReturnType<typeof show>>(services, call, `signing-keys.${environment.id}`, {
    keyOf: (key) => key.id,
    read: async (last, limit) => newest_first.slice(from(last), from(last) + limit),
  })
}

/**
 * An existing next key is returned again: repeated and concurrent rotations publish one next key. With `now` that key signs at once, and a
 * repeat finds none.
 */
export const rotateSigningKey: Handler<'rotateSigningKey'> = async (services, call) => {
  const environment = await environmentOf(services, call)
  const { alg, now: signs_now } = call.query
  for (;;) {
    const { keys, es256_keys } = await loadIssuer(services, environment.id)
    // After the look-up, which may create the environment's first key.
    const at = services.now()
    const states = keyStates<SigningKey>(alg === 'RS256' ? keys : es256_keys, at)
    if (!states.some(({ state }) => state === 'current' || state === 'next'))
      call.fail('no_signing_key', 'No resource server of the environment asks for ES256, so it has no such key to replace.')
    const next = states.find(({ state }) => state === 'next')?.key
    if (signs_now === 'true' && !next)
      return call.fail('no_signing_key', 'No key waits. Rotate first, and let the readers read the new key.')
    const rotation = { services, call, environment_id: environment.id, at }
    const answer = await (next ? (signs_now === 'true' ? useNext(rotation, next) : repeat(rotation, next)) : publish(rotation, alg))
    if (answer) return answer
  }
}

interface Rotation {
  readonly services: Services
  readonly call: Pick<Call<'rotateSigningKey'>, 'commit'>
  readonly environment_id: EnvironmentId
  readonly at: Date
}

async function repeat({ services, call, environment_id, at }: Rotation, next: SigningKey) {
  const answer = show(environment_id, next, 'next', await readersOf(services, environment_id))
  await call.commit({ statements: [], before: answer, answer }, at)
  return answer
}

async function publish({ services, call, environment_id, at }: Rotation, alg: SigningAlg) {
  const { key, statements } = await insertSigningKey(services, services.key_pool, { environment_id, alg }, at)
  const answer = show(environment_id, key, 'next', await readersOf(services, environment_id))
  return (await call.commit({ statements, before: null, answer, ...rotationOf(environment_id, key) }, at)) ? answer : null
}

async function useNext({ call, environment_id, at }: Rotation, next: SigningKey) {
  const before = show(environment_id, next, 'next', [])
  const key = { ...next, signs_from: at }
  const answer = show(environment_id, key, 'current', [])
  const statements = signFrom(environment_id, next, at)
  return (await call.commit({ statements, before, answer, ...rotationOf(environment_id, key) }, at)) ? answer : null
}

function rotationOf(environment_id: EnvironmentId, { kid, signs_from }: Pick<SigningKey, 'kid' | 'signs_from'>) {
  const data = { kid, signs_from: signs_from.toISOString() }
  return { event: { environment_id, type: 'signing_key.rotated', data }, object: { type: 'signing_key', id: kid } } as const
}

const readersOf = ({ jwks_readers, now }: Services, environment_id: EnvironmentId) => jwks_readers.find(environment_id, now())

async function loadIssuer({ issuers }: Services, environment_id: string) {
  return found(issuers.find(environment_id))
}

function show(
  environment_id: string,
  key: Pick<SigningKey, 'kid' | 'alg' | 'public_jwk' | 'signs_from' | 'created_at'>,
  state: 'next' | 'current' | 'retired',
  readers: readonly JwksReader[],
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
    published_at: created_at,
    readers:
      state === 'next'
        ? readers.map(({ source, last_read_at }) => ({
            source,
            last_read_at: last_read_at.toISOString(),
            has_next: last_read_at >= key.created_at,
          }))
        : [],
    created_at,
    updated_at: created_at,
  }
}
