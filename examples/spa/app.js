/** A single-page application. It has no secret: PKCE, `state` and `nonce` protect the sign-in. */
const { UserManager } = globalThis.oidc // with a bundler: import { UserManager } from 'oidc-client-ts'
const { issuer, client_id } = await (await fetch('/settings.json')).json()

const users = new UserManager({
  authority: issuer,
  client_id,
  redirect_uri: `${location.origin}/`,
  post_logout_redirect_uri: `${location.origin}/`,
  scope: 'openid email',
})
const signIn = () => users.signinRedirect({ nonce: crypto.randomUUID() })
const signOut = () => users.signoutRedirect()

/** Finishes the sign-in that the address carries, if any. */
async function finishSignIn() {
  const answer = new URLSearchParams(location.search)
  history.replaceState(null, '', '/') // a code works once, so a reload must not send it again
  if (answer.has('error')) throw new Error(answer.get('error_description') ?? answer.get('error'))
  if (answer.has('code')) await users.signinCallback(`${location.origin}/?${answer}`)
}

function show(text, button, act) {
  document.getElementById('user').textContent = text
  const shown = document.getElementById(button)
  shown.hidden = false
  shown.onclick = act
}

try {
  await finishSignIn()
  const user = await users.getUser() // user.profile.sub identifies the person; an email address can change
  if (user) show(`Signed in as ${user.profile.email}`, 'sign-out', signOut)
  else show('Not signed in', 'sign-in', signIn)
} catch (error) {
  show(`The sign-in failed: ${error.message}`, 'sign-in', signIn)
}
