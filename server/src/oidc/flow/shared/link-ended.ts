/** The page for a mailed link that is unknown, used, replaced or expired. All look alike. */
import { reason } from '../../../base/reason.ts'
import { refusal } from '../../../base/refusal.ts'
import type { Answer, OidcCall } from '../../call.ts'
import { message } from '../../hosted-page.ts'

export const linkEnded = (call: OidcCall): Answer =>
  message(call, 'link_ended', refusal('not_found', reason`The mailed link is unknown, was used or replaced, or has expired.`))
