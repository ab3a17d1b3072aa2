import { template } from '../application-template.ts'

export default template({
  slug: 'hono',
  name: 'Hono with @hono/oidc-auth',
  homepage: 'https://hono.dev/',
  redirect_uris: ['{url}/callback'],
  nonce_replaces_pkce: false,
  scopes: ['openid', 'profile', 'email', 'offline_access'],
  setup: [
    {
      title: 'Environment of the program',
      language: 'sh',
      text: `OIDC_AUTH_SECRET='a random text of your own, of at least 32 characters'
OIDC_ISSUER='{issuer}'
OIDC_CLIENT_ID='{client_id}'
OIDC_CLIENT_SECRET='{client_secret}'
OIDC_REDIRECT_URI='{url}/callback'
OIDC_SCOPES='openid profile email offline_access'`,
    },
    {
      title: 'In the program, with the package @hono/oidc-auth',
      language: 'javascript',
      text: `import { getAuth, oidcAuthMiddleware, processOAuthCallback, revokeSession } from "@hono/oidc-auth"

app.get("/callback", (c) => processOAuthCallback(c))
app.get("/logout", async (c) => {
  await revokeSession(c)
  return c.text("Signed out")
})
app.use("*", oidcAuthMiddleware())`,
    },
  ],
  notes: [
    'Replace `OIDC_AUTH_SECRET` by what `openssl rand -hex 32` prints: with it anyone can make the cookie of a person.',
    'Know people by the `sub` of `getAuth`; `email` can be an unverified address.',
    'The library refreshes its tokens every 15 minutes, so it asks for `offline_access`.',
  ],
  tried: { version: '1.8.1', at: '2026-11-26' },
  source: 'https://github.com/honojs/middleware/tree/main/packages/oidc-auth',
})
