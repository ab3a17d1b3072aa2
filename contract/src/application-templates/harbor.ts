import { template } from '../application-template.ts'

export default template({
  slug: 'harbor',
  name: 'Harbor',
  homepage: 'https://goharbor.io/',
  redirect_uris: ['{url}/c/oidc/callback'],
  require_pkce: false,
  scopes: ['openid', 'profile', 'email', 'offline_access'],
  setup: [
    {
      title: 'Administration, Configuration, Authentication',
      language: 'form',
      text: `Auth Mode: OIDC
OIDC Provider Name: Ostiary
OIDC Endpoint: {issuer}
OIDC Client ID: {client_id}
OIDC Client Secret: {client_secret}
OIDC Scope: openid,profile,email,offline_access
Verify Certificate: on
Automatic onboarding: on
Username Claim: email`,
    },
  ],
  notes: [
    'The mode can be changed only while Harbor has no other local user than admin.',
    'Harbor keys its accounts by issuer and subject. The user name is taken once.',
    'Group Claim Name needs `roles_claim` of the application. Without it leave it empty, and make administrators in Harbor.',
  ],
  source: 'https://goharbor.io/docs/main/administration/configure-authentication/oidc-auth/',
})
