import { template } from '../application-template.ts'

export default template({
  slug: 'memos',
  name: 'Memos',
  homepage: 'https://www.usememos.com/',
  redirect_uris: ['{url}/auth/callback'],
  require_pkce: false,
  needs: ['preferred_username'],
  setup: [
    {
      title: 'Settings, SSO, Create, OAuth2, template Custom',
      language: 'form',
      text: `Name: Ostiary
Client ID: {client_id}
Client secret: {client_secret}
Authorization endpoint: {issuer}/oauth/authorize
Token endpoint: {issuer}/v1/oauth/token
User endpoint: {issuer}/v1/oauth/userinfo
Scopes: openid profile email
Identifier: preferred_username
Display Name: name
Email: email`,
    },
  ],
  notes: ['Memos keys its accounts by the identifier. Do not take `email`: anyone can sign up with an unverified address.'],
  source: 'https://www.usememos.com/docs/configuration/authentication',
})
