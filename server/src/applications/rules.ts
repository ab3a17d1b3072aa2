// pure
/** What an application may be: defaults by type, and which fields fit which type and environment. */
import type { Application, NewApplication } from '@ostiary/contract/application.ts'
import { oidcScopes } from '@ostiary/contract/scopes.ts'
import type { EnvironmentType } from '@ostiary/contract/tenancy.ts'
import { mergePatch } from '../api/merge-patch.ts'
import { redirectUriProblem } from './redirect-uris.ts'

export type ApplicationFields = Omit<
  Application,
  | 'id'
  | 'client_id'
  | 'tenant_id'
  | 'project_id'
  | 'environment_id'
  | 'application_type'
  | 'has_client_secret'
  | 'secret_rotated_at'
  | 'created_at'
  | 'updated_at'
>

interface Problem {
  path: readonly PropertyKey[]
  detail: string
}

export function usesClientSecret(method: Application['token_endpoint_auth_method']): boolean {
  return method === 'client_secret_basic' || method === 'client_secret_post'
}

/** The values of fields nobody set. `null` in a change puts a field back to these (RFC 7396). */
function applicationDefaults(application_type: Application['application_type']): Omit<ApplicationFields, 'name' | 'redirect_uris'> {
  return {
    post_logout_redirect_uris: [],
    token_endpoint_auth_method: application_type === 'web' ? 'client_secret_basic' : 'none',
    jwks: null,
    jwks_uri: null,
    allowed_scopes: [...oidcScopes],
    require_pkce: true,
    consent: 'skip',
    backchannel_logout_uri: null,
    initiate_login_uri: null,
    logo_uri: null,
    allow_loopback_port: false,
    disabled: false,
  }
}

/** Fields that were sent, over those that stand; `null` and absence are told apart. */
export function mergeApplication(
  application_type: Application['application_type'],
  base: Partial<ApplicationFields>,
  sent: Partial<NewApplication> | Record<string, unknown>,
): ApplicationFields {
  const defaults: Record<string, unknown> = applicationDefaults(application_type)
  const merged: Record<string, unknown> = { ...defaults, ...base }
  for (const [name, value] of Object.entries(sent))
    if (value !== undefined && name !== 'application_type')
      merged[name] = value === null ? (defaults[name] ?? null) : mergePatch(merged[name], value)
  return merged as unknown as ApplicationFields // as: base or sent has name and redirect_uris, defaults the rest
}

/**
 * Everything that does not fit; empty where the application is as it may be.
 * @param place with the scopes that the application may have: see `knownScopes` in `handlers.ts`
 */
export function applicationProblems(
  application_type: Application['application_type'],
  fields: ApplicationFields,
  place: { environment_type: EnvironmentType; base_url: string; known_scopes: readonly string[] },
): Problem[] {
  const problems: Problem[] = []
  const refuse = (path: readonly PropertyKey[], detail: string) => problems.push({ path, detail })
  const confidential = application_type === 'web'
  const key_client = fields.token_endpoint_auth_method === 'private_key_jwt'

  for (const list of ['redirect_uris', 'post_logout_redirect_uris'] as const) {
    fields[list].forEach((uri, i) => {
      const problem = redirectUriProblem(uri, { application_type, ...place })
      if (problem) refuse([list, i], problem)
      else if (fields[list].indexOf(uri) !== i) refuse([list, i], 'The same address stands earlier in the list.')
    })
  }
  if (!confidential && fields.token_endpoint_auth_method !== 'none')
    refuse(['token_endpoint_auth_method'], `A ${application_type} application is public: it has no secret, only "none".`)
  if (confidential && fields.token_endpoint_auth_method === 'none')
    refuse(
      ['token_endpoint_auth_method'],
      'A web application is confidential. Use client_secret_basic, client_secret_post or private_key_jwt.',
    )
  if (!confidential && !fields.require_pkce) refuse(['require_pkce'], 'Only a web application may do without PKCE.')
  if (application_type !== 'native' && fields.allow_loopback_port)
    refuse(['allow_loopback_port'], 'Only a native application may vary the port.')
  if (key_client && (fields.jwks === null) === (fields.jwks_uri === null))
    refuse(['jwks'], 'private_key_jwt needs jwks or jwks_uri, and one of them only.')
  if (!key_client && fields.jwks !== null) refuse(['jwks'], 'Keys belong to private_key_jwt only.')
  if (!key_client && fields.jwks_uri !== null) refuse(['jwks_uri'], 'Keys belong to private_key_jwt only.')
  if (fields.jwks && JSON.stringify(fields.jwks).match(/"(d|p|q|dp|dq|qi|k)":/))
    refuse(['jwks'], 'Send public keys only. Replace the key whose private half you just sent.')
  fields.allowed_scopes.forEach((scope, i) => {
    if (!place.known_scopes.includes(scope)) refuse(['allowed_scopes', i], `There is no scope "${scope}" in this environment.`)
  })
  if (place.environment_type === 'live') {
    for (const name of ['jwks_uri', 'backchannel_logout_uri', 'initiate_login_uri', 'logo_uri'] as const) {
      const value = fields[name]
      if (value !== null && !value.toLowerCase().startsWith('https://') && new URL(value).origin !== place.base_url)
        refuse([name], 'Live takes https only.')
    }
  }
  return problems
}
