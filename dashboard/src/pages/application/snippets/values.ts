/** The values of snippets, and the quoting of a value in each language. */
import type { Application, ResourceServer } from '@ostiary/sdk'
import { forgotten_secret } from '../../../generated/template-setup.ts'
import type { Program, Snippet } from '../../../parts/snippet.ts'

/** A snippet of the Connect panel is a whole program, or a module. */
export type ProgramSnippet = Snippet & { program: Program }

/** How a snippet authenticates at the token endpoint. */
export type Authentication = 'none' | 'client_secret_basic' | 'client_secret_post' | 'private_key_jwt'

export interface Values {
  /** The address of the service. */
  base_url: string
  issuer: string
  client_id: string
  redirect_uri: string
  authentication: Authentication
  organizations: Application['organizations']
  /** Of the access tokens that the APIs of the application get. */
  signing_alg: ResourceServer['access_token_signing_alg']
}

/** A part of a program that signs people in to an organization, where the application uses organizations. */
export const withOrganization = ({ organizations }: Pick<Values, 'organizations'>, part: string): string =>
  organizations === 'none' ? '' : part

/** Explains the parameter `organization` in a comment of a program. */
export const organizationWords = ({ organizations }: Pick<Values, 'organizations'>): string =>
  organizations === 'required'
    ? 'the id or the slug of an organization; without it the person chooses'
    : "the id or the slug of an organization, or 'none'; without it the person chooses"

/** Whether the issuer is a service on the developer's own machine: libraries refuse http unless they are asked not to. */
export const isInsecure = ({ issuer }: Values) => issuer.startsWith('http:')

/** The path of the redirect URI, where the program answers. */
export const callbackPath = ({ redirect_uri }: Values) => new URL(redirect_uri).pathname

/** Where the program listens: at the redirect URI if that is on the developer's own machine, else behind a proxy. */
export function listenerOf({ redirect_uri }: Values): { host: string; port: string; address: string } {
  const { hostname, port: own_port } = new URL(redirect_uri)
  const name = ['localhost', '127.0.0.1', '[::1]'].includes(hostname) ? hostname : 'localhost'
  const port = own_port || '8080'
  return { host: name.replaceAll(/[[\]]/g, ''), port, address: `${name}:${port}` }
}

/** The address of the program on the developer's own machine; `null` where the redirect URI is elsewhere. */
export function opensAt({ redirect_uri }: Values): string | null {
  const { protocol, hostname, origin } = new URL(redirect_uri)
  return protocol === 'http:' && ['localhost', '127.0.0.1', '[::1]'].includes(hostname) ? origin : null
}

/** Stands in the code for the client secret, which the service shows once. */
export const unknown_secret = forgotten_secret

/** The lines of `.env` that both the dialog of a new secret and the code of Connect show. The guides read them too. */
export const envLines = ({ issuer, client_id }: Pick<Values, 'issuer' | 'client_id'>, credential: string): string[] => [
  `OSTIARY_ISSUER=${issuer}`,
  `OSTIARY_CLIENT_ID=${client_id}`,
  credential,
]
export const clientSecretLine = (secret: string) => `OSTIARY_CLIENT_SECRET=${secret}`

/** The lines of `.env` of a program. One that has no secret needs no file. */
export const envOf = (values: Values): string[] => {
  if (values.authentication === 'none') return []
  const has_key = values.authentication === 'private_key_jwt'
  return envLines(values, has_key ? 'OSTIARY_CLIENT_KEY=the-private-key-as-a-JWK' : clientSecretLine(unknown_secret))
}

/** A command with the variables of `.env`, in the shell of a developer. */
export const withEnv = (command: string): string => `(set -a; . ./.env; exec ${command})`

// A redirect URI can contain quotes, and must not become code.
/** A text of JavaScript or Python. */
export const single = (text: string) => `'${text.replaceAll(/[\\']/g, '\\$&')}'`
/** A text of Go or C#. */
export const double = (text: string) => JSON.stringify(text)
/** A word of a POSIX shell. */
export const word = (text: string) => (/^[\w./:@-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`)
