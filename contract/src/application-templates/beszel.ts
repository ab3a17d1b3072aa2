import { template } from '../application-template.ts'

export default template({
  slug: 'beszel',
  name: 'Beszel',
  homepage: 'https://beszel.dev/',
  redirect_uris: ['{url}/api/oauth2-redirect'],
  nonce_replaces_pkce: false,
  setup: [
    {
      title: 'PocketBase at /_/: collection users, Options, OAuth2, Add provider, OpenID Connect',
      language: 'form',
      text: `Client ID: {client_id}
Client secret: {client_secret}
Display name: Ostiary
Auth URL: {issuer}/oauth/authorize
Token URL: {issuer}/v1/oauth/token
Fetch user info from: User info URL
User info URL: {issuer}/v1/oauth/userinfo
Support PKCE: on`,
    },
    {
      title: 'Environment of the hub, so that new people get an account',
      language: 'sh',
      text: `USER_CREATION='true'`,
    },
  ],
  source: 'https://beszel.dev/guide/oauth',
})
