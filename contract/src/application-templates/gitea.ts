import { template } from '../application-template.ts'

export default template({
  slug: 'gitea',
  name: 'Gitea',
  homepage: 'https://about.gitea.com/',
  redirect_uris: ['{url}/user/oauth2/ostiary/callback'],
  require_pkce: false,
  setup: [
    {
      title: 'Command on the server, as the user of Gitea',
      language: 'sh',
      text: `gitea admin auth add-oauth \\
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
    '`ACCOUNT_LINKING = login` asks for the password of an account that has the same address. `auto` would link it to an unverified address.',
    'Teams by `--group-team-map` need groups, which come with `roles_claim` of the application.',
  ],
  source: 'https://docs.gitea.com/administration/command-line',
})
