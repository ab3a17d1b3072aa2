/** The access log: one line for each request. It contains no query, header or body, since those can contain secrets. */
import type { IncomingMessage } from 'node:http'
import { serviceRoutes } from '@ostiary/contract/routes.ts'
import type { FastifyRequest } from 'fastify'
import type { AnsweredRequest, Log } from '../base/log.ts'
import { currentTrace } from '../base/trace.ts'
import type { Trace } from '../base/trace-context.ts'
import type { Tally } from '../deployment/tally.ts'

/** Records answered requests in the metrics. */
export interface RequestMetrics {
  observe(method: string, route: string, status: number, duration_ms: number): void
}

const received_at = Symbol('received at')

/** A request with the time at which its head was read, by the clock of `performance.now()`. */
type Received = IncomingMessage & { [received_at]: number }

export function markReceived(raw: IncomingMessage): void {
  ;(raw as Received)[received_at] = performance.now() // as: the field is added here
}

/** Probes come every few seconds. Their line says nothing that the metrics do not, unless the service is not ready. */
const probes: readonly string[] = [serviceRoutes.healthz.path, serviceRoutes.readyz.path]

/** Returns the function that writes the line and the metrics of an answered request. */
export function createAccessLog(
  log: Log,
  metrics: RequestMetrics | null,
  tally: Tally,
): (request: FastifyRequest, status: number, refused: AnsweredRequest['refused']) => void {
  return (request, status, refused) => {
    const route = request.routeOptions.url ?? 'none'
    const { environment_id } = (request.params ?? {}) as { environment_id?: string } // as: Fastify types them unknown
    const duration_ms = performance.now() - (request.raw as Received)[received_at] // as: `markReceived` has added the field
    metrics?.observe(request.method, route, status, duration_ms)
    if (request.refusal) tally.refused(request.refusal.code)
    const running = currentTrace()
    const trace = running && idsOf(running)
    const line = {
      request_id: request.id,
      method: request.method,
      route,
      status,
      duration_ms: Math.round(duration_ms * 10) / 10,
      ip: request.ip_address,
      environment_id,
      key_id: request.caller?.key?.key_id,
      trace,
      refused,
    }
    if (!probes.includes(route) || status >= 500) return log.answered(line)
    const { trace: _, refused: __, ...fields } = line
    log.debug('request', { ...fields, ...trace, ...refused })
  }
}

const idsOf = ({ trace_id, span_id, parent_id }: Trace) => ({ trace_id, span_id, parent_id })
