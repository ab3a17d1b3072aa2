/**
 * The page of new recovery codes. It has an address of its own and can be loaded again until the person confirms to have the codes. Only
 * the browser that got them, signed in to their account, sees them: they are sealed with its cookie.
 */
import { reason } from '../../../base/reason.ts'
import { refusal } from '../../../base/refusal.ts'
import type { Statement } from '../../../db/db.ts'
import { openForBrowser, sealForBrowser } from '../../../deployment/secrets/secrets.ts'
import { findShownCodes, insertShownCodes } from '../../../domain/sessions/shown-codes.ts'
import { recoveryCodesPage } from '../../../pages/enrolment.ts'
import type { Browser } from '../../browser.ts'
import { type Answer, type OidcCall, type OidcServices, redirect, refused } from '../../call.ts'
import { withCookies } from '../../cookies.ts'
import { formRefusals, formToken } from '../../form-token.ts'
import { html, languagesOf, message, pageContext } from '../../hosted-page.ts'
import { showStep } from '../../refused-form.ts'

type Seed = Pick<Browser, 'form_seed'>

/** For the batch that stores the codes. */
export function keepShownCodes(
  services: OidcServices,
  call: OidcCall,
  { form_seed }: Seed,
  { user_id, codes }: { user_id: string; codes: readonly string[] | null },
): Statement[] {
  if (codes === null || form_seed === null) return []
  const { environment_id } = call.issuer
  const key = keyOf(services, call, form_seed, user_id)
  const sealed = sealForBrowser(key, services.random(12), Buffer.from(codes.join(' ')), 'shown_codes')
  return [insertShownCodes(environment_id, user_id, sealed, call.now)]
}

const keyOf = ({ secrets }: OidcServices, { issuer }: OidcCall, form_seed: string, user_id: string): Buffer =>
  secrets.mac('key of shown codes', JSON.stringify([issuer.environment_id, form_seed, user_id]))

/** Leads to the page of the codes, and from there to where `next` leads. */
export function redirectToCodes(call: OidcCall, user_id: string, next: Answer): Answer {
  const { pathname, search } = new URL(String(next.headers.location))
  const query = search.slice(1)
  const request = pathname === `${new URL(call.issuer.url).pathname.replace(/\/$/, '')}/account` ? `visit=account&${query}` : query
  return withCookies(redirect(codesUrl(call, user_id, request)), [next.headers['set-cookie'] ?? []].flat())
}

const codesUrl = ({ issuer }: OidcCall, user_id: string, request: string) => `${issuer.url}/recovery-codes?of=${user_id}&${request}`

/** Reads the address of `codesUrl`. */
export function readCodesQuery(page_query: string): { user_id: string; request: string } {
  const [own = '', user_id = ''] = /^of=(usr_[0-9a-z]{26})&/.exec(page_query) ?? []
  return { user_id, request: page_query.slice(own.length) }
}

/** Shows the codes, or says that they are not shown any more. */
export async function showCodes(
  services: OidcServices,
  call: OidcCall,
  browser: Browser,
  { user_id, request, problem }: { user_id: string; request: string; problem: keyof typeof formRefusals | null },
): Promise<Answer> {
  const place = { name: 'recovery-codes', query: request, address: codesUrl(call, user_id, request) }
  const page = (shown: { problem: typeof problem }) => codesAnswer(services, call, browser, { user_id, request, ...shown })
  const answer = await showStep(services, call, browser, { place, view: { problem }, page })
  return problem === null ? answer : refused(answer, formRefusals[problem])
}

type CodesStep = Parameters<typeof showCodes>[3]

async function codesAnswer(
  services: OidcServices,
  call: OidcCall,
  browser: Browser,
  { user_id, request, problem }: CodesStep,
): Promise<Answer> {
  const codes = await openCodes(services, call, browser, user_id)
  if (codes === null) return message(call, 'codes_gone', codes_gone)
  call.subject.user_id = user_id
  const { csrf, set_cookie } = formToken(services, call, browser)
  const context = pageContext(call, languagesOf(request), codesUrl(call, user_id, request))
  return withCookies(html(recoveryCodesPage(context, { csrf, request, user_id, codes, problem })), set_cookie)
}

async function openCodes(services: OidcServices, call: OidcCall, browser: Browser, user_id: string): Promise<string[] | null> {
  const { form_seeds, sessions } = browser
  if (form_seeds.length === 0 || !sessions.some((session) => session.user_id === user_id)) return null
  const sealed = await findShownCodes(services.db, call.issuer.environment_id, user_id, call.now)
  if (sealed === null) return null
  for (const { seed } of form_seeds) {
    const opened = openForBrowser(keyOf(services, call, seed, user_id), sealed, 'shown_codes')
    if (opened) return opened.toString('utf8').split(' ')
  }
  return null
}

const codes_gone = refusal(
  'form_expired',
  reason`The recovery codes were confirmed, are older than 10 minutes, or belong to another browser or account.`,
)
