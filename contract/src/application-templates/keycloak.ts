import { template } from '../application-template.ts'

export default template({
  slug: 'keycloak',
  name: 'Keycloak (as a broker)',
  homepage: 'https://www.keycloak.org/',
  redirect_uris: ['{url}/broker/ostiary/endpoint'],
  post_logout_redirect_uris: ['{url}/broker/ostiary/endpoint/logout_response'],
  backchannel_logout_uri: '{url}/protocol/openid-connect/logout/backchannel-logout',
  nonce_replaces_pkce: false,
  setup: [
    {
      title: 'Identity providers, Add provider, OpenID Connect v1.0',
      language: 'form',
      text: `Alias: ostiary
Display name: Ostiary
Use discovery endpoint: on
Discovery endpoint: {issuer}/.well-known/openid-configuration
Client authentication: Client secret sent as basic auth
Client ID: {client_id}
Client Secret: {client_secret}`,
    },
    {
      title: 'Then in its settings',
      language: 'form',
      text: `Use PKCE: on
PKCE Method: S256
Scopes: openid profile email
Backchannel logout: on
Trust Email: off`,
    },
  ],
  notes: [
    'The address is that of the realm, such as https://keycloak.example.com/realms/main.',
    'A person without a name types one at the first sign-in, by the step Review Profile.',
    'With Trust Email off Keycloak proves the address itself before it links an existing account.',
  ],
  source: 'https://www.keycloak.org/docs/latest/server_admin/#_identity_broker_oidc',
})
