import { template } from '../application-template.ts'

export default template({
  slug: 'mozilla-django-oidc',
  name: 'Django with mozilla-django-oidc',
  homepage: 'https://mozilla-django-oidc.readthedocs.io/',
  redirect_uris: ['{url}/oidc/callback/'],
  needs: ['email_verified'],
  setup: [
    {
      title: 'settings.py',
      language: 'python',
      text: `INSTALLED_APPS += ["mozilla_django_oidc"]
AUTHENTICATION_BACKENDS = ["mozilla_django_oidc.auth.OIDCAuthenticationBackend"]
OIDC_RP_CLIENT_ID = "{client_id}"
OIDC_RP_CLIENT_SECRET = "{client_secret}"
OIDC_RP_SIGN_ALGO = "RS256"
OIDC_RP_SCOPES = "openid profile email"
OIDC_OP_AUTHORIZATION_ENDPOINT = "{issuer}/oauth/authorize"
OIDC_OP_TOKEN_ENDPOINT = "{issuer}/v1/oauth/token"
OIDC_OP_USER_ENDPOINT = "{issuer}/v1/oauth/userinfo"
OIDC_OP_JWKS_ENDPOINT = "{issuer}/v1/oauth/jwks.json"
OIDC_USE_PKCE = True
LOGIN_REDIRECT_URL = "/"
LOGOUT_REDIRECT_URL = "/"`,
    },
    {
      title: 'urls.py',
      language: 'python',
      text: `from django.urls import include, path

urlpatterns += [path("oidc/", include("mozilla_django_oidc.urls"))]`,
    },
  ],
  notes: [
    'The library finds users by address. Let in only people whose address is verified, or override `filter_users_by_claims` to find them by `sub`.',
    '`OIDC_USE_PKCE` needs version 4. An earlier one sends a nonce, which is enough.',
  ],
  tried: { version: '5.0.2', at: '2026-11-26' },
  source: 'https://mozilla-django-oidc.readthedocs.io/en/stable/installation.html',
})
