import { DataClaims } from '@ostiary/contract/data-claims.ts'
import { type EnvironmentId, UserId } from '@ostiary/contract/ids.ts'
import { UserChange, type UserQuery } from '@ostiary/contract/user.ts'
import { changedFields } from '../../base/changed-fields.ts'
import { restartLimit } from '../../base/database-time.ts'
import { day_ms } from '../../base/durations.ts'
import { emailKey } from '../../base/email.ts'
import { mergePatch } from '../../base/merge-patch.ts'
import { picked } from '../../base/picked.ts'
import { reason } from '../../base/reason.ts'
import { networkOf, sourceOf } from '../../base/source.ts'
import { isText } from '../../base/text.ts'
import type { Statement } from '../../db/db.ts'
import { blocking, closing, deletion } from '../../domain/accounts/administration.ts'
import { type PageCall, readPage } from '../../domain/lists/lists.ts'
import { changeVersioned } from '../../domain/lists/versions.ts'
import { mailStatements } from '../../domain/mail/send.ts'
import type { Notice } from '../../domain/mail/texts/notice.ts'
import { findMembershipIn } from '../../domain/organizations/memberships.ts'
import { endEverything } from '../../domain/sessions/endings.ts'
import { endSessionRecord, findSessionRecord, listSessionRecords } from '../../domain/sessions/session-records.ts'
import { judgeForeignHash } from '../../domain/users/foreign-hashes.ts'
import { hasAllUsers } from '../../domain/users/index-walk.ts'
import { type Asked, listUsers as listUsersBy } from '../../domain/users/list.ts'
import { endCodesOf } from '../../domain/users/mailed-codes.ts'
import type { Turn } from '../../domain/users/password.ts'
import { judgePassword, type Names } from '../../domain/users/password-rules.ts'
import { findUserAccess } from '../../domain/users/permissions.ts'
import { setRoles } from '../../domain/users/roles.ts'
import { searchUsers } from '../../domain/users/search.ts'
import * as store from '../../domain/users/store.ts'
import { findBySub, isSubTaken } from '../../domain/users/sub.ts'
import { queriedWords } from '../../domain/users/words.ts'
import { badField, found, notFound, notListedYet } from '../../http/problem.ts'
import { inLines } from '../answer.ts'
import { environmentOf } from '../environment.ts'
import { inOrder, roleIdsOf } from '../given-roles.ts'
import type { Call, Handler } from '../handler.ts'
import { judgeMerged } from '../merged-data.ts'
import type { Services } from '../services.ts'

export const listUsers: Handler<'listUsers'> = async (services, call) => {
  const environment = await environmentOf(services, call)
  return listUsersOf(services, environment.id, call)
}

export const getUser: Handler<'getUser'> = async (services, call) => {
  const environment = await environmentOf(services, call)
  return findUser(services, environment.id, call)
}

export const listAuthUsers: Handler<'listAuthUsers'> = (services, call) => listUsersOf(services, call.caller.environment.id, call)

export const getAuthUser: Handler<'getAuthUser'> = (services, call) => findUser(services, call.caller.environment.id, call)

export const getUserAccess: Handler<'getUserAccess'> = async (services, call) => {
  const environment = await environmentOf(services, call)
  return accessOf(services, environment.id, call)
}

export const getAuthUserAccess: Handler<'getAuthUserAccess'> = (services, call) => accessOf(services, call.caller.environment.id, call)

type AccessCall = Pick<Call<'getUserAccess'>, 'params' | 'query'>

async function accessOf(services: Services, environment_id: EnvironmentId, call: AccessCall) {
  const user = await findUser(services, environment_id, call)
  const { organization_id = null } = call.query
  const is_member = organization_id === null ? null : (await findMembershipIn(services.db, user, organization_id)) !== null
  return findUserAccess(services.db, user, { organization_id, is_member })
}

export const createUser: Handler<'createUser'> = async (services, { caller, body, fail, commit, ip, signal }) => {
  const { now, newId } = services
  const { environment } = caller
  const { password, password_hash: foreign_hash, ...fields } = body
  const imported = foreign_hash === undefined ? null : takenHash(foreign_hash, password)
  const role_ids = await userRolesOf(services, environment.id, fields.roles)
  const password_hash = password ? await hashOf(services, turnOf({ caller, ip, signal }), fields, password) : imported
  const at = now()
  const id = newId('usr')
  const user = {
    id,
    tenant_id: environment.tenant_id,
    project_id: environment.project_id,
    environment_id: environment.id,
    ...empty,
    ...fields,
    sub: fields.sub ?? id,
    roles: inOrder(fields.roles),
    pending_email: null,
    has_password: password_hash !== null,
    approval: null,
    deletes_at: null,
    blocked_at: null,
    last_sign_in_at: null,
    created_at: at.toISOString(),
    updated_at: at.toISOString(),
    version: 1,
  }
  const created = await commit(
    {
      statements: [
        ...store.insertUser({ environment_id: environment.id, id }, fields, password_hash, at),
        ...(role_ids.length === 0 ? [] : setRoles({ environment_id: environment.id, id }, role_ids)),
      ],
      before: null,
      answer: user,
      event: { environment_id: environment.id, type: 'user.created', user_id: id, data: { email: body.email, method: 'api' } },
    },
    at,
  )
  if (created) return user
  if (body.sub !== undefined && (await isSubTaken(services.db, environment.id, body.sub)))
    return fail('identifier_taken', `Another user has the sub ${body.sub}, as sub or as id.`, sub_taken)
  return fail('identifier_taken', emailTaken(body.email), email_taken)
}

/**
 * A new password ends all sessions and grants of the user, and a notice is mailed to the address before the change. It ends open codes
 * and a pending change of the address, as a new address does.
 */
export const changeUser: Handler<'changeUser'> = (services, call) => {
  const { db, now } = services
  const environment_id = call.caller.environment.id
  return changeVersioned(call.if_match, finder(services, call), async (current) => {
    const { password, ...sent } = call.body
    const fields = merged(current, sent)
    const changed = changedFields([...new Set([...Object.keys(sent), ...Object.keys(fields)])], current, fields)
    const role_ids = changed.includes('roles') ? await userRolesOf(services, environment_id, sent.roles) : null
    const password_hash = password ? await hashOf(services, turnOf(call), { ...fields, email: fields.email ?? '' }, password) : password
    if (changed.length === 0 && password === undefined) return current
    const at = now()
    const has_password = password_hash === undefined ? current.has_password : password_hash !== null
    const ends_codes = password !== undefined || emailKey(fields.email ?? '') !== emailKey(current.email ?? '')
    const pending_email = ends_codes ? null : current.pending_email
    const user = { ...current, ...fields, pending_email, has_password, version: current.version + 1, updated_at: at.toISOString() }
    const notice = { kind: 'password_changed' as const, device: null } // the backend asked for it
    const about = { user_id: current.id, request_id: call.request_id, notice, locales: current.locale }
    const mails =
      typeof password === 'string' && current.email !== null && current.deletes_at === null // a closed account gets none but the way back
        ? await mailStatements(services, environment_id, { ...about, to: current.email }, at)
        : []
    const written = await call.commit(
      {
        statements: [
          ...store.updateUser(current, fields, password_hash, at),
          ...(role_ids === null ? [] : setRoles(current, role_ids)),
          ...(ends_codes ? endCodesOf(environment_id, current.id, at) : []),
          ...(password === undefined ? [] : endEverything(environment_id, current.id, { by: 'password_changed' }, at)),
          ...mails,
        ],
        before: current,
        answer: user,
        event: {
          environment_id,
          type: 'user.updated',
          user_id: current.id,
          data: { changed: [...changed, ...(password === undefined ? [] : ['password'])] },
        },
      },
      at,
    )
    if (written) return user
    if (fields.email === null) return null
    const owner = await store.findCredential(db, environment_id, fields.email)
    return owner && owner.id !== current.id ? call.fail('identifier_taken', emailTaken(fields.email), email_taken) : null
  })
}

/** Closes the account for the days of `users.deletion_grace_days`, or erases it. A closed account stays as it is. */
export const deleteUser: Handler<'deleteUser'> = async (services, call) => {
  const environment_id = call.caller.environment.id
  const is_final = call.query.erase === 'true'
  const grace_days = is_final ? 0 : ((await services.issuers.find(environment_id))?.settings.users.deletion_grace_days ?? 0)
  await changeVersioned(call.if_match, finder(services, call), async (current) => {
    const at = services.now()
    if (current.deletes_at !== null && !is_final) return current
    const ends = new Date(at.getTime() + grace_days * day_ms)
    const { statements, event, after } =
      grace_days > 0 ? await closing(services, current, { ends, request_id: call.request_id }, at) : deletion(current, at)
    const deleted = await call.commit(
      { statements, before: current, ...(after && { after }), answer: null, ...(event && { event: { environment_id, ...event } }) },
      at,
    )
    return deleted ? current : null
  })
  return null
}

/** A mail to the person about a change that the backend made; none where the account has no address. */
async function mailTo(
  services: Services,
  { request_id }: { request_id: string },
  user: store.UserRow,
  notice: Notice,
): Promise<Statement[]> {
  if (user.email === null) return []
  const about = { to: user.email, user_id: user.id, request_id, notice, locales: user.locale }
  return mailStatements(services, user.environment_id, about, services.now())
}

export const restoreUser: Handler<'restoreUser'> = (services, call) =>
  changeVersioned(call.if_match, finder(services, call), async (current) => {
    const at = services.now()
    if (current.deletes_at === null) {
      await call.commit({ statements: [], before: current, answer: current }, at)
      return current
    }
    if (Date.parse(current.deletes_at) <= at.getTime()) throw notFound() // it is erased within minutes
    const user = { ...current, deletes_at: null, version: current.version + 1, updated_at: at.toISOString() }
    const mails = await mailTo(services, call, current, { kind: 'account_restored', device: null })
    const event = { environment_id: current.environment_id, type: 'user.restored' as const, user_id: current.id, data: {} }
    const statements = [store.holdUser(current.environment_id, current.id, current.version), store.reopenUser(current, at), ...mails]
    return (await call.commit({ statements, before: current, answer: user, event }, at)) ? user : null
  })

export const blockUser: Handler<'blockUser'> = (services, call) => setBlocked(services, call, true)

export const unblockUser: Handler<'unblockUser'> = (services, call) => setBlocked(services, call, false)

export const approveUser: Handler<'approveUser'> = (services, call) => decide(services, call, 'approved')

export const refuseUser: Handler<'refuseUser'> = (services, call) => decide(services, call, 'refused')

export const listUserSessions: Handler<'listUserSessions'> = async (services, call) => {
  const { db, now } = services
  const environment_id = call.caller.environment.id
  const user = await findUser(services, environment_id, call)
  return readPage(services, call, `sessions.${user.id}`, (rest) => listSessionRecords(db, user, now(), rest))
}

export const getSession: Handler<'getSession'> = ({ db, now }, { caller, params }) =>
  found(findSessionRecord(db, caller.environment.id, params.session_id ?? '', now()))

export const endSession: Handler<'endSession'> = async ({ db, now }, { caller, params, if_match, commit }) => {
  const environment_id = caller.environment.id
  const load = () => findSessionRecord(db, environment_id, params.session_id ?? '', now())
  await changeVersioned(if_match, load, async (session) => {
    const at = now()
    const ended = await commit(
      {
        statements: [store.aboutUser(environment_id, session.user_id), ...endSessionRecord(environment_id, session, at)],
        before: session,
        answer: null,
        event: {
          environment_id,
          type: 'session.ended',
          user_id: session.user_id,
          data: { session_id: session.id, reason: 'ended_by_api' },
        },
      },
      at,
    )
    return ended || null
  })
  return null
}

interface HashingCall {
  readonly caller: {
    readonly environment: { readonly id: EnvironmentId; readonly tenant_id: string }
    readonly key: { readonly key_id: string } | null
  }
  readonly ip: string | null
  readonly signal: () => AbortSignal
}

/** Backends send the passwords of many people, so a key is a source of its own, whatever addresses use it. */
function turnOf({ caller: { environment, key }, ip, signal }: HashingCall): Turn & { environment_id: EnvironmentId } {
  const from = key === null ? { network: networkOf(ip), source: sourceOf(ip) } : { network: key.key_id, source: key.key_id }
  const place = { tenant_id: environment.tenant_id, environment_id: environment.id, ...from, marked_account: null }
  return { place, environment_id: environment.id, signal: signal() }
}

/** Returns the text to store of a hash from another system, if it is taken. */
function takenHash(text: string, password: string | null | undefined): string {
  const { problem, stored } = password === undefined ? judgeForeignHash(text) : { problem: 'Send either password or password_hash.' }
  if (problem !== undefined) throw badField(['password_hash'], problem)
  return stored
}

/** Hashes a password, if the environment's rules accept it. */
async function hashOf(
  { db, issuers, passwords }: Services,
  { environment_id, ...turn }: ReturnType<typeof turnOf>,
  names: Names,
  password: string,
): Promise<string> {
  const problem = await judgePassword(db, environment_id, password, names)
  if (!problem) return passwords.hash(password, turn)
  const minimum = problem === 'too_short' ? (await issuers.find(environment_id))?.settings.password.min_length : undefined
  throw badField(['password'], minimum === undefined ? password_problems[problem] : `Use at least ${minimum} characters.`)
}

async function userRolesOf(
  { db }: Services,
  environment_id: EnvironmentId,
  slugs: readonly string[] | null | undefined,
): Promise<string[]> {
  const [ids = []] = await roleIdsOf(db, environment_id, 'user', [{ slugs: slugs ?? [], path: ['roles'] }])
  return ids
}

const emailTaken = (email: string) => `A user with the email ${email} already exists.`
const email_taken = { reason: reason`Another user of the environment has the email.` }
const sub_taken = { reason: reason`Another user of the environment has the sub, as sub or as id.` }

type UserCall = Pick<Call<'blockUser'>, 'caller' | 'params' | 'if_match' | 'commit'>

function setBlocked(services: Services, call: UserCall, blocked: boolean) {
  const environment_id = call.caller.environment.id
  return changeVersioned(call.if_match, finder(services, call), async (current) => {
    const at = services.now()
    const change = blocking(current, blocked, at)
    if (change === null) {
      await call.commit({ statements: [], before: current, answer: current }, at)
      return current
    }
    const { statements, after, event } = change
    const changed = await call.commit(
      { statements, before: current, answer: after, ...(event && { event: { environment_id, ...event } }) },
      at,
    )
    return changed ? after : null
  })
}

type DecisionCall = UserCall & Pick<Call<'approveUser'>, 'fail' | 'request_id'>

/** The decision about an account that waits is mailed to its person. */
function decide(services: Services, call: DecisionCall, state: 'approved' | 'refused') {
  const environment_id = call.caller.environment.id
  return changeVersioned(call.if_match, finder(services, call), async (current) => {
    if (current.approval?.state !== 'waiting') return call.fail('not_waiting', 'The account does not wait for an approval.')
    const at = services.now()
    const approval = { state, at: at.toISOString() }
    const user = { ...current, approval, version: current.version + 1, updated_at: approval.at }
    const notice = state === 'approved' ? { kind: state } : { kind: state, ends_at: new Date(at.getTime() + store.unapproved_kept_ms) }
    const mails = current.deletes_at === null ? await mailTo(services, call, current, notice) : []
    const event = { environment_id, type: 'user.updated' as const, user_id: current.id, data: { changed: ['approval'] } }
    const statements = [store.decideApproval(current, state, at), ...mails]
    return (await call.commit({ statements, before: current, answer: user, event }, at)) ? user : null
  })
}

const finder =
  ({ db }: Services, { caller, params }: Pick<UserCall, 'caller' | 'params'>) =>
  () =>
    store.findUser(db, caller.environment.id, params.user_id ?? '')

const findUser = ({ db }: Services, environment_id: EnvironmentId, { params }: Pick<UserCall, 'params'>) =>
  found(store.findUser(db, environment_id, params.user_id ?? ''))

type ListCall = PageCall & { readonly query: UserQuery; readonly wants_lines: boolean }

/**
 * `query` is words to search for, or a complete id: that of a user, or of another service from where a user came with it as `sub`. The parameter `sub`
 * names one user, whom the other filters may leave out.
 */
async function listUsersOf(services: Services, environment_id: EnvironmentId, call: ListCall) {
  const { limit: _, cursor: _cursor, query = '', sub, sort, ...fields } = call.query
  const is_id = UserId.safeParse(query).success
  const queried = is_id ? ((await findBySub(services.db, environment_id, query)) ?? query) : undefined
  const words = is_id ? [] : queriedWords(query)
  const owner = sub === undefined ? queried : await findBySub(services.db, environment_id, sub)
  const asked = { filter: { ...fields, id: owner ?? undefined, words }, sort }
  const is_nobody = owner === null || (is_id && owner !== queried) || !words.every((word) => isText(word))
  const list = is_nobody ? nobody : (await hasAllUsers(services.db)) ? listUsersBy : listWithoutIndex
  if (!call.wants_lines) return list(services, environment_id, asked, call)
  const read = (cursor: string | undefined) =>
    list(services, environment_id, asked, { query: { limit: lines_at_once, cursor }, fail: call.fail })
  return inLines(inPages(await read(call.query.cursor), read))
}

/** No user has the `sub`, both of two ids, or a character that no text can have. */
const nobody = async (): Promise<UserPage> => ({ data: [], has_more: false, next_cursor: null })

type UserPage = Awaited<ReturnType<typeof listUsersBy>>
const lines_at_once = 100

/** Reads page by page as the client consumes them, so memory use does not depend on the number of users. */
async function* inPages(first: UserPage, read: (cursor: string) => Promise<UserPage>): AsyncGenerator<UserPage['data']> {
  for (let page = first; ; page = await read(page.next_cursor)) {
    yield page.data
    if (page.next_cursor === null) return
    restartLimit()
  }
}

/** During the walk after an upgrade, which takes minutes. */
function listWithoutIndex(services: Services, environment_id: EnvironmentId, { filter, sort }: Asked, call: PageCall) {
  if (sort === 'last_sign_in') throw notListedYet('This order of users')
  return searchUsers(services, environment_id, filter, call)
}

const password_problems = {
  too_short: 'The password is shorter than the minimum of this environment.',
  too_long: 'The password has more than 1000 characters.',
  common: 'The password is too common, or consists of names of the user, the project or the tenant.',
}

const empty = {
  email_verified: false,
  phone_number: null,
  phone_number_verified: false,
  name: null,
  given_name: null,
  family_name: null,
  nickname: null,
  preferred_username: null,
  picture: null,
  locale: null,
  zoneinfo: null,
  metadata: {},
  claims: {},
  roles: [],
}

/**
 * Applies a JSON Merge Patch (RFC 7396) to a user, including metadata and claims. `null` restores the default of a field. A new email or phone
 * number is unverified unless the same patch sets it verified. An email that differs only in case is not new.
 */
function merged(current: store.UserRow, sent: object): store.UserFields {
  const patched = { ...empty, ...(mergePatch(profileOf(current), sent) as ReturnType<typeof profileOf>) } // as: the schemas checked the fields of both
  const fields = {
    ...patched,
    email_verified: patched.email_verified && ('email_verified' in sent || emailKey(patched.email ?? '') === emailKey(current.email ?? '')),
    phone_number_verified:
      patched.phone_number_verified && ('phone_number_verified' in sent || patched.phone_number === current.phone_number),
    roles: inOrder(patched.roles),
  }
  judgeMerged(sent, fields, { metadata: UserChange.shape.metadata, claims: DataClaims })
  return fields
}

const profile_fields = ['email', ...(Object.keys(empty) as (keyof typeof empty)[])] as const // as: its own keys

/** The current values of the fields that a change can set. */
const profileOf = (user: store.UserRow): store.UserFields => picked(user, profile_fields)
