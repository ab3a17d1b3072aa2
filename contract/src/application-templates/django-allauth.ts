import { template } from '../application-template.ts'

export default template({
  slug: 'django-allauth',
  name: 'Django with django-allauth',
  homepage: 'https://allauth.org/',
  redirect_uris: ['{url}/accounts/oidc/ostiary/login/callback/'],
  nonce_replaces_pkce: false,
  setup: [
    {
      title: 'settings.py, with the package django-allauth[socialaccount]',
      language: 'python',
      text: `INSTALLED_APPS += [
    "allauth",
    "allauth.account",
    "allauth.socialaccount",
    "allauth.socialaccount.providers.openid_connect",
]
MIDDLEWARE += ["allauth.account.middleware.AccountMiddleware"]
AUTHENTICATION_BACKENDS += ["allauth.account.auth_backends.AuthenticationBackend"]
LOGIN_REDIRECT_URL = "/"
SOCIALACCOUNT_PROVIDERS = {
    "openid_connect": {
        "OAUTH_PKCE_ENABLED": True,
        "APPS": [
            {
                "provider_id": "ostiary",
                "name": "Ostiary",
                "client_id": "{client_id}",
                "secret": "{client_secret}",
                "settings": {"server_url": "{issuer}/.well-known/openid-configuration"},
            }
        ],
    }
}`,
    },
    {
      title: 'urls.py',
      language: 'python',
      text: `from django.urls import include, path

urlpatterns += [path("accounts/", include("allauth.urls"))]`,
    },
  ],
  notes: [
    'The provider_id and the path where `allauth.urls` is included are part of the redirect URI.',
    'Leave `SOCIALACCOUNT_EMAIL_AUTHENTICATION` off, unless only verified addresses come in.',
  ],
  tried: { version: '65.21.1', at: '2026-11-26' },
  source: 'https://docs.allauth.org/en/latest/socialaccount/providers/openid_connect.html',
})
