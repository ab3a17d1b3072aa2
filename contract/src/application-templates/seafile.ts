import { template } from '../application-template.ts'

export default template({
  slug: 'seafile',
  name: 'Seafile',
  homepage: 'https://www.seafile.com/',
  redirect_uris: ['{url}/oauth/callback/'],
  require_pkce: false,
  setup: [
    {
      title: 'seahub_settings.py, with the package requests_oauthlib',
      language: 'python',
      text: `ENABLE_OAUTH = True
OAUTH_CREATE_UNKNOWN_USER = True
OAUTH_ACTIVATE_USER_AFTER_CREATION = True
OAUTH_PROVIDER = "ostiary"
OAUTH_CLIENT_ID = "{client_id}"
OAUTH_CLIENT_SECRET = "{client_secret}"
OAUTH_REDIRECT_URL = "{url}/oauth/callback/"
OAUTH_AUTHORIZATION_URL = "{issuer}/oauth/authorize"
OAUTH_TOKEN_URL = "{issuer}/v1/oauth/token"
OAUTH_USER_INFO_URL = "{issuer}/v1/oauth/userinfo"
OAUTH_SCOPE = ["openid", "profile", "email"]
OAUTH_ATTRIBUTE_MAP = {
    "sub": (True, "uid"),
    "name": (False, "name"),
    "email": (False, "contact_email"),
}`,
    },
  ],
  notes: [
    'Accounts are keyed by the subject (Seafile 11 or later).',
    'Seafile sends neither PKCE nor a nonce, so `require_pkce` is false.',
  ],
  source: 'https://manual.seafile.com/latest/config/oauth/',
})
