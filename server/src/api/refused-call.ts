/** Describes a refused request for its log line and its record: the route, the credential, and whom the call may belong to. */
import { idPattern } from '@ostiary/contract/ids.ts'
import { oidcRoutes, routes, serviceRoutes } from '@ostiary/contract/routes.ts'
import type { FastifyRequest } from 'fastify'
import type { Refusal } from '../base/refusal.ts'
import type { Claim } from '../deployment/refused-calls/owners.ts'
import type { AnsweredCall } from '../deployment/refused-calls/refused-calls.ts'
import { sentKey } from '../domain/keys/sent.ts'

const no_subject = { client_id: null, user_id: null, event_id: null }

export function describeRefused(request: FastifyRequest, refusal: Refusal, status: number): AnsweredCall {
  const { claimant } = request
  const place = placeOf(request)
  const administrator = claimant && 'administrator' in claimant ? claimant.administrator : null
  const subject = request.subject ?? (administrator ? { ...no_subject, user_id: administrator.user_id } : no_subject)
  return {
    id: request.id,
    method: request.method,
    route: place.route,
    status,
    refusal: { code: refusal.code, reason: refusal.reason, refused: refusal.refused ?? null, remedy: refusal.remedy ?? null },
    subject,
    ip: request.ip_address,
    user_agent: request.headers['user-agent'],
    claim: claimOf(request, place),
  }
}

/** The members of the log line, never the refused value. The start of a well-formed key is there even if no such key exists. */
export function shownInLog({ refusal: { code, reason }, subject, claim }: AnsweredCall) {
  return { code, reason, client_id: subject.client_id, key_start: claim?.key?.start ?? claim?.sent_key?.start ?? null }
}

/** `null` where nothing in the request names an environment or a tenant. */
function claimOf(request: FastifyRequest, { params, route }: MatchedRow): Claim | null {
  const { claimant, issuer_id } = request
  const no_claim = { certain_scope: null, issuer_id: null, environment_id: null, tenant_ids: [], key: null, sent_key: null }
  if (issuer_id !== null) return { ...no_claim, certain_scope: issuer_id, issuer_id }
  if (route?.startsWith('/e/')) return { ...no_claim, issuer_id: environmentIn(params.environment_id) }
  const environment_id = environmentIn(params.environment_id)
  if (claimant && 'key' in claimant) {
    const { key_id, start, tenant_id, environment_id: own } = claimant.key
    return { ...no_claim, certain_scope: own ?? tenant_id, environment_id, key: { key_id, start, tenant_id, environment_id: own } }
  }
  if (claimant) {
    const tenant_ids: string[] = claimant.administrator.memberships.map((membership) => membership.tenant_id)
    const named = params.tenant_id ?? headerOf(request, 'x-tenant-id')
    const is_member = named !== null && tenant_ids.includes(named)
    const chosen = is_member ? [named] : tenant_ids
    return {
      ...no_claim,
      certain_scope: chosen.length === 1 ? (chosen[0] ?? null) : null,
      // The header names an environment only where the path of a row has none.
      environment_id: environment_id ?? (route?.startsWith('/v1/auth/') ? environmentIn(headerOf(request, 'x-environment-id')) : null),
      tenant_ids: chosen,
    }
  }
  const sent_key = sentKey(request.headers)
  return sent_key && { ...no_claim, environment_id, sent_key }
}

const environment_id_pattern = idPattern('env')
const environmentIn = (text: string | null | undefined) => (text && environment_id_pattern.test(text) ? text : null)

function headerOf({ headers }: FastifyRequest, name: string): string | null {
  const value = headers[name]
  return typeof value === 'string' ? value : null
}

interface MatchedRow {
  /** The path of the row, with the names of its parameters; `null` where no row has the address. */
  readonly route: string | null
  readonly params: Readonly<Record<string, string | undefined>>
}

const rows = [...Object.values(routes), ...Object.values(oidcRoutes), ...Object.values(serviceRoutes)].map(({ path }) => ({
  path,
  pattern: new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]{1,200})')}$`),
}))

/** Requests with another method than a row has match no route, but they have an address. */
function placeOf({ routeOptions, params, url }: FastifyRequest): MatchedRow {
  if (routeOptions.url !== undefined)
    return { route: routeOptions.url.replaceAll(/:(\w+)/g, '{$1}'), params: (params ?? {}) as Record<string, string> } // as: Fastify types them unknown
  const [path = ''] = url.split('?', 1)
  for (const row of rows) {
    const match = row.pattern.exec(path)
    if (match) return { route: row.path, params: match.groups ?? {} }
  }
  return { route: null, params: {} }
}
