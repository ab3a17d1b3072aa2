/** API keys of the three types. The plaintext key is returned once, by create and rotate. */
import { z } from 'zod'
import { EnvironmentId, KeyId, ProjectId, TenantId } from './ids.ts'
import { KeyScope } from './scopes.ts'
import { EnvironmentType } from './tenancy.ts'
import { Name, Origin, Slug, Time, TimeRange } from './values.ts'

export const KeyType = z.enum(['auth_publishable', 'auth_secret', 'platform_secret'])
export type KeyType = z.infer<typeof KeyType>

export const RateLimit = z.strictObject({ limit: z.int().min(1).max(100_000), window_seconds: z.int().min(1).max(3_600) })

export const ApiKey = z.strictObject({
  id: KeyId,
  key_id: KeyId,
  type: KeyType,
  tenant_id: TenantId,
  project_id: ProjectId.nullable(),
  environment_id: EnvironmentId.nullable(),
  environment_type: EnvironmentType.nullable(),
  label: Name.nullable(),
  start: z.string(),
  last4: z.string(),
  scopes: z.array(KeyScope),
  allowed_origins: z.array(Origin),
  ip_allowlist: z.array(z.string()),
  rate_limit: RateLimit.nullable(),
  created_at: Time,
  updated_at: Time,
  last_used_at: Time.nullable(),
  last_used_ip: z.string().nullable(),
  rotated_at: Time.nullable(),
  revoked_at: Time.nullable(),
  expires_at: Time.nullable(),
})
export type ApiKey = z.infer<typeof ApiKey>

/** The response of GET /v1/api-keys/whoami. */
export const KeyIdentity = ApiKey.extend({
  tenant: z.strictObject({ id: TenantId, slug: Slug, name: Name }),
  project: z.strictObject({ id: ProjectId, slug: Slug, name: Name }).nullable(),
  environment: z.strictObject({ id: EnvironmentId, type: EnvironmentType, issuer: z.string() }).nullable(),
  effective_scopes: z.array(KeyScope),
  request: z.strictObject({ ip: z.string().nullable() }),
})

/** The response of create and rotate: the only ones with the plaintext key. A repeat with the same Idempotency-Key has `null`. */
export const ApiKeyWithPlaintext = ApiKey.extend({ key: z.string().nullable() })

/** `keys/policy.ts` of the server checks the addresses of an allowlist. */
const constraints = {
  ip_allowlist: z.array(z.string().max(60)).max(100),
  rate_limit: RateLimit,
  expires_at: z.iso.datetime({ offset: true }),
}
const origins = z.array(Origin).max(50)

const newConstraints = {
  ip_allowlist: constraints.ip_allowlist.optional(),
  rate_limit: constraints.rate_limit.nullable().optional(),
  expires_at: constraints.expires_at.nullable().optional(),
}

export const NewAuthKey = z.strictObject({
  type: KeyType.exclude(['platform_secret']),
  label: Name.nullable().optional(),
  allowed_origins: origins.optional(),
  ...newConstraints,
})
/** JSON Merge Patch (RFC 7396): a change can name a single member of `rate_limit`. */
const constraintsChange = {
  ip_allowlist: constraints.ip_allowlist.nullable().optional(),
  rate_limit: z
    .strictObject({
      limit: RateLimit.shape.limit.nullable().optional(),
      window_seconds: RateLimit.shape.window_seconds.nullable().optional(),
    })
    .nullable()
    .optional(),
  expires_at: constraints.expires_at.nullable().optional(),
}
export const AuthKeyChange = z.strictObject({
  label: Name.nullable().optional(),
  allowed_origins: origins.nullable().optional(),
  ...constraintsChange,
})

const scopes = z.array(KeyScope).min(1).max(50)

export const NewPlatformKey = z.strictObject({ label: Name, scopes, ...newConstraints })
export const PlatformKeyChange = z.strictObject({
  label: Name.optional(),
  scopes: scopes.optional(),
  ...constraintsChange,
})

/** The range is at most 7 days. `from` defaults to 24 hours before `to`. */
export const KeyUsageQuery = z.object(TimeRange)

export const KeyUsage = z.strictObject({
  data: z
    .array(
      z.strictObject({
        hour: Time.describe('The beginning of the hour, in UTC.'),
        route: z
          .string()
          .describe('The path of the route with the names of its parameters, or `other` beyond 100 pairs of route and address.'),
        ip: z.string().nullable().describe('The source address; null if it is unknown, and in the sum `other`.'),
        count: z.int().min(0).describe('All calls, refused ones included.'),
        refused: z
          .int()
          .min(0)
          .describe('The calls that the key was not allowed to make, or not now: by address, origin, rate limit, type or scope.'),
      }),
    )
    .describe('The uses by hour, route and address, oldest hour first, then by the number of calls.'),
})
export type KeyUsage = z.infer<typeof KeyUsage>
