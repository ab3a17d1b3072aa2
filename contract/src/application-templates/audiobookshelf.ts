import { template } from '../application-template.ts'

export default template({
  slug: 'audiobookshelf',
  name: 'Audiobookshelf',
  homepage: 'https://www.audiobookshelf.org/',
  redirect_uris: ['{url}/auth/openid/callback', '{url}/auth/openid/mobile-redirect'],
  nonce_replaces_pkce: false,
  setup: [
    {
      title: 'Settings, Authentication, OpenID Connect Authentication',
      language: 'form',
      text: `Issuer URL: {issuer}
Authorize URL: {issuer}/oauth/authorize
Token URL: {issuer}/v1/oauth/token
Userinfo URL: {issuer}/v1/oauth/userinfo
JWKS URL: {issuer}/v1/oauth/jwks.json
Logout URL: {issuer}/oauth/logout
Client ID: {client_id}
Client Secret: {client_secret}
Signing Algorithm: RS256
Allowed Mobile Redirect URIs: audiobookshelf://oauth
Subfolder for Redirect URLs: None
Button Text: Sign in with Ostiary
Match existing users by: Do not match
Auto Register: on`,
    },
  ],
  notes: [
    'Auto-populate beside Issuer URL fills the addresses in.',
    'Groups come with `roles_claim` of the application. Advanced Permission Claim stays empty.',
  ],
  source: 'https://www.audiobookshelf.org/guides/oidc_authentication/',
})
