/**
 * The change of a person's address (decision 0046). The new end confirms by the mailed code or its link, the old end by its
 * link, in any order and within seven days. A new address that another account has is handled the same way: its owner gets a mail without a
 * code.
 */
import { emailKey } from '../../../base/email.ts'
import { sourceOf } from '../../../base/source.ts'
import { guard, type Statement, sql } from '../../../db/db.ts'
import { waysIn } from '../../../domain/accounts/methods.ts'
import { insertEvent, type NewEvent } from '../../../domain/events/store.ts'
import { waitOfAddress } from '../../../domain/mail/address-limit.ts'
import { endEverythingElse } from '../../../domain/sessions/endings.ts'
import { accountOf } from '../../../domain/users/attempts.ts'
import { codeStatements } from '../../../domain/users/code-mail.ts'
import {
  confirmEnd,
  type EmailChange,
  type End,
  findEmailChange,
  insertEmailChange,
  takeEmailChange,
} from '../../../domain/users/email-changes.ts'
import { endChangeCodes, holdAddress } from '../../../domain/users/mailed-codes.ts'
import { aboutUser, findCredential, updateUser } from '../../../domain/users/store.ts'
import { admitsDomain } from '../../../protocol/sign-up.ts'
import type { OidcCall, OidcServices } from '../../call.ts'
import { deviceOf } from '../../device.ts'
import { pageContext } from '../../hosted-page.ts'
import { fixedCodeOf } from '../../issuer.ts'
import { knownDevice } from '../../known-browser.ts'
import { holdFreshSession } from '../shared/fresh-sign-in.ts'
import { countChange, type OwnUser } from '../shared/notice.ts'
import { findOwnUser, type OwnAccount, ownOrigin } from './gate.ts'

/** The ends that have not confirmed. An unproven old address belongs to nobody, so its confirmation is not needed. */
function missingEnds(user: Pick<OwnUser, 'email_verified'>, change: EmailChange): End[] {
  const needs_old = user.email_verified && change.old_confirmed_at === null
  return [...(change.new_confirmed_at === null ? (['new'] as const) : []), ...(needs_old ? (['old'] as const) : [])]
}

/**
 * Begins a change, and mails both ends. Over a limit of emailed codes it begins without a mail, so that the page is the same. False: the
 * account changed in the meantime.
 */
export async function beginEmailChange(services: OidcServices, call: OidcCall, own: OwnAccount, email: string): Promise<boolean> {
  const { user, session } = own
  const { now } = call
  const { environment_id } = call.issuer
  const event = { type: 'user.updated', user_id: user.id, data: { changed: ['pending_email'] } } as const
  const about = [aboutUser(environment_id, user.id), ...countChange(call, user)]
  const begin = [
    ...insertEmailChange(environment_id, user.id, { email, session_id: session.id }, now),
    raiseVersion(user, now),
    holdFreshSession(call, session),
    insertEvent(environment_id, ownOrigin(services, call, own), event, now),
  ]
  const mails = await mailEnds(services, call, own, { new_email: email, ends: ['new', 'old'] })
  const held = holdAddresses(environment_id, [email, user.email], now)
  const ended = endChangeCodes(environment_id, user.id, now)
  if (await services.db.of(environment_id).batch([...about, ...held, ended, ...mails, ...begin])) return true
  await waitOfAddress(services, environment_id, { to: email }, now)
  return (await services.db.of(environment_id).batch([...about, ended, ...begin])) !== null
}

/** Mails the ends that have not confirmed once more, if the limits allow it. */
export async function remindEnds(services: OidcServices, call: OidcCall, own: OwnAccount, change: EmailChange): Promise<void> {
  const { environment_id } = call.issuer
  const { user, session } = own
  const ends: End[] = missingEnds({ email_verified: true }, change)
  const held = holdAddresses(environment_id, [change.email, user.email], call.now)
  const ended = endChangeCodes(environment_id, user.id, call.now)
  const mails = await mailEnds(services, call, own, { new_email: change.email, ends })
  await services.db.of(environment_id).batch([holdUnchanged(user), ...held, ended, ...mails, holdFreshSession(call, session)])
}

/** Ends the change. `spent` is the use of a link, `hold` keeps the session. False: the account changed in the meantime. */
export async function cancelEmailChange(
  services: OidcServices,
  call: OidcCall,
  user: OwnUser,
  { spent = [], hold = [] }: { spent?: readonly Statement[]; hold?: readonly Statement[] },
): Promise<boolean> {
  const { environment_id } = call.issuer
  const event = { type: 'user.updated', user_id: user.id, data: { changed: ['pending_email'] } } as const
  const ended = await services.db
    .of(environment_id)
    .batch([
      aboutUser(environment_id, user.id),
      ...spent,
      endChangeCodes(environment_id, user.id, call.now),
      guard(sql`delete from email_changes where environment_id = ${environment_id} and user_id = ${user.id}`),
      raiseVersion(user, call.now),
      ...hold,
      insertEvent(environment_id, ownOrigin(services, call, { user }), event, call.now),
    ])
  return ended !== null
}

/** Where a confirmation led: the other end is missing, the address is changed, or nothing happened. */
export type Confirmed = 'waits' | 'changed' | 'failed'

interface Confirmation {
  end: End
  /** The address that the code or link was mailed about. */
  new_email: string
  /** The use of the code or link. */
  spent: Statement
  /** The session in which the code was entered. A link has none, and then the session that asked for the change stays. */
  session: OwnAccount['session'] | null
}

/** Both ends may confirm at once. */
const most_attempts = 3

/**
 * Confirms one end of the change. The last end changes the address. Of several accounts that change to one address one succeeds; the
 * change of the others ends.
 */
export async function confirmEmailChange(
  services: OidcServices,
  call: OidcCall,
  user_id: string,
  confirmation: Confirmation,
): Promise<Confirmed> {
  const { environment_id } = call.issuer
  for (let attempt = 1; attempt <= most_attempts; attempt++) {
    const user = await findOwnUser(services, call, user_id)
    const change = user && (await findEmailChange(services.db, environment_id, user.id, call.now))
    if (!user || !change || user.blocked_at !== null || !isSameAddress(change.email, confirmation.new_email)) return 'failed'
    if (!admitsDomain(call.issuer.settings.sign_up, change.email)) return 'failed' // since it began
    const waits = missingEnds(user, change).some((missing) => missing !== confirmation.end)
    const statements = waits
      ? waitForOther(call, user, change, confirmation)
      : changeAddress(services, call, user, { ...confirmation, change })
    if (await services.db.of(environment_id).batch([aboutUser(environment_id, user.id), ...statements])) return waits ? 'waits' : 'changed'
    const taken = waits ? null : await findCredential(services.db, environment_id, change.email)
    if (taken && taken.id !== user.id) {
      await cancelEmailChange(services, call, user, {})
      return 'failed'
    }
  }
  return 'failed'
}

const waitForOther = (call: OidcCall, user: OwnUser, change: EmailChange, { end, spent, session }: Confirmation): Statement[] => [
  spent,
  confirmEnd(user, change, end, call.now),
  holdUnchanged(user),
  ...(session ? [holdFreshSession(call, session)] : []),
]

function changeAddress(
  services: OidcServices,
  call: OidcCall,
  user: OwnUser,
  { change, spent, session }: Confirmation & { change: EmailChange },
): Statement[] {
  const { environment_id } = call.issuer
  const { now } = call
  const origin = () => ownOrigin(services, call, { user })
  const verified = user.email_verified ? [] : ['email_verified']
  const events: NewEvent[] = [
    { type: 'user.updated', user_id: user.id, data: { changed: ['email', ...verified, 'pending_email'] } },
    ...verified.map((): NewEvent => ({ type: 'user.email_verified', user_id: user.id, data: { email: change.email } })),
  ]
  const kept = { id: session?.id ?? change.session_id, user_id: user.id }
  return [
    spent,
    ...takeEmailChange(environment_id, user.id, change, now),
    ...updateUser(user, { ...user, email: change.email, email_verified: true }, undefined, now),
    ...(session ? [holdFreshSession(call, session)] : []),
    ...endEverythingElse(environment_id, kept, { by: 'address_changed', origin: origin() }, now),
    ...events.map((event) => insertEvent(environment_id, origin(), event, now)),
  ]
}

export const isSameAddress = (one: string, other: string): boolean => emailKey(one) === emailKey(other)

/** Fails as a guard if the user changed since it was read, or is blocked. */
const holdUnchanged = ({ environment_id, id, version }: OwnUser): Statement =>
  guard(sql`update users set updated_at = updated_at
    where environment_id = ${environment_id} and id = ${id} and version = ${version} and blocked_at is null`)

const raiseVersion = ({ environment_id, id, version }: OwnUser, now: Date): Statement =>
  guard(sql`update users set version = version + 1, updated_at = ${now}
    where environment_id = ${environment_id} and id = ${id} and version = ${version} and blocked_at is null`)

/** In the order of their keys, since two changes can be between the same addresses. */
const holdAddresses = (environment_id: OidcCall['issuer']['environment_id'], emails: readonly string[], now: Date): Statement[] =>
  [...new Set(emails.map(accountOf))].sort().map((account) => holdAddress(environment_id, account, now))

/** Counts the mails against the limits of emailed codes of their addresses, by guards of the statements. */
async function mailEnds(
  services: OidcServices,
  call: OidcCall,
  { browser, user }: OwnAccount,
  { new_email, ends }: { new_email: string; ends: readonly End[] },
): Promise<Statement[]> {
  const { environment_id, url } = call.issuer
  const { texts, locale } = pageContext(call)
  const [old, taken] = await Promise.all([
    findCredential(services.db, environment_id, user.email),
    findCredential(services.db, environment_id, new_email),
  ])
  const ways = await waysIn(services.db, { environment_id, id: taken?.id ?? '' }, call.issuer.settings.sign_in, texts.ways_in)
  const device = deviceOf(call)
  const is_outside = !admitsDomain(call.issuer.settings.sign_up, new_email)
  const asked = {
    environment_id,
    user_id: user.id,
    browser: browser.form_seed,
    source: sourceOf(call.ip),
    fixed_code: fixedCodeOf(call.issuer),
    is_decoy: false,
    has_link: true,
    locales: [user.locale, locale].filter((tag) => tag !== null).join(' '),
    request_id: call.request_id,
    issuer_url: url,
  }
  const marked = { user_id: user.id, email: user.email, password_hash: old?.password_hash ?? null }
  const statements = ends.map((end) =>
    end === 'old'
      ? codeStatements(
          services,
          {
            ...asked,
            kind: 'change_email_notice',
            payload: { email: user.email, new_email },
            is_known: knownDevice(services, call, browser, marked) !== null,
            letter: ({ link, expires_at }) => ({ kind: 'change_email_notice', new_email, link, expires_at, device }),
            has_code: false,
            to: user.email,
          },
          call.now,
        )
      : codeStatements(
          services,
          {
            ...asked,
            kind: 'change_email',
            payload: { email: new_email, new_email },
            // The events of this person must not tell whether the address has an account.
            mail_user_id: taken?.id ?? null,
            is_known: false,
            letter: ({ code, link, expires_at }) =>
              taken
                ? { kind: 'existing_account', asked_for: 'change_email', ways, expires_at, device }
                : is_outside
                  ? { kind: 'sign_up_refused', expires_at, device }
                  : { kind: 'change_email', code, link, expires_at, device },
            is_decoy: taken !== null && taken.blocked_at !== null,
            has_code: taken === null && !is_outside,
            has_link: taken === null && !is_outside,
            to: taken?.email ?? new_email,
          },
          call.now,
        ),
  )
  return (await Promise.all(statements)).flat()
}
