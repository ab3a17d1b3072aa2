import { template } from '../application-template.ts'

export default template({
  slug: 'pomerium',
  name: 'Pomerium',
  homepage: 'https://www.pomerium.com/',
  redirect_uris: ['{url}/oauth2/callback'],
  require_pkce: false,
  scopes: ['openid', 'profile', 'email', 'offline_access'],
  setup: [
    {
      title: 'config.yaml',
      language: 'yaml',
      text: `authenticate_service_url: "{url}"
idp_provider: oidc
idp_provider_url: "{issuer}"
idp_client_id: "{client_id}"
idp_client_secret: "{client_secret}"
idp_scopes: [openid, profile, email, offline_access]`,
    },
  ],
  notes: [
    'The address is the one of the authenticate service, which differs from the addresses of routes.',
    'Pomerium sends neither PKCE nor a nonce, so `require_pkce` is false.',
    'Policies by `user` name a subject. Policies by `email` or `domain` count an unverified address too; those by groups need groups, which come with `roles_claim` of the application.',
  ],
  source: 'https://www.pomerium.com/docs/integrations/user-identity/identity-providers',
})
