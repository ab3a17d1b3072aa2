import { template } from '../application-template.ts'

export default template({
  slug: 'outline',
  name: 'Outline',
  homepage: 'https://www.getoutline.com/',
  redirect_uris: ['{url}/auth/oidc.callback'],
  require_pkce: false,
  setup: [
    {
      title: 'Environment of Outline',
      language: 'sh',
      text: `URL='{url}'
OIDC_CLIENT_ID='{client_id}'
OIDC_CLIENT_SECRET='{client_secret}'
OIDC_AUTH_URI='{issuer}/oauth/authorize'
OIDC_TOKEN_URI='{issuer}/v1/oauth/token'
OIDC_USERINFO_URI='{issuer}/v1/oauth/userinfo'
OIDC_LOGOUT_URI='{issuer}/oauth/logout'
OIDC_USERNAME_CLAIM='email'
OIDC_DISPLAY_NAME='Ostiary'
OIDC_SCOPES='openid profile email'`,
    },
  ],
  notes: ['A person without a name is shown by the claim of `OIDC_USERNAME_CLAIM`; Outline refuses a person who has neither.'],
  source: 'https://docs.getoutline.com/s/hosting/doc/oidc-8CPBm6uC0I',
})
