import { template } from '../application-template.ts'

export default template({
  slug: 'airflow',
  name: 'Apache Airflow',
  homepage: 'https://airflow.apache.org/',
  redirect_uris: ['{url}/auth/oauth-authorized/ostiary', '{url}/oauth-authorized/ostiary'],
  setup: [
    {
      title: 'Section of airflow.cfg, with the package apache-airflow-providers-fab',
      language: 'ini',
      text: `[core]
auth_manager = airflow.providers.fab.auth_manager.fab_auth_manager.FabAuthManager`,
    },
    {
      title: 'webserver_config.py, with the package Authlib',
      language: 'python',
      text: `from airflow.providers.fab.auth_manager.security_manager.override import FabAirflowSecurityManagerOverride
from flask_appbuilder.const import AUTH_OAUTH


class OstiarySecurityManager(FabAirflowSecurityManagerOverride):
    def get_oauth_user_info(self, provider, resp):
        person = self.oauth_remotes[provider].userinfo()
        first_name, _, last_name = person.get("name", "").partition(" ")
        return {
            "username": person["sub"],
            "email": person["email"],
            "first_name": first_name or person["email"],
            "last_name": last_name,
        }


SECURITY_MANAGER_CLASS = OstiarySecurityManager
AUTH_TYPE = AUTH_OAUTH
AUTH_USER_REGISTRATION = True
AUTH_USER_REGISTRATION_ROLE = "Viewer"
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
    'Airflow 3 returns to /auth/oauth-authorized/ostiary, Airflow 2 to /oauth-authorized/ostiary. Remove the address that you do not need.',
    'New people get the role Viewer. `AUTH_ROLES_MAPPING` needs groups, which come with `roles_claim` of the application; without them give other roles in Airflow.',
  ],
  tried: { version: '3.3.2', at: '2026-11-26' },
  source: 'https://airflow.apache.org/docs/apache-airflow-providers-fab/stable/auth-manager/sso.html',
})
