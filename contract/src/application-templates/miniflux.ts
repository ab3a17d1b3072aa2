import { template } from '../application-template.ts'

export default template({
  slug: 'miniflux',
  name: 'Miniflux',
  homepage: 'https://miniflux.app/',
  redirect_uris: ['{url}/oauth2/oidc/callback'],
  nonce_replaces_pkce: false,
  setup: [
    {
      title: 'Environment of Miniflux',
      language: 'sh',
      text: `BASE_URL='{url}'
OAUTH2_PROVIDER='oidc'
OAUTH2_OIDC_PROVIDER_NAME='Ostiary'
OAUTH2_OIDC_DISCOVERY_ENDPOINT='{issuer}'
OAUTH2_CLIENT_ID='{client_id}'
OAUTH2_CLIENT_SECRET='{client_secret}'
OAUTH2_REDIRECT_URL='{url}/oauth2/oidc/callback'
OAUTH2_USER_CREATION='1'`,
    },
  ],
  notes: ['Accounts are keyed by the subject. An existing account is linked on its page of settings.'],
  source: 'https://miniflux.app/docs/configuration.html',
})
