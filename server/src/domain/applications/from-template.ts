// pure
/** The fields of a new application that come from a template, with the address of the product in its addresses. */
import type { ApplicationTemplate } from '@ostiary/contract/application-template.ts'
import type { ApplicationFields } from '@ostiary/contract/objects/application.ts'

/** Every other field of an application has its default: a template cannot skip the consent, set keys or allow a loopback port. */
type FromTemplate = Pick<
  ApplicationFields,
  | 'name'
  | 'redirect_uris'
  | 'post_logout_redirect_uris'
  | 'backchannel_logout_uri'
  | 'initiate_login_uri'
  | 'token_endpoint_auth_method'
  | 'require_pkce'
  | 'nonce_replaces_pkce'
  | 'unknown_scopes'
  | 'allowed_scopes'
>

/** Without the address of the product, addresses are left out. The body has its own then. */
export function fieldsOfTemplate(template: ApplicationTemplate, url: string | undefined): Partial<FromTemplate> {
  const at = (address: string) => address.replace('{url}', () => url ?? '')
  const atOrNull = (address: string | null) => address && at(address)
  return {
    name: template.name,
    token_endpoint_auth_method: template.token_endpoint_auth_method,
    require_pkce: template.require_pkce,
    nonce_replaces_pkce: template.nonce_replaces_pkce,
    unknown_scopes: template.unknown_scopes,
    allowed_scopes: [...template.scopes],
    ...(url === undefined
      ? {}
      : {
          redirect_uris: template.redirect_uris.map(at),
          post_logout_redirect_uris: template.post_logout_redirect_uris.map(at),
          backchannel_logout_uri: atOrNull(template.backchannel_logout_uri),
          initiate_login_uri: atOrNull(template.initiate_login_uri),
        }),
  }
}
