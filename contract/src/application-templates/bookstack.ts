import { template } from '../application-template.ts'

export default template({
  slug: 'bookstack',
  name: 'BookStack',
  homepage: 'https://www.bookstackapp.com/',
  redirect_uris: ['{url}/oidc/callback'],
  post_logout_redirect_uris: ['{url}', '{url}/'],
  nonce_replaces_pkce: false,
  setup: [
    {
      title: '.env',
      language: 'sh',
      text: `APP_URL='{url}'
AUTH_METHOD='oidc'
OIDC_NAME='Ostiary'
OIDC_DISPLAY_NAME_CLAIMS='name'
OIDC_CLIENT_ID='{client_id}'
OIDC_CLIENT_SECRET='{client_secret}'
OIDC_ISSUER='{issuer}'
OIDC_ISSUER_DISCOVER='true'
OIDC_END_SESSION_ENDPOINT='true'`,
    },
  ],
  notes: [
    'With `AUTH_METHOD=oidc` nobody signs in by password any more. Sign in once, give your account the role Admin, and only then switch for everyone.',
    '`OIDC_USER_TO_GROUPS` needs groups, which come with `roles_claim` of the application; without them give roles in BookStack.',
  ],
  source: 'https://www.bookstackapp.com/docs/admin/oidc-auth/',
})
