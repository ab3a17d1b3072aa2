/**
 * Issuers with a host of their own. The host of a request selects an issuer by comparison with stored ones and is used for nothing else.
 * The router then sees the path of the environment, `/e/{environment_id}…`, so all routes of an issuer are the same at both kinds of
 * address, and no other route exists at an issuer's host. `oidc/mount.ts` refuses such a path at the base URL.
 */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { EnvironmentId } from '@ostiary/contract/ids.ts'
import { serviceRoutes } from '@ostiary/contract/routes.ts'
import { createBoundedMap } from '../base/bounded-map.ts'
import { coveringEntry } from '../base/config/issuer-hosts.ts'
import { reason } from '../base/reason.ts'
import type { Deployment } from '../deployment/deployment.ts'
import { findEnvironmentAt } from '../domain/tenancy/issuer-origins.ts'
import { setPlace } from '../http/place.ts'
import { ApiError } from '../http/problem.ts'

type HostRouting = (request: IncomingMessage, response: ServerResponse, handle: RequestListener) => void

const most_known = 5_000

export function createHostRouting({ config, db }: Pick<Deployment, 'config' | 'db'>): HostRouting {
  const { host: base_host } = new URL(config.base_url)
  /** An issuer never changes its environment. Hosts without an issuer are not kept, since anyone can invent them. */
  const known = createBoundedMap<string, EnvironmentId>(most_known)

  async function find(issuer: string): Promise<EnvironmentId | null> {
    const found = known.get(issuer) ?? (await findEnvironmentAt(db, issuer))
    if (found) known.set(issuer, found)
    return found
  }

  async function judge(request: IncomingMessage, { name, port, path }: Target): Promise<void> {
    const has_dot = name.endsWith('.')
    const host = has_dot ? name.slice(0, -1) : name
    const issuer = `https://${host}${port}`
    const environment_id = await find(issuer)
    if (environment_id && !has_dot) {
      request.url = `/e/${environment_id}${path}`
      setPlace(request, { kind: 'issuer', issuer })
    } else if (environment_id || coveringEntry(config, host)) {
      setPlace(request, { kind: 'refused', error: misdirected() })
    }
  }

  return (request, response, handle) => {
    const { host } = request.headers
    const target = host === base_host && request.url?.startsWith('/') ? null : targetOf(request)
    if (!target || is_probe.test(target.path)) return handle(request, response)
    judge(request, target)
      .catch((error) => setPlace(request, { kind: 'refused', error }))
      .then(() => handle(request, response))
  }
}

/** Supervisors and load balancers probe a process by its address. */
const is_probe = new RegExp(`^(${serviceRoutes.healthz.path}|${serviceRoutes.readyz.path})(\\?|$)`)

interface Target {
  /** The host in lower case. */
  name: string
  /** `:8443`; empty for the default port of https. */
  port: string
  /** The path with the query. */
  path: string
}

/**
 * RFC 9112 §3.2.2: the host of a target in absolute form replaces the header Host
 * RFC 9110 §4.2.3: a host is compared without regard to case, and an empty port or the default port equals no port
 * Returns `null` for a request without a host and for text that is not a host, which can equal no issuer.
 */
function targetOf({ url = '/', headers }: IncomingMessage): Target | null {
  const [absolute = '', authority = headers.host ?? ''] = /^https?:\/\/([^/?#]*)/i.exec(url) ?? []
  const [, name = '', port = ''] = /^([a-z0-9.-]{1,254}|\[[0-9a-f:.]{2,45}\])(?::([0-9]{0,5}))?$/.exec(authority.toLowerCase()) ?? []
  if (name === '') return null
  const rest = url.slice(absolute.length)
  return { name, port: port === '' || port === '443' ? '' : `:${port}`, path: rest.startsWith('/') ? rest : `/${rest}` }
}

const misdirected = () =>
  new ApiError('misdirected_request', 'The host of the request is reserved for issuers, and no environment has it as its issuer.', {
    reason: reason`No environment has the host of the request as its issuer.`,
  })
