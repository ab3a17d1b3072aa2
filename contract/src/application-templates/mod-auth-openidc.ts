import { template } from '../application-template.ts'

export default template({
  slug: 'mod-auth-openidc',
  name: 'Apache HTTP Server (mod_auth_openidc)',
  homepage: 'https://www.openidc.com/',
  redirect_uris: ['{url}/oidc/callback'],
  post_logout_redirect_uris: ['{url}/'],
  backchannel_logout_uri: '{url}/oidc/callback?logout=backchannel',
  nonce_replaces_pkce: false,
  setup: [
    {
      title: 'Virtual host',
      language: 'apache',
      text: `OIDCProviderMetadataURL "{issuer}/.well-known/openid-configuration"
OIDCClientID "{client_id}"
OIDCClientSecret "{client_secret}"
OIDCRedirectURI "{url}/oidc/callback"
OIDCCryptoPassphrase "a long random text of your own"
OIDCScope "openid profile email"
OIDCPKCEMethod S256
OIDCRemoteUserClaim sub

<Location "/">
  AuthType openid-connect
  Require valid-user
</Location>`,
    },
  ],
  notes: [
    'Replace `OIDCCryptoPassphrase` by what `openssl rand -hex 32` prints.',
    'The redirect URI is an address that the module answers itself; nothing else may stand there.',
    'A link to /oidc/callback?logout= with the address of the site signs out here and at the service.',
    '`Require claim` can name any claim. Groups come with `roles_claim` of the application.',
  ],
  tried: { version: '2.4.12.3-2+deb12u5', at: '2026-11-26' },
  source: 'https://github.com/OpenIDC/mod_auth_openidc/wiki',
})
