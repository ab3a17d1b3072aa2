import { template } from '../application-template.ts'

export default template({
  slug: 'coder',
  name: 'Coder',
  homepage: 'https://coder.com/',
  redirect_uris: ['{url}/api/v2/users/oidc/callback'],
  require_pkce: false,
  needs: ['email_verified'],
  setup: [
    {
      title: 'Environment of the server',
      language: 'sh',
      text: `CODER_ACCESS_URL='{url}'
CODER_OIDC_ISSUER_URL='{issuer}'
CODER_OIDC_CLIENT_ID='{client_id}'
CODER_OIDC_CLIENT_SECRET='{client_secret}'
CODER_OIDC_SCOPES='openid,profile,email'
CODER_OIDC_ALLOW_SIGNUPS='true'
CODER_OIDC_SIGN_IN_TEXT='Sign in with Ostiary'`,
    },
  ],
  notes: [
    'Coder refuses a person whose address is not verified. Leave `CODER_OIDC_IGNORE_EMAIL_VERIFIED` off: Coder finds accounts by address.',
    'A person without a user name gets one that is made from the address.',
  ],
  source: 'https://coder.com/docs/admin/users/oidc-auth',
})
