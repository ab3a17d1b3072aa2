/** Applications: the OAuth clients of an environment. The client id is the application's id. */
import { z } from 'zod'
import { ApplicationId, EnvironmentId, ProjectId, TenantId } from './ids.ts'
import { Name, Time, WebUrl } from './values.ts'

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
  name,
  application_type: ApplicationType,
  redirect_uris,
  ...z.object(optional).partial().shape,
})
export type NewApplication = z.infer<typeof NewApplication>

const nullable = <S extends z.ZodRawShape>(shape: S) => z.object(shape).partial().shape

/** JSON Merge Patch (RFC 7396): `null` restores the default of a field. */
export const ApplicationChange = z.strictObject(
  nullable({
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
)
export type ApplicationChange = z.infer<typeof ApplicationChange>
