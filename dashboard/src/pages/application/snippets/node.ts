/** JavaScript on a server: openid-client alone, with Express, and Auth.js. */
import {
  callbackPath,
  envOf,
  isInsecure,
  listenerOf,
  opensAt,
  organizationWords,
  type ProgramSnippet,
  single,
  type Values,
  withOrganization,
} from './values.ts'

const authentications = {
  none: 'None()',
  client_secret_basic: 'ClientSecretBasic(process.env.OSTIARY_CLIENT_SECRET)',
  client_secret_post: 'ClientSecretPost(process.env.OSTIARY_CLIENT_SECRET)',
  private_key_jwt: 'PrivateKeyJwt({ key: client_key, kid: client_jwk.kid })',
}

/** The key of `private_key_jwt`. */
const client_key = `const client_jwk = JSON.parse(process.env.OSTIARY_CLIENT_KEY) // the private key, as a JWK
const rs256 = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' }
const client_key = await crypto.subtle.importKey('jwk', client_jwk, rs256, false, ['sign'])

`

const discovery = (values: Values) => `${values.authentication === 'private_key_jwt' ? client_key : ''}const config = await oidc.discovery(
  new URL(${single(values.issuer)}),
  ${single(values.client_id)},
  undefined,
  oidc.${authentications[values.authentication]},${isInsecure(values) ? '\n  { execute: [oidc.allowInsecureRequests] }, // only since this issuer is http' : ''}
)`

/** A sign-in begins with these lines of both programs. */
const new_checks = `  const verifier = oidc.randomPKCECodeVerifier()
  const checks = { pkceCodeVerifier: verifier, expectedState: oidc.randomState(), expectedNonce: oidc.randomNonce() }`
const newUrl = (values: Values) => `  const url = oidc.buildAuthorizationUrl(config, {
    redirect_uri,
    scope: 'openid profile email',
    code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    state: checks.expectedState,
    nonce: checks.expectedNonce,${withOrganization(values, '\n    ...(organization ? { organization } : {}),')}
  })`

export const openidClient = (values: Values): ProgramSnippet => ({
  name: 'openid-client',
  program: {
    file: 'sign-in.mjs',
    install: 'npm install openid-client@6',
    env: envOf(values),
    run: null,
    opens: null,
    first: 'A module for a server of your own, which keeps the checks in the session of the visitor.',
  },
  code: `import * as oidc from 'openid-client'

${discovery(values)}
const redirect_uri = ${single(values.redirect_uri)}

/** Returns the address to send the visitor to. Keep the checks in the visitor's session until the callback. */
${withOrganization(values, `// organization: ${organizationWords(values)}.\n`)}export async function beginSignIn(${withOrganization(values, 'organization')}) {
${new_checks}
${newUrl(values)}
  return { url, checks }
}

/** Returns the user, for the address that the visitor came back to. */
export async function finishSignIn(address, checks) {
  const tokens = await oidc.authorizationCodeGrant(config, new URL(address, redirect_uri), checks)
  const { sub, email${withOrganization(values, ', org_id')} } = tokens.claims()
  return { user_id: sub, email${withOrganization(values, ', org_id')} } // store sub: an email address can change${withOrganization(values, '; compare org_id with what you asked for')}
}`,
})

export const express = (values: Values): ProgramSnippet => {
  const { host, port } = listenerOf(values)
  return {
    name: 'Express',
    program: {
      file: 'server.mjs',
      install: 'npm install express@5 express-session openid-client@6',
      env: envOf(values),
      made_secret: 'SESSION_SECRET',
      run: 'node --env-file=.env server.mjs',
      opens: opensAt(values),
    },
    code: `import express from 'express'
import session from 'express-session'
import * as oidc from 'openid-client'

${discovery(values)}
const redirect_uri = ${single(values.redirect_uri)}

const app = express()
const cookie = { httpOnly: true, sameSite: 'lax', secure: 'auto' }
app.use(session({ secret: process.env.SESSION_SECRET, resave: false, saveUninitialized: false, cookie }))

app.get('/', (request, response) => {
  response.send(request.session.user_id ? \`Signed in as \${request.session.user_id}${withOrganization(values, ` in \${request.session.org_id ?? 'no organization'}`)}\` : '<a href="/sign-in">Sign in</a>')
})

${withOrganization(values, `// /sign-in?organization=acme: ${organizationWords(values)}.\n`)}app.get('/sign-in', async (request, response) => {
${new_checks}
  request.session.checks = checks${withOrganization(values, '\n  const { organization } = request.query')}
${newUrl(values)}
  response.redirect(url.href)
})

app.get(${single(callbackPath(values))}, async (request, response) => {
  const { checks } = request.session
  if (!checks) return response.redirect('/') // the address was opened a second time
  const tokens = await oidc.authorizationCodeGrant(config, new URL(request.originalUrl, redirect_uri), checks)
  await new Promise((done, failed) => request.session.regenerate((error) => (error ? failed(error) : done())))
  request.session.user_id = tokens.claims().sub // store this one: an email address can change${withOrganization(values, '\n  request.session.org_id = tokens.claims().org_id // compare it with what you asked for')}
  response.redirect('/')
})

app.listen(${port}, '${host}')`,
  }
}

export const authJs = (values: Values): ProgramSnippet => {
  const { host, port } = listenerOf(values)
  return {
    name: 'Auth.js',
    program: {
      file: 'server.mjs',
      install: 'npm install @auth/express@0.12 express@5',
      env: envOf(values),
      made_secret: 'AUTH_SECRET',
      run: 'node --env-file=.env server.mjs',
      opens: opensAt(values),
      first: `Register this redirect URI too: ${new URL('/auth/callback/ostiary', values.redirect_uri)}`,
    },
    code: `import { ExpressAuth, getSession } from '@auth/express'
import express from 'express'

const config = {
  trustHost: true,
  providers: [
    {
      id: 'ostiary',
      name: 'Ostiary',
      type: 'oidc',
      issuer: ${single(values.issuer)},
      clientId: ${single(values.client_id)},
      clientSecret: process.env.OSTIARY_CLIENT_SECRET,
      client: { token_endpoint_auth_method: '${values.authentication}' },
      checks: ['pkce', 'state', 'nonce'],
      authorization: { params: { scope: 'openid profile email' } },
    },
  ],
  callbacks: {
    // Auth.js makes up an id at each sign-in. The one of the issuer stays.
    jwt({ token, account${withOrganization(values, ', profile')} }) {
      return account ? { ...token, sub: account.providerAccountId${withOrganization(values, ', org_id: profile.org_id')} } : token
    },
    session({ session, token }) {
      return { ...session, user: { ...session.user, id: token.sub }${withOrganization(values, ', org_id: token.org_id')} } // store this one: an email address can change
    },
  },
}

const app = express()
${withOrganization(values, `// POST /auth/signin/ostiary?organization=acme: ${organizationWords(values)}.\n// In a page: signIn('ostiary', {}, { organization: 'acme' }). Compare org_id with it.\n`)}app.use('/auth', ExpressAuth(config))

app.get('/', async (request, response) => {
  const session = await getSession(request, config)
  response.send(session ? \`Signed in as \${session.user.id}${withOrganization(values, ` in \${session.org_id ?? 'no organization'}`)}\` : '<a href="/auth/signin">Sign in</a>')
})

app.listen(${port}, '${host}')`,
  }
}
