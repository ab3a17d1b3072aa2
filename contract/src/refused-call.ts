/** Refused calls: what an environment or a tenant answered with an error, and why. The service keeps them for seven days. */
import { z } from 'zod'
import { RequestId } from './ids.ts'
import { Moment, PageQuery, Time, wholeNumber } from './values.ts'

/** The codes of refusals that a person meets on a hosted page. The name of a code never changes. */
export const pageCodes = [
  'invalid_redirect_uri',
  'unknown_client',
  'application_disabled',
  'wrong_password',
  'unknown_account',
  'user_blocked',
  'locked_out',
  'form_expired',
  'provider_unreachable',
  'invalid_id_token_hint',
  'unregistered_post_logout_uri',
  'wrong_code',
  'unknown_passkey',
  'passkey_refused',
  'passkey_counter_back',
  'passkey_backup_changed',
] as const
export type PageCode = (typeof pageCodes)[number]

const text = z.string().nullable()
const count = z.int().min(0)

export const RefusedCall = z.strictObject({
  id: RequestId.describe('The request id, which is also the reference on the page that the person saw.'),
  at: Time.describe('When the service answered.'),
  method: z.string().describe('The HTTP method.'),
  route: text.describe('The path of the route with the names of its parameters; null if no route has the address.'),
  status: z.int().describe('The HTTP status of the answer. A page that asks again has 200, an error that goes back to the client 303.'),
  code: z.string().describe('The code of the problem, of the OAuth error or of the page.'),
  reason: z.string().describe('Why the call was refused, for developers. It says more than the caller was allowed to read.'),
  client_id: text.describe('The application of the call, if it is one of this environment.'),
  key_id: text.describe('The API key of the call, even if it has expired or was rotated or revoked.'),
  key_start: text.describe('The first characters of that key.'),
  user_id: text.describe('The user or the administrator of the call.'),
  event_id: text.describe('The event that reports the same refusal.'),
  ip: text.describe('The address of the caller; null for a key without the scope users:read.'),
  user_agent: text.describe('The User-Agent of the caller, at most 200 characters; null for a key without the scope users:read.'),
})
export type RefusedCall = z.infer<typeof RefusedCall>

export const RefusedCallQuery = PageQuery.extend({
  status: wholeNumber(100, 599).optional().describe('Only this HTTP status.'),
  code: z.string().max(100).optional().describe('Only this code.'),
  route: z.string().max(200).optional().describe('Only this route, as in the records.'),
  application_id: z.string().max(100).optional().describe('Only calls of this application.'),
  key_id: z.string().max(100).optional().describe('Only calls with this API key.'),
  from: Moment.optional().describe('Only calls at this time or later.'),
  to: Moment.optional().describe('Only calls before this time.'),
})
export type RefusedCallQuery = z.infer<typeof RefusedCallQuery>

export const RefusedCallSummaryQuery = z.object({
  from: Moment.optional().describe('Only calls at this time or later. The default is seven days ago.'),
  to: Moment.optional().describe('Only calls before this time. The default is now.'),
})

export const RefusedCallSummary = z.strictObject({
  data: z
    .array(
      z.strictObject({
        code: z.string().describe('The code of these calls.'),
        route: text.describe('The route of these calls.'),
        count: count.describe('The number of records.'),
        last_at: Time.describe('The time of the newest one.'),
      }),
    )
    .describe('The records by code and route, the newest first.'),
  dropped: count.describe('Refused calls of these minutes without a record, because there were too many.'),
})
export type RefusedCallSummary = z.infer<typeof RefusedCallSummary>
