import { template } from '../application-template.ts'

export default template({
  slug: 'headscale',
  name: 'Headscale',
  homepage: 'https://headscale.net/',
  redirect_uris: ['{url}/oidc/callback'],
  nonce_replaces_pkce: false,
  setup: [
    {
      title: 'config.yaml',
      language: 'yaml',
      text: `server_url: "{url}"
oidc:
  only_start_if_oidc_is_available: true
  issuer: "{issuer}"
  client_id: "{client_id}"
  client_secret: "{client_secret}"
  scope: [openid, profile, email]
  pkce:
    enabled: true
    method: S256`,
    },
  ],
  notes: [
    '`allowed_domains` and `allowed_users` count only verified addresses. Without them everyone who can sign in joins the network.',
    '`allowed_groups` needs groups, which come with `roles_claim` of the application.',
  ],
  source: 'https://headscale.net/stable/ref/oidc/',
})
