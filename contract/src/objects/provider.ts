/** Identity providers through which people can sign in to an environment. */
import { z } from 'zod'
import { ProviderId } from '../ids.ts'
import { characters, Name, slugs, Time, UtcMoment, WebUrl } from '../values.ts'
import {
  always,
  changeShape,
  creationShape,
  dates,
  type FieldsOf,
  fixed,
  inLive,
  observed,
  owned,
  place,
  recordShape,
  secret,
  travels,
} from './field.ts'

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
  'proxy',
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
  'Where it failed: the name has no address (`dns`), nobody accepts connections (`refused`), TLS fails (`tls`), the time is up (`timeout`), outgoing calls may not reach the address (`address_not_allowed`), the egress proxy of the deployment makes no connection (`proxy`), an endpoint answers with an error (`status`), the metadata cannot be used (`metadata`) or names another issuer (`issuer_mismatch`), the keys cannot be read or fit no token (`keys`), the provider refuses the client (`client_rejected`), its ID token is not valid (`id_token`), or its claims cannot be used (`userinfo`).'
const detail_words = 'What happened, in words of this service; of the provider at most a standard error code.'

const ProviderFailure = z.strictObject({
  at: Time.describe('When it failed.'),
  cause: ProviderCause.describe(cause_words),
  detail: z.string().describe(detail_words),
})
export type ProviderFailure = z.infer<typeof ProviderFailure>

/** The result of the check of a provider. */
export const ProviderCheck = z.strictObject({
  ok: z.boolean().describe('Whether the metadata and the keys of the provider can be used. The client secret is tried by a sign-in alone.'),
  cause: ProviderCause.nullable().describe(`${cause_words} \`null\` if the check succeeded.`),
  detail: z.string().nullable().describe(`${detail_words} \`null\` if the check succeeded.`),
})

/** The defaults of a new provider, by type. */
// biome-ignore format: this table is read by column
export const provider_types: Readonly<Record<ProviderType, { readonly display_name: string; readonly scopes: readonly string[] }>> = {
  oidc:      { display_name: 'Single sign-on', scopes: ['openid', 'email', 'profile'] },
  google:    { display_name: 'Google',         scopes: ['openid', 'email', 'profile'] },
  microsoft: { display_name: 'Microsoft',      scopes: ['openid', 'email', 'profile'] },
  apple:     { display_name: 'Apple',          scopes: ['openid', 'email', 'name'] },
  gitlab:    { display_name: 'GitLab',         scopes: ['openid', 'email', 'profile'] },
  github:    { display_name: 'GitHub',         scopes: ['read:user', 'user:email'] },
}

const sign_in = 'People who sign in with it.'
const each_visitor = 'Every person who opens a sign-in page.'
const first_sign_in = 'People who sign in with it for the first time.'

/** The rows in the order of the record. */
export const provider = {
  id: observed(ProviderId),
  ...place,
  type: fixed(ProviderType.describe('The kind of provider. It never changes.'), {
    label: 'Kind',
    look: { oidc: 'OpenID Connect', google: 'Google', microsoft: 'Microsoft', github: 'GitHub', apple: 'Apple', gitlab: 'GitLab' },
  }),
  display_name: travels(Name.describe('The name on the sign-in button.'), {
    label: 'Name on the button',
    look: 'text',
    affects: each_visitor,
    default: (type: ProviderType) => provider_types[type].display_name,
  }),
  /** oidc: the issuer. microsoft: the issuer of one Entra tenant. gitlab: the URL of a self-managed instance. */
  issuer: owned(
    WebUrl.nullable().describe(
      'oidc: the issuer. microsoft: the issuer of one Entra tenant. gitlab: the URL of a self-managed instance. `null` for the others. It is https; in Test also http at `localhost`, `127.0.0.0/8` or `[::1]`, where the operator allows calls to that address.',
    ),
    { label: 'Issuer', look: 'text', affects: sign_in, fresh: inLive('changed'), default: null },
  ),
  client_id: owned(Text.describe('Your client id at the provider.'), {
    label: 'Client id',
    look: 'text',
    affects: sign_in,
    fresh: inLive('changed'),
  }),
  scopes: travels(Scopes.describe('The scopes to request. The default depends on the type, such as `openid email profile`.'), {
    label: 'Scopes to ask for',
    look: 'words',
    affects: `${sign_in} The provider can ask them to consent again.`,
    default: (type: ProviderType) => [...provider_types[type].scopes],
  }),
  enabled: owned(z.boolean().describe('Whether people can sign in with the provider. The default is true.'), {
    label: 'Switched on',
    look: 'switch',
    affects: each_visitor,
    fresh: inLive('turned_on'),
    default: true,
  }),
  /** Links an identity to the existing user with the same email, if both the provider and the user have verified it. */
  link_by_verified_email: travels(
    z
      .boolean()
      .describe('Links an identity to the existing user with the same email, if both sides have verified it. The default is false.'),
    {
      label: 'Link by verified email',
      look: 'switch',
      hint: 'A first sign-in joins the existing user with the same address, if both sides have verified it.',
      affects: 'People with an account who sign in with it for the first time.',
      fresh: inLive('changed'),
      default: false,
    },
  ),
  accept_preferred_username: travels(
    z
      .boolean()
      .describe(
        'Stores the `preferred_username` of the provider as that of a new user, if it has 1 to 100 visible characters and no `@`, and no other user of the environment has it, in whatever case. Otherwise it is left out, and `user.created` says why. The default is false.',
      ),
    {
      label: 'Take the user name',
      look: 'switch',
      hint: 'A first sign-in stores the user name of the provider, if no other user has it. Applications see it as preferred_username.',
      affects: first_sign_in,
      fresh: inLive('changed'),
      default: false,
    },
  ),
  sign_out: travels(
    z
      .enum(['none', 'rp_initiated'])
      .describe(
        'Whether a person who signs out here is signed out at the provider too: with `rp_initiated` the browser goes through its `end_session_endpoint` (RP-Initiated Logout 1.0) and comes back. The default is `none`.',
      ),
    {
      label: 'Sign-out',
      look: { none: 'Here alone', rp_initiated: 'At the provider too' },
      hint: '“At the provider too” leads the person through the provider, which ends its own session.',
      affects: 'People who sign out after a sign-in with it.',
      default: 'none',
    },
  ),
  /** `team_id` and `key_id`: apple only. */
  team_id: owned(Text.nullable().describe('apple: the team id. `null` for other types.'), {
    label: 'Team id',
    look: 'text',
    affects: sign_in,
    fresh: inLive('changed'),
    default: null,
  }),
  key_id: owned(Text.nullable().describe('apple: the id of the private key. `null` for other types.'), {
    label: 'Key id',
    look: 'text',
    affects: sign_in,
    fresh: inLive('changed'),
    default: null,
  }),
  secret_expires_at: owned(
    UtcMoment.nullable().describe(
      'When the client secret or the private key ends at the provider, as it says; `null` if it does not end or nobody filled it in. Warnings come 30, 7 and 1 days before. It lies in the future.',
    ),
    {
      label: 'The secret ends on',
      look: 'date',
      hint: 'As the provider says. You are warned 30, 7 and 1 days before.',
      affects: 'Nobody: it is for the warnings alone.',
      default: null,
    },
  ),
  has_client_secret: observed(z.boolean().describe('Whether a client secret is set.')),
  has_private_key: observed(z.boolean().describe('Whether a private key is set.')),
  /** The redirect URI to register at the provider: `{issuer}/oauth/callback/{provider_id}`. */
  callback_url: observed(z.string().describe('The redirect URI to register at the provider.')),
  /** `{issuer}/oauth/signed-out/{provider_id}`. */
  post_logout_redirect_uri: observed(
    z.string().describe('The address to register at the provider for the return from a sign-out, where `sign_out` is `rp_initiated`.'),
  ),
  /** `{issuer}/oauth/backchannel/{provider_id}`. */
  backchannel_logout_uri: observed(
    z
      .string()
      .describe('The address to register at the provider for its logout tokens (Back-Channel Logout 1.0), which end the sessions here.'),
  ),
  last_success_at: observed(Time.nullable().describe('When a person last signed in with the provider, to the minute; `null` if never.')),
  last_failure: observed(
    ProviderFailure.nullable().describe(
      'The last failure of a sign-in or a check that the provider or its settings caused; `null` if there is none.',
    ),
  ),
  ...dates,
  client_secret: secret(
    z
      .string()
      .min(1)
      .max(2_000)
      .describe('Your client secret at the provider. It is write-only. Every type but oidc and apple needs it while it is enabled.'),
    { label: 'Client secret', look: 'text', affects: sign_in, fresh: always('sent') },
  ),
  /** PEM (RFC 7468), which has several lines. */
  private_key: secret(
    z
      .string()
      .min(1)
      .max(4_000)
      .register(characters, { allowed: 'lines' })
      .describe('apple: the private key as PEM, needed while the provider is enabled. It is write-only.'),
    { label: 'Private key (PEM)', look: 'lines', affects: sign_in, fresh: always('sent') },
  ),
}

export const Provider = z.strictObject(recordShape(provider))
export type Provider = z.infer<typeof Provider>
export type ProviderFields = FieldsOf<typeof provider>

export const NewProvider = z.strictObject({
  id: ProviderId.optional().describe(
    'An id of your choice, with which the redirect URI is known before the provider exists: `{issuer}/oauth/callback/{id}`. It is `prv_` and a UUIDv7 in Crockford base32. The service makes one if it is absent.',
  ),
  slug: slugs.created,
  ...creationShape(provider),
})

/** JSON Merge Patch (RFC 7396): `null` restores the default of a field and removes a secret. */
export const ProviderChange = z.strictObject({ ...changeShape(provider) })
