import { template } from '../application-template.ts'

export default template({
  slug: 'semaphore',
  name: 'Semaphore UI',
  homepage: 'https://semaphoreui.com/',
  redirect_uris: ['{url}/api/auth/oidc/ostiary/redirect'],
  require_pkce: false,
  needs: ['email_verified'],
  setup: [
    {
      title: 'Member of config.json',
      language: 'json',
      text: `{
  "web_host": "{url}",
  "oidc_providers": {
    "ostiary": {
      "display_name": "Sign in with Ostiary",
      "provider_url": "{issuer}",
      "client_id": "{client_id}",
      "client_secret": "{client_secret}",
      "redirect_url": "{url}/api/auth/oidc/ostiary/redirect",
      "scopes": ["openid", "profile", "email"],
      "username_claim": "preferred_username",
      "name_claim": "name",
      "email_claim": "email"
    }
  }
}`,
    },
  ],
  notes: [
    'Semaphore finds accounts by address, so an unverified address would open the account of another person.',
    'A person without a user name gets a random one, and one without a name is Anonymous.',
    'Semaphore sends neither PKCE nor a nonce, so `require_pkce` is false.',
  ],
  source: 'https://docs.semaphoreui.com/administration-guide/openid/',
})
