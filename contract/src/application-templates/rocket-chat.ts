import { template } from '../application-template.ts'

export default template({
  slug: 'rocket-chat',
  name: 'Rocket.Chat',
  homepage: 'https://www.rocket.chat/',
  redirect_uris: ['{url}/_oauth/ostiary'],
  token_endpoint_auth_method: 'client_secret_post',
  require_pkce: false,
  needs: ['preferred_username'],
  setup: [
    {
      title: 'Workspace, Settings, OAuth, Add custom OAuth with the name ostiary',
      language: 'form',
      text: `Enable: on
URL: {issuer}
Token Path: /v1/oauth/token
Token Sent Via: Payload
Identity Token Sent Via: Header
Identity Path: /v1/oauth/userinfo
Authorize Path: /oauth/authorize
Scope: openid profile email
Param Name for access token: access_token
Id: {client_id}
Secret: {client_secret}
Login Style: Redirect
Button Text: Ostiary
Key Field: Username
Username field: preferred_username
Email field: email
Name field: name
Merge users: off
Show Button on Login Page: on`,
    },
  ],
  notes: [
    'Leave Merge users off. It would link an existing account to a claim of the same name.',
    'Rocket.Chat sends neither PKCE nor a nonce, so `require_pkce` is false.',
    'Roles from SSO need roles, which come with `roles_claim` of the application.',
  ],
  source: 'https://docs.rocket.chat/docs/openid-connect',
})
