/** API keys of the three types. The plaintext key is returned once, by create and rotate. */
import { z } from 'zod'
import { EnvironmentId, KeyId, ProjectId, TenantId } from './ids.ts'
import { KeyScope } from './scopes.ts'
import { EnvironmentType } from './tenancy.ts'
import { Moment, Name, Origin, Slug, Time, TimeRange } from './values.ts'

export const KeyType = z.enum(['auth_publishable', 'auth_secret', 'platform_secret'])
export type KeyType = z.infer<typeof KeyType>

export const RateLimit = z.strictObject({
  limit: z
    .int()
    .min(1)
    .max(100_000)
    .describe('The number of requests in one window, 1 to 100,000.')
    .meta({ examples: [100] }),
  window_seconds: z
    .int()
    .min(1)
    .max(3_600)
    .describe('The length of the sliding window in seconds, 1 to 3,600.')
    .meta({ examples: [10] }),
})

export const ApiKey = z.strictObject({
  id: KeyId,
  key_id: KeyId,
  type: KeyType.describe(
    'What the key can do: `auth_publishable` reads the auth configuration from browsers, `auth_secret` manages users from a backend, `platform_secret` automates setup.',
  ),
  tenant_id: TenantId,
  project_id: ProjectId.nullable(),
  environment_id: EnvironmentId.nullable(),
  environment_type: EnvironmentType.nullable(),
  label: Name.nullable().describe('A name for people, 1 to 100 characters.'),
  start: z.string().describe('The first characters of the key, to recognise it.'),
  last4: z.string().describe('The last four characters of the key.'),
  scopes: z
    .array(KeyScope)
    .describe('What a platform key may do; `*` is everything. A write scope does not include the read scope. Empty for auth keys.'),
  allowed_origins: z
    .array(Origin)
    .describe('Exact origins of the web pages that may use a publishable key. Live allows https only. Empty for other keys.'),
  ip_allowlist: z.array(z.string()).describe('IPv4 and IPv6 addresses and CIDR ranges that may use the key. Empty allows every address.'),
  rate_limit: RateLimit.nullable().describe(
    'The rate limit of the key; `null` is the default: 100 requests in 10 s in Test, 1,000 in 10 s in Live and for platform keys.',
  ),
  created_at: Time,
  updated_at: Time,
  last_used_at: Time.nullable().describe('When the key was last used; `null` if never.'),
  last_used_ip: z.string().nullable().describe('The address of the last use.'),
  rotated_at: Time.nullable().describe('When the key was last replaced by rotation; `null` if never.'),
  revoked_at: Time.nullable().describe('When the key was revoked; `null` while it works.'),
  expires_at: Time.nullable().describe('When the key stops working; `null` if it does not expire.'),
})
export type ApiKey = z.infer<typeof ApiKey>

/** The response of GET /v1/api-keys/whoami. */
export const KeyIdentity = ApiKey.extend({
  tenant: z.strictObject({ id: TenantId, slug: Slug, name: Name }).describe('The tenant of the key.'),
  project: z
    .strictObject({ id: ProjectId, slug: Slug, name: Name })
    .nullable()
    .describe('The project of the key; `null` for platform keys.'),
  environment: z
    .strictObject({ id: EnvironmentId, type: EnvironmentType, issuer: z.string() })
    .nullable()
    .describe('The environment of the key; `null` for platform keys.'),
  effective_scopes: z.array(KeyScope).describe('The scopes of the key with `*` expanded. Empty for auth keys.'),
  request: z.strictObject({ ip: z.string().nullable() }).describe('This request, as the service sees it.'),
})

/** The response of create and rotate: the only ones with the plaintext key. A repeat with the same Idempotency-Key has `null`. */
export const ApiKeyWithPlaintext = ApiKey.extend({
  key: z.string().nullable().describe('The plaintext of the key, returned once; `null` in a repeat with the same Idempotency-Key.'),
})

/** `domain/keys/policy.ts` of the server checks the addresses of an allowlist. */
const constraints = {
  ip_allowlist: z
    .array(z.string().max(60))
    .max(100)
    .describe('IPv4 and IPv6 addresses and CIDR ranges that may use the key. Empty allows every address.'),
  rate_limit: RateLimit.describe(
    'The rate limit of the key; `null` is the default: 100 requests in 10 s in Test, 1,000 in 10 s in Live and for platform keys.',
  ),
  expires_at: Moment.describe('When the key stops working; `null` if it does not expire. It lies in the future.'),
}
const origins = z
  .array(Origin)
  .max(50)
  .describe('Exact origins of the web pages that may use a publishable key, at least one for such a key. Live allows https only.')

const newConstraints = {
  ip_allowlist: constraints.ip_allowlist.optional(),
  rate_limit: constraints.rate_limit.nullable().optional(),
  expires_at: constraints.expires_at.nullable().optional(),
}

export const NewAuthKey = z.strictObject({
  type: KeyType.exclude(['platform_secret']).describe(
    'What the key can do: `auth_publishable` reads the auth configuration from browsers, `auth_secret` manages users from a backend.',
  ),
  label: Name.nullable().optional().describe('A name for people, 1 to 100 characters.'),
  allowed_origins: origins.optional(),
  ...newConstraints,
})
/** JSON Merge Patch (RFC 7396): a change can name a single member of `rate_limit`. */
const constraintsChange = {
  ip_allowlist: constraints.ip_allowlist.nullable().optional(),
  rate_limit: z
    .strictObject({
      limit: RateLimit.shape.limit.nullable().optional().describe('The number of requests in one window, 1 to 100,000.'),
      window_seconds: RateLimit.shape.window_seconds
        .nullable()
        .optional()
        .describe('The length of the sliding window in seconds, 1 to 3,600.'),
    })
    .nullable()
    .optional()
    .describe('The rate limit of the key; one member can change alone, and `null` restores the default.'),
  expires_at: constraints.expires_at.nullable().optional(),
}
export const AuthKeyChange = z.strictObject({
  label: Name.nullable().optional().describe('A name for people, 1 to 100 characters.'),
  allowed_origins: origins.nullable().optional(),
  ...constraintsChange,
})

const scopes = z
  .array(KeyScope)
  .min(1)
  .max(50)
  .describe('What the key may do; `*` is everything. A write scope does not include the read scope.')

export const NewPlatformKey = z.strictObject({ label: Name.describe('A name for people, 1 to 100 characters.'), scopes, ...newConstraints })
export const PlatformKeyChange = z.strictObject({
  label: Name.optional().describe('A name for people, 1 to 100 characters.'),
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
