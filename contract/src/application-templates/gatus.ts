import { template } from '../application-template.ts'

export default template({
  slug: 'gatus',
  name: 'Gatus',
  homepage: 'https://gatus.io/',
  redirect_uris: ['{url}/authorization-code/callback'],
  setup: [
    {
      title: 'config.yaml',
      language: 'yaml',
      text: `security:
  oidc:
    issuer-url: "{issuer}"
    client-id: "{client_id}"
    client-secret: "{client_secret}"
    redirect-url: "{url}/authorization-code/callback"
    scopes: [openid, profile, email]`,
    },
  ],
  notes: ['Everyone who can sign in sees the status page. `allowed-subjects` lists the subjects that may.'],
  source: 'https://github.com/TwiN/gatus#oidc',
})
