import { template } from '../application-template.ts'

export default template({
  slug: 'superset',
  name: 'Apache Superset',
  homepage: 'https://superset.apache.org/',
  redirect_uris: ['{url}/oauth-authorized/ostiary'],
  setup: [
    {
      title: 'superset_config.py, with the package Authlib',
      language: 'python',
      text: `from flask_appbuilder.security.manager import AUTH_OAUTH
from superset.security import SupersetSecurityManager


class OstiarySecurityManager(SupersetSecurityManager):
    def oauth_user_info(self, provider, response=None):
        person = self.appbuilder.sm.oauth_remotes[provider].userinfo()
        first_name, _, last_name = person.get("name", "").partition(" ")
        return {
            "username": person["sub"],
            "email": person["email"],
            "first_name": first_name or person["email"],
            "last_name": last_name,
        }


CUSTOM_SECURITY_MANAGER = OstiarySecurityManager
AUTH_TYPE = AUTH_OAUTH
AUTH_USER_REGISTRATION = True
AUTH_USER_REGISTRATION_ROLE = "Gamma"
OAUTH_PROVIDERS = [
    {
        "name": "ostiary",
        "icon": "fa-key",
        "token_key": "access_token",
        "remote_app": {
            "client_id": "{client_id}",
            "client_secret": "{client_secret}",
            "server_metadata_url": "{issuer}/.well-known/openid-configuration",
            "client_kwargs": {"scope": "openid profile email"},
        },
    }
]`,
    },
  ],
  notes: [
    'Accounts are keyed by the subject, so a changed address keeps its account.',
    'New people get the role Gamma. `AUTH_ROLES_MAPPING` needs groups, which come with `roles_claim` of the application; without them give other roles in Superset.',
  ],
  tried: { version: '6.1.0', at: '2026-11-26' },
  source: 'https://superset.apache.org/docs/configuration/configuring-superset/',
})
