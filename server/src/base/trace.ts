/**
 * The trace of the request that runs. It reaches outgoing calls and events by an `AsyncLocalStorage`, not by arguments: it changes
 * nothing that the service decides, and a path that forgot an argument would only break a trace. See docs/decisions/0053.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { IncomingMessage } from 'node:http'
import { readTrace, type Trace } from './trace-context.ts'

const running = new AsyncLocalStorage<Trace | null>()

/** Null in background work, and in a request without a valid `traceparent`. */
export const currentTrace = (): Trace | null => running.getStore() ?? null

/** Runs `work`, and all that it starts, within a trace. Background work begins with `null`, since a request may have woken it. */
export const withinTrace = <T>(trace: Trace | null, work: () => T): T => running.run(trace, work)

/** Returns the function that runs the handling of a request within the trace that its headers name. */
export function createTracing(random: (bytes: number) => Buffer): (request: IncomingMessage, handle: () => void) => void {
  const newSpanId = () => random(8).toString('hex')
  return ({ headers }, handle) => {
    const state = headers.tracestate
    const trace = readTrace(asText(headers.traceparent), asText(state), newSpanId)
    if (trace === null) handle()
    else withinTrace(trace, handle)
  }
}

const asText = (header: string | string[] | undefined): string | undefined => (Array.isArray(header) ? header.join(',') : header)
