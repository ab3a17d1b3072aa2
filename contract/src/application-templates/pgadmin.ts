import { template } from '../application-template.ts'

export default template({
  slug: 'pgadmin',
  name: 'pgAdmin',
  homepage: 'https://www.pgadmin.org/',
  redirect_uris: ['{url}/oauth2/authorize'],
  nonce_replaces_pkce: false,
  needs: ['preferred_username'],
  setup: [
    {
      title: 'config_local.py',
      language: 'python',
      text: `AUTHENTICATION_SOURCES = ["oauth2", "internal"]
OAUTH2_AUTO_CREATE_USER = True
OAUTH2_CONFIG = [
    {
        "OAUTH2_NAME": "ostiary",
        "OAUTH2_DISPLAY_NAME": "Ostiary",
        "OAUTH2_CLIENT_ID": "{client_id}",
        "OAUTH2_CLIENT_SECRET": "{client_secret}",
        "OAUTH2_TOKEN_URL": "{issuer}/v1/oauth/token",
        "OAUTH2_AUTHORIZATION_URL": "{issuer}/oauth/authorize",
        "OAUTH2_API_BASE_URL": "{issuer}/v1/oauth/",
        "OAUTH2_USERINFO_ENDPOINT": "userinfo",
        "OAUTH2_SERVER_METADATA_URL": "{issuer}/.well-known/openid-configuration",
        "OAUTH2_SCOPE": "openid profile email",
        "OAUTH2_USERNAME_CLAIM": "preferred_username",
        "OAUTH2_CHALLENGE_METHOD": "S256",
        "OAUTH2_RESPONSE_TYPE": "code",
        "OAUTH2_ICON": "fa-key",
        "OAUTH2_BUTTON_COLOR": "#2c5282",
    }
]`,
    },
  ],
  notes: [
    'pgAdmin keys its accounts, with their saved servers, by `preferred_username`. Do not take `email` in its place: anyone can sign up with an unverified address.',
  ],
  tried: { version: '9.18', at: '2026-11-26' },
  source: 'https://www.pgadmin.org/docs/pgadmin4/latest/oauth2.html',
})
