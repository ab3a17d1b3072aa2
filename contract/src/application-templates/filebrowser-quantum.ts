import { template } from '../application-template.ts'

export default template({
  slug: 'filebrowser-quantum',
  name: 'FileBrowser Quantum',
  homepage: 'https://filebrowserquantum.com/',
  redirect_uris: ['{url}/api/auth/oidc/callback'],
  require_pkce: false,
  needs: ['preferred_username'],
  setup: [
    {
      title: 'config.yaml',
      language: 'yaml',
      text: `auth:
  methods:
    oidc:
      enabled: true
      clientId: "{client_id}"
      clientSecret: "{client_secret}"
      issuerUrl: "{issuer}"
      scopes: email openid profile
      userIdentifier: preferred_username
      createUser: true
      logoutRedirectUrl: "{issuer}/oauth/logout"`,
    },
  ],
  notes: [
    'Accounts are keyed by the claim of `userIdentifier`. Do not take `email`: anyone can sign up with an unverified address.',
    '`adminGroup` needs groups, which come with `roles_claim` of the application.',
  ],
  source: 'https://filebrowserquantum.com/en/docs/configuration/authentication/oidc/',
})
