/**
 * Code that signs people in to an application, with its issuer and client id. Each snippet names the authentication method, because
 * clients differ in their default, sends PKCE, state and nonce, and stores `sub`.
 */
import type { Application } from '@ostiary/sdk'
import type { Snippet } from '../../parts/code.tsx'

export function snippetsOf(application: Application, issuer: string): Snippet[] {
  const redirect_uri = application.redirect_uris[0] ?? ''
  const values = { issuer, client_id: application.client_id, redirect_uri }
  if (application.application_type === 'spa') return [spa(values), curl(values, '-d client_id')]
  const is_post = application.token_endpoint_auth_method === 'client_secret_post'
  const is_public = application.token_endpoint_auth_method === 'none'
  return [
    node(values, is_public ? 'None()' : `${is_post ? 'ClientSecretPost' : 'ClientSecretBasic'}(process.env.OSTIARY_CLIENT_SECRET)`),
    ...(is_public ? [] : [nextAuth(values, is_post), python(values, is_post)]),
    go(values, is_public, is_post),
    curl(values, is_public ? '-d client_id' : is_post ? '-d client_secret' : '-u'),
  ]
}

interface Values {
  issuer: string
  client_id: string
  redirect_uri: string
}

const node = ({ issuer, client_id, redirect_uri }: Values, authentication: string): Snippet => ({
  name: 'Node',
  code: `import * as oidc from 'openid-client'

const config = await oidc.discovery(
  new URL('${issuer}'),
  '${client_id}',
  undefined,
  oidc.${authentication},
)

// Keep these three in the visitor's session until the callback.
const verifier = oidc.randomPKCECodeVerifier()
const state = oidc.randomState()
const nonce = oidc.randomNonce()

const sign_in = oidc.buildAuthorizationUrl(config, {
  redirect_uri: '${redirect_uri}',
  scope: 'openid profile email',
  code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
  code_challenge_method: 'S256',
  state,
  nonce,
})

// In the callback:
const tokens = await oidc.authorizationCodeGrant(config, current_url, {
  pkceCodeVerifier: verifier,
  expectedState: state,
  expectedNonce: nonce,
})
const user_id = tokens.claims().sub // store this one, never the email`,
})

const nextAuth = ({ issuer, client_id }: Values, is_post: boolean): Snippet => ({
  name: 'Next.js',
  code: `// auth.ts, with next-auth 5
import NextAuth from 'next-auth'

export const { handlers, auth, signIn, signOut } = NextAuth({
  providers: [
    {
      id: 'ostiary',
      name: 'Ostiary',
      type: 'oidc',
      issuer: '${issuer}',
      clientId: '${client_id}',
      clientSecret: process.env.OSTIARY_CLIENT_SECRET,
      client: { token_endpoint_auth_method: '${is_post ? 'client_secret_post' : 'client_secret_basic'}' },
      checks: ['pkce', 'state', 'nonce'],
      authorization: { params: { scope: 'openid profile email' } },
    },
  ],
})`,
})

const python = ({ issuer, client_id }: Values, is_post: boolean): Snippet => ({
  name: 'Python',
  code: `# Authlib, with any of its web frameworks
oauth.register(
    'ostiary',
    server_metadata_url='${issuer}/.well-known/openid-configuration',
    client_id='${client_id}',
    client_secret=os.environ['OSTIARY_CLIENT_SECRET'],
    token_endpoint_auth_method='${is_post ? 'client_secret_post' : 'client_secret_basic'}',
    client_kwargs={'scope': 'openid profile email', 'code_challenge_method': 'S256'},
)

# In the callback:
token = oauth.ostiary.authorize_access_token()
user_id = token['userinfo']['sub']`,
})

const go = ({ issuer, client_id, redirect_uri }: Values, is_public: boolean, is_post: boolean): Snippet => ({
  name: 'Go',
  code: `provider, err := oidc.NewProvider(ctx, "${issuer}")
endpoint := provider.Endpoint()
endpoint.AuthStyle = oauth2.${is_public || is_post ? 'AuthStyleInParams' : 'AuthStyleInHeader'}
config := oauth2.Config{
	ClientID:     "${client_id}",${is_public ? '' : '\n\tClientSecret: os.Getenv("OSTIARY_CLIENT_SECRET"),'}
	Endpoint:     endpoint,
	RedirectURL:  "${redirect_uri}",
	Scopes:       []string{oidc.ScopeOpenID, "profile", "email"},
}

// Keep the verifier, state and nonce in the visitor's session.
verifier := oauth2.GenerateVerifier()
url := config.AuthCodeURL(state, oidc.Nonce(nonce), oauth2.S256ChallengeOption(verifier))

// In the callback, after comparing the state:
token, err := config.Exchange(ctx, code, oauth2.VerifierOption(verifier))
id_token, err := provider.Verifier(&oidc.Config{ClientID: config.ClientID}).Verify(ctx, token.Extra("id_token").(string))
// Compare id_token.Nonce with nonce, and store id_token.Subject.`,
})

const spa = ({ issuer, client_id, redirect_uri }: Values): Snippet => ({
  name: 'oidc-client-ts',
  code: `import { UserManager } from 'oidc-client-ts'

const users = new UserManager({
  authority: '${issuer}',
  client_id: '${client_id}',
  client_authentication: undefined, // a public client has no secret
  redirect_uri: '${redirect_uri}',
  scope: 'openid profile email',
})
await users.signinRedirect({ nonce: crypto.randomUUID() })

// On the page of the redirect URI:
const user = await users.signinCallback()
const user_id = user?.profile.sub`,
})

const curl = ({ issuer, client_id, redirect_uri }: Values, credential: '-u' | '-d client_secret' | '-d client_id'): Snippet => {
  const sent = {
    '-u': `-u "${client_id}:$OSTIARY_CLIENT_SECRET"`,
    '-d client_secret': `-d client_id=${client_id} -d client_secret="$OSTIARY_CLIENT_SECRET"`,
    '-d client_id': `-d client_id=${client_id}`,
  }[credential]
  return {
    name: 'curl',
    code: `verifier=$(openssl rand -hex 32)
challenge=$(printf '%s' "$verifier" | openssl dgst -sha256 -binary | openssl base64 -A | tr '+/' '-_' | tr -d '=')
echo "${issuer}/oauth/authorize?response_type=code&client_id=${client_id}&redirect_uri=$(printf %s '${redirect_uri}' | jq -sRr @uri)&scope=openid&state=$(openssl rand -hex 16)&nonce=$(openssl rand -hex 16)&code_challenge=$challenge&code_challenge_method=S256"

# With the code of the redirect:
curl ${sent} ${issuer}/v1/oauth/token -d grant_type=authorization_code \\
  -d code="$CODE" -d code_verifier="$verifier" --data-urlencode redirect_uri='${redirect_uri}'`,
  }
}
