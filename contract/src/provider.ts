/** Identity providers through which people can sign in to an environment. */
import { z } from 'zod'
import { EnvironmentId, ProjectId, ProviderId, TenantId } from './ids.ts'
import { characters, Name, Time, WebUrl } from './values.ts'

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

const fields = {
  display_name: Name,
  /** oidc: the issuer. microsoft: the issuer of one Entra tenant. gitlab: the URL of a self-managed instance. */
  issuer: WebUrl.nullable(),
  client_id: Text,
  scopes: Scopes,
  enabled: z.boolean(),
  /** Links an identity to the existing user with the same email, if both the provider and the user have verified it. */
  link_by_verified_email: z.boolean(),
  /** `team_id` and `key_id`: apple only. */
  team_id: Text.nullable(),
  key_id: Text.nullable(),
}

const secrets = {
  client_secret: z.string().min(1).max(2_000),
  /** PEM (RFC 7468), which has several lines. */
  private_key: z.string().min(1).max(4_000).register(characters, { allowed: 'lines' }),
}

export const Provider = z.strictObject({
  id: ProviderId,
  tenant_id: TenantId,
  project_id: ProjectId,
  environment_id: EnvironmentId,
  type: ProviderType,
  ...fields,
  has_client_secret: z.boolean(),
  has_private_key: z.boolean(),
  /** The redirect URI to register at the provider: `{issuer}/oauth/callback/{provider_id}`. */
  callback_url: z.string(),
  created_at: Time,
  updated_at: Time,
})
export type Provider = z.infer<typeof Provider>

export const NewProvider = z.strictObject({
  type: ProviderType,
  client_id: fields.client_id,
  display_name: fields.display_name.optional(),
  issuer: fields.issuer.optional(),
  scopes: fields.scopes.optional(),
  enabled: fields.enabled.optional(),
  link_by_verified_email: fields.link_by_verified_email.optional(),
  team_id: fields.team_id.optional(),
  key_id: fields.key_id.optional(),
  client_secret: secrets.client_secret.nullable().optional(),
  private_key: secrets.private_key.nullable().optional(),
})

/** JSON Merge Patch (RFC 7396): `null` restores the default of a field and removes a secret. */
export const ProviderChange = z.strictObject({
  client_id: fields.client_id.optional(),
  display_name: fields.display_name.nullable().optional(),
  issuer: fields.issuer.optional(),
  scopes: fields.scopes.nullable().optional(),
  enabled: fields.enabled.nullable().optional(),
  link_by_verified_email: fields.link_by_verified_email.nullable().optional(),
  team_id: fields.team_id.optional(),
  key_id: fields.key_id.optional(),
  client_secret: secrets.client_secret.nullable().optional(),
  private_key: secrets.private_key.nullable().optional(),
})
