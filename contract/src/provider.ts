/** Providers: where else people of an environment may sign in. */
import { z } from 'zod'
import { EnvironmentId, ProjectId, ProviderId, TenantId } from './ids.ts'
import { characters, Name, Time, WebUrl } from './values.ts'

export const ProviderType = z.enum(['oidc', 'google', 'microsoft', 'github', 'apple', 'gitlab'])
export type ProviderType = z.infer<typeof ProviderType>

const Text = z.string().min(1).max(500)
/** RFC 6749 §3.3 */
const Scopes = z.array(z.string().regex(/^[\x21\x23-\x5B\x5D-\x7E]{1,200}$/)).max(50)

const fields = {
  display_name: Name,
  /** oidc: where it is discovered; microsoft: its tenant's; gitlab: a self-managed one's. */
  issuer: WebUrl.nullable(),
  client_id: Text,
  scopes: Scopes,
  enabled: z.boolean(),
  /** Signs somebody in to an existing account of the same address, where both sides have verified it. */
  link_by_verified_email: z.boolean(),
  /** apple only. */
  team_id: Text.nullable(),
  key_id: Text.nullable(),
}

const secrets = {
  client_secret: z.string().min(1).max(2_000),
  /** PEM (RFC 7468), which has lines. */
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
  /** What is registered at the provider: `{issuer}/oauth/callback/{provider_id}`. */
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

/** RFC 7396: `null` puts a field that has a default back to it, and takes a secret away. */
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
