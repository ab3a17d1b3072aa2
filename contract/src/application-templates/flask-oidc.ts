import { template } from '../application-template.ts'

export default template({
  slug: 'flask-oidc',
  name: 'Flask with Flask-OIDC',
  homepage: 'https://flask-oidc.readthedocs.io/',
  redirect_uris: ['{url}/authorize'],
  scopes: ['openid', 'profile', 'email', 'offline_access'],
  setup: [
    {
      title: 'In the program',
      language: 'python',
      text: `from flask_oidc import OpenIDConnect

app.config.update(
    SECRET_KEY="a long random text of your own",
    OIDC_SCOPES="openid profile email offline_access",
    OIDC_CLIENT_SECRETS={
        "web": {
            "client_id": "{client_id}",
            "client_secret": "{client_secret}",
            "issuer": "{issuer}",
            "auth_uri": "{issuer}/oauth/authorize",
            "token_uri": "{issuer}/v1/oauth/token",
            "userinfo_uri": "{issuer}/v1/oauth/userinfo",
        }
    },
)
oidc = OpenIDConnect(app)`,
    },
  ],
  notes: [
    'Replace `SECRET_KEY` by what `openssl rand -hex 32` prints: with it anyone can make the cookie of a person.',
    'Flask-OIDC signs a person out when the access token expires, unless it has a refresh token: so it asks for `offline_access`.',
    'Know people by `session["oidc_auth_profile"]["sub"]`; `email` can be an unverified address.',
  ],
  tried: { version: '2.4.0', at: '2026-11-26' },
  source: 'https://flask-oidc.readthedocs.io/en/latest/',
})
