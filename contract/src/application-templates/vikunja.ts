import { template } from '../application-template.ts'

export default template({
  slug: 'vikunja',
  name: 'Vikunja',
  homepage: 'https://vikunja.io/',
  redirect_uris: ['{url}/auth/openid/ostiary'],
  require_pkce: false,
  setup: [
    {
      title: 'config.yml',
      language: 'yaml',
      text: `service:
  publicurl: "{url}/"
auth:
  openid:
    enabled: true
    providers:
      ostiary:
        name: Ostiary
        authurl: "{issuer}"
        logouturl: "{issuer}/oauth/logout"
        clientid: "{client_id}"
        clientsecret: "{client_secret}"
        scope: openid profile email`,
    },
  ],
  notes: [
    'Accounts are keyed by issuer and subject. A person without a user name gets one that Vikunja invents.',
    'Leave `emailfallback` off: it would link an existing account to an unverified address.',
    'Teams need the claim `vikunja_groups`, whose members are objects: it does not come from the service.',
  ],
  source: 'https://vikunja.io/docs/openid/',
})
