/** A web application. Its server signs people in with the authorization code flow, and knows them by a session cookie. */
import { randomBytes } from 'node:crypto'
import express from 'express'
import session from 'express-session'
import * as oidc from 'openid-client'

const { ISSUER, CLIENT_ID, CLIENT_SECRET, PORT } = process.env
const origin = `http://localhost:${PORT}`

const config = await oidc.discovery(
  new URL(ISSUER),
  CLIENT_ID,
  undefined,
  oidc.ClientSecretBasic(CLIENT_SECRET), // the method that the application is registered with
  ISSUER.startsWith('http:') ? { execute: [oidc.allowInsecureRequests] } : undefined, // on your own machine
)

const app = express()
app.use(
  session({
    secret: randomBytes(32).toString('hex'), // in production a kept secret, and a store other than memory
    resave: false,
    saveUninitialized: false,
    cookie: { httpOnly: true, sameSite: 'lax', secure: 'auto' },
  }),
)

app.get('/', (request, response) => {
  const { user } = request.session
  response.send(
    user
      ? page(`<p>Signed in as ${escapeHtml(user.email)}</p><form method="post" action="/sign-out"><button>Sign out</button></form>`)
      : page('<p>Not signed in</p><a href="/sign-in">Sign in</a>'),
  )
})

app.get('/sign-in', async (request, response) => {
  const verifier = oidc.randomPKCECodeVerifier()
  const checks = { pkceCodeVerifier: verifier, expectedState: oidc.randomState(), expectedNonce: oidc.randomNonce() }
  request.session.checks = checks
  const url = oidc.buildAuthorizationUrl(config, {
    redirect_uri: `${origin}/callback`,
    scope: 'openid email',
    code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    state: checks.expectedState,
    nonce: checks.expectedNonce,
  })
  response.redirect(url.href)
})

app.get('/callback', async (request, response) => {
  const { checks } = request.session
  if (!checks) return response.redirect('/') // the address was opened a second time
  delete request.session.checks
  const tokens = await oidc.authorizationCodeGrant(config, new URL(request.originalUrl, origin), checks)
  const { sub, email } = tokens.claims()
  await regenerate(request) // a session id from before the sign-in can be known to others
  request.session.user = { sub, email } // sub identifies the user; an email address can change
  request.session.id_token = tokens.id_token
  response.redirect('/')
})

app.post('/sign-out', async (request, response) => {
  const { id_token } = request.session
  await regenerate(request)
  if (!id_token) return response.redirect('/')
  const url = oidc.buildEndSessionUrl(config, { id_token_hint: id_token, post_logout_redirect_uri: `${origin}/` })
  response.redirect(303, url.href)
})

app.use((error, _request, response, _next) => {
  console.error(error)
  // Such as access_denied, when the person has cancelled.
  const reason = error instanceof oidc.AuthorizationResponseError ? error.error : 'see the log of the server'
  response.status(400).send(page(`<p>The sign-in failed: ${escapeHtml(reason)}</p><a href="/">Try again</a>`))
})

const regenerate = (request) => new Promise((resolve, reject) => request.session.regenerate((error) => (error ? reject(error) : resolve())))
const escapeHtml = (text) => text.replace(/[&<>"']/g, (letter) => `&#${letter.charCodeAt(0)};`)
const page = (body) => `<!doctype html><html lang="en"><title>Shop</title><h1>Shop</h1>${body}</html>`

app.listen(Number(PORT), 'localhost', () => console.log(`Open ${origin}`))
