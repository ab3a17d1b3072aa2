/** Asks for the mail with which a person chooses a new password and sets that password. */
import type { EnvironmentId } from '@ostiary/contract/ids.ts'
import { digestOf } from '../../base/digest.ts'
import { guard, type Statement, sql } from '../../db/db.ts'
import type { Deployment } from '../../deployment/deployment.ts'
import { byUser, originOf } from '../events/origin.ts'
import { insertEvent } from '../events/store.ts'
import { mailStatements } from '../mail/send.ts'
import type { Device } from '../mail/texts/notice.ts'
import { endEverything } from '../sessions/endings.ts'
import { codeStatements, type Payload } from '../users/code-mail.ts'
import { type CodeRow, codeExpiry, endCodesOf, spendCode } from '../users/mailed-codes.ts'
import { aboutUser } from '../users/store.ts'
import { isProven, type Owner, proveFromOutside } from './address-proof.ts'
import { type WaysOn, type WayWords, waysIn } from './methods.ts'

type Services = Pick<Deployment, 'db' | 'newId' | 'secrets' | 'random' | 'config'>

export interface ResetAsked {
  environment_id: EnvironmentId
  issuer_url: string
  /** The account of the address; `null` where there is none, which is a decoy. */
  owner: Owner | null
  email: string
  /** The request that the person goes back to; `null` where a backend asks. */
  request: string | null
  browser: string | null
  source: string
  is_known: boolean
  /** The settings of the environment. */
  sign_in: WaysOn
  /** The names of the sign-in methods in the mail. */
  words: WayWords
  locales: string | null
  device: Device | null
  request_id: string | null
}

/**
 * Returns the statements that mail the link. Without a password, or where passwords are off, the mail says how the person signs in. An
 * owner who never proved the address gets the link, which proves it. Where the account has no password yet and its backend asks, the mail is
 * an invitation (decision 0114).
 */
export async function resetStatements(services: Services, asked: ResetAsked, now: Date): Promise<Statement[]> {
  const { environment_id, owner, device, sign_in, words } = asked
  const ways = await waysIn(services.db, { environment_id, id: owner?.id ?? '' }, sign_in, words)
  const has_link = sign_in.password && (!isProven(owner) || owner.password_hash !== null)
  const is_first = owner !== null && owner.password_hash === null
  const is_invitation = is_first && asked.browser === null
  const to = owner?.email ?? asked.email
  return codeStatements(
    services,
    {
      ...asked,
      kind: 'reset_password',
      payload: { email: to, password_digest: digestOf(owner?.password_hash ?? ''), request: asked.request },
      user_id: owner?.id ?? null,
      fixed_code: null,
      letter: ({ link, expires_at }) =>
        has_link
          ? { kind: 'reset_password', link, expires_at, device, is_first }
          : { kind: 'existing_account', asked_for: 'reset', ways, expires_at, device },
      is_decoy: owner === null || owner.blocked_at !== null,
      has_code: false,
      has_link,
      // A person who asked for nothing does not look for the mail within the hour. The link proves the address, as that of `verify_email` does.
      ...(is_invitation ? { expires_at: codeExpiry('verify_email', now) } : {}),
      to,
    },
    now,
  )
}

/** Whether a link still resets this account: its address, its password and its state are those of the request. */
export function canReset(owner: Owner | null, row: CodeRow, { password_digest }: Payload): owner is Owner {
  return owner !== null && owner.id === row.user_id && owner.blocked_at === null && password_digest === digestOf(owner.password_hash ?? '')
}

export interface Reset {
  environment_id: EnvironmentId
  /** Whether an account that begins by the proof waits for an approval. */
  waits: boolean
  row: CodeRow
  owner: Owner
  password_hash: string
  device: Device
  locales: string
  request_id: string
}

/**
 * Sets the password, proves the address, and ends every session and grant, in one batch. The second factor of a proven account stays.
 * False where the link was used or the account changed in the meantime.
 */
export async function resetPassword(
  services: Services & { root_environment_id: EnvironmentId },
  { environment_id, waits, row, owner, password_hash, device, locales, request_id }: Reset,
  now: Date,
): Promise<boolean> {
  const { db } = services
  const proven = proveFromOutside(services, { environment_id, waits, request_id, now }, owner)
  const origin = () => originOf(services, byUser(proven.user_id), request_id)
  const current = sql`coalesce(password_hash, '') = ${proven.password_hash ?? ''}`
  const mail = { to: proven.email, user_id: proven.user_id, request_id, notice: { kind: 'password_changed' as const, device }, locales }
  const done = await db.of(environment_id).batch([
    aboutUser(environment_id, owner.id),
    spendCode(environment_id, row.id, { tried: false }, now),
    ...endCodesOf(environment_id, owner.id, now),
    ...proven.statements,
    guard(sql`update users
        set password_hash = ${password_hash}, password_set_at = ${now}, password_used_at = null, version = version + 1, updated_at = ${now}
      where environment_id = ${environment_id} and id = ${proven.user_id} and blocked_at is null and email_verified = 1 and ${current}`),
    ...endEverything(environment_id, proven.user_id, { by: 'password_reset', event: { reason: 'password_reset', origin: origin() } }, now),
    insertEvent(environment_id, origin(), { type: 'user.updated', user_id: proven.user_id, data: { changed: ['password'] } }, now),
    ...(await mailStatements(services, environment_id, mail, now)),
  ])
  return done !== null
}
