import { template } from '../application-template.ts'

export default template({
  slug: 'grafana',
  name: 'Grafana',
  homepage: 'https://grafana.com/grafana/',
  redirect_uris: ['{url}/login/generic_oauth'],
  post_logout_redirect_uris: ['{url}/login'],
  token_endpoint_auth_method: 'client_secret_basic',
  nonce_replaces_pkce: false,
  setup: [
    {
      title: 'Environment of Grafana',
      language: 'sh',
      text: `GF_SERVER_ROOT_URL='{url}'
GF_AUTH_GENERIC_OAUTH_ENABLED='true'
GF_AUTH_GENERIC_OAUTH_NAME='Ostiary'
GF_AUTH_GENERIC_OAUTH_ALLOW_SIGN_UP='true'
GF_AUTH_GENERIC_OAUTH_CLIENT_ID='{client_id}'
GF_AUTH_GENERIC_OAUTH_CLIENT_SECRET='{client_secret}'
GF_AUTH_GENERIC_OAUTH_SCOPES='openid profile email'
GF_AUTH_GENERIC_OAUTH_AUTH_URL='{issuer}/oauth/authorize'
GF_AUTH_GENERIC_OAUTH_TOKEN_URL='{issuer}/v1/oauth/token'
GF_AUTH_GENERIC_OAUTH_API_URL='{issuer}/v1/oauth/userinfo'
GF_AUTH_GENERIC_OAUTH_USE_PKCE='true'
GF_AUTH_GENERIC_OAUTH_AUTH_STYLE='InHeader'
GF_AUTH_GENERIC_OAUTH_EMAIL_ATTRIBUTE_PATH='email'
GF_AUTH_GENERIC_OAUTH_LOGIN_ATTRIBUTE_PATH='preferred_username || email'
GF_AUTH_GENERIC_OAUTH_NAME_ATTRIBUTE_PATH='name || email'
GF_AUTH_GENERIC_OAUTH_SIGNOUT_REDIRECT_URL='{issuer}/oauth/logout?client_id={client_id}&post_logout_redirect_uri={url}/login'`,
    },
    {
      title: 'Or in grafana.ini',
      language: 'ini',
      text: `[server]
root_url = \`{url}\`

[auth.generic_oauth]
enabled = true
name = Ostiary
allow_sign_up = true
client_id = \`{client_id}\`
client_secret = \`{client_secret}\`
scopes = openid profile email
auth_url = \`{issuer}/oauth/authorize\`
token_url = \`{issuer}/v1/oauth/token\`
api_url = \`{issuer}/v1/oauth/userinfo\`
use_pkce = true
auth_style = InHeader
email_attribute_path = email
login_attribute_path = preferred_username || email
name_attribute_path = name || email
signout_redirect_url = \`{issuer}/oauth/logout?client_id={client_id}&post_logout_redirect_uri={url}/login\``,
    },
  ],
  notes: [
    'New people get the role of `auto_assign_org_role`, which is Viewer. Change roles in Grafana: `role_attribute_path` reads groups, which come with `roles_claim` of the application.',
    'Leave `oauth_allow_insecure_email_lookup` off. Grafana would take an unverified address for an existing account.',
  ],
  source: 'https://grafana.com/docs/grafana/latest/setup-grafana/configure-access/configure-authentication/generic-oauth/',
})
