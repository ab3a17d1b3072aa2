/** The page of new recovery codes, and its button: the person has kept them. */
import { UserId } from '@ostiary/contract/ids.ts'
import { deleteShownCodes } from '../../../domain/sessions/shown-codes.ts'
import { readBrowser } from '../../browser.ts'
import { asQuery, type OidcEndpoint, redirect } from '../../call.ts'
import { formProblem } from '../../form-token.ts'
import { tooLong } from '../../hosted-page.ts'
import { continueUrl } from '../shared/continue.ts'
import { keepPress } from '../shared/press.ts'
import { readCodesQuery, showCodes } from '../shared/shown-codes.ts'

export const showRecoveryCodes: OidcEndpoint = async (services, call) =>
  showCodes(services, call, await readBrowser(services, call), { ...readCodesQuery(call.query), problem: null })

export const confirmRecoveryCodes: OidcEndpoint = async (services, call) => {
  const browser = await readBrowser(services, call)
  const query = asQuery(call.form?.get('request') ?? '')
  if (query === null) return tooLong(call)
  const on = redirect(continueUrl(call, query))
  const session_id = new URLSearchParams(query).get('of_session')
  const user_id = UserId.safeParse(call.form?.get('user')).data
  const problem = formProblem(services, call, browser)
  if (problem) return showCodes(services, call, browser, { user_id: user_id ?? '', request: query, problem })
  if (user_id !== undefined && browser.sessions.some((session) => session.user_id === user_id))
    await services.db.of(call.issuer.environment_id).run(deleteShownCodes(call.issuer.environment_id, user_id))
  return session_id === null ? on : redirect(continueUrl(call, keepPress(services, call, { from: query, to: query, session_id })))
}
