import { template } from '../application-template.ts'

export default template({
  slug: 'meshcentral',
  name: 'MeshCentral',
  homepage: 'https://meshcentral.com/',
  redirect_uris: ['{url}/auth-oidc-callback'],
  post_logout_redirect_uris: ['{url}/login'],
  needs: ['name'],
  setup: [
    {
      title: 'config.json: its domains',
      language: 'json',
      text: `{
  "domains": {
    "": {
      "authStrategies": {
        "oidc": {
          "issuer": "{issuer}",
          "client": {
            "client_id": "{client_id}",
            "client_secret": "{client_secret}",
            "redirect_uri": "{url}/auth-oidc-callback",
            "post_logout_redirect_uri": "{url}/login"
          },
          "newAccounts": true
        }
      }
    }
  }
}`,
    },
  ],
  notes: [
    'An account whose person has no name has none in MeshCentral either, and nobody can tell whose it is.',
    'Accounts are keyed by the subject, and have no rights until an administrator gives them some.',
    '`groups` needs groups, which come with `roles_claim` of the application.',
  ],
  tried: { version: '1.1.55', at: '2026-11-26' },
  source: 'https://ylianst.github.io/MeshCentral/meshcentral/openidConnectStrategy/',
})
