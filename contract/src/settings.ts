/**
 * The settings of an environment: one document in groups. This file alone defines the range and the default of every field. Only
 * values that were set are stored; all others follow the defaults.
 */
import { z } from 'zod'
import { oidcScopes } from './scopes.ts'
import type { EnvironmentType } from './tenancy.ts'
import { Name, Origin, Sender, seconds, text, WebUrl } from './values.ts'

export const TokenFormat = z.enum(['jwt', 'opaque'])

/** An absent group has the defaults of all its fields. */
const group = <S extends z.ZodRawShape>(shape: S) => z.strictObject(shape).prefault({} as never) // as: every field has a default, which the types do not express

const tokens = group({
  access_token_ttl_seconds: seconds(60, 86_400, 3_600),
  id_token_ttl_seconds: seconds(60, 86_400, 3_600),
  authorization_code_ttl_seconds: seconds(10, 600, 60),
  refresh_token_idle_ttl_seconds: seconds(3_600, 31_536_000, 1_209_600),
  refresh_token_absolute_ttl_seconds: seconds(3_600, 63_072_000, 7_776_000),
  refresh_retry_window_seconds: seconds(0, 60, 0),
  access_token_format: TokenFormat.default('jwt'),
  id_token_claims: z.enum(['full', 'minimal']).default('full'),
}).refine((value) => value.refresh_token_absolute_ttl_seconds >= value.refresh_token_idle_ttl_seconds, {
  message: 'refresh_token_absolute_ttl_seconds must not be below refresh_token_idle_ttl_seconds.',
  path: ['refresh_token_absolute_ttl_seconds'],
})

const sessions = group({
  idle_ttl_seconds: seconds(300, 2_592_000, 86_400),
  absolute_ttl_seconds: seconds(3_600, 31_536_000, 2_592_000),
}).refine((value) => value.absolute_ttl_seconds >= value.idle_ttl_seconds, {
  message: 'absolute_ttl_seconds must not be below idle_ttl_seconds.',
  path: ['absolute_ttl_seconds'],
})

const smtp = z.strictObject({
  host: text(253, 1).refine(isHost, 'Expected the name or the address of a mail server, without port.'),
  port: z.int().min(1).max(65_535).default(587),
  username: text(320, 1).nullable().default(null),
  /** Write-only: encrypted at rest and never returned. `has_password` shows whether it is set. */
  password: z.string().min(1).max(8_000).optional(),
  /** `starttls` is required, not opportunistic. `none` only reaches an allowed network. */
  tls: z.enum(['starttls', 'implicit', 'none']).default('starttls'),
})

function isHost(value: string): boolean {
  return (
    /^([\p{L}\p{M}\p{N}._-]+|[0-9a-f]*:[0-9a-f:.]+)$/iu.test(value) && URL.canParse(`http://${value.includes(':') ? `[${value}]` : value}/`)
  )
}

const email = (deliveries: [string, ...string[]]) =>
  group({
    delivery: z.enum(deliveries).default(deliveries[0]),
    from: Sender.nullable().default(null),
    smtp: smtp.nullable().default(null),
  })

const common = {
  tokens,
  sessions,
  scopes: group({
    disabled: z
      .array(z.enum(oidcScopes).exclude(['openid']))
      .max(10)
      .default([]),
  }),
  sign_in: group({ password: z.boolean().default(true), email_code: z.boolean().default(false), passkey: z.boolean().default(false) }),
  sign_up: group({ mode: z.enum(['open', 'closed']).default('open') }),
  password: group({ min_length: z.int().min(8).max(128).default(12), reject_common: z.boolean().default(true) }),
  mfa: group({ mode: z.enum(['off', 'optional', 'required']).default('off') }),
  lockout: group({ max_attempts: z.int().min(3).max(100).default(10), duration_seconds: seconds(30, 86_400, 900) }),
  branding: group({
    display_name: Name.nullable().default(null),
    logo_url: WebUrl.nullable().default(null),
    primary_color: z
      .string()
      .regex(/^#[0-9a-fA-F]{6}$/, 'Expected #rrggbb.')
      .nullable()
      .default(null),
  }),
  links: group({
    terms_url: WebUrl.nullable().default(null),
    privacy_url: WebUrl.nullable().default(null),
    support_url: WebUrl.nullable().default(null),
  }),
  cors: group({ allowed_origins: z.array(Origin).max(100).default([]) }),
}

const test = group({
  fixed_code: z
    .string()
    .regex(/^[0-9]{6}$/, 'Expected six digits.')
    .nullable()
    .default(null),
})

/**
 * Values of features that this version does not have. Setting one answers 422 with `detail`. A value that an earlier version stored
 * counts as the default. The change that adds the feature removes its entry.
 */
export const notBuilt: readonly { group: string; field: string; values: readonly unknown[]; detail: string }[] = [
  {
    group: 'mfa',
    field: 'mode',
    values: ['optional', 'required'],
    detail: 'This version does not support second factors. Leave mfa.mode at off.',
  },
  {
    group: 'sign_in',
    field: 'passkey',
    values: [true],
    detail: 'This version does not support passkeys. Leave sign_in.passkey at false.',
  },
  {
    group: 'sign_in',
    field: 'email_code',
    values: [true],
    detail: 'This version does not support emailed sign-in codes. Leave sign_in.email_code at false.',
  },
]

/** The stored document of each environment type. Live has neither captured mail nor the group `test`. */
export const settingsSchemas = {
  test: z.strictObject({ ...common, email: email(['capture', 'none', 'smtp']), test }),
  live: z.strictObject({ ...common, email: email(['none', 'smtp']) }),
} satisfies Record<EnvironmentType, z.ZodType>

export type StoredSettings = z.infer<(typeof settingsSchemas)['test']>

/** The response: `has_password` replaces the SMTP password, and `test` is `null` in Live. */
export const Settings = z.strictObject({
  ...common,
  email: z.strictObject({
    delivery: z.enum(['none', 'smtp', 'capture']),
    from: Sender.nullable(),
    smtp: smtp.omit({ password: true }).extend({ has_password: z.boolean() }).nullable(),
  }),
  test: z.strictObject({ fixed_code: z.string().nullable() }).nullable(),
  project_id: z.string(),
  environment_id: z.string(),
  updated_at: z.string(),
})
export type Settings = z.infer<typeof Settings>

/** JSON Merge Patch (RFC 7396): `null` restores a default. Names and ranges are checked after the patch is applied. */
export const SettingsChange = z.record(z.string(), z.unknown())
