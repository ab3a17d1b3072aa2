/**
 * The offer of a passkey, between a sign-in by another method and the code. It is made where the script of the sign-in page has found
 * that the browser can use passkeys, so no other browser is stopped by a page that it cannot use.
 */
import type { Refusal } from '../../../base/refusal.ts'
import { listPasskeys } from '../../../domain/passkeys/store.ts'
import type { SessionRow } from '../../../domain/sessions/sessions.ts'
import { automaticPasskeyPage, type OfferPasskeyView, offerPasskeyPage } from '../../../pages/offer-passkey.ts'
import { type Answer, type OidcCall, type OidcServices, refused } from '../../call.ts'
import { withCookies } from '../../cookies.ts'
import { formToken } from '../../form-token.ts'
import { html, pageContext } from '../../hosted-page.ts'
import { showStep } from '../../refused-form.ts'
import type { Authorization } from '../shared/begin.ts'
import { continueUrl } from '../shared/continue.ts'
import { isFreshlySignedIn } from '../shared/fresh-sign-in.ts'
import { relyingPartyOf } from '../shared/passkey-ceremony.ts'
import { beginEnrolment, mayCreateItself } from './passkey-enrolment.ts'

/** The page, where this session gets the offer now; `null` where the request continues. */
export async function passkeyOffer(
  services: OidcServices,
  call: OidcCall,
  interaction: Authorization,
  session_id: string,
): Promise<Answer | null> {
  const { browser, request } = interaction
  const by_itself = await automaticOffer(services, call, interaction, session_id)
  if (by_itself) return by_itself
  if (!browser.takes_offers || request.prompt.includes('none') || !relyingPartyOf(call)) return null
  const session = browser.sessions.find(({ id }) => id === session_id)
  if (!session || session.amr.some((word) => word === 'hwk' || word === 'swk') || !(await isFreshlySignedIn(services, call, session)))
    return null
  if ((await listPasskeys(services.db, call.issuer.environment_id, session.user_id)).length > 0) return null
  return showOffer(services, call, { ...interaction, session }, null)
}

/** The page on which the browser creates a passkey by itself, without asking the person; `null` where it may not, or cannot. */
async function automaticOffer(
  services: OidcServices,
  call: OidcCall,
  { browser, request, query }: Authorization,
  session_id: string,
): Promise<Answer | null> {
  if (!browser.creates_passkeys || request.prompt.includes('none')) return null
  const session = browser.sessions.find(({ id }) => id === session_id)
  if (!session || !(await mayCreateItself(services, call, session))) return null
  const options = await beginEnrolment(services, call, session, 'automatic')
  if (options === null) return null
  const { csrf, set_cookie } = formToken(services, call, browser)
  const ceremony = { kind: 'create' as const, options, able_cookie: null, removed: null }
  const context = pageContext(call, request.ui_locales, continueUrl(call, query))
  const view = { csrf, request: query, session_id: session.id, ceremony }
  return withCookies(html(automaticPasskeyPage(context, view)), set_cookie)
}

/** `null` where the user can add no passkey. */
export async function showOffer(
  services: OidcServices,
  call: OidcCall,
  interaction: Offered,
  problem: { problem: NonNullable<OfferPasskeyView['problem']>; refusal: Refusal } | null,
): Promise<Answer | null> {
  const { query, browser, session } = interaction
  const options = call.method === 'POST' ? '' : await beginEnrolment(services, call, session)
  if (options === null) return null
  const place = { name: 'offer-passkey', query, address: continueUrl(call, query) }
  const view: Pick<OfferPasskeyView, 'problem'> = { problem: problem?.problem ?? null }
  const page = (shown: typeof view) => offerAnswer(services, call, interaction, { options, ...shown })
  const answer = showStep(services, call, browser, { place, view, page })
  return problem ? refused(answer, problem.refusal) : answer
}

type Offered = Pick<Authorization, 'query' | 'request' | 'browser'> & { session: SessionRow }

function offerAnswer(
  services: OidcServices,
  call: OidcCall,
  { query, request, browser, session }: Offered,
  { options, problem }: { options: string } & Pick<OfferPasskeyView, 'problem'>,
): Answer {
  const { csrf, set_cookie } = formToken(services, call, browser)
  const page = offerPasskeyPage(pageContext(call, request.ui_locales, continueUrl(call, query)), {
    csrf,
    request: query,
    session_id: session.id,
    ceremony: { kind: 'create', options, able_cookie: null, removed: null },
    problem,
  })
  return withCookies(html(page), set_cookie)
}
