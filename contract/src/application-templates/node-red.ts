import { template } from '../application-template.ts'

export default template({
  slug: 'node-red',
  name: 'Node-RED',
  homepage: 'https://nodered.org/',
  redirect_uris: ['{url}/auth/strategy/callback/'],
  require_pkce: false,
  setup: [
    {
      title: 'adminAuth of settings.js, with the package passport-openidconnect',
      language: 'javascript',
      text: `module.exports.adminAuth = {
  type: "strategy",
  strategy: {
    name: "openidconnect",
    label: "Sign in with Ostiary",
    icon: "fa-key",
    strategy: require("passport-openidconnect").Strategy,
    options: {
      issuer: "{issuer}",
      authorizationURL: "{issuer}/oauth/authorize",
      tokenURL: "{issuer}/v1/oauth/token",
      userInfoURL: "{issuer}/v1/oauth/userinfo",
      clientID: "{client_id}",
      clientSecret: "{client_secret}",
      callbackURL: "{url}/auth/strategy/callback/",
      scope: ["profile", "email"],
      verify: (issuer, profile, done) => done(null, { username: profile.id }),
    },
  },
  users: (subject) => Promise.resolve({ username: subject, permissions: "read" }),
}`,
    },
  ],
  notes: [
    'Each person who can sign in may read the flows. `users` decides by the subject who may change them: answer `permissions: "*"` for those, and null for people who may not come in.',
    'The text follows `module.exports` of settings.js. Within it, write the value of `adminAuth` alone.',
  ],
  tried: { version: '5.0.7', at: '2026-11-26' },
  source: 'https://nodered.org/docs/user-guide/runtime/securing-node-red',
})
