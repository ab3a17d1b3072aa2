/** A command-line program (native application). It signs in through the browser and a loopback address (RFC 8252), then calls an API. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import * as oidc from 'openid-client'

const { ISSUER, CLIENT_ID, AUDIENCE, PORT } = process.env

const config = await oidc.discovery(
  new URL(ISSUER),
  CLIENT_ID,
  undefined,
  oidc.None(), // a program on other people's machines has no secret
  ISSUER.startsWith('http:') ? { execute: [oidc.allowInsecureRequests] } : undefined, // on your own machine
)

/** Returns the tokens of the person who signs in at the printed address. */
async function signIn() {
  const server = createServer().listen(0, '127.0.0.1') // any free port; the registered address has none
  await once(server, 'listening')
  const redirect_uri = `http://127.0.0.1:${server.address().port}/callback`
  const verifier = oidc.randomPKCECodeVerifier()
  const checks = { pkceCodeVerifier: verifier, expectedState: oidc.randomState(), expectedNonce: oidc.randomNonce() }
  const url = oidc.buildAuthorizationUrl(config, {
    redirect_uri,
    scope: 'openid email orders:read',
    resource: AUDIENCE, // the access token is for this API
    code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    state: checks.expectedState,
    nonce: checks.expectedNonce,
  })
  console.log(`Open this address in a browser to sign in:\n${url.href}`)
  try {
    return await oidc.authorizationCodeGrant(config, await callback(server, redirect_uri, checks.expectedState), checks)
  } finally {
    server.close()
    server.closeAllConnections()
  }
}

/** Waits until the browser returns with the `state` of this sign-in. Other programs and pages can reach the port too. */
function callback(server, redirect_uri, state) {
  return new Promise((resolve) => {
    server.on('request', (request, response) => {
      const url = new URL(request.url, redirect_uri)
      if (url.pathname !== '/callback' || url.searchParams.get('state') !== state) return response.writeHead(404).end()
      response.once('close', () => resolve(url))
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', connection: 'close' })
      response.end('<!doctype html><title>Shop</title><p>You can close this window and return to the terminal.</p>')
    })
  })
}

const tokens = await signIn()
console.log(`Signed in as ${tokens.claims().email}`)

const answer = await fetch(`http://localhost:${PORT}/orders`, { headers: { authorization: `Bearer ${tokens.access_token}` } })
console.log(`The API answers ${answer.status}: ${await answer.text()}`)

await oidc.tokenRevocation(config, tokens.access_token) // this program needs it no more
