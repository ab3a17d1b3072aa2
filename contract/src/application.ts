/** Applications: the OAuth clients of an environment. The client id is the application's id. */
import { z } from 'zod'
import type { FieldClasses } from './field-class.ts'
import { ApplicationId, EnvironmentId, ProjectId, TenantId } from './ids.ts'
import { Name, slugs, Time, WebUrl } from './values.ts'

export const ApplicationType = z.enum(['web', 'spa', 'native'])
const TokenEndpointAuthMethod = z.enum(['none', 'client_secret_basic', 'client_secret_post', 'private_key_jwt'])

/** The rules of redirect URIs depend on the application type and the environment: see `applications/redirect-uris.ts` of the server. */
const RedirectUri = z.string().min(1).max(2_000)

const fields = {
  name: Name,
  redirect_uris: z.array(RedirectUri).min(1).max(50),
  post_logout_redirect_uris: z.array(RedirectUri).max(50),
  token_endpoint_auth_method: TokenEndpointAuthMethod,
  jwks: z
    .looseObject({
      keys: z
        .array(z.looseObject({ kty: z.string() }))
        .min(1)
        .max(20),
    })
    .nullable(),
  jwks_uri: WebUrl.nullable(),
  allowed_scopes: z.array(z.string().max(200)).max(200),
  require_pkce: z.boolean(),
  consent: z.enum(['skip', 'ask']),
  backchannel_logout_uri: WebUrl.nullable(),
  initiate_login_uri: WebUrl.nullable(),
  logo_uri: WebUrl.nullable(),
  allow_loopback_port: z.boolean(),
  disabled: z.boolean(),
}

export const Application = z.strictObject({
  id: ApplicationId,
  client_id: ApplicationId,
  tenant_id: TenantId,
  project_id: ProjectId,
  environment_id: EnvironmentId,
  slug: slugs.record,
  application_type: ApplicationType,
  ...fields,
  has_client_secret: z.boolean(),
  secret_rotated_at: Time.nullable(),
  created_at: Time,
  updated_at: Time,
})
export type Application = z.infer<typeof Application>

/** The response of create and rotate: the only ones with the client secret. A repeat with the same Idempotency-Key has `null`. */
export const ApplicationWithSecret = Application.extend({ client_secret: z.string().nullable() })

const { name, redirect_uris, ...optional } = fields

export const NewApplication = z.strictObject({
  slug: slugs.created,
  name,
  application_type: ApplicationType,
  redirect_uris,
  ...z.object(optional).partial().shape,
})
export type NewApplication = z.infer<typeof NewApplication>

const nullable = <S extends z.ZodRawShape>(shape: S) => z.object(shape).partial().shape

/** JSON Merge Patch (RFC 7396): `null` restores the default of a field. */
export const ApplicationChange = z.strictObject({
  slug: slugs.changed,
  ...nullable({
    name,
    redirect_uris,
    post_logout_redirect_uris: fields.post_logout_redirect_uris.nullable(),
    token_endpoint_auth_method: fields.token_endpoint_auth_method.nullable(),
    jwks: fields.jwks,
    jwks_uri: fields.jwks_uri,
    allowed_scopes: fields.allowed_scopes.nullable(),
    require_pkce: fields.require_pkce.nullable(),
    consent: fields.consent.nullable(),
    backchannel_logout_uri: fields.backchannel_logout_uri,
    initiate_login_uri: fields.initiate_login_uri,
    logo_uri: fields.logo_uri,
    allow_loopback_port: fields.allow_loopback_port.nullable(),
    disabled: fields.disabled.nullable(),
  }),
})
export type ApplicationChange = z.infer<typeof ApplicationChange>

export const applicationFields = {
  id: 'never',
  client_id: 'never',
  tenant_id: 'never',
  project_id: 'never',
  environment_id: 'never',
  slug: 'immutable',
  application_type: 'immutable',
  name: 'travels',
  redirect_uris: 'owned',
  post_logout_redirect_uris: 'owned',
  token_endpoint_auth_method: 'travels',
  jwks: 'owned',
  jwks_uri: 'owned',
  allowed_scopes: 'travels',
  require_pkce: 'travels',
  consent: 'travels',
  backchannel_logout_uri: 'owned',
  initiate_login_uri: 'owned',
  logo_uri: 'owned',
  allow_loopback_port: 'travels',
  disabled: 'owned',
  has_client_secret: 'never',
  secret_rotated_at: 'never',
  created_at: 'never',
  updated_at: 'never',
  client_secret: 'never',
} as const satisfies FieldClasses<z.infer<typeof ApplicationWithSecret>>
