/**
 * Code that signs people in to an application, with its issuer, client id and redirect URI filled in. Each snippet is a whole program or
 * module that names the authentication method, because libraries differ in their default, sends PKCE, state and nonce, and stores `sub`.
 */
import type { Application, ResourceServer } from '@ostiary/sdk'
import { oidcClientTs } from './snippets/browser.ts'
import { curl, dotnet, go, python } from './snippets/languages.ts'
import { mcpServer } from './snippets/mcp.ts'
import { authJs, express, openidClient } from './snippets/node.ts'
import type { ProgramSnippet, Values } from './snippets/values.ts'

type Described = Pick<
  Application,
  'application_type' | 'client_id' | 'redirect_uris' | 'token_endpoint_auth_method' | 'allow_loopback_port' | 'organizations'
> & { allowed_scopes?: readonly string[] }

interface Place {
  issuer: string
  /** The address of the service, which serves the client library. */
  base_url: string
  /** The resource servers of the environment. */
  servers?: readonly Pick<ResourceServer, 'scopes' | 'access_token_signing_alg'>[]
}

export function snippetsOf(application: Described, { issuer, base_url, servers = [] }: Place): ProgramSnippet[] {
  const { application_type, client_id, token_endpoint_auth_method, organizations } = application
  // `client_secret` takes both places. Libraries have no word for it, and the header is the usual one (RFC 6749 §2.3.1).
  const authentication = token_endpoint_auth_method === 'client_secret' ? 'client_secret_basic' : token_endpoint_auth_method
  const signing_alg = signingAlgOf(application, servers)
  const values: Values = {
    base_url,
    issuer,
    client_id,
    redirect_uri: redirectUriOf(application),
    authentication,
    organizations,
    signing_alg,
  }
  if (application_type === 'spa') return [oidcClientTs(values), curl(values)]
  if (authentication === 'none') {
    const is_web = values.redirect_uri.startsWith('http') // else a scheme of the application's own, such as com.example.app:/callback
    return [openidClient(values), ...(is_web ? [go({ ...values, authentication })] : []), curl(values), mcpServer(values)]
  }
  // The other libraries send a secret, or need more than a few lines to sign an assertion.
  if (authentication === 'private_key_jwt') return [express(values), openidClient(values), mcpServer(values)]
  // A program that runs as it is comes before a module.
  return [
    express(values),
    openidClient(values),
    authJs(values),
    python(values),
    go({ ...values, authentication }),
    dotnet({ ...values, registered_with: token_endpoint_auth_method }),
    curl(values),
    mcpServer(values),
  ]
}

/** The algorithm of tokens for the resource servers whose scopes the application may ask for. */
function signingAlgOf({ allowed_scopes = [] }: Described, servers: NonNullable<Place['servers']>): Values['signing_alg'] {
  const asked = servers.filter(({ scopes }) => scopes.some(({ name }) => allowed_scopes.includes(name)))
  return asked.length > 0 && asked.every(({ access_token_signing_alg }) => access_token_signing_alg === 'ES256') ? 'ES256' : 'RS256'
}

/** The first redirect URI. A loopback address that leaves the port to the program gets one. */
function redirectUriOf({ redirect_uris: [redirect_uri = ''], allow_loopback_port }: Described): string {
  const loopback_without_port = /^http:\/\/(127\.0\.0\.1|\[::1\]|localhost)(?=\/|$)/
  return allow_loopback_port ? redirect_uri.replace(loopback_without_port, 'http://$1:49152') : redirect_uri
}
