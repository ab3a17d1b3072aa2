import { template } from '../application-template.ts'

export default template({
  slug: 'django-allauth',
  name: 'Django with django-allauth',
  homepage: 'https://allauth.org/',
  redirect_uris: ['{url}/accounts/oidc/ostiary/login/callback/'],
  nonce_replaces_pkce: false,
  setup: [
    {
      title: 'settings.py',
      language: 'python',
      text: `INSTALLED_APPS += [
    "allauth",
    "allauth.account",
    "allauth.socialaccount",
    "allauth.socialaccount.providers.openid_connect",
]
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
  ],
  notes: [
    'The provider_id and the path where `allauth.urls` is included are part of the redirect URI.',
    'Leave `SOCIALACCOUNT_EMAIL_AUTHENTICATION` off, unless only proved addresses come in.',
  ],
  source: 'https://docs.allauth.org/en/latest/socialaccount/providers/openid_connect.html',
})
