/** 404 and 405 for requests without a route. The details name the address or the method that the client probably means. */
import type { IncomingMessage } from 'node:http'
import type { Route } from '@ostiary/contract/route.ts'
import { oidcRoutes, routes, serviceRoutes } from '@ostiary/contract/routes.ts'
import { reason } from '../base/reason.ts'
import { issuerAtHost } from './place.ts'
import { ApiError } from './problem.ts'

interface MethodGuard {
  /** Checks a request for which no route was found. */
  refuse: (request: { url: string; method: string }) => ApiError | undefined
  /** Methods without a route of their own that would reach the route of another address: `/users/jobs` is also a `/users/{user_id}`. */
  hidden: readonly { method: Route['method']; path: string }[]
}

/**
 * Returns what refuses a method. RFC 9110 §15.5.6: if other methods exist at the address, the
 * response is 405 and lists them in `Allow`. `undefined` means that the address is unknown.
 */
export function createMethodGuard(): MethodGuard {
  const rows_of = new Map<string, Route[]>()
  for (const row of [...Object.values<Route>(routes), ...Object.values<Route>(oidcRoutes), ...Object.values<Route>(serviceRoutes)])
    rows_of.set(row.path, [...(rows_of.get(row.path) ?? []), row])
  const isWritten = ({ path }: Route) => !path.includes('{')
  // An address without a parameter comes before the pattern that would match it too.
  const in_order = [...rows_of.values()].toSorted((a, b) => Number(b.some(isWritten)) - Number(a.some(isWritten)))
  const addresses = in_order.map((rows) => ({
    pattern: new RegExp(`^${rows[0]?.path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`),
    methods: rows.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method])),
    rows,
  }))
  const hidden = addresses.flatMap(({ rows: [row], methods }) =>
    row && isWritten(row)
      ? addresses
          .filter(({ rows, pattern }) => !rows.some(isWritten) && pattern.test(row.path))
          .flatMap(({ rows }) => rows.filter(({ method }) => !methods.includes(method)).map(({ method }) => ({ method, path: row.path })))
      : [],
  )
  const refuse: MethodGuard['refuse'] = ({ url, method }) => {
    const address = addresses.find(({ pattern }) => pattern.test(pathOf(url)))
    if (!address || address.methods.includes(method)) return undefined
    const uses = address.rows.map((row) => `${row.method} (${row.summary})`)
    return new ApiError('method_not_allowed', `${method} does not work here. Use ${uses.join(' or ')}.`, {
      headers: { allow: address.methods.join(', ') },
      reason: reason`The address exists, but not with this method.`,
    })
  }
  return { refuse, hidden }
}

/** The 404 of an unknown address. Below the path of an issuer it names the discovery address (OIDC Discovery 1.0 §4). */
export function unknownAddress(base_url: string, { url, raw }: { url: string; raw: IncomingMessage }): ApiError {
  const [, path] = /^(\/e\/env_\w+)(?:\/|$)/.exec(pathOf(url)) ?? []
  const issuer = issuerAtHost(raw) ?? (path && `${base_url}${path}`)
  const is_of_issuer = well_known_of_issuers.includes(pathOf(url)) && !issuer
  const advice = is_of_issuer
    ? `Each environment has an issuer of its own, of the form ${base_url}/e/env_…, and its discovery document is at that address followed by ${discovery_path}.`
    : issuer
      ? `The endpoints of an issuer are in its discovery document: ${issuer}/.well-known/openid-configuration`
      : `The routes are in ${base_url}/docs/api.`
  return new ApiError('not_found', `There is no such address. ${advice}`, { reason: reason`No route has this address.` })
}

const discovery_path = '/.well-known/openid-configuration'
/** Clients that are given the address of the service as their issuer ask for these. */
const well_known_of_issuers = [discovery_path, '/.well-known/oauth-authorization-server', '/.well-known/jwks.json']

const pathOf = (url: string): string => url.split('?', 1)[0] ?? ''
