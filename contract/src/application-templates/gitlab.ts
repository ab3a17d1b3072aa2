import { template } from '../application-template.ts'

export default template({
  slug: 'gitlab',
  name: 'GitLab',
  homepage: 'https://about.gitlab.com/',
  redirect_uris: ['{url}/users/auth/openid_connect/callback'],
  token_endpoint_auth_method: 'client_secret_basic',
  nonce_replaces_pkce: false,
  setup: [
    {
      title: 'gitlab.rb, then gitlab-ctl reconfigure',
      language: 'ruby',
      text: `gitlab_rails['omniauth_allow_single_sign_on'] = ['openid_connect']
gitlab_rails['omniauth_block_auto_created_users'] = false
gitlab_rails['omniauth_providers'] = [
  {
    name: 'openid_connect',
    label: 'Ostiary',
    args: {
      name: 'openid_connect',
      scope: ['openid', 'profile', 'email'],
      response_type: 'code',
      issuer: '{issuer}',
      discovery: true,
      client_auth_method: 'basic',
      uid_field: 'sub',
      pkce: true,
      client_options: {
        identifier: '{client_id}',
        secret: '{client_secret}',
        redirect_uri: '{url}/users/auth/openid_connect/callback'
      }
    }
  }
]`,
    },
  ],
  notes: [
    '`omniauth_block_auto_created_users = true`, the default of GitLab, lets an administrator admit each new person.',
    'Leave `omniauth_auto_link_user` out. GitLab would link an existing account to an unverified address.',
    'Group membership by `gitlab.groups` needs GitLab Premium and groups, which come with `roles_claim` of the application.',
  ],
  source: 'https://docs.gitlab.com/administration/auth/oidc/',
})
