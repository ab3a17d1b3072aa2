import { template } from '../application-template.ts'

export default template({
  slug: 'jenkins',
  name: 'Jenkins',
  homepage: 'https://www.jenkins.io/',
  redirect_uris: ['{url}/securityRealm/finishLogin'],
  nonce_replaces_pkce: false,
  needs: ['preferred_username'],
  setup: [
    {
      title: 'Configuration as Code, with the plugin oic-auth',
      language: 'yaml',
      text: `jenkins:
  securityRealm:
    oic:
      clientId: "{client_id}"
      clientSecret: "{client_secret}"
      serverConfiguration:
        wellKnown:
          wellKnownOpenIDConfigurationUrl: "{issuer}/.well-known/openid-configuration"
          scopesOverride: "openid profile email"
      userNameField: "preferred_username"
      fullNameFieldName: "name"
      emailFieldName: "email"
      logoutFromOpenidProvider: false
      properties:
        - "pkce"`,
    },
  ],
  notes: [
    'Jenkins keys its accounts by `preferred_username`. Do not take `email` in its place: anyone can sign up with an unverified address.',
    'Set up the escape hatch of the plugin before you save, so that you can come in while the service is out of reach.',
    'Permissions by group need groups, which come with `roles_claim` of the application.',
  ],
  source: 'https://github.com/jenkinsci/oic-auth-plugin/blob/master/docs/configuration/README.md',
})
