import { template } from '../application-template.ts'

export default template({
  slug: 'python-social-auth',
  name: 'Django with Python Social Auth',
  homepage: 'https://python-social-auth.readthedocs.io/',
  redirect_uris: ['{url}/social/complete/oidc/'],
  setup: [
    {
      title: 'settings.py',
      language: 'python',
      text: `INSTALLED_APPS += ["social_django"]
AUTHENTICATION_BACKENDS += ["social_core.backends.open_id_connect.OpenIdConnectAuth"]
SOCIAL_AUTH_OIDC_OIDC_ENDPOINT = "{issuer}"
SOCIAL_AUTH_OIDC_KEY = "{client_id}"
SOCIAL_AUTH_OIDC_SECRET = "{client_secret}"
SOCIAL_AUTH_LOGIN_REDIRECT_URL = "/"`,
    },
    {
      title: 'urls.py',
      language: 'python',
      text: `from django.urls import include, path

urlpatterns += [path("social/", include("social_django.urls", namespace="social"))]`,
    },
  ],
  notes: [
    'A sign-in begins by a form with the CSRF token of Django, posted to /social/login/oidc/. An earlier version takes a link too.',
    'Accounts are keyed by the subject. A person without a user name gets one that is made from the address, or a random one.',
    'Leave `social_core.pipeline.social_auth.associate_by_email` out of the pipeline, unless only verified addresses come in.',
    'The path where `social_django.urls` is included is part of the redirect URI.',
  ],
  tried: { version: '8.0.0', at: '2026-11-26' },
  source: 'https://python-social-auth.readthedocs.io/en/latest/backends/oidc.html',
})
