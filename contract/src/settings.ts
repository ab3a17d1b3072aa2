/**
 * The settings of an environment: one document in groups. This file alone defines the range and the default of every field; `settings-words.ts` has
 * its words. Only
 * values that were set are stored; all others follow the defaults.
 */
import { z } from 'zod'
import { DomainPattern } from './domain-pattern.ts'
import { EnvironmentId, ProjectId } from './ids.ts'
import type { FieldClass, NestedFieldClasses } from './objects/field.ts'
import { oidcScopes } from './scopes.ts'
import { sentencesOf } from './settings-sentences.ts'
import { wordsOf } from './settings-words.ts'
import { bySwitch, type SwitchedMethod, sign_in_methods } from './sign-in-methods.ts'
import type { EnvironmentType } from './tenancy.ts'
import { Name, Origin, Sender, seconds, Time, text, WebUrl } from './values.ts'

export const TokenFormat = z.enum(['jwt', 'opaque'])

/** Where people are asked for a name. */
export const SignUpName = z.enum(['off', 'optional', 'required'])
export type SignUpName = z.infer<typeof SignUpName>

/** Who may create an account. */
export const SignUpMode = z.enum(['open', 'approval', 'closed'])

const domains = z.array(DomainPattern).max(200, { abort: true }).default([])

/** Which clients get in by the URL of a document about themselves. */
/** From those that admit fewer clients to those that admit more. */
export const metadata_clients_modes = ['off', 'listed', 'any'] as const
const MetadataClients = z.enum(metadata_clients_modes)
export type MetadataClients = z.infer<typeof MetadataClients>

/** The value of a claim for a person who has none: nothing, or the verified address. */
const ClaimSource = z.enum(['none', 'email'])

/** Describes the fields of a group by their words, with the range and the default of their schemas. */
function describeFields<S extends Record<string, z.ZodType>>(group: string, shape: S): S {
  const described = Object.entries(shape).map(([name, schema]) => [name, schema.describe(sentencesOf(`${group}.${name}`, schema))])
  return Object.fromEntries(described) as S // as: every schema keeps its type
}

/** An absent group has the defaults of all its fields. */
const group = <S extends Record<string, z.ZodType>>(name: string, shape: S) =>
  z.strictObject(describeFields(name, shape)).prefault({} as never) // as: every field has a default, which the types do not express

const tokens = group('tokens', {
  access_token_ttl_seconds: seconds(60, 86_400, 3_600),
  id_token_ttl_seconds: seconds(60, 86_400, 3_600),
  authorization_code_ttl_seconds: seconds(10, 600, 60),
  refresh_token_idle_ttl_seconds: seconds(3_600, 31_536_000, 1_209_600),
  refresh_token_absolute_ttl_seconds: seconds(3_600, 63_072_000, 7_776_000),
  refresh_retry_window_seconds: seconds(0, 60, 0),
  access_token_format: TokenFormat.default('jwt'),
  id_token_claims: z.enum(['full', 'minimal']).default('full'),
}).refine((value) => value.refresh_token_absolute_ttl_seconds >= value.refresh_token_idle_ttl_seconds, {
  message: 'The value of refresh_token_absolute_ttl_seconds must not be below refresh_token_idle_ttl_seconds.',
  path: ['refresh_token_absolute_ttl_seconds'],
})

const sessions = group('sessions', {
  idle_ttl_seconds: seconds(300, 2_592_000, 86_400),
  absolute_ttl_seconds: seconds(3_600, 31_536_000, 2_592_000),
}).refine((value) => value.absolute_ttl_seconds >= value.idle_ttl_seconds, {
  message: 'The value of absolute_ttl_seconds must not be below idle_ttl_seconds.',
  path: ['absolute_ttl_seconds'],
})

const smtp = z.strictObject(
  describeFields('email.smtp', {
    host: text(253, 1).refine(isHost, 'Expected the name or the address of a mail server, without port.'),
    port: z.int().min(1).max(65_535).default(587),
    username: text(320, 1).nullable().default(null),
    /** Write-only: encrypted at rest and never returned. `has_password` shows whether it is set. */
    password: z.string().min(1).max(8_000).optional(),
    tls: z.enum(['starttls', 'implicit', 'none']).default('starttls'),
  }),
)

function isHost(value: string): boolean {
  return (
    /^([\p{L}\p{M}\p{N}._-]+|[0-9a-f]*:[0-9a-f:.]+)$/iu.test(value) && URL.canParse(`http://${value.includes(':') ? `[${value}]` : value}/`)
  )
}

const described_smtp = smtp.nullable().default(null).describe('The SMTP server; `null` for none.')

const email = (deliveries: [string, ...string[]]) => {
  const fields = describeFields('email', { delivery: z.enum(deliveries).default(deliveries[0]), from: Sender.nullable().default(null) })
  return z.strictObject({ ...fields, smtp: described_smtp }).prefault({} as never) // as: every field has a default, which the types do not express
}

const switches = bySwitch((method) => z.boolean().default(sign_in_methods[method].is_on))

const common = {
  tokens: tokens.describe('Lifetimes and formats of tokens.'),
  sessions: sessions.describe('Lifetimes of sessions.'),
  scopes: group('scopes', {
    disabled: z
      .array(z.enum(oidcScopes).exclude(['openid']))
      .max(10)
      .default([]),
  }).describe('The scopes of OpenID Connect.'),
  claims: group('claims', { preferred_username: ClaimSource.default('none'), name: ClaimSource.default('none') }).describe(
    'The claims of people who have no name.',
  ),
  oauth: group('oauth', {
    openid_optional: z.boolean().default(false),
    metadata_clients: MetadataClients.default('off'),
  }).describe('Access by agents and other programs.'),
  sign_in: group('sign_in', switches).describe('The methods of sign-in.'),
  sign_up: group('sign_up', {
    mode: SignUpMode.default('open'),
    name: SignUpName.default('off'),
    allowed_domains: domains,
    blocked_domains: domains,
  }).describe('The creation of accounts.'),
  users: group('users', { deletion_grace_days: z.int().min(0).max(30).default(0) }).describe('The accounts of people.'),
  password: group('password', { min_length: z.int().min(8).max(128).default(12), reject_common: z.boolean().default(true) }).describe(
    'The rules for new passwords.',
  ),
  mfa: group('mfa', {
    mode: z.enum(['off', 'optional', 'required']).default('off'),
    totp: z.boolean().default(true),
    remember_days: z.int().min(0).max(90).default(0),
  }).describe('Second factors.'),
  passkeys: group('passkeys', { automatic: z.boolean().default(false) }).describe('How passkeys begin.'),
  notices: group('notices', { new_sign_in: z.boolean().default(true) }).describe('Mails about what happens to an account.'),
  lockout: group('lockout', { max_attempts: z.int().min(3).max(100).default(10), duration_seconds: seconds(30, 86_400, 900) }).describe(
    'The protection of accounts from guessing.',
  ),
  branding: group('branding', {
    display_name: Name.nullable().default(null),
    logo_url: WebUrl.nullable().default(null),
    primary_color: z
      .string()
      .regex(/^#[0-9a-fA-F]{6}$/, 'Expected a colour as #rrggbb, such as #1f4fd8.')
      .nullable()
      .default(null),
  }).describe('The look of the hosted pages.'),
  links: group('links', {
    terms_url: WebUrl.nullable().default(null),
    privacy_url: WebUrl.nullable().default(null),
    support_url: WebUrl.nullable().default(null),
  }).describe('Links at the foot of the hosted pages.'),
  cors: group('cors', { allowed_origins: z.array(Origin).max(100).default([]) }).describe('Calls from browsers.'),
}

const test = group('test', {
  fixed_code: z
    .string()
    .regex(/^[0-9]{6}$/, 'Expected six digits.')
    .nullable()
    .default(null),
})

/** The stored document of each environment type. Live has neither captured mail nor the group `test`. */
export const settingsSchemas = {
  test: z
    .strictObject({ ...common, email: email(['capture', 'none', 'smtp']), test: test.describe('What exists in Test only.') })
    .describe('The settings of Test environments; `null` in Live.'),
  live: z.strictObject({
    ...common,
    sign_in: group('sign_in', { ...switches, passkey_shared_host: z.boolean().default(false) }),
    email: email(['none', 'smtp']),
  }),
} satisfies Record<EnvironmentType, z.ZodType>

export type StoredSettings = z.infer<(typeof settingsSchemas)['test']>

/** The response: `has_password` replaces the SMTP password, `test` is `null` in Live, and `passkey_shared_host` is `null` in Test. */
export const Settings = z.strictObject({
  ...common,
  sign_in: z
    .strictObject({
      ...describeFields('sign_in', switches),
      passkey_shared_host: z
        .boolean()
        .nullable()
        .describe(`${wordsOf('sign_in.passkey_shared_host').help} \`null\` in Test.`),
    })
    .describe('The methods of sign-in.'),
  email: z.strictObject({
    delivery: z.enum(['none', 'smtp', 'capture']).describe(wordsOf('email.delivery').help),
    from: Sender.nullable().describe(wordsOf('email.from').help),
    smtp: smtp
      .omit({ password: true })
      .extend({ has_password: z.boolean().describe('Whether the SMTP server has a password.') })
      .nullable()
      .describe('The SMTP server; `null` for none.'),
  }),
  test: z
    .strictObject({ fixed_code: z.string().nullable().describe(wordsOf('test.fixed_code').help) })
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
  claims: { preferred_username: 'travels', name: 'travels' },
  oauth: { openid_optional: 'travels', metadata_clients: 'owned' },
  sign_in: { password: 'travels', email_code: 'travels', passkey: 'travels', passkey_shared_host: 'owned' } satisfies Record<
    SwitchedMethod | 'passkey_shared_host',
    FieldClass
  >,
  sign_up: { mode: 'travels', name: 'travels', allowed_domains: 'travels', blocked_domains: 'travels' },
  users: { deletion_grace_days: 'travels' },
  password: { min_length: 'travels', reject_common: 'travels' },
  mfa: { mode: 'travels', totp: 'travels', remember_days: 'travels' },
  passkeys: { automatic: 'travels' },
  notices: { new_sign_in: 'travels' },
  lockout: { max_attempts: 'travels', duration_seconds: 'travels' },
  branding: { display_name: 'travels', logo_url: 'owned', primary_color: 'travels' },
  links: { terms_url: 'owned', privacy_url: 'owned', support_url: 'owned' },
  cors: { allowed_origins: 'owned' },
  email: {
    delivery: 'owned',
    from: 'owned',
    smtp: { host: 'owned', port: 'owned', username: 'owned', tls: 'owned', password: 'never', has_password: 'never' },
  },
  test: { fixed_code: 'owned' },
  project_id: 'never',
  environment_id: 'never',
  updated_at: 'never',
} as const satisfies NestedFieldClasses
