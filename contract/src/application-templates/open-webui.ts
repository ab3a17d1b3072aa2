import { template } from '../application-template.ts'

export default template({
  slug: 'open-webui',
  name: 'Open WebUI',
  homepage: 'https://openwebui.com/',
  redirect_uris: ['{url}/oauth/oidc/callback'],
  nonce_replaces_pkce: false,
  setup: [
    {
      title: 'Environment of the container',
      language: 'sh',
      text: `WEBUI_URL='{url}'
ENABLE_OAUTH_SIGNUP='true'
OAUTH_PROVIDER_NAME='Ostiary'
OAUTH_CLIENT_ID='{client_id}'
OAUTH_CLIENT_SECRET='{client_secret}'
OPENID_PROVIDER_URL='{issuer}/.well-known/openid-configuration'
OPENID_REDIRECT_URI='{url}/oauth/oidc/callback'
OAUTH_SCOPES='openid profile email'
OAUTH_CODE_CHALLENGE_METHOD='S256'`,
    },
  ],
  notes: [
    'Leave `OAUTH_MERGE_ACCOUNTS_BY_EMAIL` off. It would link an existing account to an unverified address.',
    'New people wait for an administrator, unless `DEFAULT_USER_ROLE` is `user`. `ENABLE_OAUTH_ROLE_MANAGEMENT` needs groups or roles, which come with `roles_claim` of the application.',
  ],
  source: 'https://docs.openwebui.com/features/auth/sso/',
})
