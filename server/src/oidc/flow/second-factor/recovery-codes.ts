/** The page of new recovery codes, and its button: the person has kept them. */
import { UserId } from '@ostiary/contract/ids.ts'
import { deleteShownCodes } from '../../../sessions/shown-codes.ts'
import { readBrowser } from '../../browser.ts'
import { asQuery, type OidcEndpoint, redirect, refused } from '../../call.ts'
import { foreign_form, isOwnForm } from '../../form-token.ts'
import { tooLong } from '../../hosted-page.ts'
import { continueUrl } from '../shared/continue.ts'
import { readCodesQuery, showCodes } from '../shared/shown-codes.ts'

export const showRecoveryCodes: OidcEndpoint = async (services, call) =>
  showCodes(services, call, await readBrowser(services, call), readCodesQuery(call.query))

export const confirmRecoveryCodes: OidcEndpoint = async (services, call) => {
  const browser = await readBrowser(services, call)
  const query = asQuery(call.form?.get('request') ?? '')
  if (query === null) return tooLong(call)
  const on = redirect(continueUrl(call, query))
  if (!isOwnForm(services, call, browser)) return refused(on, foreign_form)
  const user_id = UserId.safeParse(call.form?.get('user')).data
  if (user_id !== undefined && browser.sessions.some((session) => session.user_id === user_id))
    await services.db.run(deleteShownCodes(call.issuer.environment_id, user_id))
  return on
}
