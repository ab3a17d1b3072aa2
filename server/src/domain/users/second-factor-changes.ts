/**
 * Changes that people make to their second factors, each with its event and its mail. A sign-in adds the first app (`addTotp`); the
 * account page uses the other functions, after a sign-in that is fresh enough.
 */
import { guard, type Statement, sql } from '../../db/db.ts'
import type { Deployment } from '../../deployment/deployment.ts'
import { mailStatements } from '../mail/send.ts'
import type { Device, Notice } from '../mail/texts/notice.ts'
import { methodAdded } from './added-methods.ts'
import { newRecoveryCodes, recoveryKey } from './recovery-codes.ts'
import {
  findTotps,
  insertTotp,
  most_totps,
  type NewTotp,
  offeredTotp,
  recoveryHash,
  replaceRecoveryCodes,
  unsealTotp,
} from './second-factors.ts'
import { holdUser, type UserRow } from './store.ts'
import { base32, matchingStep, otpauthUrl, typedCode } from './totp.ts'

type Services = Pick<Deployment, 'db' | 'secrets' | 'newId' | 'random' | 'config'>
type Owner = Pick<UserRow, 'id' | 'environment_id' | 'email' | 'locale'>

/** The request that asks for a change. */
export interface Asked {
  request_id: string
  device: Device | null
  now: Date
}

/** A request of the account page. `commit` writes a change with its mail (`oidc/flow/shared/notice.ts`). */
export interface OwnChange extends Asked {
  /** Keeps new recovery codes for the page that shows them. */
  keep: (codes: readonly string[] | null) => Statement[]
  commit: (notice: Notice, statements: readonly Statement[]) => Promise<boolean>
}

/** Returns the values that the page shows for an app that the person is about to add. */
export function showOfferedTotp(brand: string, email: string, secret: Buffer): { otpauth_url: string; secret: string } {
  return { otpauth_url: otpauthUrl({ issuer: brand, account: email, secret }), secret: base32(secret) }
}

/**
 * Adds an app, and with the first one recovery codes, which are returned to be shown once. The batch fails where the number of apps is no
 * longer `before`.
 */
export async function addTotp(
  services: Services,
  user: Owner,
  totp: Omit<NewTotp, 'id'>,
  asked: Asked,
): Promise<{ statements: Statement[]; codes: string[] | null }> {
  const { statements, codes, notice } = enrolment(services, user, totp, asked)
  return { statements: [...statements, ...(await noticeMail(services, user, notice, asked))], codes }
}

function enrolment(services: Services, user: Owner, totp: Omit<NewTotp, 'id'>, asked: Asked) {
  const id = services.newId('mth')
  const codes = totp.before === 0 ? newRecoveryCodes(services.random) : null
  const { event, notice } = methodAdded(services, user, { type: 'totp', name: null, id }, asked)
  return {
    codes,
    notice,
    statements: [
      ...insertTotp(services, user, { id, ...totp }, asked.now),
      ...(codes ? storeCodes(services, user, { id: services.newId('mth'), codes }, asked.now) : []),
      event,
    ],
  }
}

/**
 * The account page: the app that a form offers. `nonce` is a random text in the form; of the same text and session the offer is
 * the same.
 */
export const offerTotp = (services: Services, user: Owner, { session_id, nonce }: { session_id: string; nonce: string }): Buffer =>
  offeredTotp(services, user.environment_id, user.id, JSON.stringify([session_id, nonce]))

/**
 * The account page: adds the offered app when its code is right. `codes` are the recovery codes that come with the first app.
 * `changed`: another request changed the apps at the same time.
 */
export async function confirmTotp(
  services: Services,
  user: Owner,
  offer: { session_id: string; nonce: string; code: string },
  asked: OwnChange,
): Promise<{ added: true; codes: string[] | null } | { added: false; why: 'wrong_code' | 'too_many' | 'changed' }> {
  const secret = offerTotp(services, user, offer)
  const step = matchingStep(secret, typedCode(offer.code), { last_step: 0, now: asked.now })
  if (step === null) return { added: false, why: 'wrong_code' }
  const totps = await findTotps(services.db, user.environment_id, user.id)
  // The form was sent before.
  if (totps.some((totp) => unsealTotp(services, user.environment_id, totp).equals(secret))) return { added: false, why: 'changed' }
  if (totps.length >= most_totps) return { added: false, why: 'too_many' }
  const { statements, codes, notice } = enrolment(services, user, { secret, step, before: totps.length }, asked)
  const added = await asked.commit(notice, [...statements, ...asked.keep(codes)])
  return added ? { added: true, codes } : { added: false, why: 'changed' }
}

/** The account page: replaces the recovery codes. `null`: the person has no app that they could replace. */
export async function renewRecoveryCodes(services: Services, user: Owner, asked: OwnChange): Promise<string[] | null> {
  const { id: user_id, environment_id } = user
  const codes = newRecoveryCodes(services.random)
  const method_id = services.newId('mth')
  const hasApp = guard(sql`update users set updated_at = updated_at
    where environment_id = ${environment_id} and id = ${user_id}
      and exists (select 1 from totp_methods where environment_id = ${environment_id} and user_id = ${user_id})`)
  const { event } = methodAdded(services, user, { type: 'recovery_codes', name: null, id: method_id }, asked)
  const renewed = await asked.commit({ kind: 'recovery_codes_made', device: asked.device }, [
    holdUser(environment_id, user_id),
    hasApp,
    ...storeCodes(services, user, { id: method_id, codes }, asked.now),
    event,
    ...asked.keep(codes),
  ])
  return renewed ? codes : null
}

function storeCodes(
  services: Services,
  { environment_id, id: user_id }: Owner,
  { id, codes }: { id: string; codes: readonly string[] },
  now: Date,
): Statement[] {
  const hashes = codes.map((code) => recoveryHash(services, environment_id, user_id, recoveryKey(code) ?? ''))
  return replaceRecoveryCodes(environment_id, user_id, { id, hashes }, now)
}

/** Mails the person about an enrolment in a sign-in. */
export async function noticeMail(
  services: Services,
  { environment_id, id: user_id, email, locale }: Owner,
  notice: Notice,
  { request_id, now }: Pick<Asked, 'request_id' | 'now'>,
): Promise<Statement[]> {
  if (email === null) return []
  return mailStatements(services, environment_id, { to: email, user_id, request_id, notice, locales: locale }, now)
}
