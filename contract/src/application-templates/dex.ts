import { template } from '../application-template.ts'

export default template({
  slug: 'dex',
  name: 'Dex',
  homepage: 'https://dexidp.io/',
  redirect_uris: ['{url}/callback'],
  setup: [
    {
      title: 'Configuration of Dex',
      language: 'yaml',
      text: `issuer: "{url}"
connectors:
  - type: oidc
    id: ostiary
    name: Ostiary
    config:
      issuer: "{issuer}"
      clientID: "{client_id}"
      clientSecret: "{client_secret}"
      redirectURI: "{url}/callback"
      scopes: [profile, email]
      pkceChallenge: S256
      userNameKey: email
      insecureSkipEmailVerified: false`,
    },
  ],
  notes: [
    'The address is the issuer of Dex, with its path, such as https://dex.example.com/dex.',
    'Dex refuses a person without the claim of `userNameKey`; every person here has an address.',
    'A version of Dex that does not know `pkceChallenge` needs `require_pkce` false.',
    '`insecureEnableGroups` needs groups, which come with `roles_claim` of the application.',
  ],
  source: 'https://dexidp.io/docs/connectors/oidc/',
})
