/**
 * The account page of a person, `{issuer}/account`: profile, sign-in methods, sessions, connected applications, export and deletion.
 *
 * Each change begins here: `beginChange` finds the session that the page named, checks the form, and leads a sensitive change through a
 * sign-in of the same account. The endpoints decide the change by one batch, in which `holdUser` and `holdFreshSession` fail where the
 * session ended in the meantime. `screens.ts` builds the pages, `notice.ts` sends the mails.
 */
import { UserId } from '@ostiary/contract/ids.ts'
import { reason } from '../../../base/reason.ts'
import { refusal } from '../../../base/refusal.ts'
import { byUser, originOf } from '../../../domain/events/origin.ts'
import type { Origin } from '../../../domain/events/store.ts'
import { findUser } from '../../../domain/users/store.ts'
import { type AccountAction, type AccountNotice, account_actions, account_notices } from '../../../pages/account-actions.ts'
import { accountUrl } from '../../account-url.ts'
import { type Browser, readBrowser } from '../../browser.ts'
import { type Answer, header, type OidcCall, type OidcServices, redirect, refused } from '../../call.ts'
import { formProblem, formRefusals } from '../../form-token.ts'
import { sessionEnded } from '../../hosted-page.ts'
import { isFreshlySignedIn } from '../shared/fresh-sign-in.ts'
import { hasRoomForChange, type OwnUser, too_many_changes } from '../shared/notice.ts'
import { wasPressed, withPress } from '../shared/press.ts'
import { showPlace } from './screens.ts'

/** A person at their own account page. */
export interface OwnAccount {
  browser: Browser
  session: Browser['sessions'][number]
  user: OwnUser
}

/** Whether the person signs in again before this action. */
export const needsSignIn = async (
  services: OidcServices,
  call: OidcCall,
  action: AccountAction | null,
  session: Browser['sessions'][number],
) => action !== null && account_actions[action].is_sensitive && !(await isFreshlySignedIn(services, call, session))

export async function findOwnUser({ db }: OidcServices, { issuer }: OidcCall, user_id: string): Promise<OwnUser | null> {
  const user = await findUser(db, issuer.environment_id, user_id)
  return user && user.email !== null ? { ...user, email: user.email } : null
}

/** In characters. An id has 30, so a text that is cut is not an id. */
const longest_id = 100

/** The object that the form is about. */
const objectOf = ({ form }: OidcCall): string | null => (form?.get('id') ?? '').slice(0, longest_id) || null

/**
 * Finds the account that the page of the form named: another window may have changed the current one. `page` is the page of the action,
 * `null` for a button of the account page itself.
 */
export async function beginChange(
  services: OidcServices,
  call: OidcCall,
  page: AccountAction | null,
): Promise<OwnAccount | { answer: Answer }> {
  const browser = await readBrowser(services, call)
  const user_id = UserId.safeParse(call.form?.get('user')).data ?? null
  const session = browser.sessions.find((candidate) => candidate.user_id === user_id)
  const user = session ? await findOwnUser(services, call, session.user_id) : null
  const id = objectOf(call)
  const back = accountUrl(call, page === null ? {} : { action: page, id, user: user_id })
  if (!session || !user) return { answer: sessionEnded(call, back) }
  call.subject.user_id = user.id
  const own = { browser, session, user }
  const problem = formProblem(services, call, browser)
  if (problem) return { answer: refused(await showPlace(services, call, own, { action: page, id, problem }), formRefusals[problem]) }
  if (await needsSignIn(services, call, page, session)) return { answer: refused(redirect(back), sign_in_needed) }
  return own
}

/**
 * The same for a change that is limited: an account makes at most ten such changes in an hour. The next one is refused with words. `id` of
 * the object stays in the form.
 */
export async function beginCountedChange(
  services: OidcServices,
  call: OidcCall,
  page: AccountAction,
): Promise<OwnAccount | { answer: Answer }> {
  const own = await beginChange(services, call, page)
  if ('answer' in own) return own
  if (await hasRoomForChange(services, call, own.user)) return own
  return { answer: await tooManyChanges(services, call, own, { action: page, id: objectOf(call) }) }
}

export async function tooManyChanges(
  services: OidcServices,
  call: OidcCall,
  own: OwnAccount,
  { action, id = null }: { action: AccountAction; id?: string | null },
): Promise<Answer> {
  return refused(await showPlace(services, call, own, { action, id, problem: 'too_many_changes' }), too_many_changes)
}

export const sign_in_needed = refusal(
  'login_required',
  reason`The change needs a sign-in of the last 10 minutes, with every factor of the account.`,
)

/** Returns to the page of this account, which says what has happened. */
export const done = (call: OidcCall, own: OwnAccount, notice: AccountNotice): Answer => redirect(doneUrl(call, own, notice))

/** Names the account where another person is the current one of the browser. */
const doneUrl = (call: OidcCall, { browser, session, user }: OwnAccount, notice: AccountNotice): string =>
  accountUrl(call, { done: notice, user: browser.sessions[0] === session ? null : user.id })

/** The same for a browser that comes back from another site: the mark shows that the link is not one of that site. */
export function doneElsewhere(services: OidcServices, call: OidcCall, own: OwnAccount, notice: AccountNotice): Answer {
  const [page = '', query = ''] = doneUrl(call, own, notice).split('?')
  return redirect(`${page}?${withPress(services, call, query, own.session.id)}`)
}

/** A link of another site shows no notice. */
export function noticeOf(services: OidcServices, call: OidcCall, { id }: OwnAccount['session']): AccountNotice | null {
  const is_own = (header(call, 'sec-fetch-site') ?? 'same-origin') === 'same-origin'
  if (!is_own && !wasPressed(services, call, call.query, id)) return null
  const said = new URLSearchParams(call.query).get('done')
  return account_notices.find((notice) => notice === said) ?? null
}

/** The batch of a change failed: the session has ended, or the account changed in the meantime. */
export async function changedMeanwhile(
  services: OidcServices,
  call: OidcCall,
  { session }: OwnAccount,
  place: { action: AccountAction | null; id: string | null },
): Promise<Answer> {
  const browser = await readBrowser(services, call)
  const same = browser.sessions.find(({ id }) => id === session.id)
  const user = same ? await findOwnUser(services, call, same.user_id) : null
  if (!same || !user) return sessionEnded(call, accountUrl(call))
  return refused(await showPlace(services, call, { browser, session: same, user }, { ...place, problem: 'changed' }), changed)
}

const changed = refusal('stale_version', reason`The account changed while the person was on the page, so nothing was done.`)

/** The origin of an event of the account: its person. */
export const ownOrigin = (services: OidcServices, call: OidcCall, { user }: Pick<OwnAccount, 'user'>): Origin =>
  originOf(services, byUser(user.id), call.request_id)
