/** `ostiary login`, `logout`, `whoami` and `profiles`: the sign-ins of this machine. */
import { OstiaryError } from '@ostiary/sdk'
import type { Written } from '../arguments.ts'
import { UsageError } from '../usage.ts'
import { type Connection, connect, connectProfile, originOf, profileName } from './connection.ts'
import { defaultsOf } from './defaults.ts'
import { rowOf } from './derive.ts'
import type { Io } from './io.ts'
import { kindOfId, nearWords } from './near.ts'
import { changeProfiles, isProfileName, readProfiles } from './profiles.ts'
import { Refused, Unreachable } from './refused.ts'
import { textOf } from './run-command.ts'
import { forgetTokens, keepSignIn, revoke } from './session.ts'
import { columnsOf, isObject, jsonLine, objectText, visible } from './show.ts'
import { signIn } from './sign-in.ts'

const default_url = 'http://localhost:3000'

export async function login(io: Io, written: Written): Promise<number> {
  const name = profileName(io, textOf(written, 'profile'))
  const known = readProfiles(io.folder).profiles[name]
  const given = textOf(written, 'url') ?? io.variables.OSTIARY_URL
  const base_url = given === null ? (known?.base_url ?? default_url) : originOf(given, '--url')
  const opens_browser = !written.values.has('no-browser')
  const request = { base_url, opens_browser, ...(written.values.has('fresh') ? { max_age: 0 } : {}) }
  const signed_in = await signIn(io, request).catch((error: unknown) => {
    if (!(error instanceof Unreachable) || written.values.has('url')) throw error
    throw new Unreachable(`${error.message} Is the service at another address? Run "ostiary login --url ADDRESS".`, { cause: error })
  })
  await keepSignIn(io, name, signed_in)
  const said = `Signed in at ${base_url} as ${await whoIs(io, name)}, profile "${name}".`
  io.err(`${visible(said)}\n`)
  if (io.variables.OSTIARY_KEY !== null) io.err('OSTIARY_KEY is set, so commands use that key. Unset it to use the sign-in.\n')
  return 0
}

/** Names the person of a profile by the email, with the roles in tenants. */
async function whoIs(io: Io, profile_name: string): Promise<string> {
  const { email, memberships } = await identityOf(connectProfile(io, profile_name))
  const roles = (Array.isArray(memberships) ? memberships.filter(isObject) : []).map(({ role, name }) => `${role} of ${name}`)
  const [first, ...others] = roles
  if (first === undefined) return `${email}, who is a member of no tenant yet`
  return `${email}, ${others.length > 1 ? `${first} and in ${others.length} other tenants` : roles.join(' and ')}`
}

export async function logout(io: Io, written: Written): Promise<number> {
  const name = profileName(io, textOf(written, 'profile'))
  const profile = await forgetTokens(io, name)
  if (!profile?.tokens) {
    io.err(`The profile "${name}" has no sign-in.\n`)
    return 0
  }
  try {
    await revoke(profile, profile.tokens)
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    throw new Refused(
      `${error.message} This machine has forgotten the sign-in, and the service ends it when it has been unused for 12 hours.`,
    )
  }
  io.err(`Signed out of ${profile.base_url}, profile "${name}".\n`)
  return 0
}

export async function whoami(io: Io, written: Written): Promise<number> {
  const connection = connect(io, textOf(written, 'profile'))
  const identity = await identityOf(connection)
  if (written.values.has('json')) {
    io.out(jsonLine(identity))
    return 0
  }
  const { memberships, ...person } = identity
  const place = { service: connection.base_url, ...(connection.profile_name === null ? {} : { profile: connection.profile_name }) }
  io.out(objectText({ ...place, ...person }))
  if (Array.isArray(memberships))
    for (const { slug, role, name } of memberships.filter(isObject)) io.out(`${visible(`tenant  ${slug}  ${role}  ${name}`)}\n`)
  return 0
}

async function identityOf(connection: Connection): Promise<Record<string, unknown>> {
  const { data } = await connection.call(rowOf(connection.kind === 'administrator' ? 'me' : 'whoami'), {})
  return isObject(data) ? data : {}
}

export async function listProfiles(io: Io, written: Written): Promise<number> {
  const { current, profiles } = readProfiles(io.folder)
  const rows = Object.entries(profiles).map(([name, { base_url, user_id, tokens, defaults }]) => ({
    name,
    is_current: name === current,
    base_url,
    user_id,
    is_signed_in: tokens !== null,
    ...defaults,
  }))
  if (written.values.has('json')) io.out(jsonLine({ data: rows }))
  else {
    const header = ['', 'NAME', 'SERVICE', 'SIGNED IN', 'TENANT', 'PROJECT', 'ENV']
    const cells = rows.map(({ name, is_current, base_url, is_signed_in, tenant, project, env }) =>
      [is_current ? '*' : '', name, base_url, is_signed_in ? 'yes' : 'no', tenant ?? '-', project ?? '-', env ?? '-'].map(visible),
    )
    io.out(rows.length === 0 ? 'There is no profile. Run "ostiary login".\n' : columnsOf([header, ...cells]))
  }
  return 0
}

/** Changes a profile and makes it the current one. The word `null` removes a default. */
export async function useProfile(io: Io, written: Written): Promise<number> {
  const [name = ''] = written.words
  await changeProfiles(io.folder, async ({ profiles }) => {
    const profile = isProfileName(name) ? profiles[name] : undefined
    if (profile === undefined) throw noProfile(name, Object.keys(profiles))
    const defaults = defaultsOf(profile.defaults, written)
    return { profiles: { current: name, profiles: { ...profiles, [name]: { ...profile, defaults } } }, result: null }
  })
  return listProfiles(io, written)
}

export async function deleteProfile(io: Io, written: Written): Promise<number> {
  const [name = ''] = written.words
  const removed = await changeProfiles(io.folder, async ({ current, profiles }) => {
    const { [name]: profile = null, ...others } = profiles
    return { profiles: { current: current === name ? (Object.keys(others)[0] ?? 'default') : current, profiles: others }, result: profile }
  })
  if (removed === null) throw noProfile(name, Object.keys(readProfiles(io.folder).profiles))
  if (removed.tokens) await revoke(removed, removed.tokens)
  return 0
}

const noProfile = (name: string, names: readonly string[]) =>
  new Refused(`There is no profile ${JSON.stringify(visible(name))}.${nearWords(name, names)} "ostiary profiles list" shows them.`)

/** Prints the address of an object in the dashboard, and opens it. Where an administrator is signed in, there must be one. */
export async function open(io: Io, written: Written): Promise<number> {
  const [id = ''] = written.words
  if (kindOfId(id) === null)
    throw new UsageError(
      `${JSON.stringify(visible(id))} is not an id, such as app_… or req_…. Lists show them: "ostiary applications list".`,
    )
  const connection = connect(io, textOf(written, 'profile'))
  if (connection.kind === 'administrator') await refuseUnknown(connection, id)
  const url = `${connection.base_url}/dashboard/go/${encodeURIComponent(id)}`
  io.out(`${url}\n`)
  if (!written.values.has('no-browser')) io.openBrowser(url)
  return 0
}

async function refuseUnknown(connection: Connection, id: string): Promise<void> {
  try {
    await connection.call(rowOf('lookup'), { params: { id } })
  } catch (error) {
    if (!(error instanceof OstiaryError) || error.code !== 'not_found') throw error
    throw new Refused(`There is nothing with the id ${id} in your tenants.`)
  }
}
