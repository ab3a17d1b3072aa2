import { template } from '../application-template.ts'

export default template({
  slug: 'jupyterhub',
  name: 'JupyterHub',
  homepage: 'https://jupyter.org/hub',
  redirect_uris: ['{url}/hub/oauth_callback'],
  nonce_replaces_pkce: false,
  needs: ['preferred_username'],
  setup: [
    {
      title: 'jupyterhub_config.py, with the package oauthenticator',
      language: 'python',
      text: `c.JupyterHub.authenticator_class = "generic-oauth"
c.GenericOAuthenticator.client_id = "{client_id}"
c.GenericOAuthenticator.client_secret = "{client_secret}"
c.GenericOAuthenticator.oauth_callback_url = "{url}/hub/oauth_callback"
c.GenericOAuthenticator.authorize_url = "{issuer}/oauth/authorize"
c.GenericOAuthenticator.token_url = "{issuer}/v1/oauth/token"
c.GenericOAuthenticator.userdata_url = "{issuer}/v1/oauth/userinfo"
c.GenericOAuthenticator.scope = ["openid", "profile", "email"]
c.GenericOAuthenticator.username_claim = "preferred_username"
c.GenericOAuthenticator.login_service = "Ostiary"
c.GenericOAuthenticator.allow_all = True`,
    },
  ],
  notes: [
    'JupyterHub keys its accounts, and the homes of people, by `preferred_username`. Do not take `email` in its place: anyone can sign up with an unverified address.',
    '`allow_all` admits everyone who can sign in. In its place `allowed_users` names people.',
    'The default spawner starts a server for a user of the machine with the same name, and fails where there is none. `c.JupyterHub.spawner_class = "simple"` is enough to try the sign-in; DockerSpawner and KubeSpawner need no such users.',
    'oauthenticator sends PKCE from version 17.1 on. An older one needs `require_pkce` false, since it sends no nonce either.',
    '`allowed_groups` and `admin_groups` need groups, which come with `roles_claim` of the application; without them use `admin_users`.',
  ],
  tried: { version: '6.1.1', at: '2026-11-26' },
  source: 'https://oauthenticator.readthedocs.io/en/latest/tutorials/provider-specific-setup/providers/generic.html',
})
