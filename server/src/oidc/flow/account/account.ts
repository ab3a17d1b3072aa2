/** The account page. `gate.ts` says how a change begins. */
import { asksForSignUp } from '../../../protocol/sign-up.ts'
import { accountUrl } from '../../account-url.ts'
import { readBrowser } from '../../browser.ts'
import { type OidcEndpoint, redirect } from '../../call.ts'
import { mayCreateAccount } from '../shared/new-account.ts'
import { no_problems, showAccounts, showRefusedAgain, showSignIn, showSignUp } from '../shared/screens.ts'
import { accountVisit } from '../shared/visit.ts'
import { findOwnUser, needsSignIn, noticeOf } from './gate.ts'
import { showAccountPage, showPlace } from './screens.ts'

/** For people who type the address of the issuer. */
export const leadToAccount: OidcEndpoint = async (_, call) => redirect(accountUrl(call))

/** For password managers (A Well-Known URL for Changing Passwords §2). Without passwords there is only the account page. */
export const leadToPasswordChange: OidcEndpoint = (_, call) =>
  redirect(accountUrl(call, { action: call.issuer.settings.sign_in.password ? 'change-password' : null }))

export const showAccount: OidcEndpoint = async (services, call) => {
  const browser = await readBrowser(services, call)
  const visit = accountVisit(call.query, browser)
  const again = await showRefusedAgain(services, call, visit)
  if (again) return again
  const { prompt } = visit.request
  const { action, id, user_id } = visit.account
  const nothing = { problem: null, wait_seconds: null }
  if (prompt.includes('select_account') && browser.sessions.length > 0) return showAccounts(services, call, visit, null)
  if (prompt.includes('create') && mayCreateAccount(call, visit, null) && asksForSignUp(call.issuer.settings))
    return showSignUp(services, call, visit, { email: '', name: '', problems: no_problems, refusal: null, wait_seconds: null })

  const session = browser.sessions.find((candidate) => user_id === null || candidate.user_id === user_id)
  const user = session ? await findOwnUser(services, call, session.user_id) : null
  if (!session || !user || prompt.includes('login')) {
    const email = user_id !== null && session ? session.email : ''
    return showSignIn(services, call, visit, { email, ...nothing })
  }
  call.subject.user_id = user.id
  if (await needsSignIn(services, call, action, session)) {
    // Only a sign-in of this account leads to the change, and a provider asks the person again.
    const again = accountVisit(new URL(accountUrl(call, { action: action ?? '', id, user: user.id, prompt: 'login' })).search, browser)
    return showSignIn(services, call, again, { email: session.email, ...nothing })
  }
  const own = { browser, session, user }
  return action === null
    ? showAccountPage(services, call, own, { notice: noticeOf(services, call, session), problem: null })
    : showPlace(services, call, own, { action, id, problem: null })
}
