/**
 * Changes an account when its address is proved (decision 0041). The owner of the address proves it from outside the account by a code, a
 * reset or a provider. The account may be a trap: another person may have created it with this address, to wait for its owner with a
 * password, a passkey or a session that stays valid.
 *
 * - An account that a backend or an import created is handed over: it keeps `sub`, profile and metadata, and loses what could have been
 *   planted.
 * - An account that began by self-registration, and every account of administrators, is not. Its address goes to a new account, and it
 *   keeps its id and its memberships but has no way in.
 */
import type { EnvironmentId, UserId } from '@ostiary/contract/ids.ts'
import { z } from 'zod'
import { emailKey } from '../../base/email.ts'
import { type Db, guard, type Statement, sql } from '../../db/db.ts'
import type { Deployment } from '../../deployment/deployment.ts'
import { bySystem, originOf } from '../events/origin.ts'
import { insertEvent, type NewEvent } from '../events/store.ts'
import { endConsents, endEverything } from '../sessions/endings.ts'
import { keepChangedFindable, keepFindable } from '../users/findable.ts'
import { endCodesOf } from '../users/mailed-codes.ts'
import { createAccount } from './create-account.ts'
import { removeAllMethods } from './methods.ts'

const Owner = z.object({
  id: z.custom<UserId>(),
  email: z.string(),
  email_verified: z.boolean(),
  self_registered: z.boolean(),
  password_hash: z.string().nullable(),
  blocked_at: z.date().nullable(),
  deletes_at: z.date().nullable(),
  locale: z.string().nullable(),
  name: z.string().nullable(),
  given_name: z.string().nullable(),
  family_name: z.string().nullable(),
  nickname: z.string().nullable(),
  preferred_username: z.string().nullable(),
  phone_number: z.string().nullable(),
  version: z.int(),
})
/** The account that has an address. */
export type Owner = z.infer<typeof Owner>

/**
 * Whether an address belongs to a person who proved it. Sign-up, reset, codes and providers ask here and nowhere else: an owner who never
 * proved it may be a trap, so the mail proves it and never says that there is an account.
 */
export const isProven = (owner: Owner | null): owner is Owner & { email_verified: true } => owner?.email_verified === true

export function findOwner(db: Db, environment_id: EnvironmentId, email: string): Promise<Owner | null> {
  return db.of(environment_id).maybeOne(
    Owner,
    sql`select id, sub, email, email_verified, self_registered, password_hash, blocked_at, deletes_at, locale, name, given_name, family_name, nickname, preferred_username, phone_number,
                version
          from users where environment_id = ${environment_id} and email_key = ${emailKey(email)}`,
  )
}

type Services = Pick<Deployment, 'newId'> & { root_environment_id: EnvironmentId }

/** Where the proof came from. */
export interface ProofCall {
  environment_id: EnvironmentId
  /** Whether an account that begins by the proof waits for an approval. */
  waits: boolean
  request_id: string | null
  now: Date
}

/** The account that the proving person has after the batch. */
export interface Proven {
  user_id: UserId
  email: string
  password_hash: string | null
  /** The statements remove the second factors, so the sign-in asks for none. */
  loses_factors: boolean
  /** The account is new and waits for an approval. */
  waits: boolean
  statements: Statement[]
}

/** The values that the proving person typed at the sign-up page. */
export interface Chosen {
  name: string | null
  password_hash: string | null
}

const nothing_chosen: Chosen = { name: null, password_hash: null }

/**
 * The address is proven from outside. Each case is one batch, which begins with `aboutUser` of the owner: the guards fail where the account
 * changed after it was read.
 */
export function proveFromOutside(services: Services, call: ProofCall, owner: Owner, chosen: Chosen = nothing_chosen): Proven {
  const { id: user_id, email, password_hash } = owner
  if (isProven(owner)) return { user_id, email, password_hash, loses_factors: false, waits: false, statements: [] }
  const is_handed_over = !owner.self_registered && call.environment_id !== services.root_environment_id
  return is_handed_over ? handOver(services, call, owner, chosen) : replace(services, call, owner, chosen)
}

/** Proof that began in a session of the account itself, or at the request of the backend that manages it. */
export function verifyAddress(services: Services, call: Omit<ProofCall, 'waits'>, owner: Owner): Statement[] {
  if (isProven(owner)) return []
  return [
    guard(sql`update users set email_verified = 1, version = version + 1, updated_at = ${call.now} where ${unchanged(call, owner)}`),
    eventOf(services, call, { type: 'user.email_verified', user_id: owner.id, data: { email: owner.email } }),
  ]
}

const unchanged = ({ environment_id }: Pick<ProofCall, 'environment_id'>, { id, version }: Owner) =>
  sql`environment_id = ${environment_id} and id = ${id} and version = ${version} and email_verified = 0 and blocked_at is null`

function handOver(services: Services, call: ProofCall, owner: Owner, { name, password_hash }: Chosen): Proven {
  const { id: user_id, email } = owner
  const statements = [
    ...endCodesOf(call.environment_id, owner.id, call.now),
    guard(sql`update users
        set email_verified = 1, name = coalesce(name, ${name}), password_hash = ${password_hash},
            password_set_at = ${password_hash === null ? null : call.now}, password_used_at = null, version = version + 1,
            updated_at = ${call.now}
      where ${unchanged(call, owner)}`),
    ...keepChangedFindable(call.environment_id, owner, { ...owner, name: owner.name ?? name }),
    ...loseEverything(services, call, owner),
    eventOf(services, call, {
      type: 'user.updated',
      user_id,
      data: { changed: ['email_verified', 'password', 'methods'], reason: 'address_proven' },
    }),
    eventOf(services, call, { type: 'user.email_verified', user_id, data: { email } }),
  ]
  return { user_id, email, password_hash, loses_factors: true, waits: false, statements }
}

/** `email_key` of an account without address is its id, which no address equals. */
function replace(services: Services, call: ProofCall, owner: Owner, { name, password_hash }: Chosen): Proven {
  const { now } = call
  const { email } = owner
  const account = {
    ...call,
    user: { email, email_verified: true, name, locale: owner.locale },
    password_hash,
    method: 'address_proven',
    actor: bySystem,
  }
  const { user_id, waits, statements } = createAccount(services, account, () => [
    eventOf(services, call, {
      type: 'user.updated',
      user_id: owner.id,
      data: { changed: ['email', 'password', 'methods'], reason: 'address_proven' },
    }),
  ])
  const replaced = [
    ...endCodesOf(call.environment_id, owner.id, call.now),
    guard(sql`update users
        set email = '', email_key = id, password_hash = null, password_set_at = null, password_used_at = null, version = version + 1,
            updated_at = ${now}
      where ${unchanged(call, owner)}`),
    ...keepFindable(call.environment_id, { ...owner, email: null }),
    ...loseEverything(services, call, owner),
  ]
  return { user_id, email, password_hash, loses_factors: false, waits, statements: [...replaced, ...statements] }
}

/** Sessions, grants, consents and every method but the password, which the caller removes with the row of the user. */
function loseEverything(services: Services, call: ProofCall, { id }: Owner): Statement[] {
  const { environment_id, now } = call
  return [
    ...removeAllMethods(environment_id, id, now),
    ...endConsents(environment_id, id, now),
    ...endEverything(
      environment_id,
      id,
      { by: 'address_proven', event: { reason: 'address_proven', origin: originOf(services, bySystem, call.request_id) } },
      now,
    ),
  ]
}

function eventOf(services: Services, call: Omit<ProofCall, 'waits'>, event: NewEvent): Statement {
  return insertEvent(call.environment_id, originOf(services, bySystem, call.request_id), event, call.now)
}
