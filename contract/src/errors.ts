/**
 * Every error of the management and runtime API: its stable code, its status and its remedy.
 * The explanation is the documentation page of the code, `{base_url}/docs/errors/{code}`.
 */
import { z } from 'zod'
import { PromotionCheck } from './promotion-check.ts'

interface ErrorKind {
  status: number
  title: string
  explanation: string
}

// biome-ignore format: this table is read by column
export const errors = {
  malformed_request:       { status: 400, title: 'Malformed request',             explanation: 'The body is not well-formed JSON (duplicate names and a byte order mark are errors), or a header or the URL is malformed. Send the output of a JSON library unchanged.' },
  conflicting_credentials: { status: 400, title: 'Conflicting credentials',       explanation: 'The request has two different keys, or a key and a token. Send one credential, in `X-API-Key` or in `Authorization`.' },
  tenant_required:         { status: 400, title: 'Tenant required',               explanation: 'An administrator can be a member of several tenants. Name the tenant in the header `X-Tenant-Id` and, where a secret key would name it, the environment in `X-Environment-Id`.' },
  invalid_cursor:          { status: 400, title: 'Invalid cursor',                explanation: 'A cursor is opaque and valid only for the list and the filters that returned it. Start again without a cursor.' },
  unauthenticated:         { status: 401, title: 'Missing credential',            explanation: 'The request has no credential, or in a place where none is read. Send an API key in the header `X-API-Key` or as `Authorization: ApiKey`, or the access token of an administrator as `Authorization: Bearer`.' },
  invalid_key:             { status: 401, title: 'Invalid credential',            explanation: 'The key or token is mistyped, unknown, expired, rotated or revoked. The response does not say which. Use the current credential or create a new one.' },
  ip_not_allowed:          { status: 403, title: 'IP address not allowed',        explanation: 'The key has an IP allowlist, and the request came from an address outside it. Add the address to the allowlist. whoami, called with a key without allowlist, returns the address that the service sees.' },
  origin_not_allowed:      { status: 403, title: 'Origin not allowed',            explanation: 'A publishable key works only from a web page whose exact origin (scheme, host and port) is in its allowed origins. Add the origin to the key. Calls of the dashboard come only from its own pages, at the public address of the service.' },
  wrong_key_type:          { status: 403, title: 'Wrong type of credential',      explanation: '`detail` names the type that was sent and the one that is needed. Publishable keys read the auth configuration. Secret keys validate tokens and manage users. Platform keys automate setup. Administrators sign in. Send the credential that `detail` asks for.' },
  insufficient_scope:      { status: 403, title: 'Insufficient scope',            explanation: 'The member `required_scopes` lists the scopes that the request needs. An administrator sets the scopes of a platform key. A write scope does not include the read scope. Add the missing scope, or use a key that has it.' },
  insufficient_role:       { status: 403, title: 'Insufficient role',             explanation: 'Your role in this tenant does not allow the request. Ask an owner or admin of the tenant.' },
  reauthentication_required: { status: 403, title: 'Fresh sign-in required',      explanation: 'The call gives others a way in, sends data elsewhere or weakens a check. Its description says when: for keys, secrets, mail and members always, for the rest in Live. An administrator must have signed in within the last `max_age` seconds: sign in again with the parameter `max_age`, then repeat the call with the new token. The dashboard asks by itself.' },
  not_found:               { status: 404, title: 'Not found',                     explanation: 'The object does not exist, or belongs to another tenant, project or environment than the request. Check the id, and that the key belongs to the same environment.' },
  method_not_allowed:      { status: 405, title: 'Method not allowed',            explanation: 'The URL has no such method. The header `Allow` lists its methods, and `detail` says what each does: use one of them.' },
  slug_taken:              { status: 409, title: 'Slug already in use',           explanation: 'A slug is unique within its parent. Choose another slug.' },
  identifier_taken:        { status: 409, title: 'Identifier already in use',     explanation: 'Another object of this environment has the same identifier or email. Choose another one, or change the existing object.' },
  already_member:          { status: 409, title: 'Already a member',              explanation: 'The user is a member of the organization. Change the roles of the member instead.' },
  issuer_taken:            { status: 409, title: 'Issuer already in use',         explanation: 'Another environment has this issuer, or had it: tokens and registrations of clients name it, so it is never used again. Choose another origin.' },
  key_revoked:             { status: 409, title: 'Key revoked',                   explanation: 'A revoked key can be read but not changed or rotated. Create a new key.' },
  not_waiting:             { status: 409, title: 'No approval is waited for',     explanation: 'The account does not wait for an approval: it never did, or it was approved or refused already. Read the user: `approval` says which.' },
  mail_not_set_up:         { status: 409, title: 'Mail not set up',               explanation: 'The environment sends no mail: its setting email.delivery is none. Set it to smtp, or to capture in a Test environment.' },
  last_owner:              { status: 409, title: 'Last owner',                    explanation: 'A tenant always has an owner. Make another member an owner first.' },
  secret_not_used:         { status: 409, title: 'Application without a secret',  explanation: 'Only applications that authenticate with a client secret have one to rotate or to add. Change `token_endpoint_auth_method` first, or replace the key of the application.' },
  last_secret:             { status: 409, title: 'Last client secret',            explanation: 'The application authenticates with this secret alone, so without it nobody could sign in through it. Add another secret first and deploy it, or delete the application.' },
  no_signing_key:          { status: 409, title: 'No signing key',                explanation: 'The environment has no key of this algorithm to replace, or with `now` none that waits. Its first key of ES256 is made when a resource server has `access_token_signing_alg` `ES256`.' },
  idempotency_in_progress: { status: 409, title: 'Request in progress',           explanation: 'The first request with this Idempotency-Key has not finished. Try again shortly with the same key.' },
  promotion_state:         { status: 409, title: 'Not possible in this state',    explanation: 'A promotion is planned, then applied, and can then be reverted once. One that deleted objects cannot be reverted. Read it again: its `status` says where it is. To change the target once more, plan again.' },
  promotion_stale:         { status: 409, title: 'Plan out of date',              explanation: 'The source or the target has changed since the plan: `errors` points at the version that moved. Plan again, compare, and apply the new plan. Nothing was changed.' },
  promotion_conflict:      { status: 409, title: 'Changed since the promotion',   explanation: 'What the revert would change has been changed, deleted or is in use: `errors` points at each. Name these objects or fields in `leave`, and they stay as they are now. Nothing was changed.' },
  approval_required:       { status: 409, title: 'Approval required',             explanation: 'The project asks for the approval of each plan to a Live environment. An owner or admin who did not plan it approves it; then it can be applied.' },
  stale_version:           { status: 412, title: 'Version out of date',           explanation: 'The object has changed since the version in `If-Match`. Read it again and repeat the change.' },
  body_too_large:          { status: 413, title: 'Body too large',                explanation: 'The maximum size of a body is 1 MiB, and 4 MiB to plan a promotion. Send less at once.' },
  unsupported_media_type:  { status: 415, title: 'Unsupported media type',        explanation: 'Send `Content-Type: application/json` (for PATCH also `application/merge-patch+json`), uncompressed.' },
  misdirected_request:     { status: 421, title: 'Misdirected request',           explanation: 'The host of the request is reserved for issuers, and no environment has it as its issuer. Correct the address, or create an environment with this issuer. The API itself answers at the address of the service.' },
  validation_failed:       { status: 422, title: 'Validation failed',             explanation: 'The member `errors` lists each refused field by JSON pointer, with what the field accepts. Correct these fields and send the request again; nothing was changed.' },
  promotion_blocked:       { status: 422, title: 'Plan with errors',              explanation: 'The member `checks` lists what stands in the way, each error with what to do. Correct the source, or give values, and plan again. Nothing was changed.' },
  quota_exceeded:          { status: 422, title: 'Quota exceeded',                explanation: 'The detail names the quota and its value. Delete unused objects, wait if it is a daily quota, or ask the operator, who sets quotas in `OSTIARY_LIMITS`. Nothing was changed.' },
  idempotency_mismatch:    { status: 422, title: 'Idempotency-Key already used',  explanation: 'A request with the same Idempotency-Key and another body or query was made in the last 24 hours. Use a new Idempotency-Key for each request.' },
  metadata_unavailable:    { status: 422, title: 'Document not readable',         explanation: 'The document of the client cannot be read: no answer in 3 seconds, another status than 200, a redirect, a forbidden address, an untrusted certificate, more than 5,120 bytes, or another type than JSON. The detail says which. Correct the server of the document, and try again after 10 seconds.' },
  metadata_invalid:        { status: 422, title: 'Document not valid',            explanation: 'The document of the client was read and breaks a rule, which the detail names. The owner of the document corrects it; then read it again.' },
  rate_limited:            { status: 429, title: 'Too many requests',             explanation: 'The credential has reached its rate limit. Retry after the number of seconds in `Retry-After`.' },
  internal_error:          { status: 500, title: 'Internal error',                explanation: 'The service failed. The operator finds the cause in the log by the request_id. Repeating a request with the same Idempotency-Key is safe.' },
  metadata_busy:           { status: 503, title: 'Too many documents',            explanation: 'Too many documents of clients are being read. Try again after the number of seconds in `Retry-After`.' },
  unavailable:             { status: 503, title: 'Temporarily unavailable',       explanation: 'The database is unreachable or the service is overloaded. A change may have been made where the detail says so: repeat it with the same Idempotency-Key after the number of seconds in `Retry-After`, or read the object first.' },
} as const satisfies Record<string, ErrorKind>

export type ErrorCode = keyof typeof errors

/**
 * The errors that any row can answer, because the pipeline decides them. All others are declared in `fails` of their rows, and so is
 * `insufficient_role` where the role of the caller is compared with a role in the request.
 */
export const generalErrors = [
  'malformed_request',
  'conflicting_credentials',
  'tenant_required',
  'unauthenticated',
  'invalid_key',
  'ip_not_allowed',
  'origin_not_allowed',
  'wrong_key_type',
  'insufficient_scope',
  'insufficient_role',
  'reauthentication_required',
  'not_found',
  'method_not_allowed',
  'idempotency_in_progress',
  'stale_version',
  'body_too_large',
  'unsupported_media_type',
  'misdirected_request',
  'validation_failed',
  'idempotency_mismatch',
  'rate_limited',
  'internal_error',
  'unavailable',
] as const satisfies readonly ErrorCode[]

/** Problem details (RFC 9457) with a stable code. */
export const Problem = z.strictObject({
  type: z.string().describe('The address of the documentation of the code.'),
  title: z.string().describe('The title of the code.'),
  status: z.int().describe('The HTTP status.'),
  detail: z.string().describe('What went wrong and what to do, for people. Its wording can change.'),
  code: z
    .enum(Object.keys(errors) as [ErrorCode, ...ErrorCode[]]) // as: keys of a const object are exactly its codes
    .describe('The stable code. Programs decide by it.'),
  request_id: z.string().describe('The X-Request-Id, by which the operator finds the call in the log.'),
  errors: z
    .array(
      z.strictObject({
        pointer: z
          .string()
          .describe('The JSON pointer (RFC 6901) of the field.')
          .meta({ examples: ['/name'] }),
        code: z
          .string()
          .describe('Why the field is refused.')
          .meta({ examples: ['required'] }),
        detail: z
          .string()
          .describe('What the field accepts.')
          .meta({ examples: ['This field is required.'] }),
      }),
    )
    .optional()
    .describe('The refused fields, for `validation_failed`; what moved, for `promotion_stale` and `promotion_conflict`.'),
  required_scopes: z.array(z.string()).optional().describe('The scopes that the request needs, for `insufficient_scope`.'),
  checks: z.array(PromotionCheck).optional().describe('What stands in the way, for `promotion_blocked`.'),
  max_age: z.int().optional().describe('The age in seconds that the sign-in may have, for `reauthentication_required`.'),
})
