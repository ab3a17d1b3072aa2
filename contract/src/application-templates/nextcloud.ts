import { template } from '../application-template.ts'

export default template({
  slug: 'nextcloud',
  name: 'Nextcloud',
  homepage: 'https://nextcloud.com/',
  redirect_uris: ['{url}/apps/user_oidc/code', '{url}/index.php/apps/user_oidc/code'],
  post_logout_redirect_uris: ['{url}/'],
  backchannel_logout_uri: '{url}/index.php/apps/user_oidc/backchannel-logout/ostiary',
  nonce_replaces_pkce: false,
  setup: [
    {
      title: 'Command on the server, with the app user_oidc (OpenID Connect user backend)',
      language: 'sh',
      text: `occ user_oidc:provider 'ostiary' \\
  --clientid='{client_id}' \\
  --clientsecret='{client_secret}' \\
  --discoveryuri='{issuer}/.well-known/openid-configuration' \\
  --endsessionendpointuri='{issuer}/oauth/logout' \\
  --scope='openid profile email'`,
    },
  ],
  notes: [
    'Accounts are keyed by a hash of the subject. `--unique-uid=0 --mapping-uid=preferred_username` takes readable names, which must then be verified addresses.',
    '`--group-provisioning` needs groups, which come with `roles_claim` of the application.',
  ],
  source: 'https://github.com/nextcloud/user_oidc',
})
