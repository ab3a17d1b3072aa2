import { template } from '../application-template.ts'

export default template({
  slug: 'forgejo',
  name: 'Forgejo',
  homepage: 'https://forgejo.org/',
  redirect_uris: ['{url}/user/oauth2/ostiary/callback'],
  setup: [
    {
      title: 'Command on the server, as the user of Forgejo',
      language: 'sh',
      text: `forgejo admin auth add-oauth \\
  --name 'ostiary' \\
  --provider 'openidConnect' \\
  --key '{client_id}' \\
  --secret '{client_secret}' \\
  --auto-discover-url '{issuer}/.well-known/openid-configuration' \\
  --scopes 'openid email profile'`,
    },
    {
      title: 'Section of app.ini, so that people come in without a form',
      language: 'ini',
      text: `[oauth2_client]
ENABLE_AUTO_REGISTRATION = true
USERNAME = email
ACCOUNT_LINKING = login`,
    },
  ],
  notes: [
    'The name of the authentication source is part of the redirect URI.',
    'Forgejo 13 sends PKCE. For a version that does not, set `require_pkce` to false.',
    '`ACCOUNT_LINKING = login` asks for the password of an account that has the same address. `auto` would link it to an unverified address.',
  ],
  source: 'https://forgejo.org/docs/latest/admin/command-line/',
})
