import { template } from '../application-template.ts'

export default template({
  slug: 'proxmox',
  name: 'Proxmox VE',
  homepage: 'https://www.proxmox.com/en/products/proxmox-virtual-environment/overview',
  redirect_uris: ['{url}'],
  nonce_replaces_pkce: false,
  needs: ['preferred_username'],
  setup: [
    {
      title: 'Command on a node',
      language: 'sh',
      text: `pveum realm add ostiary --type openid \\
  --issuer-url '{issuer}' \\
  --client-id '{client_id}' \\
  --client-key '{client_secret}' \\
  --username-claim 'preferred_username' \\
  --scopes 'profile email' \\
  --autocreate 1`,
    },
  ],
  notes: [
    'The address is the one in the browser, with its port, such as https://pve.example.com:8006.',
    'Users are named by the claim of `--username-claim`, which cannot be changed later. Do not take `email`: anyone can sign up with an unverified address. `sub` needs nothing of a person.',
    'New users may do nothing until they have permissions. `--groups-claim` needs groups, which come with `roles_claim` of the application.',
  ],
  source: 'https://pve.proxmox.com/wiki/User_Management',
})
