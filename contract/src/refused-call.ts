/** Refused calls: what an environment or a tenant answered with an error, and why. The service keeps them for seven days. */
import { z } from 'zod'
import { type ErrorCode, errors } from './errors.ts'
import { RequestId } from './ids.ts'
import { Application } from './objects/application.ts'
import { type OAuthErrorName, oauthErrors } from './oidc.ts'
import { inactiveReasons } from './session.ts'
import { Moment, PageQuery, Time, wholeNumber } from './values.ts'

const errorCodes = Object.keys(errors) as ErrorCode[] // as: the keys of the table
const oauthCodes = Object.keys(oauthErrors) as OAuthErrorName[] // as: the keys of the table

/** The refusals that a person meets on a hosted page, with what a developer does. The name of a code never changes; each has a page as errors have. */
// biome-ignore format: this table is read by column
export const pageExplanations = {
  invalid_redirect_uri:         'The request has no `redirect_uri`, several, or one that is not registered for the application, so the person sees an error page and is sent nowhere. Send one of the redirect URIs of the application, character by character, or add the address to them.',
  unknown_client:               'The environment has no application with this `client_id`. Test and Live have different ones: use that of the issuer that the person was sent to.',
  application_disabled:         'The application is disabled, and nobody can sign in to it. Enable it.',
  wrong_password:               'The password is not that of the account. The person can try again, or choose a new one by “Forgot password”.',
  unknown_account:              'No account of the environment has this address. The page does not say so; the record does. The person can sign up, or use the address of their account. Add the user if sign-up is closed.',
  user_blocked:                 'The user is blocked. Unblock the user, if that is intended.',
  not_approved:                 'The account waits for an approval, or was refused. Approve the user, if that is intended.',
  locked_out:                   'There were too many failed attempts for the account or from the address. Wait until the lockout ends; the settings say after how many attempts and for how long.',
  form_expired:                 'A form was not accepted, or its step is over. The reason names the cause, such as a cookie that the browser did not send.',
  provider_unreachable:         'The identity provider did not answer, or refused the exchange of its code. Check its issuer and credentials, and whether it answers.',
  invalid_id_token_hint:        'The `id_token_hint` of a sign-out is not an ID token of this issuer. Send the ID token unchanged.',
  unregistered_post_logout_uri: 'The `post_logout_redirect_uri` is not one of the application, or the request names no application. Send `id_token_hint` or `client_id`, and add the address to the addresses after sign-out of the application.',
  wrong_code:                   'The code is wrong, expired or used. Enter the newest one. For an authenticator app, check the clock of the device.',
  unknown_passkey:              'The passkey belongs to no account of the environment. Sign in by another method and add the passkey again, or remove it from the device.',
  passkey_refused:              'The answer of the authenticator does not fit the question: another origin, another challenge, or no confirmation by the person. Use the passkey on a page of its own domain, and try again.',
  passkey_counter_back:         'The counter of the passkey is behind the one of its last use, so it may have been copied. Remove it from the account and add a new one.',
  passkey_backup_changed:       'The passkey says that it can be backed up and said the opposite before, so it may have been copied. Remove it from the account and add a new one.',
  no_access:                    'The person has none of the roles in `allowed_roles` of the application, or no role that gives one of the requested scopes at a resource server with `require_roles`. The page offers another account. Give the user such a role, if that is intended.',
  not_a_member:                 'The person is not a member of the organization that the request names, or it is unknown or disabled; without `organization` in the request: of any enabled one, and the application or a resource server requires one. The page offers another account and, where the person has one, another organization. Add the user as a member, if that is intended, or compare the value with the id and the slug of the organization.',
  metadata_client_unlisted:     'The `client_id` is the URL of a client that the environment does not admit: the setting `oauth.metadata_clients` is `listed` and the URL is not approved, or the client is disabled. The record of the call has the URL as `client_id`: approve it, if that is intended.',
  metadata_client_unavailable:  'The document of the client cannot be read, so the service does not know whom the person would let in. The reason says why. The owner of the document corrects its server.',
  metadata_client_invalid:      'The document of the client breaks a rule. The reason names it. The owner of the document corrects it.',
  metadata_client_busy:         'Too many documents are being read at the moment, or the environment has as many metadata clients as it can have, each in use. Try again, delete a record, or ask for a higher limit.',
} as const
export type PageCode = keyof typeof pageExplanations
export const pageCodes = Object.keys(pageExplanations) as PageCode[] // as: the keys of the table

/** Every code that an answer, a page or a refused call can have. Each has a page. */
export const shownCodes = [...new Set([...errorCodes, ...oauthCodes, ...inactiveReasons, ...pageCodes])]
export type ShownCode = (typeof shownCodes)[number]

const text = z.string().nullable()
const count = z.int().min(0)

const { token_endpoint_auth_method, unknown_scopes, require_pkce, nonce_replaces_pkce } = Application.shape

/** A change of an application, as a body for its PATCH. */
export const Remedy = z.strictObject({
  token_endpoint_auth_method: token_endpoint_auth_method
    .extract(['client_secret'])
    .optional()
    .describe('The secret is taken in either place.'),
  unknown_scopes: unknown_scopes.extract(['ignore']).optional().describe('Unknown scopes are left out.'),
  nonce_replaces_pkce: nonce_replaces_pkce.unwrap().optional().describe('A nonce takes the place of PKCE.'),
  require_pkce: require_pkce.optional().describe('Neither PKCE nor a nonce is needed.'),
})
export type Remedy = z.infer<typeof Remedy>

export const RefusedCall = z.strictObject({
  id: RequestId.describe('The request id, which is also the reference on the page that the person saw.'),
  at: Time.describe('When the service answered.'),
  method: z.string().describe('The HTTP method.'),
  route: text.describe('The path of the route with the names of its parameters; null if no route has the address.'),
  status: z.int().describe('The HTTP status of the answer. A page that asks again has 200, an error that goes back to the client 303.'),
  code: z.string().describe('The code of the problem, of the OAuth error or of the page.'),
  reason: z.string().describe('Why the call was refused, for developers. It says more than the caller was allowed to read.'),
  remedy: Remedy.nullable().describe(
    'The change of the application with which the service would have accepted the call, as a body for its PATCH; null where there is none. Make it only if the application itself sent the call: anybody can send an authorization request in its name.',
  ),
  refused: z
    .strictObject({
      parameter: z.enum(['redirect_uri', 'scope', 'origin', 'resource']).describe('The parameter of the request.'),
      value: z.string().max(500).describe('Its value, at most 500 characters; of a redirect URI only scheme, host, port and path.'),
    })
    .nullable()
    .describe('The value that was refused; null where the refusal is about no single value, and for a key without the scope users:read.'),
  client_id: text.describe('The application of the call, if it is one of this environment; of a metadata client its URL.'),
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
