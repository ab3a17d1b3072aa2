/** A service and the credential for it: the key in OSTIARY_KEY, or the sign-in of a profile. Calls rows of the route table. */
import { type Answer, createClient, OstiaryError } from '@ostiary/sdk'
import { UsageError } from '../usage.ts'
import type { Row } from './derive.ts'
import type { Io } from './io.ts'
import { readLines } from './loopback.ts'
import { type Defaults, isProfileName, readProfiles } from './profiles.ts'
import { Refused, Unreachable } from './refused.ts'
import { openSession, type Session } from './session.ts'
import { visible } from './show.ts'
import { unreachable } from './unreachable.ts'

export type CallerKind = 'platform' | 'secret' | 'publishable' | 'administrator'

/** The parts of a call. Parameters are those of the path and of the query. */
export interface Request {
  params?: Readonly<Record<string, unknown>>
  body?: unknown
  tenant_id?: string | undefined
  environment_id?: string | undefined
  origin?: string | undefined
}

export interface Connection {
  readonly kind: CallerKind
  readonly base_url: string
  /** The type of the environment that a key names. */
  readonly key_environment: 'test' | 'live' | null
  readonly defaults: Defaults
  readonly profile_name: string | null
  call(row: Row, request: Request): Promise<Answer<unknown>>
}

const no_defaults: Defaults = { tenant: null, project: null, env: null }
const default_url = 'http://localhost:3000'

/** @throws UsageError if there is no credential, or if it does not belong to the service */
export function connect(io: Io, profile_option: string | null): Connection {
  const { OSTIARY_KEY: key, OSTIARY_URL } = io.variables
  const url = OSTIARY_URL === null ? null : originOf(OSTIARY_URL, 'OSTIARY_URL')
  if (key !== null && profile_option !== null) throw new UsageError('OSTIARY_KEY is set, and --profile names a sign-in. Use one of them.')
  if (key !== null) return keyConnection(io, key, url ?? default_url)
  const name = profileName(io, profile_option)
  const connection = connectProfile(io, name)
  const { base_url } = connection
  if (url !== null && url !== base_url)
    throw new UsageError(
      `OSTIARY_URL is ${url}, and the profile "${name}" signed in at ${base_url}. Unset it, or choose another --profile.`,
    )
  return connection
}

/**
 * Connects by the sign-in of a profile, even if a key is set.
 *
 * @throws UsageError if there is no such profile
 */
export function connectProfile(io: Io, name: string): Connection {
  const session = openSession(io, name)
  if (session === null)
    throw new UsageError(`There is no profile "${name}". Run "ostiary login", or set OSTIARY_KEY and OSTIARY_URL for a pipeline.`)
  return sessionConnection(io, session)
}

/** The profile to use: the option, the variable, or the one that was used last. */
export function profileName(io: Io, option: string | null): string {
  const name = option ?? io.variables.OSTIARY_PROFILE ?? readProfiles(io.folder).current
  if (!isProfileName(name)) throw new UsageError('The name of a profile has letters, digits, dots, hyphens and underscores, at most 64.')
  return name
}

export function originOf(text: string, what: string): string {
  const url = URL.canParse(text) ? new URL(text) : null
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== '' || url.pathname !== '/' || url.search !== '' || url.hash !== '')
    throw new UsageError(
      `${what} takes the address of the service, with http:// or https:// and without a path, such as https://id.example.com.`,
    )
  return url.origin
}

function keyConnection(io: Io, key: string, base_url: string): Connection {
  const [, kind, type] = /^svc_(platform_sk|auth_sk|auth_pk)_(?:(test|live)_)?[0-9A-Za-z]+$/.exec(key) ?? []
  const kinds = { platform_sk: 'platform', auth_sk: 'secret', auth_pk: 'publishable' } as const
  if (kind === undefined)
    throw new UsageError('OSTIARY_KEY is not a key of Ostiary: it begins with svc_platform_sk_, svc_auth_sk_ or svc_auth_pk_.')
  return {
    kind: kinds[kind as keyof typeof kinds], // as: one of the alternatives of the pattern
    base_url,
    key_environment: type === 'test' || type === 'live' ? type : null,
    defaults: no_defaults,
    profile_name: null,
    call: (row, request) => send({ base_url, api_key: key }, io, row, request),
  }
}

function sessionConnection(io: Io, session: Session): Connection {
  const { base_url, defaults } = session.profile
  const call = async (row: Row, request: Request): Promise<Answer<unknown>> => {
    const token = await session.token()
    try {
      return await send({ base_url, token }, io, row, request)
    } catch (error) {
      if (!(error instanceof OstiaryError)) throw error
      // The token was revoked before it expired. If the sign-in lasts, there is another one.
      if (error.status === 401) return send({ base_url, token: await session.renew(token) }, io, row, request)
      if (error.code !== 'reauthentication_required') throw error
      await askForFreshSignIn(io, session, error)
      return send({ base_url, token: await session.token() }, io, row, request)
    }
  }
  return { kind: 'administrator', base_url, key_environment: null, defaults, profile_name: session.profile_name, call }
}

/** The service needs a sign-in of the last minutes. A person at a terminal signs in again; a script cannot. */
async function askForFreshSignIn(io: Io, session: Session, error: OstiaryError): Promise<void> {
  if (!io.is_interactive) throw new FreshSignInNeeded(error)
  io.err('This call needs a fresh sign-in. Sign in again now? [Y/n] ')
  const answer = await readLines(io.input, io.signal, (line) => (/^(y|yes|)$/i.test(line) ? 'yes' : 'no'))
  if (answer !== 'yes') throw new FreshSignInNeeded(error)
  await session.signInAgain(error.max_age ?? 600)
}

/** The service asked for a fresh sign-in. The message says how to continue. */
class FreshSignInNeeded extends Refused {
  constructor(cause: OstiaryError) {
    super('This call needs a fresh sign-in. Run "ostiary login --fresh", then repeat the command at once.', { cause })
  }
}

/** Where the address comes from, for a caller whose service is elsewhere. */
const addressFrom = ({ api_key }: { api_key?: string }) =>
  api_key === undefined
    ? 'The address is that of the profile: "ostiary login --url ADDRESS" signs in at another one.'
    : `OSTIARY_URL has the address of the service (default: ${default_url}).`

async function send(
  credential: { base_url: string; api_key?: string; token?: string },
  io: Io,
  { name, route }: Row,
  { params = {}, body, tenant_id, environment_id, origin }: Request,
): Promise<Answer<unknown>> {
  const client = createClient({ ...credential, headers: { 'user-agent': 'ostiary-cli', ...(origin === undefined ? {} : { origin }) } })
  const takes_params = route.path.includes('{') || Object.keys(route.query?.shape ?? {}).length > 0
  const args = [...(takes_params ? [params] : []), ...(route.body ? [body] : []), { tenant_id, environment_id, signal: io.signal }]
  const respond = client.responses[name] as (...args: unknown[]) => Promise<Answer<unknown>> // as: the arguments follow the row
  try {
    return await respond(...args)
  } catch (error) {
    if (!(error instanceof OstiaryError)) throw error
    const { base_url } = credential
    if (error.status === 0) throw new Unreachable(`${unreachable(base_url, error)} ${addressFrom(credential)}`, { cause: error })
    if (error.code === 'unexpected_answer' && error.status < 500)
      throw new Refused(`${base_url} does not answer like a service of Ostiary: ${visible(error.detail)} ${addressFrom(credential)}`, {
        cause: error,
      })
    throw error
  }
}
