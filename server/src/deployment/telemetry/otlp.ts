/**
 * Sends log lines, request spans and events to a collector, as OTLP over HTTP with JSON, by the official exporters. Loaded only where
 * OSTIARY_OTLP_URL is set.
 */

import { DiagLogLevel, diag } from '@opentelemetry/api'
import { OTLPLogExporter } from '@opentelemetry/exporter-logs-otlp-http'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { resourceFromAttributes } from '@opentelemetry/resources'
import type { Event } from '@ostiary/contract/event.ts'
import { sdk_version } from '@ostiary/contract/sdk-package.ts'
import type { LogLevel } from '../../base/log.ts'
import type { LogLine, RequestSpan } from './telemetry.ts'

type LogRecord = Parameters<OTLPLogExporter['export']>[0][number]
type Span = Parameters<OTLPTraceExporter['export']>[0][number]

/**
 * Each rejects where the collector did not take the request. After a success it returns what the exporter found wrong with the answer: items were
 * refused for good (a partial success), or it does not speak OTLP, as an address without a collector. `null`: nothing.
 */
export interface Otlp {
  sendLines(lines: readonly LogLine[]): Promise<string | null>
  sendSpans(spans: readonly RequestSpan[]): Promise<string | null>
  sendEvents(events: readonly Event[]): Promise<string | null>
  close(): void
}

export interface OtlpOptions {
  url: string
  /** Of this process. */
  instance_id: string
  timeout_ms?: number
  /** The exporter ends by its own time; after this one more its request counts as failed. */
  grace_ms?: number
}

const exporter_timeout_ms = 5_000
const exporter_grace_ms = 2_000
const longest_remark = 500

/** OpenTelemetry Logs Data Model, "Severity Fields". */
const severities: Record<LogLevel, number> = { debug: 5, info: 9, warn: 13, error: 17 }
const server_kind = 1 // SpanKind.SERVER
const error_status = { code: 2 } // SpanStatusCode.ERROR
const unset_status = { code: 0 }

export function createOtlp({ url, instance_id, timeout_ms = exporter_timeout_ms, grace_ms = exporter_grace_ms }: OtlpOptions): Otlp {
  const settings = (path: string) => ({ url: `${url}${path}`, timeoutMillis: timeout_ms, concurrencyLimit: 4 })
  const logs = new OTLPLogExporter(settings('/v1/logs'))
  const traces = new OTLPTraceExporter(settings('/v1/traces'))
  const takeRemark = listenToExporters()
  // The client library has the version of the service.
  const resource = resourceFromAttributes({ 'service.name': 'ostiary', 'service.version': sdk_version, 'service.instance.id': instance_id })
  const common = { resource, droppedAttributesCount: 0 }
  const scope = (name: string) => ({ instrumentationScope: { name } })

  const fromLine = ({ at, level, message, fields, trace }: LogLine): LogRecord => ({
    ...common,
    ...scope('ostiary.log'),
    hrTime: timeOf(at.getTime()),
    hrTimeObserved: timeOf(at.getTime()),
    severityNumber: severities[level],
    severityText: level.toUpperCase(),
    body: message,
    attributes: present(fields),
    ...(trace === null ? {} : { spanContext: { traceId: trace.trace_id, spanId: trace.span_id, traceFlags: 1 } }),
  })

  /** The body is that of a webhook. */
  const fromEvent = (event: Event): LogRecord => ({
    ...common,
    ...scope('ostiary.events'),
    hrTime: timeOf(Date.parse(event.timestamp)),
    hrTimeObserved: timeOf(Date.parse(event.timestamp)),
    severityNumber: severities.info,
    severityText: 'INFO',
    eventName: event.type,
    body: JSON.stringify(event),
    attributes: present({
      'event.id': event.id,
      'event.name': event.type,
      'event.sequence': event.sequence,
      tenant_id: event.tenant_id,
      project_id: event.project_id,
      environment_id: event.environment.id,
      environment_type: event.environment.type,
      user_id: event.user_id,
      application_id: event.application_id,
      request_id: event.request_id,
    }),
  })

  const fromSpan = ({ trace_id, span_id, parent_id, began_at_ms, ended_at_ms, request }: RequestSpan): Span => {
    const context = (spanId: string) => ({ traceId: trace_id, spanId, traceFlags: 1 })
    return {
      ...common,
      ...scope('ostiary.http'),
      name: `${request.method} ${request.route}`,
      kind: server_kind,
      spanContext: () => context(span_id),
      ...(parent_id === null ? {} : { parentSpanContext: { ...context(parent_id), isRemote: true } }),
      startTime: timeOf(began_at_ms),
      endTime: timeOf(ended_at_ms),
      duration: timeOf(ended_at_ms - began_at_ms),
      ended: true,
      status: request.status >= 500 ? error_status : unset_status,
      attributes: present({
        'http.request.method': request.method,
        'http.route': request.route,
        'http.response.status_code': request.status,
        request_id: request.request_id,
        environment_id: request.environment_id,
      }),
      links: [],
      events: [],
      droppedEventsCount: 0,
      droppedLinksCount: 0,
    }
  }

  return {
    sendLines: (lines) => sent(logs, lines.map(fromLine)),
    sendSpans: (spans) => sent(traces, spans.map(fromSpan)),
    sendEvents: (events) => sent(logs, events.map(fromEvent)),
    close() {
      for (const exporter of [logs, traces]) void exporter.shutdown().catch(() => {})
    },
  }

  async function sent<T>(exporter: { export(items: T[], done: (result: { code: number; error?: Error }) => void): void }, items: T[]) {
    const { promise, resolve, reject } = Promise.withResolvers<string | null>()
    const limit_ms = 2 * timeout_ms + grace_ms // the exporter does not count its waits between attempts
    const timer = setTimeout(() => reject(new Error(`The collector did not take the request within ${limit_ms} ms.`)), limit_ms)
    exporter.export(items, ({ code, error }) => {
      const remark = takeRemark()
      if (code === 0) resolve(remark)
      else reject(error ?? new Error('The collector refused the request.'))
    })
    try {
      return await promise
    } finally {
      clearTimeout(timer)
    }
  }
}

/**
 * The exporters judge the body of an answer 200 in the diagnostic log of OpenTelemetry alone, immediately before they report the success. Returns
 * a function for that moment: it takes what was just said.
 */
function listenToExporters(): () => string | null {
  let remark: string | null = null
  const ignore = () => {}
  const warn = (...words: unknown[]) => {
    remark = words.map(String).join(' ').slice(0, longest_remark)
  }
  const options = { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true }
  diag.setLogger({ error: ignore, warn, info: ignore, debug: ignore, verbose: ignore }, options)
  return () => {
    const taken = remark
    remark = null
    return taken
  }
}

/** Seconds, and nanoseconds beside them. */
function timeOf(ms: number): [number, number] {
  const seconds = Math.floor(ms / 1_000)
  return [seconds, Math.round((ms - seconds * 1_000) * 1_000_000)]
}

/** Attributes have no `null`. Numbers are whole: the exporter sends others as another type, and an attribute has one (`findings/`). */
function present(
  fields: Readonly<Record<string, string | number | boolean | null | undefined>>,
): Record<string, string | number | boolean> {
  const entries = Object.entries(fields).flatMap(([name, value]) => {
    if (value === null || value === undefined) return []
    return [[name, typeof value === 'number' ? Math.round(value) : value] as const]
  })
  return Object.fromEntries(entries)
}
