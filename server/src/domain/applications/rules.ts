// pure
/** The rules for the fields of an application by its type and its environment. */
import type { Application, ApplicationFields } from '@ostiary/contract/objects/application.ts'
import type { EnvironmentType } from '@ostiary/contract/tenancy.ts'
import { redirectUriProblem } from '../../protocol/redirect-uris.ts'
import { scopesWithoutServer } from '../../protocol/scope.ts'

interface Problem {
  path: readonly PropertyKey[]
  detail: string
  /** The value is refused by itself, whatever the other fields are. */
  alone?: true
}

type Names = Pick<ReadonlySet<string>, 'has'>

export function usesClientSecret(method: Application['token_endpoint_auth_method']): boolean {
  return method === 'client_secret' || method === 'client_secret_basic' || method === 'client_secret_post'
}

/**
 * Returns every problem with the fields of an application.
 * @param context its `known_scopes` and `known_roles` are those that the application may have: see `knownIn` in `api/handlers/applications.ts`
 */
export function applicationProblems(
  application_type: Application['application_type'],
  fields: ApplicationFields,
  context: { environment_type: EnvironmentType; base_url: string; known_scopes: Names; known_roles: Names },
): Problem[] {
  const problems: Problem[] = []
  const refuse = (path: readonly PropertyKey[], detail: string) => problems.push({ path, detail })
  const refuseAlone = (path: readonly PropertyKey[], detail: string) => problems.push({ path, detail, alone: true })
  const confidential = application_type === 'web'
  const key_client = fields.token_endpoint_auth_method === 'private_key_jwt'

  for (const list of ['redirect_uris', 'post_logout_redirect_uris'] as const) {
    fields[list].forEach((uri, i) => {
      const problem = redirectUriProblem(uri, { application_type, ...context })
      if (problem) refuseAlone([list, i], problem)
      else if (fields[list].indexOf(uri) !== i) refuseAlone([list, i], 'The list contains the same URI twice.')
    })
  }
  if (!confidential && fields.token_endpoint_auth_method !== 'none')
    refuse(['token_endpoint_auth_method'], `A ${application_type} application is public and has no secret. Use "none".`)
  if (confidential && fields.token_endpoint_auth_method === 'none')
    refuse(
      ['token_endpoint_auth_method'],
      'A web application is confidential. Use client_secret, client_secret_basic, client_secret_post or private_key_jwt.',
    )
  if (!confidential && !fields.require_pkce) refuse(['require_pkce'], 'Only a web application can disable PKCE.')
  if (!confidential && fields.nonce_replaces_pkce !== null)
    refuse(['nonce_replaces_pkce'], `It does not apply to a ${application_type} application, which always needs PKCE. Leave it out.`)
  if (application_type !== 'native' && fields.allow_loopback_port)
    refuse(['allow_loopback_port'], 'Only a native application can allow any loopback port.')
  if (key_client && (fields.jwks === null) === (fields.jwks_uri === null))
    refuse(['jwks'], 'private_key_jwt needs either jwks or jwks_uri.')
  if (!key_client && fields.jwks !== null) refuse(['jwks'], 'Only private_key_jwt uses keys.')
  if (!key_client && fields.jwks_uri !== null) refuse(['jwks_uri'], 'Only private_key_jwt uses keys.')
  const own_scopes = scopesWithoutServer(fields)
  fields.allowed_scopes.forEach((scope, i) => {
    if (!own_scopes.includes(scope) && !context.known_scopes.has(scope))
      refuse(['allowed_scopes', i], `This environment has no scope "${scope}".`)
  })
  fields.allowed_roles.forEach((slug, i) => {
    if (!context.known_roles.has(slug)) refuse(['allowed_roles', i], `This environment has no role "${slug}".`)
  })
  if (context.environment_type === 'live') {
    for (const name of ['jwks_uri', 'backchannel_logout_uri', 'initiate_login_uri', 'logo_uri'] as const) {
      const value = fields[name]
      if (value !== null && !value.toLowerCase().startsWith('https://') && new URL(value).origin !== context.base_url)
        refuseAlone([name], 'Live accepts https only.')
    }
  }
  return problems
}
