import { template } from '../application-template.ts'

export default template({
  slug: 'komodo',
  name: 'Komodo',
  homepage: 'https://komo.do/',
  redirect_uris: ['{url}/auth/oidc/callback'],
  nonce_replaces_pkce: false,
  setup: [
    {
      title: 'Environment of Komodo Core',
      language: 'sh',
      text: `KOMODO_HOST='{url}'
KOMODO_OIDC_ENABLED='true'
KOMODO_OIDC_PROVIDER='{issuer}'
KOMODO_OIDC_CLIENT_ID='{client_id}'
KOMODO_OIDC_CLIENT_SECRET='{client_secret}'`,
    },
  ],
  notes: ['New people are disabled until an administrator enables them, unless `KOMODO_ENABLE_NEW_USERS` is true.'],
  source: 'https://komo.do/docs/setup/advanced',
})
