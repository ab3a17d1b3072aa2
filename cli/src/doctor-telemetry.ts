/** The part of `ostiary doctor` about the collector of telemetry: it gets an empty request for each signal. */
import type { Config } from '@ostiary/server/base/config/config.ts'
import type { Finding } from './finding.ts'

const timeout_ms = 3_000

export async function checkTelemetry({ otlp_url }: Pick<Config, 'otlp_url'>): Promise<Finding[]> {
  if (otlp_url === null) return []
  const { createOtlp } = await import('@ostiary/server/deployment/telemetry/otlp.ts') // without a collector doctor does not load the exporters
  const otlp = createOtlp({ url: otlp_url, instance_id: 'doctor', timeout_ms })
  const outcomes = await Promise.allSettled([otlp.sendLines([]), otlp.sendSpans([])])
  otlp.close()
  const failed = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [messageOf(outcome.reason)] : []))
  const remarks = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' && outcome.value !== null ? [outcome.value] : []))
  if (failed.length === 0 && remarks.length > 0) {
    const text = `The address ${otlp_url} of OSTIARY_OTLP_URL answers, but not as a collector (${remarks.join('; ')}). What is sent to it may be lost.`
    return [{ level: 'warning', text }]
  }
  if (failed.length === 0) return [{ level: 'ok', text: `The collector of telemetry at ${otlp_url} takes logs and traces.` }]
  const text = `The collector of telemetry at ${otlp_url} takes nothing (${[...new Set(failed)].join('; ')}). Events wait for it; log lines and spans are dropped.`
  return [{ level: 'warning', text }]
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error))
