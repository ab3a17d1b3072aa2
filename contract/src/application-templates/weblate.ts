import { template } from '../application-template.ts'

export default template({
  slug: 'weblate',
  name: 'Weblate',
  homepage: 'https://weblate.org/',
  redirect_uris: ['{url}/accounts/complete/oidc/'],
  needs: ['email_verified'],
  setup: [
    {
      title: 'Environment of the container',
      language: 'sh',
      text: `WEBLATE_SOCIAL_AUTH_OIDC_OIDC_ENDPOINT='{issuer}'
WEBLATE_SOCIAL_AUTH_OIDC_KEY='{client_id}'
WEBLATE_SOCIAL_AUTH_OIDC_SECRET='{client_secret}'
WEBLATE_SOCIAL_AUTH_OIDC_TITLE='Ostiary'`,
    },
    {
      title: 'Or in settings.py, with social_core.backends.open_id_connect.OpenIdConnectAuth in AUTHENTICATION_BACKENDS',
      language: 'python',
      text: `SOCIAL_AUTH_OIDC_OIDC_ENDPOINT = "{issuer}"
SOCIAL_AUTH_OIDC_KEY = "{client_id}"
SOCIAL_AUTH_OIDC_SECRET = "{client_secret}"`,
    },
  ],
  notes: [
    'Weblate takes the address of a person as verified and links accounts by it. Let in only people whose address is verified, or set `SOCIAL_AUTH_OIDC_FORCE_EMAIL_VALIDATION = True`.',
  ],
  source: 'https://docs.weblate.org/en/latest/admin/auth.html',
})
