/** The parameters and headers that many operations share. */
import type { Route } from './route.ts'

const idSchema = (prefix: string) => ({ type: 'string', examples: [`${prefix}_01m7wwr5ftevtv5yxb47hmb4ht`] })

export const sharedParameters = {
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    required: false,
    description:
      'A key of yours for this request, 1 to 255 characters. A repeat within 24 hours gets the first answer again, with `Idempotent-Replayed: true`.',
    schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[\\x21-\\x7e]+$' },
  },
  IfMatch: {
    name: 'If-Match',
    in: 'header',
    required: false,
    description: 'The `ETag` of the version that you read. If the object has changed since, the answer is 412 and nothing changes.',
    schema: { type: 'string', pattern: '^"[0-9]+"$', examples: ['"3"'] },
  },
  TenantId: {
    name: 'X-Tenant-Id',
    in: 'header',
    required: false,
    description: 'The tenant, for the access token of an administrator. A key has its own tenant.',
    schema: idSchema('ten'),
  },
  EnvironmentId: {
    name: 'X-Environment-Id',
    in: 'header',
    required: false,
    description: 'The environment, for the access token of an administrator. A secret key has its own environment.',
    schema: idSchema('env'),
  },
  Origin: {
    name: 'Origin',
    in: 'header',
    required: false,
    description: 'The origin of the page, which browsers send.',
    schema: { type: 'string', examples: ['https://app.example.com'] },
  },
} as const

export const sharedHeaders = {
  XRequestId: { description: 'The id of this call.', schema: { type: 'string' } },
  ETag: { description: 'The version of the object, for `If-Match`.', schema: { type: 'string' } },
  Location: { description: 'The URL of the new object.', schema: { type: 'string' } },
  RateLimit: { description: 'What is left of the rate limit: `r` requests for `t` seconds.', schema: { type: 'string' } },
  RateLimitPolicy: { description: 'The rate limit: `q` requests in `w` seconds.', schema: { type: 'string' } },
  RetryAfter: { description: 'The number of seconds to wait.', schema: { type: 'integer' } },
  WWWAuthenticate: { description: 'The credentials that the operation accepts.', schema: { type: 'string' } },
} as const

export const parameterRef = (name: keyof typeof sharedParameters) => ({ $ref: `#/components/parameters/${name}` })
export const headerRef = (name: keyof typeof sharedHeaders) => ({ $ref: `#/components/headers/${name}` })

/** The headers of a successful answer of the management API. */
export function answerHeaders({ returns: [status], creates }: Route) {
  return {
    'X-Request-Id': headerRef('XRequestId'),
    RateLimit: headerRef('RateLimit'),
    'RateLimit-Policy': headerRef('RateLimitPolicy'),
    ...(status === 201 || creates ? { Location: headerRef('Location') } : {}),
    ...(status === 200 || status === 201 ? { ETag: headerRef('ETag') } : {}),
  }
}
