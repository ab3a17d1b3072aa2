import { template } from '../application-template.ts'

export default template({
  slug: 'oauth2-proxy',
  name: 'OAuth2 Proxy',
  homepage: 'https://oauth2-proxy.github.io/oauth2-proxy/',
  redirect_uris: ['{url}/oauth2/callback'],
  nonce_replaces_pkce: false,
  needs: ['email_verified'],
  setup: [
    {
      title: 'oauth2-proxy.cfg',
      language: 'toml',
      text: `provider = "oidc"
provider_display_name = "Ostiary"
oidc_issuer_url = "{issuer}"
client_id = "{client_id}"
client_secret = "{client_secret}"
redirect_url = "{url}/oauth2/callback"
code_challenge_method = "S256"
scope = "openid profile email"
email_domains = ["*"]
upstreams = ["http://127.0.0.1:8080/"]
cookie_secret = "32 random bytes of your own in Base64"`,
    },
  ],
  notes: [
    "Replace `cookie_secret` by what `openssl rand -base64 32 | tr -- '+/' '-_'` prints. OAuth2 Proxy does not start with another length.",
    '`upstreams` is the application behind it. OAuth2 Proxy itself listens on `http_address`, which is 127.0.0.1:4180 if not said.',
    'OAuth2 Proxy refuses a person whose address is not verified. Leave `insecure_oidc_allow_unverified_email` off: the application behind it gets the address in a header.',
    'It takes no logout tokens. A link to /oauth2/sign_out ends its own session; to end the session of the person too, lead from there to the sign-out page of the service.',
    '`allowed_groups` needs groups, which come with `roles_claim` of the application.',
  ],
  tried: { version: '7.15.6', at: '2026-11-26' },
  source: 'https://oauth2-proxy.github.io/oauth2-proxy/configuration/providers/openid_connect',
})
