import { template } from '../application-template.ts'

export default template({
  slug: 'portainer',
  name: 'Portainer',
  homepage: 'https://www.portainer.io/',
  redirect_uris: ['{url}'],
  token_endpoint_auth_method: 'client_secret_post',
  require_pkce: false,
  needs: ['preferred_username'],
  setup: [
    {
      title: 'Settings, Authentication, OAuth, provider Custom',
      language: 'form',
      text: `Use SSO: on
Automatic user provisioning: on
Client ID: {client_id}
Client secret: {client_secret}
Authorization URL: {issuer}/oauth/authorize
Access token URL: {issuer}/v1/oauth/token
Resource URL: {issuer}/v1/oauth/userinfo
Redirect URL: {url}
Logout URL: {issuer}/oauth/logout
User identifier: preferred_username
Scopes: openid profile email
Auth Style: In Params`,
    },
  ],
  notes: [
    'Users are keyed by the claim of User identifier. Do not take `email`: anyone can sign up with an unverified address. `sub` needs nothing of a person.',
    'New users belong to the default team, if one is chosen. Team membership by claims needs groups, which come with `roles_claim` of the application.',
    'Portainer sends neither PKCE nor a nonce, so `require_pkce` is false.',
  ],
  source: 'https://docs.portainer.io/admin/settings/authentication/oauth',
})
