/** The page of a form of the account page, and its place. */
import type { AccountAction } from '../../../pages/account-actions.ts'
import type { Page, PageContext } from '../../../pages/layout.ts'
import { accountUrl } from '../../account-url.ts'
import type { Answer, OidcCall, OidcServices } from '../../call.ts'
import { withCookies } from '../../cookies.ts'
import { formToken } from '../../form-token.ts'
import { accountContext, html } from '../../hosted-page.ts'
import { type ShownAgain, type StepPlace, showStep } from '../../refused-form.ts'
import { afterWait } from '../shared/screens.ts'
import type { OwnAccount } from './gate.ts'

/** A page with the form token of the browser. Where its form is refused, the page shows `view` again. */
export function withForm<V extends ShownAgain>(
  services: OidcServices,
  call: OidcCall,
  { browser, user, action, id = null, view }: OwnAccount & { action: AccountAction; id?: string | null; view: V },
  pageOf: (context: PageContext, form: { csrf: string; user_id: string }, view: V) => Page,
): Answer {
  const page = (shown: V) => {
    const { csrf, set_cookie } = formToken(services, call, browser)
    const answer = html(pageOf(accountContext(call, { action, id, user: user.id }), { csrf, user_id: user.id }, shown))
    return afterLimit(withCookies(answer, set_cookie), shown)
  }
  return showStep(services, call, browser, { place: placeOf(call, user.id, { action, id }), view, page })
}

/** The place of a page of this account. */
export const placeOf = (call: OidcCall, user: string, { action, id }: { action: AccountAction | null; id: string | null }): StepPlace => ({
  name: `account ${action ?? ''}`,
  query: JSON.stringify([user, id]),
  address: accountUrl(call, { action, id, user }),
})

/** RFC 9110 §10.2.3: Retry-After, where a limit was reached. */
export const afterLimit = (answer: Answer, { problem, wait_seconds }: ShownAgain): Answer =>
  afterWait(answer, typeof wait_seconds === 'number' ? wait_seconds : problem === 'too_many_changes' ? 3_600 : null)
