import { template } from '../application-template.ts'

export default template({
  slug: 'mealie',
  name: 'Mealie',
  homepage: 'https://mealie.io/',
  redirect_uris: ['{url}/login'],
  nonce_replaces_pkce: false,
  needs: ['name', 'email_verified'],
  setup: [
    {
      title: 'Environment of Mealie',
      language: 'sh',
      text: `BASE_URL='{url}'
OIDC_AUTH_ENABLED='true'
OIDC_SIGNUP_ENABLED='true'
OIDC_CONFIGURATION_URL='{issuer}/.well-known/openid-configuration'
OIDC_CLIENT_ID='{client_id}'
OIDC_CLIENT_SECRET='{client_secret}'
OIDC_PROVIDER_NAME='Ostiary'
OIDC_USER_CLAIM='email'
OIDC_NAME_CLAIM='name'`,
    },
  ],
  notes: [
    'Mealie finds accounts by the claim of `OIDC_USER_CLAIM`, so the address must be verified.',
    '`OIDC_ADMIN_GROUP` and `OIDC_USER_GROUP` need groups, which come with `roles_claim` of the application; without them leave them out.',
  ],
  source: 'https://docs.mealie.io/documentation/getting-started/authentication/oidc-v2/',
})
