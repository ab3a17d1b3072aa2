import { template } from '../application-template.ts'

export default template({
  slug: 'librechat',
  name: 'LibreChat',
  homepage: 'https://www.librechat.ai/',
  redirect_uris: ['{url}/oauth/openid/callback'],
  setup: [
    {
      title: '.env',
      language: 'sh',
      text: `DOMAIN_CLIENT='{url}'
DOMAIN_SERVER='{url}'
ALLOW_SOCIAL_LOGIN='true'
ALLOW_SOCIAL_REGISTRATION='true'
OPENID_ISSUER='{issuer}'
OPENID_CLIENT_ID='{client_id}'
OPENID_CLIENT_SECRET='{client_secret}'
OPENID_SCOPE='openid profile email'
OPENID_CALLBACK_URL='/oauth/openid/callback'
OPENID_BUTTON_LABEL='Sign in with Ostiary'
OPENID_USE_PKCE='true'`,
    },
  ],
  notes: [
    'Set `OPENID_SESSION_SECRET` to a long random text of your own, such as `openssl rand -hex 32` prints.',
    '`OPENID_REQUIRED_ROLE` needs roles, which come with `roles_claim` of the application.',
  ],
  source: 'https://www.librechat.ai/docs/configuration/authentication/OAuth2-OIDC',
})
