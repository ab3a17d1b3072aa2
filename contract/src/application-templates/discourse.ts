import { template } from '../application-template.ts'

export default template({
  slug: 'discourse',
  name: 'Discourse',
  homepage: 'https://www.discourse.org/',
  redirect_uris: ['{url}/auth/oidc/callback'],
  post_logout_redirect_uris: ['{url}/'],
  setup: [
    {
      title: 'Admin, Settings, plugin OpenID Connect',
      language: 'form',
      text: `openid connect enabled: on
openid connect discovery document: {issuer}/.well-known/openid-configuration
openid connect client id: {client_id}
openid connect client secret: {client_secret}
openid connect authorize scope: openid profile email
openid connect use pkce: on
openid connect rp initiated logout: on
openid connect rp initiated logout redirect: {url}/`,
    },
  ],
  notes: ['Discourse links an existing account only to a verified address. A person without one verifies it in Discourse.'],
  source: 'https://meta.discourse.org/t/openid-connect-authentication-plugin/103632',
})
