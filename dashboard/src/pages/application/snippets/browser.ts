/** JavaScript in a browser. */
import { listenerOf, opensAt, organizationWords, type ProgramSnippet, single, type Values, withOrganization } from './values.ts'

const begin = (values: Values) =>
  values.organizations === 'none'
    ? '  button.onclick = () => users.signinRedirect({ nonce: crypto.randomUUID() })'
    : `  // ?organization=acme: ${organizationWords(values)}. Compare org_id with it.
  const organization = new URLSearchParams(location.search).get('organization')
  const extraQueryParams = organization ? { organization } : {}
  button.onclick = () => users.signinRedirect({ nonce: crypto.randomUUID(), extraQueryParams })`

export const oidcClientTs = (values: Values): ProgramSnippet => ({
  name: 'oidc-client-ts',
  program: {
    file: 'src/main.js',
    install: 'npm create vite@latest app -- --template vanilla\ncd app\nnpm install\nnpm install oidc-client-ts@3',
    env: [],
    run: `npx vite --host ${listenerOf(values).host} --port ${listenerOf(values).port}`,
    opens: opensAt(values) === null ? null : values.redirect_uri,
  },
  code: `import { UserManager } from 'oidc-client-ts'

// A public client: token_endpoint_auth_method is none. PKCE and state are always sent.
const users = new UserManager({
  authority: ${single(values.issuer)},
  client_id: ${single(values.client_id)},
  redirect_uri: ${single(values.redirect_uri)},
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
${begin(values)}
} else {
  document.body.append(\`Signed in as \${user.profile.sub}${withOrganization(values, ` in \${user.profile.org_id ?? 'no organization'}`)}\`) // store this one: an email address can change
}`,
})
