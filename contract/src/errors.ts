/**
 * Every refusal of the management and runtime API: its stable code, its status and what to do about it.
 * The explanation is the documentation page of the code, `{base_url}/docs/errors/{code}`.
 */
import { z } from 'zod'

interface ErrorKind {
  status: number
  title: string
  explanation: string
}

// biome-ignore format: this table is read by column
export const errors = {
  malformed_request:       { status: 400, title: 'The request cannot be read',           explanation: 'The body is no well-formed JSON (a repeated name and a byte order mark count as errors), or a header or the address is broken. Send the bytes your JSON library makes.' },
  conflicting_credentials: { status: 400, title: 'Two different credentials',            explanation: 'The request carries two different keys, or a key and a token. Send one: X-API-Key, or Authorization.' },
  tenant_required:         { status: 400, title: 'Which tenant?',                        explanation: 'An administrator may belong to several tenants. Say which one is meant with the header X-Tenant-Id.' },
  invalid_cursor:          { status: 400, title: 'The cursor does not belong here',      explanation: 'A cursor is opaque and belongs to the list that gave it. Start again without a cursor.' },
  unauthenticated:         { status: 401, title: 'A credential is missing',              explanation: 'Send an API key in the header X-API-Key, or as Authorization: ApiKey.' },
  invalid_key:             { status: 401, title: 'The credential is not valid',          explanation: 'The key or token is mistyped, unknown, expired, rotated or revoked; which of these is not told. Use the current one, or make a new one.' },
  ip_not_allowed:          { status: 403, title: 'This address may not use the key',     explanation: 'The key has an IP allowlist and the call came from an address outside it. whoami tells which address the service sees.' },
  origin_not_allowed:      { status: 403, title: 'This origin may not use the key',      explanation: 'A publishable key is called from a web page whose exact origin (scheme, host and port) is among its allowed origins.' },
  wrong_key_type:          { status: 403, title: 'Another kind of key is needed',        explanation: 'Publishable keys read the auth configuration, secret keys validate tokens and manage users, platform keys automate set-up, and administrators sign in.' },
  insufficient_scope:      { status: 403, title: 'The key lacks a scope',                explanation: 'required_scopes names what the call needs. Scopes are set on the platform key by an administrator; write does not include read.' },
  insufficient_role:       { status: 403, title: 'Your role does not allow this',        explanation: 'Ask an owner or administrator of the tenant.' },
  not_found:               { status: 404, title: 'There is nothing here',                explanation: 'The object does not exist, or not within the tenant, project and environment the call names.' },
  method_not_allowed:      { status: 405, title: 'The method does not fit the address',  explanation: 'The header Allow names the methods of this address.' },
  slug_taken:              { status: 409, title: 'The slug is taken',                    explanation: 'Slugs are unique within their parent. Choose another one.' },
  identifier_taken:        { status: 409, title: 'The identifier is taken',              explanation: 'Another object of this environment already has this identifier or address.' },
  key_revoked:             { status: 409, title: 'The key is revoked',                   explanation: 'A revoked key stays readable but cannot be rotated. Create a new one.' },
  last_owner:              { status: 409, title: 'The last owner stays',                 explanation: 'A tenant always has an owner. Make somebody else owner first.' },
  secret_not_used:         { status: 409, title: 'The application has no secret',        explanation: 'Only an application that authenticates with client_secret_basic or client_secret_post has a secret to rotate.' },
  idempotency_in_progress: { status: 409, title: 'The first request still runs',         explanation: 'Another request with the same Idempotency-Key has not finished. Try again in a moment, with the same key.' },
  stale_version:           { status: 412, title: 'Changed meanwhile',                    explanation: 'If-Match names an older version. Read the object again and repeat the change on what it is now.' },
  body_too_large:          { status: 413, title: 'The body is too large',                explanation: 'Bodies are limited to 1 MiB.' },
  unsupported_media_type:  { status: 415, title: 'Wrong Content-Type',                   explanation: 'Send application/json (for PATCH also application/merge-patch+json), not compressed.' },
  validation_failed:       { status: 422, title: 'Some fields cannot be accepted',       explanation: 'errors names each field by JSON pointer with the reason. Nothing was changed.' },
  quota_exceeded:          { status: 422, title: 'A limit is reached',                   explanation: 'The detail names the limit and its value. Remove what is not needed, wait where the limit counts a day, or ask the operator, who sets limits with OSTIARY_LIMITS. Nothing was changed.' },
  idempotency_mismatch:    { status: 422, title: 'The Idempotency-Key was used',         explanation: 'The same Idempotency-Key came with other bytes within 24 hours. Use a fresh key for a new request.' },
  rate_limited:            { status: 429, title: 'Too many requests',                    explanation: 'The limit of the key is spent. Retry-After says in how many seconds to try again.' },
  internal_error:          { status: 500, title: 'Something failed on our side',         explanation: 'The service met a fault; request_id finds it in the log. A repeated request with the same Idempotency-Key is safe.' },
  unavailable:             { status: 503, title: 'Not available right now',              explanation: 'The database is out of reach. Nothing was changed; try again shortly.' },
} as const satisfies Record<string, ErrorKind>

export type ErrorCode = keyof typeof errors

/** RFC 9457 problem details, with a stable code. */
export const Problem = z.strictObject({
  type: z.string(),
  title: z.string(),
  status: z.int(),
  detail: z.string(),
  code: z.enum(Object.keys(errors) as [ErrorCode, ...ErrorCode[]]), // as: keys of a const object are exactly its codes
  request_id: z.string(),
  errors: z.array(z.strictObject({ pointer: z.string(), code: z.string(), detail: z.string() })).optional(),
  required_scopes: z.array(z.string()).optional(),
})
