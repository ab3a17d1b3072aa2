/**
 * A call of each operation and its answer, recorded from a service. `OSTIARY_RECORD_EXAMPLES=1 npm test api-examples` writes them again;
 * without it the same test sends every one. `whyNoExample` says which operations have none.
 */
import recorded from './api-examples.json' with { type: 'json' }
import type { Route } from './route.ts'
import { oidcRoutes, routes, serviceRoutes } from './routes.ts'

export interface Example {
  /** The parameters of the path. */
  readonly params: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, string>>
  readonly headers: Readonly<Record<string, string>>
  /** JSON. */
  readonly body?: Readonly<Record<string, unknown>>
  /** Form-encoded. */
  readonly form?: Readonly<Record<string, string>>
  readonly status: number
  /** The media type of the answer; `null` where it has no content. */
  readonly type: string | null
  /** JSON only. */
  readonly answer?: unknown
  /** The same call on the command line; `null` where it has no such command. */
  readonly command: string | null
}

export const apiExamples = recorded as unknown as Readonly<Record<string, Example>> // as: the test that records it writes this shape

const tables: Readonly<Record<string, Route>> = { ...routes, ...oidcRoutes, ...serviceRoutes }

/** The open pages whose address has a value that is made for one person. */
const of_one_person: readonly string[] = [
  'showLink',
  'showInvitation',
  'showInvitationCode',
  'callback',
  'callbackByPost',
  'signedOut',
] satisfies (keyof typeof oidcRoutes)[]

/** The operations that an identity provider calls, with a token that it signs. */
const of_providers: readonly string[] = ['providerLogout'] satisfies (keyof typeof oidcRoutes)[]

/** Why an operation has no example, in a sentence for the reference; `null` for one that has an example. */
export function whyNoExample(name: string): string | null {
  const route = Object.hasOwn(tables, name) ? tables[name] : undefined
  if (route === undefined) return null
  if (/^\/(demo|dashboard|setup|try)\b/.test(route.path))
    return 'The dashboard, the demo or the page of the first start calls this in a browser; programs do not.'
  if (route.credential.kind === 'session')
    return 'A hosted page leads here, with the cookie of the browser and the fields of its form; programs do not call it.'
  if (of_one_person.includes(name))
    return 'A mail, an invitation or an identity provider sends a browser here, with a value that is valid once; programs do not call it.'
  if (name === 'sdkPackage') return 'npm downloads this archive: `npm install {base_url}/sdk/ostiary-sdk-{version}.tgz`.'
  if (of_providers.includes(name)) return 'An identity provider calls this, with a token that it signs for each sign-out; programs do not.'
  return null
}
