/** JavaScript in a browser. */
import { type Snippet, single, type Values } from './values.ts'

export const oidcClientTs = ({ issuer, client_id, redirect_uri }: Values): Snippet => ({
  name: 'oidc-client-ts',
  code: `// src/main.js of a Vite application: npm install oidc-client-ts@3
import { UserManager } from 'oidc-client-ts'

// A public client: token_endpoint_auth_method is none. PKCE and state are always sent.
const users = new UserManager({
  authority: ${single(issuer)},
  client_id: ${single(client_id)},
  redirect_uri: ${single(redirect_uri)},
  scope: 'openid profile email',
})

if (new URLSearchParams(location.search).has('code')) {
  const address = location.href
  history.replaceState(null, '', location.pathname) // a code works once, so a reload must not send it again
  await users.signinCallback(address)
}

const user = await users.getUser()
if (!user) {
  const button = document.body.appendChild(document.createElement('button'))
  button.textContent = 'Sign in'
  button.onclick = () => users.signinRedirect({ nonce: crypto.randomUUID() })
} else {
  document.body.append(\`Signed in as \${user.profile.sub}\`) // store this one: an email address can change
}`,
})
