import { template } from '../application-template.ts'

export default template({
  slug: 'synapse',
  name: 'Synapse (Matrix)',
  homepage: 'https://element-hq.github.io/synapse/',
  redirect_uris: ['{url}/_synapse/client/oidc/callback'],
  backchannel_logout_uri: '{url}/_synapse/client/oidc/backchannel_logout',
  nonce_replaces_pkce: false,
  setup: [
    {
      title: 'homeserver.yaml',
      language: 'yaml',
      text: `public_baseurl: "{url}/"
oidc_providers:
  - idp_id: ostiary
    idp_name: Ostiary
    issuer: "{issuer}"
    client_id: "{client_id}"
    client_secret: "{client_secret}"
    scopes: [openid, profile, email]
    backchannel_logout_enabled: true
    user_mapping_provider:
      config:
        subject_template: "{{ user.sub }}"
        display_name_template: "{{ user.name }}"`,
    },
  ],
  notes: [
    'Each person chooses a Matrix id at the first sign-in. `localpart_template` would take it from a claim.',
    'Leave `allow_existing_users` off, unless the Matrix ids of people and the claim of `localpart_template` are surely of the same person.',
    '`attribute_requirements` can ask for groups, which come with `roles_claim` of the application.',
  ],
  tried: { version: '1.163.2', at: '2026-11-26' },
  source: 'https://element-hq.github.io/synapse/latest/openid.html',
})
