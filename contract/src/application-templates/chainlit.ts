import { template } from '../application-template.ts'

export default template({
  slug: 'chainlit',
  name: 'Chainlit',
  homepage: 'https://chainlit.io/',
  redirect_uris: ['{url}/auth/oauth/ostiary/callback'],
  require_pkce: false,
  needs: ['preferred_username'],
  setup: [
    {
      title: 'Environment of the program',
      language: 'sh',
      text: `CHAINLIT_URL='{url}'
OAUTH_GENERIC_NAME='ostiary'
OAUTH_GENERIC_CLIENT_ID='{client_id}'
OAUTH_GENERIC_CLIENT_SECRET='{client_secret}'
OAUTH_GENERIC_AUTH_URL='{issuer}/oauth/authorize'
OAUTH_GENERIC_TOKEN_URL='{issuer}/v1/oauth/token'
OAUTH_GENERIC_USER_INFO_URL='{issuer}/v1/oauth/userinfo'
OAUTH_GENERIC_SCOPES='openid profile email'
OAUTH_GENERIC_USER_IDENTIFIER='preferred_username'`,
    },
    {
      title: 'In the program',
      language: 'python',
      text: `import chainlit as cl


@cl.oauth_callback
def oauth_callback(provider_id, token, raw_user_data, default_user):
    return default_user`,
    },
  ],
  notes: [
    'Set `CHAINLIT_AUTH_SECRET` too: `chainlit create-secret` prints one.',
    'Chainlit keys its people by the identifier. Its default `email` can be an unverified address.',
    'Chainlit sends neither PKCE nor a nonce, so `require_pkce` is false.',
  ],
  tried: { version: '2.12.0', at: '2026-11-26' },
  source: 'https://docs.chainlit.io/authentication/oauth',
})
