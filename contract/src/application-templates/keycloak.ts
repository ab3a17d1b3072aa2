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
Client Secret: {client_secret}

Then in its settings:
Use PKCE: on
PKCE Method: S256
Scopes: openid profile email
Backchannel logout: on
Trust Email: off`,
    },
    {
      title: 'Or all of it by its command line, for the realm main',
      language: 'sh',
      text: `kcadm.sh create identity-provider/instances -r main \\
  -s alias=ostiary -s displayName=Ostiary -s providerId=oidc -s enabled=true -s trustEmail=false \\
  -s 'config.issuer={issuer}' \\
  -s 'config.authorizationUrl={issuer}/oauth/authorize' \\
  -s 'config.tokenUrl={issuer}/v1/oauth/token' \\
  -s 'config.userInfoUrl={issuer}/v1/oauth/userinfo' \\
  -s 'config.logoutUrl={issuer}/oauth/logout' \\
  -s config.validateSignature=true -s config.useJwksUrl=true \\
  -s 'config.jwksUrl={issuer}/v1/oauth/jwks.json' \\
  -s config.clientAuthMethod=client_secret_basic \\
  -s 'config.clientId={client_id}' \\
  -s 'config.clientSecret={client_secret}' \\
  -s config.pkceEnabled=true -s config.pkceMethod=S256 \\
  -s 'config.defaultScope=openid profile email' -s config.backchannelSupported=true`,
    },
  ],
  notes: [
    'The address is that of the realm, such as https://keycloak.example.com/realms/main.',
    'A person without a name types one at the first sign-in, by the step Review Profile.',
    'With Trust Email off Keycloak verifies the address itself before it links an existing account.',
  ],
  tried: { version: '26.7.3', at: '2026-11-26' },
  source: 'https://www.keycloak.org/docs/latest/server_admin/#_identity_broker_oidc',
})
