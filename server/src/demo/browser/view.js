/** The page of the demo: takes each step of a sign-in and shows how it went. Tokens are in the variable `tokens`, and nowhere else. */
import * as oidc from './client.js'
import { showTokens, showUserInfo } from './tokens.js'
import { duration, refusalInWords } from './words.js'

const at = (id) => document.getElementById(id)
const { issuer, clientId: client_id, redirectUri: redirect_uri, startUri: start_uri, loginHint: login_hint } = at('demo').dataset
const app = { client_id, redirect_uri, login_hint, scope: 'openid profile email offline_access' }

let provider = null
let tokens = null
let is_busy = false

const presses = {
  begin: async () => location.assign(await oidc.beginSignIn(provider, app)),
  refresh: () => step('Refreshed', refresh),
  userinfo: () => step('UserInfo read', readUserInfo),
  revoke: () => step('Revoked', revoke),
  leave: async () => location.assign(oidc.signOutAddress(provider, tokens.id_token, start_uri)),
}
for (const [id, press] of Object.entries(presses)) at(id).addEventListener('click', () => alone(press))
await alone(open)

async function open() {
  const { origin, pathname, searchParams } = new URL(location.href)
  // A registered address has one spelling, and session storage belongs to one origin: 127.0.0.1 is not localhost.
  if (origin !== new URL(redirect_uri).origin) return location.replace(start_uri)
  // Code and state have done their work once they are read: they need not stay in the history.
  history.replaceState(null, '', pathname)

  const is_answer = searchParams.has('state') && pathname === new URL(redirect_uri).pathname
  const begun = is_answer ? oidc.takeBegun() : null
  if (begun) addStep('Sent to the sign-in page', `code, S256, scope ${app.scope}`, new Date(begun.at).toLocaleTimeString('en-GB'))
  if (!(await step(null, findProvider))) return
  if (is_answer) await finish(searchParams, begun)
  else if (searchParams.get('state') === oidc.signed_out) say('left')
  else if (pathname !== new URL(start_uri).pathname) say('lost')
  at('before').hidden = tokens !== null
}

async function findProvider() {
  if (!isSecureContext) throw new oidc.Refusal('insecure', '')
  provider = await oidc.discover(issuer)
}

/** The way back from the sign-in page: answer, exchange, check. */
async function finish(answer, begun) {
  let code = ''
  const is_right =
    (await step('Came back with a code', async () => {
      code = oidc.readCode(answer, begun, provider)
      return ['state and iss are the expected ones', duration((Date.now() - begun.at) / 1000)]
    })) &&
    (await step('Exchanged for tokens', async () => takeTokens(await oidc.exchangeCode(provider, app, code, begun.code_verifier)))) &&
    (await step('ID token checked', () => check(begun.nonce)))
  if (!is_right) {
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
  const [gave] = takeTokens(await oidc.refresh(provider, app, tokens.refresh_token))
  await check(undefined) // OIDC Core §12.2: the ID token of a refresh has no nonce
  showTokens(tokens)
  return [`${gave}; the refresh token before is spent`]
}

async function readUserInfo() {
  showUserInfo(await oidc.readUserInfo(provider, tokens.access_token))
  return ['what the granted scopes tell, as it is now']
}

async function revoke() {
  await oidc.revoke(provider, app, tokens.refresh_token)
  return ['the refresh token, and every access token bought with it: press UserInfo to see it refused']
}

function takeTokens(given) {
  tokens = { ...tokens, ...given }
  return [`access token for ${duration(given.expires_in)}, ID token, refresh token`]
}

/** Does one thing at a time: a second press while the first runs is not heard. */
async function alone(work) {
  if (is_busy) return
  is_busy = true
  try {
    await work()
  } finally {
    is_busy = false
  }
}

/** Does a step and shows how it went. `work` returns what to say of it, and how long it took where that is not its own time. */
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

/** The words of the page for where things stand: they are in the page, so that all of its text is in one place. */
function say(state, title = at('lead').dataset[`${state}Title`]) {
  at('title').textContent = title
  at('lead').textContent = at('lead').dataset[state]
}
