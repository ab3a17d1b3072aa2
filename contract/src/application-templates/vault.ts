import { template } from '../application-template.ts'

export default template({
  slug: 'vault',
  name: 'HashiCorp Vault and OpenBao',
  homepage: 'https://developer.hashicorp.com/vault',
  redirect_uris: ['{url}/ui/vault/auth/oidc/oidc/callback'],
  setup: [
    {
      title: 'Commands; for OpenBao write bao in the place of vault',
      language: 'sh',
      text: `vault auth enable oidc
vault write auth/oidc/config \\
  oidc_discovery_url='{issuer}' \\
  oidc_client_id='{client_id}' \\
  oidc_client_secret='{client_secret}' \\
  default_role='default'
vault write auth/oidc/role/default \\
  role_type='oidc' \\
  user_claim='sub' \\
  oidc_scopes='profile,email' \\
  allowed_redirect_uris='{url}/ui/vault/auth/oidc/oidc/callback' \\
  token_policies='default'`,
    },
  ],
  notes: [
    '`vault login -method=oidc` returns to http://localhost:8250/oidc/callback. Add it to the role and, in Test, to the application; Live accepts https only from a web application.',
    '`groups_claim` needs groups, which come with `roles_claim` of the application; without them give policies to entities.',
  ],
  source: 'https://developer.hashicorp.com/vault/docs/auth/jwt',
})
