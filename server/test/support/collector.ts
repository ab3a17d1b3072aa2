/** A collector of telemetry on this machine: it takes OTLP over HTTP with JSON, or misbehaves. */
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { after } from 'node:test'

/** `refuses items`: an answer 200 that took nothing. `is a page`: no collector is at the address. */
export type Behaviour = 'takes' | 'hangs' | 'resets' | 'refuses items' | 'is a page' | number

interface Attribute {
  key: string
  value: { stringValue?: string; intValue?: number | string; doubleValue?: number; boolValue?: boolean }
}
interface Item {
  traceId?: string
  spanId?: string
  parentSpanId?: string
  name?: string
  severityText?: string
  eventName?: string
  body?: { stringValue?: string }
  attributes: Attribute[]
}

interface Sent {
  resourceLogs?: { resource: unknown; scopeLogs: { scope: { name: string }; logRecords: Item[] }[] }[]
  resourceSpans?: { scopeSpans: { spans: Item[] }[] }[]
}

/** An item as its attributes, beside its own members. */
const flat = ({ attributes, body, ...item }: Item) => ({
  ...item,
  body: body?.stringValue,
  attributes: Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]])),
})
type Flat = ReturnType<typeof flat>

const refusal = JSON.stringify({ partialSuccess: { rejectedLogRecords: '1', rejectedSpans: '1', errorMessage: 'too old' } })

export async function startCollector() {
  const taken: Record<'events' | 'lines' | 'spans', Flat[]> = { events: [], lines: [], spans: [] }
  const resources: unknown[] = []
  /** The types that each attribute had. */
  const types = new Map<string, Set<string>>()
  const calls: string[] = []
  const sockets = new Set<Socket>()
  const state = { behaviour: 'takes' as Behaviour } // as: a test changes it
  const server = createServer(async (request, response): Promise<void> => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    calls.push(request.url ?? '')
    if (state.behaviour === 'resets') return void request.socket.resetAndDestroy()
    if (state.behaviour === 'hangs') return
    if (typeof state.behaviour === 'number') return void response.writeHead(state.behaviour).end()
    if (state.behaviour === 'is a page') return void response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html>')
    if (state.behaviour === 'refuses items') return void answer(response, refusal)
    take(JSON.parse(Buffer.concat(chunks).toString()))
    answer(response)
  })
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  function take({ resourceLogs = [], resourceSpans = [] }: Sent) {
    for (const { resource, scopeLogs } of resourceLogs) {
      resources.push(resource)
      for (const { scope, logRecords } of scopeLogs) {
        noteTypes(logRecords)
        taken[scope.name === 'ostiary.events' ? 'events' : 'lines'].push(...logRecords.map(flat))
      }
    }
    for (const { scopeSpans } of resourceSpans) for (const { spans } of scopeSpans) taken.spans.push(...spans.map(flat))
  }
  function noteTypes(items: Item[]) {
    for (const { attributes } of items)
      for (const { key, value } of attributes) types.set(key, (types.get(key) ?? new Set()).add(Object.keys(value).join()))
  }
  const answer = (response: ServerResponse, body = '{}') => response.writeHead(200, { 'content-type': 'application/json' }).end(body)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo // as: a server on TCP has one
  const stop = async () => {
    for (const socket of sockets) socket.destroy()
    if (server.listening) await new Promise((resolve) => server.close(resolve))
  }
  after(stop)
  return {
    url: `http://127.0.0.1:${port}`,
    taken,
    resources,
    types,
    calls,
    state,
    stop,
    async start() {
      await once(server.listen(port, '127.0.0.1'), 'listening')
    },
    /** The ids of the events that arrived, each once. */
    ids: () => new Set(taken.events.map(({ attributes }) => attributes['event.id'])),
  }
}
