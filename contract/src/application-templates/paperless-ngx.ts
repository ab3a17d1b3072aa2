import { template } from '../application-template.ts'

export default template({
  slug: 'paperless-ngx',
  name: 'Paperless-ngx',
  homepage: 'https://docs.paperless-ngx.com/',
  redirect_uris: ['{url}/accounts/oidc/ostiary/login/callback/'],
  token_endpoint_auth_method: 'client_secret_basic',
  nonce_replaces_pkce: false,
  setup: [
    {
      title: 'Environment of Paperless',
      language: 'sh',
      text: `PAPERLESS_URL='{url}'
PAPERLESS_APPS='allauth.socialaccount.providers.openid_connect'
PAPERLESS_SOCIALACCOUNT_ALLOW_SIGNUPS='true'`,
    },
    {
      title: 'Value of PAPERLESS_SOCIALACCOUNT_PROVIDERS, joined to one line',
      language: 'json',
      text: `{
  "openid_connect": {
    "SCOPE": ["openid", "profile", "email"],
    "OAUTH_PKCE_ENABLED": true,
    "APPS": [
      {
        "provider_id": "ostiary",
        "name": "Ostiary",
        "client_id": "{client_id}",
        "secret": "{client_secret}",
        "settings": {
          "server_url": "{issuer}/.well-known/openid-configuration",
          "token_auth_method": "client_secret_basic"
        }
      }
    ]
  }
}`,
    },
  ],
  notes: [
    'The provider_id is part of the redirect URI.',
    'New people see nothing until an administrator gives them permissions. `PAPERLESS_SOCIAL_ACCOUNT_DEFAULT_GROUPS` names groups for all of them.',
  ],
  source: 'https://docs.paperless-ngx.com/advanced_usage/#openid-connect-and-social-authentication',
})
