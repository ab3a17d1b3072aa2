import { template } from '../application-template.ts'

export default template({
  slug: 'immich',
  name: 'Immich',
  homepage: 'https://immich.app/',
  redirect_uris: ['{url}/auth/login', '{url}/user-settings', '{url}/api/oauth/mobile-redirect'],
  nonce_replaces_pkce: false,
  needs: ['email_verified'],
  setup: [
    {
      title: 'Administration, Settings, Authentication settings, OAuth',
      language: 'form',
      text: `Enable: on
Issuer URL: {issuer}
Client ID: {client_id}
Client Secret: {client_secret}
Scope: openid profile email
Signing Algorithm: RS256
Button Text: Sign in with Ostiary
Auto Register: on
Mobile Redirect URI Override: on
Mobile Redirect URI: {url}/api/oauth/mobile-redirect`,
    },
  ],
  notes: [
    'Immich links an existing account to the first person who comes with its address, so the address must be verified.',
    'The apps return through the address of the server, since a web application cannot register app.immich:///oauth-callback.',
    'Role and quota claims do not come from the service.',
  ],
  source: 'https://docs.immich.app/administration/oauth/',
})
