import { template } from '../application-template.ts'

export default template({
  slug: 'actual-budget',
  name: 'Actual Budget',
  homepage: 'https://actualbudget.org/',
  redirect_uris: ['{url}/openid/callback'],
  needs: ['preferred_username', 'email_verified'],
  setup: [
    {
      title: 'Environment of the server',
      language: 'sh',
      text: `ACTUAL_OPENID_DISCOVERY_URL='{issuer}/.well-known/openid-configuration'
ACTUAL_OPENID_CLIENT_ID='{client_id}'
ACTUAL_OPENID_CLIENT_SECRET='{client_secret}'
ACTUAL_OPENID_SERVER_HOSTNAME='{url}'
ACTUAL_OPENID_AUTH_METHOD='openid'`,
    },
  ],
  notes: [
    'The first person who signs in becomes the owner of the server. Sign in yourself before you give others the address.',
    'Actual keys its accounts by `preferred_username`, and by the address of a person who has none. Let in only people whose address is verified.',
  ],
  source: 'https://actualbudget.org/docs/config/oauth-auth/',
})
