/** Listens on every configured address, and turns the errors of a port into advice. */
import cluster from 'node:cluster'
import type { RequestListener, Server } from 'node:http'
import { type AddressInfo, Server as NetServer } from 'node:net'
import { setImmediate as turnOfLoop, setTimeout as wait } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { CannotStart } from '../base/cannot-start.ts'
import type { Config } from '../base/config/config.ts'
import { withinRequest } from '../base/database-time.ts'
import { createTracing } from '../base/trace.ts'
import type { Deployment } from '../deployment/deployment.ts'
import { createServer } from '../deployment/outbound/node-http.ts'
import { createLimited, createListener, transport_limits } from './listener.ts'
import { untilAllAreQuiet } from './quiet-workers.ts'

/** Creates a listener for the application, with the limits that every listener has and the idle time of the configuration. */
export function createAppListener(handle: RequestListener, { config, newId, random }: Listener): Server {
  const inItsTrace = createTracing(random)
  const handleRequest: RequestListener = (request, response) =>
    withinRequest(
      () => response.writableEnded || response.destroyed,
      () => inItsTrace(request, () => handle(request, response)),
    )
  const limits = { ...transport_limits, keep_alive_timeout_ms: config.idle_seconds * 1_000 }
  return createListener(handleRequest, { base_url: config.base_url, newRequestId: () => newId('req') }, limits)
}

type Listener = Pick<Deployment, 'newId' | 'random'> & { readonly config: Pick<Config, 'base_url' | 'host' | 'port' | 'idle_seconds'> }

export interface Listening {
  /** The addresses with their real port. */
  readonly addresses: readonly { host: string; port: number }[]
  /** Stops accepting and resolves when every request has its response. */
  close(): Promise<void>
  /** Ends the requests that `close` waits for. */
  closeAllConnections(): void
}

/** Listens on every address of `config.host`. `localhost` is two addresses, and a machine may lack the second. */
export async function listenOnAll(app: FastifyInstance, deployment: Listener): Promise<Listening> {
  const { config } = deployment
  const [first = '127.0.0.1', ...others] = config.host
  const further: Server[] = []
  const close = async () => {
    const servers = [app.server, ...further].filter(({ listening }) => listening)
    const release = await holdUntilQuiet(servers)
    await untilAllAreQuiet(longest_hold_ms)
    const ended = Promise.all(servers.map(stopAccepting))
    if (cluster.isWorker) await wait(settle_ms)
    release()
    await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, drain_ms))])
    await turnOfLoop() // a busy process comes late to its timers, and has not read what came meanwhile
    for (const server of servers) server.closeIdleConnections()
    await ended
    await app.close()
  }
  try {
    await app.listen({ host: first, port: config.port })
    const addresses = [{ host: first, port: portOf(app.server) }]
    for (const host of others) {
      const server = createAppListener((request, response) => app.routeByHost(request, response, app.routing), deployment)
      if (!(await listensAt(server, host, portOf(app.server)))) continue
      further.push(server)
      addresses.push({ host, port: portOf(server) })
    }
    return {
      addresses,
      close,
      closeAllConnections() {
        for (const server of [app.server, ...further]) server.closeAllConnections()
      },
    }
  } catch (error) {
    await close()
    throw portProblem(error, config.port, 'OSTIARY_PORT')
  }
}

/**
 * Checks the port at every address before anything is stored: the first start writes the port into issuers, which never change.
 *
 * Not for a worker. When the only worker that listens on a port closes its server, `node:cluster` keeps a connection that it is handing to that
 * worker, and nobody answers or closes it (Node 24.21).
 */
export async function refuseTakenPort(config: Config): Promise<void> {
  for (const [i, host] of config.host.entries()) {
    // A client that connects now would wait for an answer, and the start for the end of its connection.
    const probe = createServer().on('connection', (socket) => socket.destroy())
    try {
      await (i === 0 ? listenAt(probe, host, config.port) : listensAt(probe, host, config.port))
    } catch (error) {
      throw portProblem(error, config.port, 'OSTIARY_PORT')
    }
    await closeServer(probe)
  }
}

function listenAt(server: Server, host: string | undefined, port: number): Promise<void> {
  return new Promise((resolve, reject) => server.once('error', reject).listen(port, host, resolve))
}

/** Returns false if the machine has no such address. */
async function listensAt(server: Server, host: string, port: number): Promise<boolean> {
  try {
    await listenAt(server, host, port)
    return true
  } catch (error) {
    if (['EADDRNOTAVAIL', 'EAFNOSUPPORT'].includes((error as NodeJS.ErrnoException).code ?? '')) return false // as: node:net throws these
    throw error
  }
}

const portOf = (server: Server) => (server.address() as AddressInfo).port // as: the server listens on a port

/**
 * A request that was sent on a connection before the stop may lie in its buffer. Such a connection looks idle, so idle ones are closed only
 * after this time. Every answer since the stop closes its connection.
 */
const drain_ms = 250

/** How long the stop waits for a moment in which no connection begins or ends, and how long such a moment is. */
const longest_hold_ms = 500
const quiet_ms = 5
/** Until the process that accepts connections for its workers knows that none of them takes any. */
const settle_ms = 20

/**
 * The kernel resets the connections that wait to be accepted when a port is closed, so a port is closed in a moment in which none comes.
 * A client that gets an answer may ask again at once, so requests that arrive meanwhile wait. Resolves with what lets them go on.
 */
async function holdUntilQuiet(servers: readonly Server[]): Promise<() => void> {
  const releases = servers.map(holdRequests)
  let begun = 0
  const count = () => {
    begun += 1
  }
  for (const server of servers) server.on('connection', count)
  const state = async () => `${begun} ${await Promise.all(servers.map(connectionsOf))}`
  let before = await state()
  for (let held_ms = 0; held_ms < longest_hold_ms; held_ms += quiet_ms) {
    await wait(quiet_ms)
    await turnOfLoop() // likewise, it has not accepted what came meanwhile
    const now = await state()
    if (now === before) break
    before = now
  }
  for (const server of servers) server.off('connection', count)
  return () => {
    for (const release of releases) release()
  }
}

const connectionsOf = (server: Server) => new Promise<number>((resolve) => server.getConnections((_, count) => resolve(count ?? 0)))

/** Requests that arrive from now on wait until the returned function is called. */
function holdRequests(server: Server): () => void {
  const handlers = server.listeners('request') as RequestListener[] // as: the event has such listeners
  const held: Parameters<RequestListener>[] = []
  const hold: RequestListener = (...request) => held.push(request)
  server.removeAllListeners('request').on('request', hold)
  return () => {
    server.off('request', hold)
    for (const handle of handlers) {
      server.on('request', handle)
      for (const request of held) handle(...request)
    }
  }
}

/** Resolves when the last connection has ended. Unlike `server.close()` it closes no idle connection. */
const stopAccepting = (server: Server) => new Promise<void>((resolve) => NetServer.prototype.close.call(server, () => resolve()))

function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
    server.closeIdleConnections()
  })
}

/** Serves `GET /metrics` and nothing else, on a port of its own. */
export async function listenForMetrics(
  { expose }: { expose(): Promise<{ type: string; text: string }> },
  { host, port }: NonNullable<Config['metrics']>,
): Promise<Server> {
  const server = createLimited(({ method, url = '' }, response) => {
    if (url.split('?')[0] !== '/metrics') return void response.writeHead(404).end()
    if (method !== 'GET' && method !== 'HEAD') return void response.writeHead(405, { allow: 'GET, HEAD' }).end()
    expose().then(
      ({ type, text }) => response.setHeader('content-type', type).end(text),
      () => response.writeHead(503).end(),
    )
  })
  await listenAt(server, host, port).catch((error) => {
    throw portProblem(error, port, 'OSTIARY_METRICS_PORT')
  })
  return server
}

/** Says what to do about a port that cannot be used. Returns other errors as they are. */
function portProblem(error: unknown, port: number, variable: 'OSTIARY_PORT' | 'OSTIARY_METRICS_PORT'): unknown {
  const { code } = error as NodeJS.ErrnoException // as: node:net throws these
  if (code === 'EADDRINUSE')
    return new CannotStart(
      `Port ${port} is in use. Stop the program that uses it, or choose another port, such as ${variable}=${port + 1}.`,
      { cause: error },
    )
  if (code === 'EACCES')
    return new CannotStart(`Port ${port} needs rights that this user does not have. Set ${variable} to a port above 1023.`, {
      cause: error,
    })
  return error
}
