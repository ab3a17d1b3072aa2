import { template } from '../application-template.ts'

export default template({
  slug: 'authentik',
  name: 'authentik (as a source)',
  homepage: 'https://goauthentik.io/',
  redirect_uris: ['{url}/source/oauth/callback/ostiary/'],
  require_pkce: false,
  setup: [
    {
      title: 'Directory, Federation and Social login, Create, OpenID OAuth Source',
      language: 'form',
      text: `Name: Ostiary
Slug: ostiary
User matching mode: Link users on unique identifier
Consumer key: {client_id}
Consumer secret: {client_secret}
Scopes: profile email
OIDC Well-known URL: {issuer}/.well-known/openid-configuration`,
    },
  ],
  notes: [
    'Do not match users by email or user name: authentik would link an existing account to an unverified address.',
    'The slug is part of the redirect URI. The source appears at the sign-in once it is chosen in the identification stage.',
    'A source that sends PKCE is held to it, though `require_pkce` is false.',
  ],
  source: 'https://docs.goauthentik.io/users-sources/sources/protocols/oauth/',
})
