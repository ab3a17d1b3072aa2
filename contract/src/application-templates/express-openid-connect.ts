import { template } from '../application-template.ts'

export default template({
  slug: 'express-openid-connect',
  name: 'Express with express-openid-connect',
  homepage: 'https://github.com/auth0/express-openid-connect',
  redirect_uris: ['{url}/callback'],
  post_logout_redirect_uris: ['{url}'],
  setup: [
    {
      title: 'In the program',
      language: 'javascript',
      text: `const { auth } = require("express-openid-connect")

app.use(
  auth({
    baseURL: "{url}",
    issuerBaseURL: "{issuer}",
    clientID: "{client_id}",
    clientSecret: "{client_secret}",
    secret: "a long random text of your own",
    authorizationParams: { response_type: "code", scope: "openid profile email" },
    idpLogout: true,
  }),
)`,
    },
  ],
  notes: [
    'Replace `secret` by what `openssl rand -hex 32` prints: with it anyone can make the cookie of a person.',
    'Know people by `req.oidc.user.sub`; `email` can be an unverified address.',
    'Without `response_type` the library asks for the implicit flow, which the service does not have.',
    '/logout signs out here and at the service.',
  ],
  tried: { version: '3.4.0', at: '2026-11-26' },
  source: 'https://auth0.github.io/express-openid-connect/',
})
