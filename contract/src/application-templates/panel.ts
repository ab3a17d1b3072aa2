import { template } from '../application-template.ts'

export default template({
  slug: 'panel',
  name: 'Panel',
  homepage: 'https://panel.holoviz.org/',
  redirect_uris: ['{url}/login'],
  require_pkce: false,
  setup: [
    {
      title: 'Environment of panel serve',
      language: 'sh',
      text: `PANEL_OAUTH_PROVIDER='generic'
PANEL_OAUTH_KEY='{client_id}'
PANEL_OAUTH_SECRET='{client_secret}'
PANEL_OAUTH_REDIRECT_URI='{url}/login'
PANEL_OAUTH_AUTHORIZE_URL='{issuer}/oauth/authorize'
PANEL_OAUTH_TOKEN_URL='{issuer}/v1/oauth/token'
PANEL_OAUTH_USER_URL='{issuer}/v1/oauth/userinfo'
PANEL_OAUTH_SCOPE='openid,profile,email'
PANEL_OAUTH_JWT_USER='sub'
PANEL_COOKIE_SECRET='a long random text of your own'`,
    },
  ],
  notes: [
    'Replace `PANEL_COOKIE_SECRET` by what `openssl rand -hex 32` prints: with it anyone can make the cookie of a person.',
    '`pn.state.user` is the subject, and `pn.state.user_info` has the claims. `email` can be an unverified address.',
    'Panel sends neither PKCE nor a nonce with a secret, so `require_pkce` is false.',
  ],
  tried: { version: '1.9.4', at: '2026-11-26' },
  source: 'https://panel.holoviz.org/how_to/authentication/providers.html',
})
