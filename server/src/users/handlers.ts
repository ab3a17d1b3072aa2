import { type EnvironmentId, UserId } from '@ostiary/contract/ids.ts'
import type { routes } from '@ostiary/contract/routes.ts'
import { type User, UserChange } from '@ostiary/contract/user.ts'
import { readPage } from '../api/lists.ts'
import { mergePatch } from '../api/merge-patch.ts'
import type { Call, Handlers } from '../api/mount.ts'
import { changeVersioned } from '../api/versions.ts'
import { sql } from '../db/db.ts'
import type { Deployment } from '../deployment.ts'
import { badField, notFound } from '../http/problem.ts'
import { mailStatements } from '../mail/send.ts'
import { endEverything, endSessionRecord, findSessionRecord, listSessionRecords } from '../oidc/store/sessions.ts'
import { environmentOf } from '../tenancy/environment.ts'
import { emailKey } from './email.ts'
import type { Passwords, Turn } from './password.ts'
import { judgePassword, type Names } from './password-rules.ts'
import { searchUsers } from './search.ts'
import * as store from './store.ts'

type Table = Pick<
  typeof routes,
  | 'listUsers'
  | 'getUser'
  | 'listAuthUsers'
  | 'createUser'
  | 'getAuthUser'
  | 'changeUser'
  | 'deleteUser'
  | 'blockUser'
  | 'unblockUser'
  | 'listUserSessions'
  | 'getSession'
  | 'endSession'
>

export function createUserHandlers(passwords: Passwords): Handlers<Table> {
  /** Hashes a password that the environment accepts for this person. */
  async function hashOf(
    { db }: Deployment,
    turn: Turn & { environment_id: EnvironmentId },
    names: Names,
    password: string,
  ): Promise<string> {
    const problem = await judgePassword(db, turn.environment_id, password, names)
    if (problem) throw badField(['password'], password_problems[problem])
    return passwords.hash(password, turn)
  }

  return {
    async listUsers(deployment, call) {
      const environment = await environmentOf(deployment, call)
      return listUsers(deployment, environment.id, call.query)
    },
    async getUser(deployment, call) {
      const environment = await environmentOf(deployment, call)
      return findUser(deployment, environment.id, call)
    },

    listAuthUsers: (deployment, call) => listUsers(deployment, call.caller.environment.id, call.query),
    getAuthUser: (deployment, call) => findUser(deployment, call.caller.environment.id, call),

    async createUser(deployment, { caller, body, fail, commit, signal }) {
      const { now, newId } = deployment
      const { environment } = caller
      const { password = null, ...fields } = body
      const password_hash =
        password === null ? null : await hashOf(deployment, { environment_id: environment.id, signal }, fields, password)
      const at = now()
      const id = newId('usr') as User['id'] // as: newId gives exactly this
      const user = {
        id,
        tenant_id: environment.tenant_id,
        project_id: environment.project_id,
        environment_id: environment.id,
        ...empty,
        ...fields,
        has_password: password_hash !== null,
        blocked_at: null,
        last_sign_in_at: null,
        created_at: at.toISOString(),
        updated_at: at.toISOString(),
        version: 1,
      }
      const created = await commit(
        {
          statements: [store.insertUser(environment.id, id, fields, password_hash, at)],
          before: null,
          answer: user,
          event: { environment_id: environment.id, type: 'user.created', user_id: id, data: { email: body.email, method: 'api' } },
        },
        at,
      )
      return created ? user : fail('identifier_taken', `There is a user with the address ${body.email} already.`)
    },

    /** A new password ends every session and grant, and the person is mailed at the address the account had before. */
    changeUser: (deployment, call) => {
      const { db, now } = deployment
      const environment_id = call.caller.environment.id
      return changeVersioned(call.if_match, finder(deployment, call), async (current) => {
        const { password, ...sent } = call.body
        const fields = merged(current, sent)
        const password_hash = password ? await hashOf(deployment, { environment_id, signal: call.signal }, fields, password) : password
        const changed = [...new Set([...Object.keys(sent), ...Object.keys(fields)])].filter(
          (name) => JSON.stringify(fieldOf(fields, name)) !== JSON.stringify(fieldOf(current, name)),
        )
        if (changed.length === 0 && password === undefined) return current
        const at = now()
        const has_password = password_hash === undefined ? current.has_password : password_hash !== null
        const user = { ...current, ...fields, has_password, version: current.version + 1, updated_at: at.toISOString() }
        const about = { to: current.email, user_id: current.id, request_id: call.request_id, notice: { kind: 'password_changed' as const } }
        const mails = typeof password === 'string' ? await mailStatements(deployment, environment_id, about, at) : []
        const written = await call.commit(
          {
            statements: [
              store.updateUser(current, fields, password_hash, at),
              ...(password === undefined ? [] : endEverything(environment_id, current.id, 'password_changed', at)),
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
        const owner = await store.findCredential(db, environment_id, fields.email)
        return owner && owner.id !== current.id
          ? call.fail('identifier_taken', `There is a user with the address ${fields.email} already.`)
          : null
      })
    },

    async deleteUser(deployment, call) {
      const environment_id = call.caller.environment.id
      await changeVersioned(call.if_match, finder(deployment, call), async (current) => {
        const at = deployment.now()
        const deleted = await call.commit(
          {
            statements: [...store.deleteUser(current), ...endEverything(environment_id, current.id, 'user_deleted', at)],
            before: current,
            answer: null,
            event: { environment_id, type: 'user.deleted', user_id: current.id, data: {} },
          },
          at,
        )
        return deleted || null
      })
      return null
    },

    blockUser: (deployment, call) => setBlocked(deployment, call, true),
    unblockUser: (deployment, call) => setBlocked(deployment, call, false),

    async listUserSessions(deployment, call) {
      const { db, now } = deployment
      const environment_id = call.caller.environment.id
      const user = await findUser(deployment, environment_id, call)
      return readPage(deployment, `sessions.${user.id}`, call.query, (rest) => listSessionRecords(db, environment_id, user.id, now(), rest))
    },

    getSession: ({ db, now }, { caller, params }) => found(findSessionRecord(db, caller.environment.id, params.session_id ?? '', now())),

    async endSession({ db, now }, { caller, params, if_match, commit }) {
      const environment_id = caller.environment.id
      const load = () => findSessionRecord(db, environment_id, params.session_id ?? '', now())
      await changeVersioned(if_match, load, async (session) => {
        const at = now()
        const ended = await commit(
          {
            statements: endSessionRecord(environment_id, session, at),
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
    },
  }
}

type SecretCall = Pick<Call<Table['blockUser']>, 'caller' | 'params' | 'if_match' | 'commit'>

/** Blocking ends every session and grant; unblocking ends what may have slipped in between, so that nothing ended comes back. */
function setBlocked(deployment: Deployment, call: SecretCall, blocked: boolean) {
  const environment_id = call.caller.environment.id
  return changeVersioned(call.if_match, finder(deployment, call), async (current) => {
    const at = deployment.now()
    if ((current.blocked_at !== null) === blocked) {
      await call.commit({ statements: [], before: current, answer: current }, at)
      return current
    }
    const user = { ...current, blocked_at: blocked ? at.toISOString() : null, version: current.version + 1, updated_at: at.toISOString() }
    const changed = await call.commit(
      {
        statements: [store.setBlocked(current, blocked, at), ...endEverything(environment_id, current.id, 'user_blocked', at)],
        before: current,
        answer: user,
        event: { environment_id, type: blocked ? 'user.blocked' : 'user.unblocked', user_id: current.id, data: {} },
      },
      at,
    )
    return changed ? user : null
  })
}

const finder =
  ({ db }: Deployment, { caller, params }: Pick<SecretCall, 'caller' | 'params'>) =>
  () =>
    store.findUser(db, caller.environment.id, params.user_id ?? '')

const findUser = ({ db }: Deployment, environment_id: EnvironmentId, { params }: Pick<SecretCall, 'params'>) =>
  found(store.findUser(db, environment_id, params.user_id ?? ''))

async function found<T>(looked_up: Promise<T | null>): Promise<T> {
  const object = await looked_up
  if (object === null) throw notFound()
  return object
}

interface UsersQuery {
  limit: number
  cursor?: string | undefined
  email?: string | undefined
  query?: string | undefined
}

/** Newest first. `query` is an id in full, or words to search for. */
function listUsers(deployment: Deployment, environment_id: EnvironmentId, { email, query = '', ...page }: UsersQuery) {
  const is_id = UserId.safeParse(query).success
  if (!is_id && query.trim() !== '') return searchUsers(deployment, environment_id, { email, query }, page)
  const list = JSON.stringify(['users', environment_id, email ?? null, query])
  const by_email = email === undefined ? sql`` : sql`and u.email_key = ${emailKey(email)}`
  const by_id = is_id ? sql`and u.id = ${query}` : sql``
  return readPage(deployment, list, page, (rest) => store.listUsers(deployment.db, environment_id, sql`${by_email} ${by_id}`, rest))
}

const password_problems = {
  too_short: 'The password is shorter than the environment asks for.',
  too_long: 'The password has more than 1000 characters.',
  common: 'The password is one that many people use, or is made of names of the person, the project or the tenant.',
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
}

/**
 * Applies a JSON Merge Patch (RFC 7396) to a user, metadata included; `null` puts a field back to its default. A new email
 * or phone number is unverified unless the same patch says otherwise. Another case of the same email is not a new one.
 */
function merged(current: store.UserRow, sent: object): store.UserFields & { email: string } {
  const patched = { ...empty, ...(mergePatch(profileOf(current), sent) as ReturnType<typeof profileOf>) } // as: each field was checked, and so was what it is merged with
  const fields = {
    ...patched,
    email_verified: patched.email_verified && ('email_verified' in sent || emailKey(patched.email) === emailKey(current.email)),
    phone_number_verified:
      patched.phone_number_verified && ('phone_number_verified' in sent || patched.phone_number === current.phone_number),
  }
  const { success, error } = UserChange.shape.metadata.safeParse(fields.metadata)
  if (!success) throw badField(['metadata'], error.issues[0]?.message ?? '')
  return fields
}

/** What may be written of a person as it stands. */
function profileOf(user: store.UserRow): store.UserFields & { email: string } {
  const {
    email,
    email_verified,
    phone_number,
    phone_number_verified,
    name,
    given_name,
    family_name,
    nickname,
    preferred_username,
    picture,
    locale,
    zoneinfo,
    metadata,
  } = user
  return {
    email,
    email_verified,
    phone_number,
    phone_number_verified,
    name,
    given_name,
    family_name,
    nickname,
    preferred_username,
    picture,
    locale,
    zoneinfo,
    metadata,
  }
}

const fieldOf = (fields: object, name: string) => (fields as Record<string, unknown>)[name] // as: reading a field by its name
