import { template } from '../application-template.ts'

export default template({
  slug: 'netbox',
  name: 'NetBox',
  homepage: 'https://netboxlabs.com/docs/netbox/',
  redirect_uris: ['{url}/oauth/complete/oidc/'],
  setup: [
    {
      title: 'configuration.py',
      language: 'python',
      text: `REMOTE_AUTH_ENABLED = True
REMOTE_AUTH_AUTO_CREATE_USER = True
REMOTE_AUTH_BACKEND = "social_core.backends.open_id_connect.OpenIdConnectAuth"
SOCIAL_AUTH_OIDC_OIDC_ENDPOINT = "{issuer}"
SOCIAL_AUTH_OIDC_KEY = "{client_id}"
SOCIAL_AUTH_OIDC_SECRET = "{client_secret}"
SOCIAL_AUTH_OIDC_SCOPE = ["openid", "profile", "email"]`,
    },
  ],
  notes: [
    'Accounts are keyed by the subject. A person without a user name gets a random one.',
    'New people can see nothing until an administrator gives them permissions. `REMOTE_AUTH_DEFAULT_GROUPS` names groups for all of them.',
    'Group membership by claims needs `roles_claim` of the application.',
  ],
  source: 'https://netboxlabs.com/docs/netbox/administration/authentication/overview/',
})
