import { template } from '../application-template.ts'

export default template({
  slug: 'directus',
  name: 'Directus',
  homepage: 'https://directus.io/',
  redirect_uris: ['{url}/auth/login/ostiary/callback'],
  nonce_replaces_pkce: false,
  setup: [
    {
      title: 'Environment of Directus',
      language: 'sh',
      text: `PUBLIC_URL='{url}'
AUTH_PROVIDERS='ostiary'
AUTH_OSTIARY_DRIVER='openid'
AUTH_OSTIARY_LABEL='Ostiary'
AUTH_OSTIARY_CLIENT_ID='{client_id}'
AUTH_OSTIARY_CLIENT_SECRET='{client_secret}'
AUTH_OSTIARY_ISSUER_URL='{issuer}/.well-known/openid-configuration'
AUTH_OSTIARY_SCOPE='openid profile email'
AUTH_OSTIARY_ALLOW_PUBLIC_REGISTRATION='true'`,
    },
  ],
  notes: [
    'Directus 12 shows the button only where its licence has single sign-on. Directus 11 needs no licence for it.',
    'New people have no role. `AUTH_OSTIARY_DEFAULT_ROLE_ID` names the id of one.',
    '`AUTH_OSTIARY_ROLE_MAPPING` needs groups, which come with `roles_claim` of the application.',
  ],
  source: 'https://directus.io/docs/configuration/auth-sso',
})
