import { template } from '../application-template.ts'

export default template({
  slug: 'dash',
  name: 'Plotly Dash',
  homepage: 'https://dash.plotly.com/',
  redirect_uris: ['{url}/oidc/ostiary/callback'],
  nonce_replaces_pkce: false,
  setup: [
    {
      title: 'In the program, with the package dash-auth[oidc]',
      language: 'python',
      text: `from dash_auth import OIDCAuth

auth = OIDCAuth(app, secret_key="a long random text of your own")
auth.register_provider(
    "ostiary",
    token_endpoint_auth_method="client_secret_post",
    client_id="{client_id}",
    client_secret="{client_secret}",
    server_metadata_url="{issuer}/.well-known/openid-configuration",
    client_kwargs={"scope": "openid profile email", "code_challenge_method": "S256"},
)`,
    },
  ],
  notes: [
    'Replace `secret_key` by what `openssl rand -hex 32` prints: with it anyone can make the cookie of a person.',
    'The claims of the person are in the `user` of the Flask session. Know people by `sub`; `email` can be an unverified address.',
    '`groups_auth` and `protected` need groups, which come with `roles_claim` of the application.',
  ],
  tried: { version: '4.4.1', at: '2026-11-26' },
  source: 'https://github.com/plotly/dash-auth',
})
