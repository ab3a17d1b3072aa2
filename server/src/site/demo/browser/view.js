/** The page of the demo: performs each step of a sign-in and shows its result. Tokens exist only in the variable `tokens`. */
import * as oidc from './client.js'
import { showTokens, showUserInfo } from './tokens.js'
import { duration, refusalInWords } from './words.js'

const at = (id) => document.getElementById(id)
const { issuer, clientId: client_id, redirectUri: redirect_uri, startUri: start_uri, loginHint: login_hint } = at('demo').dataset
const app = { client_id, redirect_uri, login_hint, scope: 'openid profile email offline_access' }

let provider = null
let tokens = null
let is_busy = false

const actions = {
  begin: async () => location.assign(await oidc.beginSignIn(provider, app)),
  refresh: () => step('Refreshed', refresh),
  userinfo: () => step('UserInfo read', readUserInfo),
  revoke: () => step('Revoked', revoke),
  leave: async () => location.assign(oidc.signOutAddress(provider, tokens.id_token, start_uri)),
}
for (const [id, action] of Object.entries(actions)) at(id).addEventListener('click', () => oneAtATime(action))
await oneAtATime(open)

async function open() {
  const { origin, pathname, searchParams } = new URL(location.href)
  // Registered addresses and session storage belong to one origin: 127.0.0.1 is not localhost.
  if (origin !== new URL(redirect_uri).origin) return location.replace(start_uri)
  // Removes code and state from the browser history.
  history.replaceState(null, '', pathname)

  const is_answer = searchParams.has('state') && pathname === new URL(redirect_uri).pathname
  const pending = is_answer ? oidc.takePendingSignIn() : null
  if (pending) addStep('Sent to the sign-in page', `code, S256, scope ${app.scope}`, new Date(pending.at).toLocaleTimeString('en-GB'))
  if (!(await step(null, findProvider))) return
  if (is_answer) await finish(searchParams, pending)
  else if (searchParams.get('state') === oidc.signed_out) say('left')
  else if (pathname !== new URL(start_uri).pathname) say('lost')
  at('before').hidden = tokens !== null
}

async function findProvider() {
  if (!isSecureContext) throw new oidc.Refusal('insecure', '')
  provider = await oidc.discover(issuer)
}

/** Completes a sign-in: reads the response, exchanges the code, checks the ID token. */
async function finish(answer, pending) {
  let code = ''
  const has_succeeded =
    (await step('Came back with a code', async () => {
      code = oidc.readCode(answer, pending, provider)
      return ['state and iss are as expected', duration((Date.now() - pending.at) / 1000)]
    })) &&
    (await step('Exchanged for tokens', async () => takeTokens(await oidc.exchangeCode(provider, app, code, pending.code_verifier)))) &&
    (await step('ID token checked', () => check(pending.nonce)))
  if (!has_succeeded) {
    tokens = null
    return
  }
  const { name, email } = oidc.claimsOf(tokens.id_token)
  say('done', `Signed in as ${name ?? email}`)
  for (const id of ['presses', 'tokens']) at(id).hidden = false
  showTokens(tokens)
}

async function check(nonce) {
  await oidc.checkIdToken(provider, app, tokens.id_token, nonce)
  return [`RS256 signature, issuer, audience, ${nonce ? 'nonce, ' : ''}times`]
}

async function refresh() {
  const [received] = takeTokens(await oidc.refresh(provider, app, tokens.refresh_token))
  await check(undefined) // OIDC Core §12.2: the ID token of a refresh has no nonce
  showTokens(tokens)
  return [`${received}; the previous refresh token is used up`]
}

async function readUserInfo() {
  showUserInfo(await oidc.readUserInfo(provider, tokens.access_token))
  return ['the current values of the granted scopes']
}

async function revoke() {
  await oidc.revoke(provider, app, tokens.refresh_token)
  return ['the refresh token and its access tokens: press UserInfo to see the access token refused']
}

function takeTokens(received) {
  tokens = { ...tokens, ...received }
  return [`access token for ${duration(received.expires_in)}, ID token, refresh token`]
}

/** Ignores a click while another action runs. */
async function oneAtATime(work) {
  if (is_busy) return
  is_busy = true
  try {
    await work()
  } finally {
    is_busy = false
  }
}

/** Performs a step and shows its result. `work` returns the text to show and, if it differs from the measured time, a duration. */
async function step(title, work) {
  const began = performance.now()
  try {
    const [text, time] = (await work()) ?? []
    if (title) addStep(title, text, time ?? `${Math.round(performance.now() - began)} ms`)
    return true
  } catch (error) {
    if (!(error instanceof oidc.Refusal)) throw error
    const { title: refused, text } = refusalInWords(error.code, error.message)
    addStep(refused, text, error.code, 'failed')
    return false
  }
}

function addStep(title, text, aside, kind = 'done') {
  const item = at(`step-${kind}`).content.cloneNode(true)
  for (const [part, words] of Object.entries({ b: title, p: text, '.aside': aside })) item.querySelector(part).textContent = words
  at('steps').append(item)
  at('steps').hidden = false
  at('said').textContent = `${title}. ${text}`
}

/** Shows the title and lead for a state. The texts are data attributes of the page, see `page.ts`. */
function say(state, title = at('lead').dataset[`${state}Title`]) {
  at('title').textContent = title
  at('lead').textContent = at('lead').dataset[state]
}
