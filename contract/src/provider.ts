/** Identity providers through which people can sign in to an environment. */
import { z } from 'zod'
import type { FieldClasses } from './field-class.ts'
import { EnvironmentId, ProjectId, ProviderId, TenantId } from './ids.ts'
import { characters, Name, slugs, Time, WebUrl } from './values.ts'

export const ProviderType = z.enum(['oidc', 'google', 'microsoft', 'github', 'apple', 'gitlab'])
export type ProviderType = z.infer<typeof ProviderType>

const Text = z.string().min(1).max(500)
/** RFC 6749 §3.3 */
const Scopes = z
  .array(
    z
      .string()
      .regex(/^[\x21\x23-\x5B\x5D-\x7E]{1,200}$/, 'Use 1 to 200 printable ASCII characters without space, quotation mark and backslash.'),
  )
  .max(50)

/** Why a sign-in at a provider, or its check, failed. The name of a cause never changes. */
export const ProviderCause = z.enum([
  'dns',
  'refused',
  'tls',
  'timeout',
  'address_not_allowed',
  'status',
  'metadata',
  'issuer_mismatch',
  'keys',
  'client_rejected',
  'id_token',
  'userinfo',
])
export type ProviderCause = z.infer<typeof ProviderCause>

const cause_words =
  'Where it failed: the name has no address (`dns`), nobody accepts connections (`refused`), TLS fails (`tls`), the time is up (`timeout`), outgoing calls may not reach the address (`address_not_allowed`), an endpoint answers with an error (`status`), the metadata cannot be used (`metadata`) or names another issuer (`issuer_mismatch`), the keys cannot be read or fit no token (`keys`), the provider refuses the client (`client_rejected`), its ID token is not valid (`id_token`), or its claims cannot be used (`userinfo`).'
const detail_words = 'What happened, in words of this service; of the provider at most a standard error code.'

const ProviderFailure = z.strictObject({
  at: Time.describe('When it failed.'),
  cause: ProviderCause.describe(cause_words),
  detail: z.string().describe(detail_words),
})
export type ProviderFailure = z.infer<typeof ProviderFailure>

/** What the check of a provider found. */
export const ProviderCheck = z.strictObject({
  ok: z.boolean().describe('Whether the metadata and the keys of the provider can be used. The client secret is tried by a sign-in alone.'),
  cause: ProviderCause.nullable().describe(`${cause_words} \`null\` if the check succeeded.`),
  detail: z.string().nullable().describe(`${detail_words} \`null\` if the check succeeded.`),
})

const fields = {
  display_name: Name.describe('The name on the sign-in button.'),
  /** oidc: the issuer. microsoft: the issuer of one Entra tenant. gitlab: the URL of a self-managed instance. */
  issuer: WebUrl.nullable().describe(
    'oidc: the issuer. microsoft: the issuer of one Entra tenant. gitlab: the URL of a self-managed instance. `null` for the others. It is https; in Test also http at `localhost`, `127.0.0.0/8` or `[::1]`, where the operator allows calls to that address.',
  ),
  client_id: Text.describe('Your client id at the provider.'),
  scopes: Scopes.describe('The scopes to request. The default depends on the type, such as `openid email profile`.'),
  enabled: z.boolean().describe('Whether people can sign in with the provider. The default is true.'),
  /** Links an identity to the existing user with the same email, if both the provider and the user have verified it. */
  link_by_verified_email: z
    .boolean()
    .describe('Links an identity to the existing user with the same email, if both sides have verified it. The default is false.'),
  accept_preferred_username: z
    .boolean()
    .describe(
      'Stores the `preferred_username` of the provider as that of a new user, if it has 1 to 100 visible characters and no `@`, and no other user of the environment has it, in whatever case. Otherwise it is left out, and `user.created` says why. The default is false.',
    ),
  sign_out: z
    .enum(['none', 'rp_initiated'])
    .describe(
      'Whether a person who signs out here is signed out at the provider too: with `rp_initiated` the browser goes through its `end_session_endpoint` (RP-Initiated Logout 1.0) and comes back. The default is `none`.',
    ),
  /** `team_id` and `key_id`: apple only. */
  team_id: Text.nullable().describe('apple: the team id. `null` for other types.'),
  key_id: Text.nullable().describe('apple: the id of the private key. `null` for other types.'),
}

const secrets = {
  client_secret: z
    .string()
    .min(1)
    .max(2_000)
    .describe('Your client secret at the provider. It is write-only. Every type but oidc and apple needs it while it is enabled.'),
  /** PEM (RFC 7468), which has several lines. */
  private_key: z
    .string()
    .min(1)
    .max(4_000)
    .register(characters, { allowed: 'lines' })
    .describe('apple: the private key as PEM, needed while the provider is enabled. It is write-only.'),
}

export const Provider = z.strictObject({
  id: ProviderId,
  tenant_id: TenantId,
  project_id: ProjectId,
  environment_id: EnvironmentId,
  slug: slugs.record,
  type: ProviderType.describe('The kind of provider. It never changes.'),
  ...fields,
  has_client_secret: z.boolean().describe('Whether a client secret is set.'),
  has_private_key: z.boolean().describe('Whether a private key is set.'),
  /** The redirect URI to register at the provider: `{issuer}/oauth/callback/{provider_id}`. */
  callback_url: z.string().describe('The redirect URI to register at the provider.'),
  /** `{issuer}/oauth/signed-out/{provider_id}`. */
  post_logout_redirect_uri: z
    .string()
    .describe('The address to register at the provider for the return from a sign-out, where `sign_out` is `rp_initiated`.'),
  /** `{issuer}/oauth/backchannel/{provider_id}`. */
  backchannel_logout_uri: z
    .string()
    .describe('The address to register at the provider for its logout tokens (Back-Channel Logout 1.0), which end the sessions here.'),
  last_success_at: Time.nullable().describe('When a person last signed in with the provider, to the minute; `null` if never.'),
  last_failure: ProviderFailure.nullable().describe(
    'The last failure of a sign-in or a check that the provider or its settings caused; `null` if there is none.',
  ),
  created_at: Time,
  updated_at: Time,
})
export type Provider = z.infer<typeof Provider>

export const NewProvider = z.strictObject({
  id: ProviderId.optional().describe(
    'An id of your choice, with which the redirect URI is known before the provider exists: `{issuer}/oauth/callback/{id}`. It is `prv_` and a UUIDv7 in Crockford base32. The service makes one if it is absent.',
  ),
  slug: slugs.created,
  type: ProviderType.describe('The kind of provider. It never changes.'),
  client_id: fields.client_id,
  display_name: fields.display_name.optional(),
  issuer: fields.issuer.optional(),
  scopes: fields.scopes.optional(),
  enabled: fields.enabled.optional(),
  link_by_verified_email: fields.link_by_verified_email.optional(),
  accept_preferred_username: fields.accept_preferred_username.optional(),
  sign_out: fields.sign_out.optional(),
  team_id: fields.team_id.optional(),
  key_id: fields.key_id.optional(),
  client_secret: secrets.client_secret.nullable().optional(),
  private_key: secrets.private_key.nullable().optional(),
})

/** JSON Merge Patch (RFC 7396): `null` restores the default of a field and removes a secret. */
export const ProviderChange = z.strictObject({
  slug: slugs.changed,
  client_id: fields.client_id.optional(),
  display_name: fields.display_name.nullable().optional(),
  issuer: fields.issuer.optional(),
  scopes: fields.scopes.nullable().optional(),
  enabled: fields.enabled.nullable().optional(),
  link_by_verified_email: fields.link_by_verified_email.nullable().optional(),
  accept_preferred_username: fields.accept_preferred_username.nullable().optional(),
  sign_out: fields.sign_out.nullable().optional(),
  team_id: fields.team_id.optional(),
  key_id: fields.key_id.optional(),
  client_secret: secrets.client_secret.nullable().optional(),
  private_key: secrets.private_key.nullable().optional(),
})

export const providerFields = {
  id: 'never',
  tenant_id: 'never',
  project_id: 'never',
  environment_id: 'never',
  slug: 'immutable',
  type: 'immutable',
  display_name: 'travels',
  issuer: 'owned',
  client_id: 'owned',
  scopes: 'travels',
  enabled: 'owned',
  link_by_verified_email: 'travels',
  accept_preferred_username: 'travels',
  sign_out: 'travels',
  team_id: 'owned',
  key_id: 'owned',
  has_client_secret: 'never',
  has_private_key: 'never',
  callback_url: 'never',
  post_logout_redirect_uri: 'never',
  backchannel_logout_uri: 'never',
  last_success_at: 'never',
  last_failure: 'never',
  created_at: 'never',
  updated_at: 'never',
  client_secret: 'never',
  private_key: 'never',
} as const satisfies FieldClasses<Provider & z.infer<typeof NewProvider>>
