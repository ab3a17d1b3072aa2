import { template } from '../application-template.ts'

export default template({
  slug: 'kafbat-ui',
  name: 'Kafbat UI for Apache Kafka',
  homepage: 'https://ui.docs.kafbat.io/',
  redirect_uris: ['{url}/login/oauth2/code/ostiary'],
  setup: [
    {
      title: 'application.yml',
      language: 'yaml',
      text: `auth:
  type: OAUTH2
  oauth2:
    client:
      ostiary:
        provider: ostiary
        client-name: Ostiary
        clientId: "{client_id}"
        clientSecret: "{client_secret}"
        scope: [openid, profile, email]
        redirect-uri: "{url}/login/oauth2/code/ostiary"
        authorization-grant-type: authorization_code
        issuer-uri: "{issuer}"
        user-name-attribute: sub
        custom-params:
          type: oauth`,
    },
  ],
  notes: [
    'Rules of `rbac` can name a person by `sub`. Those by `roles-field` need roles, which come with `roles_claim` of the application.',
  ],
  source: 'https://ui.docs.kafbat.io/configuration/authentication/oauth2',
})
