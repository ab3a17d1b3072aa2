import { template } from '../application-template.ts'

export default template({
  slug: 'karakeep',
  name: 'Karakeep',
  homepage: 'https://karakeep.app/',
  redirect_uris: ['{url}/api/auth/callback/custom', '{url}/api/auth/oauth2/callback/custom'],
  require_pkce: false,
  setup: [
    {
      title: 'Environment of Karakeep',
      language: 'sh',
      text: `NEXTAUTH_URL='{url}'
OAUTH_WELLKNOWN_URL='{issuer}/.well-known/openid-configuration'
OAUTH_CLIENT_ID='{client_id}'
OAUTH_CLIENT_SECRET='{client_secret}'
OAUTH_SCOPE='openid profile email'
OAUTH_PROVIDER_NAME='Ostiary'`,
    },
  ],
  notes: [
    'Karakeep returns to the first address, and with its newer sign-in to the second. Remove the one that you do not need.',
    'Leave `OAUTH_ALLOW_DANGEROUS_EMAIL_ACCOUNT_LINKING` off. It would link an existing account to an unverified address.',
  ],
  source: 'https://docs.karakeep.app/configuration/environment-variables/',
})
