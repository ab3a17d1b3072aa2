/**
 * The settings of an environment: one document in groups. This file alone defines the range and the default of every field. Only
 * values that were set are stored; all others follow the defaults.
 */
import { z } from 'zod'
import type { NestedFieldClasses } from './field-class.ts'
import { EnvironmentId, ProjectId } from './ids.ts'
import { oidcScopes } from './scopes.ts'
import type { EnvironmentType } from './tenancy.ts'
import { Name, Origin, Sender, seconds, Time, text, WebUrl } from './values.ts'

export const TokenFormat = z.enum(['jwt', 'opaque'])

/** An absent group has the defaults of all its fields. */
const group = <S extends z.ZodRawShape>(shape: S) => z.strictObject(shape).prefault({} as never) // as: every field has a default, which the types do not express

const tokens = group({
  access_token_ttl_seconds: seconds(60, 86_400, 3_600).describe(
    'The lifetime of access tokens in seconds, 60 to 86,400. The default is 3,600.',
  ),
  id_token_ttl_seconds: seconds(60, 86_400, 3_600).describe('The lifetime of ID tokens in seconds, 60 to 86,400. The default is 3,600.'),
  authorization_code_ttl_seconds: seconds(10, 600, 60).describe(
    'The lifetime of authorization codes in seconds, 10 to 600. The default is 60.',
  ),
  refresh_token_idle_ttl_seconds: seconds(3_600, 31_536_000, 1_209_600).describe(
    'How long an unused refresh token stays valid, in seconds. The default is 1,209,600 (14 days).',
  ),
  refresh_token_absolute_ttl_seconds: seconds(3_600, 63_072_000, 7_776_000).describe(
    'How long a grant can be refreshed in all, in seconds, not below the idle time. The default is 7,776,000 (90 days).',
  ),
  refresh_retry_window_seconds: seconds(0, 60, 0).describe(
    'How long a repeated refresh gets the same answer after a lost response, in seconds, 0 to 60. The default is 0: never.',
  ),
  access_token_format: TokenFormat.default('jwt').describe(
    'The format of access tokens without a resource server: `jwt` (the default) or `opaque`.',
  ),
  id_token_claims: z
    .enum(['full', 'minimal'])
    .default('full')
    .describe('`full` (the default) puts the claims of all scopes into the ID token; `minimal` leaves them to UserInfo.'),
}).refine((value) => value.refresh_token_absolute_ttl_seconds >= value.refresh_token_idle_ttl_seconds, {
  message: 'The value of refresh_token_absolute_ttl_seconds must not be below refresh_token_idle_ttl_seconds.',
  path: ['refresh_token_absolute_ttl_seconds'],
})

const sessions = group({
  idle_ttl_seconds: seconds(300, 2_592_000, 86_400).describe(
    'How long an unused session stays valid, in seconds, 300 to 2,592,000. The default is 86,400 (1 day).',
  ),
  absolute_ttl_seconds: seconds(3_600, 31_536_000, 2_592_000).describe(
    'How long a session lasts at most, in seconds, 3,600 to 31,536,000, not below the idle time. The default is 2,592,000 (30 days).',
  ),
}).refine((value) => value.absolute_ttl_seconds >= value.idle_ttl_seconds, {
  message: 'The value of absolute_ttl_seconds must not be below idle_ttl_seconds.',
  path: ['absolute_ttl_seconds'],
})

const smtp = z.strictObject({
  host: text(253, 1)
    .refine(isHost, 'Expected the name or the address of a mail server, without port.')
    .describe('The name or the address of the mail server.'),
  port: z.int().min(1).max(65_535).default(587).describe('The port of the mail server. The default is 587.'),
  username: text(320, 1).nullable().default(null).describe('The user name at the mail server; `null` for none.'),
  /** Write-only: encrypted at rest and never returned. `has_password` shows whether it is set. */
  password: z.string().min(1).max(8_000).optional().describe('The password at the mail server. It is write-only.'),
  tls: z
    .enum(['starttls', 'implicit', 'none'])
    .default('starttls')
    .describe('`starttls` is required, not opportunistic; `implicit` is TLS from the start; `none` only reaches an allowed network.'),
})

function isHost(value: string): boolean {
  return (
    /^([\p{L}\p{M}\p{N}._-]+|[0-9a-f]*:[0-9a-f:.]+)$/iu.test(value) && URL.canParse(`http://${value.includes(':') ? `[${value}]` : value}/`)
  )
}

const email = (deliveries: [string, ...string[]]) =>
  group({
    delivery: z
      .enum(deliveries)
      .default(deliveries[0])
      .describe('`smtp` sends mail, `capture` keeps it for the inbox (Test only), `none` sends nothing.'),
    from: Sender.nullable().default(null).describe('The sender of mail: an address, or `Name <address>`. Required with `smtp`.'),
    smtp: smtp.nullable().default(null).describe('The SMTP server; `null` for none.'),
  })

const sign_in_methods = {
  password: z.boolean().default(true).describe('Whether people can sign in with a password. The default is true.'),
  email_code: z.boolean().default(false).describe('Whether people can sign in with an emailed code. The default is false.'),
  passkey: z.boolean().default(false).describe('Whether people can sign in with a passkey. The default is false.'),
}

const shared_host =
  'Whether passkeys may belong to the host that all environments of the service share. A passkey can never move to another host. Live only'

const common = {
  tokens: tokens.describe('Lifetimes and formats of tokens.'),
  sessions: sessions.describe('Lifetimes of sessions.'),
  scopes: group({
    disabled: z
      .array(z.enum(oidcScopes).exclude(['openid']))
      .max(10)
      .default([])
      .describe('OpenID Connect scopes that no application can request. The default is none.'),
  }).describe('The scopes of OpenID Connect.'),
  sign_in: group(sign_in_methods).describe('The methods of sign-in.'),
  sign_up: group({
    mode: z
      .enum(['open', 'closed'])
      .default('open')
      .describe('`open` (the default) lets people create accounts; `closed` leaves it to the API.'),
  }).describe('The creation of accounts.'),
  password: group({
    min_length: z
      .int()
      .min(8)
      .max(128)
      .default(12)
      .describe('The minimum length of a new password in characters, 8 to 128. The default is 12.'),
    reject_common: z.boolean().default(true).describe('Whether common passwords and names are refused. The default is true.'),
  }).describe('The rules for new passwords.'),
  mfa: group({
    mode: z
      .enum(['off', 'optional', 'required'])
      .default('off')
      .describe(
        'Whether a second factor is `off` (the default), `optional` or `required`. What a person enrolled is asked for in every mode.',
      ),
    totp: z.boolean().default(true).describe('Whether people can enrol authenticator apps (TOTP). The default is true.'),
  }).describe('Second factors.'),
  lockout: group({
    max_attempts: z
      .int()
      .min(3)
      .max(100)
      .default(10)
      .describe('How many wrong passwords in a row lock an account, 3 to 100. The default is 10.'),
    duration_seconds: seconds(30, 86_400, 900).describe('How long an account stays locked, in seconds, 30 to 86,400. The default is 900.'),
  }).describe('The protection of accounts from guessing.'),
  branding: group({
    display_name: Name.nullable().default(null).describe('The name on the hosted pages; `null` uses the name of the project.'),
    logo_url: WebUrl.nullable().default(null).describe('The logo on the hosted pages; `null` for none.'),
    primary_color: z
      .string()
      .regex(/^#[0-9a-fA-F]{6}$/, 'Expected a colour as #rrggbb, such as #1f4fd8.')
      .nullable()
      .default(null)
      .describe('The colour of buttons as #rrggbb; `null` for the default.'),
  }).describe('The look of the hosted pages.'),
  links: group({
    terms_url: WebUrl.nullable().default(null).describe('The terms of service; `null` for none.'),
    privacy_url: WebUrl.nullable().default(null).describe('The privacy policy; `null` for none.'),
    support_url: WebUrl.nullable().default(null).describe('Where people get help; `null` for none.'),
  }).describe('Links at the foot of the hosted pages.'),
  cors: group({
    allowed_origins: z
      .array(Origin)
      .max(100)
      .default([])
      .describe('Origins whose scripts can call the token endpoints, besides those of spa applications.'),
  }).describe('Calls from browsers.'),
}

const test = group({
  fixed_code: z
    .string()
    .regex(/^[0-9]{6}$/, 'Expected six digits.')
    .nullable()
    .default(null)
    .describe('Six digits that replace emailed codes; `null` for real codes.'),
})

/** The stored document of each environment type. Live has neither captured mail nor the group `test`. */
export const settingsSchemas = {
  test: z
    .strictObject({ ...common, email: email(['capture', 'none', 'smtp']), test: test.describe('What exists in Test only.') })
    .describe('The settings of Test environments; `null` in Live.'),
  live: z.strictObject({
    ...common,
    sign_in: group({
      ...sign_in_methods,
      passkey_shared_host: z.boolean().default(false).describe(`${shared_host}; the default is false.`),
    }),
    email: email(['none', 'smtp']),
  }),
} satisfies Record<EnvironmentType, z.ZodType>

export type StoredSettings = z.infer<(typeof settingsSchemas)['test']>

/** The response: `has_password` replaces the SMTP password, `test` is `null` in Live, and `passkey_shared_host` is `null` in Test. */
export const Settings = z.strictObject({
  ...common,
  sign_in: z
    .strictObject({ ...sign_in_methods, passkey_shared_host: z.boolean().nullable().describe(`${shared_host}; \`null\` in Test.`) })
    .describe('The methods of sign-in.'),
  email: z.strictObject({
    delivery: z
      .enum(['none', 'smtp', 'capture'])
      .describe('`smtp` sends mail, `capture` keeps it for the inbox (Test only), `none` sends nothing.'),
    from: Sender.nullable().describe('The sender of mail.'),
    smtp: smtp
      .omit({ password: true })
      .extend({ has_password: z.boolean().describe('Whether the SMTP server has a password.') })
      .nullable()
      .describe('The SMTP server; `null` for none.'),
  }),
  test: z
    .strictObject({ fixed_code: z.string().nullable().describe('Six digits that replace emailed codes; `null` for real codes.') })
    .nullable()
    .describe('The settings of Test environments; `null` in Live.'),
  project_id: ProjectId,
  environment_id: EnvironmentId,
  updated_at: Time,
})
export type Settings = z.infer<typeof Settings>

/** JSON Merge Patch (RFC 7396): `null` restores a default. Names and ranges are checked after the patch is applied. */
export const SettingsChange = z.record(z.string(), z.unknown())

const previewed = z.record(z.string(), z.unknown()).optional()

/** Unsaved changes to show on a hosted page, as in a change of the settings. */
export const SettingsToPreview = z.strictObject({
  branding: previewed.describe('Changes of `branding`. A new `logo_url` is shown after it is saved.'),
  links: previewed.describe('Changes of `links`.'),
  sign_in: previewed.describe('Changes of `sign_in`.'),
  sign_up: previewed.describe('Changes of `sign_up`.'),
  page: z.enum(['sign_in', 'sign_up']).default('sign_in').describe('The page to show. The default is `sign_in`.'),
  theme: z.enum(['light', 'dark']).default('light').describe('The theme of the page. The default is `light`.'),
})
export type SettingsToPreview = z.infer<typeof SettingsToPreview>

export const SettingsPreview = z.strictObject({
  url: z.url().describe('The address of the page. It opens only in a frame of the dashboard, for members of the tenant.'),
  expires_at: Time.describe('When the address stops working.'),
})

export const settingsFields = {
  tokens: {
    access_token_ttl_seconds: 'travels',
    id_token_ttl_seconds: 'travels',
    authorization_code_ttl_seconds: 'travels',
    refresh_token_idle_ttl_seconds: 'travels',
    refresh_token_absolute_ttl_seconds: 'travels',
    refresh_retry_window_seconds: 'travels',
    access_token_format: 'travels',
    id_token_claims: 'travels',
  },
  sessions: { idle_ttl_seconds: 'travels', absolute_ttl_seconds: 'travels' },
  scopes: { disabled: 'travels' },
  sign_in: { password: 'travels', email_code: 'travels', passkey: 'travels', passkey_shared_host: 'owned' },
  sign_up: { mode: 'travels' },
  password: { min_length: 'travels', reject_common: 'travels' },
  mfa: { mode: 'travels', totp: 'travels' },
  lockout: { max_attempts: 'travels', duration_seconds: 'travels' },
  branding: { display_name: 'travels', logo_url: 'owned', primary_color: 'travels' },
  links: { terms_url: 'owned', privacy_url: 'owned', support_url: 'owned' },
  cors: { allowed_origins: 'owned' },
  email: {
    delivery: 'owned',
    from: 'owned',
    smtp: { host: 'owned', port: 'owned', username: 'owned', tls: 'owned', password: 'never', has_password: 'never' },
  },
  test: { fixed_code: 'never' },
  project_id: 'never',
  environment_id: 'never',
  updated_at: 'never',
} as const satisfies NestedFieldClasses
