import { template } from '../application-template.ts'

export default template({
  slug: 'zulip',
  name: 'Zulip',
  homepage: 'https://zulip.com/',
  redirect_uris: ['{url}/complete/oidc/'],
  needs: ['email_verified'],
  setup: [
    {
      title: '/etc/zulip/settings.py',
      language: 'python',
      text: `AUTHENTICATION_BACKENDS = (
    "zproject.backends.EmailAuthBackend",
    "zproject.backends.GenericOpenIdConnectBackend",
)
SOCIAL_AUTH_OIDC_ENABLED_IDPS = {
    "ostiary": {
        "oidc_url": "{issuer}",
        "display_name": "Ostiary",
        "display_icon": None,
        "client_id": "{client_id}",
        "secret": "{client_secret}",
        "auto_signup": False,
    }
}`,
    },
  ],
  notes: [
    'Zulip finds accounts by address and takes it as verified. Let in only people whose address is verified.',
    'A person without a name types one at the first sign-in, since `auto_signup` is off.',
  ],
  source: 'https://zulip.readthedocs.io/en/latest/production/authentication-methods.html#openid-connect',
})
