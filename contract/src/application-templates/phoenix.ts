import { template } from '../application-template.ts'

export default template({
  slug: 'phoenix',
  name: 'Arize Phoenix',
  homepage: 'https://phoenix.arize.com/',
  redirect_uris: ['{url}/oauth2/ostiary/tokens'],
  nonce_replaces_pkce: false,
  needs: ['email_verified'],
  setup: [
    {
      title: 'Environment of Phoenix',
      language: 'sh',
      text: `PHOENIX_ENABLE_AUTH='true'
PHOENIX_ROOT_URL='{url}'
PHOENIX_OAUTH2_OSTIARY_DISPLAY_NAME='Ostiary'
PHOENIX_OAUTH2_OSTIARY_CLIENT_ID='{client_id}'
PHOENIX_OAUTH2_OSTIARY_CLIENT_SECRET='{client_secret}'
PHOENIX_OAUTH2_OSTIARY_OIDC_CONFIG_URL='{issuer}/.well-known/openid-configuration'
PHOENIX_OAUTH2_OSTIARY_USE_PKCE='true'`,
    },
  ],
  notes: [
    'Set `PHOENIX_SECRET` too: at least 32 random letters and digits of your own, without spaces, such as `openssl rand -hex 32` prints.',
    'Accounts are keyed by the subject. Phoenix refuses a person whose address is not verified.',
    'New people get the role Viewer. `ROLE_ATTRIBUTE_PATH` and `ALLOWED_GROUPS` need roles or groups, which come with `roles_claim` of the application.',
  ],
  tried: { version: '20.26.1', at: '2026-11-26' },
  source: 'https://arize.com/docs/phoenix/self-hosting/features/authentication',
})
