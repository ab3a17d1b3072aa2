/** Mails the code that proves the address of an invitation to an organization. It is bound to the invitation and to the browser that asks. */
import { digestOf } from '../../../base/digest.ts'
import { sourceOf } from '../../../base/source.ts'
import { findOwner } from '../../../domain/accounts/address-proof.ts'
import type { SessionRow } from '../../../domain/sessions/sessions.ts'
import { accountOf } from '../../../domain/users/attempts.ts'
import { requestCode } from '../../../domain/users/code-mail.ts'
import { type CodeRow, findCodeOfBrowser } from '../../../domain/users/mailed-codes.ts'
import { withSession } from '../../../protocol/next-step.ts'
import { type Answer, type OidcCall, type OidcServices, redirect } from '../../call.ts'
import { deviceOf } from '../../device.ts'
import { pageContext } from '../../hosted-page.ts'
import { fixedCodeOf } from '../../issuer.ts'
import { knownDevice } from '../../known-browser.ts'
import { stepQuery } from '../../step-token.ts'
import type { OfferVisit } from '../shared/visit.ts'

const seedOf = ({ browser, invitation }: OfferVisit): string => `${browser.form_seed ?? ''}.${invitation.id}`

/** The answer is the same whether an account has the address, and whether a limit is reached. */
export async function sendInvitationCode(
  services: OidcServices,
  call: OidcCall,
  visit: OfferVisit & { session: SessionRow | null },
): Promise<Answer> {
  const { issuer, now, request_id } = call
  const { environment_id, url: issuer_url } = issuer
  const { browser, invitation, request, session, query } = visit
  const { email, organization_name } = invitation
  const owner = await findOwner(services.db, environment_id, email)
  const marked = { user_id: owner?.id ?? '', email, password_hash: owner?.password_hash ?? null }
  await requestCode(
    services,
    {
      environment_id,
      kind: 'invitation',
      payload: { email },
      user_id: null,
      browser: seedOf(visit),
      source: sourceOf(call.ip),
      is_known: knownDevice(services, call, browser, marked) !== null,
      fixed_code: fixedCodeOf(issuer),
      letter: ({ code, expires_at }) => ({
        kind: 'organization_invitation_code',
        code,
        organization_name,
        expires_at,
        device: deviceOf(call),
      }),
      is_decoy: false,
      has_code: true,
      has_link: false,
      to: email,
      locales: pageContext(call, request.ui_locales).locale,
      request_id,
      issuer_url,
    },
    now,
  )
  const own = session === null ? query : withSession(query, session.id)
  return redirect(invitationCodeUrl(services, call, visit, own))
}

export const invitationCodeUrl = (services: OidcServices, call: OidcCall, { browser, invitation }: OfferVisit, query: string): string =>
  `${call.issuer.url}/invitation-code?${stepQuery(services, call, browser, { page: 'code', email: invitation.email })}&${query}`

/** The code that this browser waits for. */
export const findInvitationCode = ({ db }: OidcServices, call: OidcCall, visit: OfferVisit): Promise<CodeRow | null> =>
  findCodeOfBrowser(
    db,
    call.issuer.environment_id,
    { kind: 'invitation', account: accountOf(visit.invitation.email), browser: digestOf(seedOf(visit)) },
    call.now,
  )
