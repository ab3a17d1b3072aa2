import { template } from '../application-template.ts'

export default template({
  slug: 'hedgedoc',
  name: 'HedgeDoc',
  homepage: 'https://hedgedoc.org/',
  redirect_uris: ['{url}/auth/oauth2/callback'],
  require_pkce: false,
  setup: [
    {
      title: 'Environment of HedgeDoc 1',
      language: 'sh',
      text: `CMD_OAUTH2_PROVIDERNAME='Ostiary'
CMD_OAUTH2_CLIENT_ID='{client_id}'
CMD_OAUTH2_CLIENT_SECRET='{client_secret}'
CMD_OAUTH2_AUTHORIZATION_URL='{issuer}/oauth/authorize'
CMD_OAUTH2_TOKEN_URL='{issuer}/v1/oauth/token'
CMD_OAUTH2_USER_PROFILE_URL='{issuer}/v1/oauth/userinfo'
CMD_OAUTH2_SCOPE='openid profile email'
CMD_OAUTH2_USER_PROFILE_ID_ATTR='sub'
CMD_OAUTH2_USER_PROFILE_USERNAME_ATTR='email'
CMD_OAUTH2_USER_PROFILE_DISPLAY_NAME_ATTR='name'
CMD_OAUTH2_USER_PROFILE_EMAIL_ATTR='email'`,
    },
  ],
  notes: [
    '`CMD_DOMAIN` and `CMD_PROTOCOL_USESSL` must give the address of HedgeDoc, from which the redirect URI is made.',
    '`CMD_OAUTH2_ACCESS_ROLE` needs roles, which come with `roles_claim` of the application.',
  ],
  source: 'https://docs.hedgedoc.org/configuration/#oauth2-login',
})
