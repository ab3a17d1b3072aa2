/** The composition root: the only file that knows all modules. Builds the HTTP application of one running service. */

import type { IncomingMessage, RequestListener, Server } from 'node:http'
import { type ErrorCode, errors } from '@ostiary/contract/errors.ts'
import { oidcRoutes, routes, serviceRoutes } from '@ostiary/contract/routes.ts'
import Fastify, { type FastifyError, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { mount } from './api/mount.ts'
import * as applications from './applications/handlers.ts'
import { isSpaOrigin } from './applications/origins.ts'
import * as audit from './audit/handlers.ts'
import { DatabaseUnavailable } from './db/db.ts'
import { answerDemo } from './demo/serve.ts'
import type { Deployment } from './deployment.ts'
import * as events from './events/handlers.ts'
import { errorPage } from './http/error-page.ts'
import { createListener } from './http/listener.ts'
import { ApiError, notFound, retry_after } from './http/problem.ts'
import type { RateLimiter } from './http/rate-limit.ts'
import { sentAlways } from './http/write.ts'
import * as keyHandlers from './keys/handlers.ts'
import type { KeyStore } from './keys/store.ts'
import * as mail from './mail/handlers.ts'
import { createAdministrators } from './members/administrators.ts'
import * as members from './members/handlers.ts'
import type { Metrics } from './metrics.ts'
import { clientIp } from './net/client-ip.ts'
import { createClientKeys } from './oidc/client-keys.ts'
import { authorize } from './oidc/endpoints/authorize.ts'
import { consent, selectAccount } from './oidc/endpoints/consent.ts'
import { callback, federate } from './oidc/endpoints/federation.ts'
import { acceptInvitation, showInvitation } from './oidc/endpoints/invitation.ts'
import { logout, signOut } from './oidc/endpoints/logout.ts'
import { discovery, jwks } from './oidc/endpoints/metadata.ts'
import { revoke } from './oidc/endpoints/revoke.ts'
import { signIn, signUp } from './oidc/endpoints/sign-in.ts'
import { token } from './oidc/endpoints/token.ts'
import { userinfo } from './oidc/endpoints/userinfo.ts'
import * as issuerHandlers from './oidc/handlers.ts'
import type { Issuer, Issuers } from './oidc/issuer.ts'
import { mountOidc } from './oidc/mount.ts'
import type { KeyPool } from './oidc/signing-keys.ts'
import * as providers from './providers/handlers.ts'
import { upstreamsWhenNeeded } from './providers/profile.ts'
import * as resourceServers from './resource-servers/handlers.ts'
import { cli_redirect_uri, type Root } from './setup/root.ts'
import * as statistics from './statistics/handlers.ts'
import * as tenancy from './tenancy/handlers.ts'
import * as users from './users/handlers.ts'
import { HashingRefused, type Passwords } from './users/password.ts'
import * as webhooks from './webhooks/handlers.ts'

export interface Modules {
  deployment: Deployment
  issuers: Issuers
  keys: KeyStore
  passwords: Passwords
  key_pool: KeyPool
  limiter: RateLimiter
  root: Root
  metrics: Metrics | null
  /** Whether the schema is current and the database answers. */
  isReady: () => Promise<boolean>
  /** From the signal to stop on; see `http/write.ts`. */
  isStopping: () => boolean
  check_answers: boolean
}

/** A listener for this application, with every limit of the first. */
export function listenerOf(handle: RequestListener, { config, newId }: Deployment): Server {
  return createListener(handle, { base_url: config.base_url, newRequestId: () => newId('req') })
}

export function createApp(modules: Modules): FastifyInstance {
  const { deployment } = modules
  const app = Fastify({
    logger: false,
    serverFactory: (handle) => listenerOf(handle, deployment),
    exposeHeadRoutes: true,
    genReqId(raw) {
      ;(raw as Received)[received_at] = performance.now() // as: this is where it gets it
      return deployment.newId('req')
    },
    routerOptions: { maxParamLength: 200 },
    return503OnClosing: false,
    // Bodies are judged by zod, and answers are text when they get here: Fastify's own schema compilers are not even loaded.
    schemaController: { compilersFactory: { buildValidator: noSchemas, buildSerializer: noSchemas } },
    frameworkErrors: (error, request, reply) => refuse(deployment, error, request, reply),
    clientErrorHandler: () => {}, // the listener answers these
  })
  for (const method of app.supportedMethods) app.addHttpMethod(method, { hasBody: false, overrideExisting: true }) // see http/body.ts
  app.decorate('isStopping', modules.isStopping)
  app.decorate('isHttps', deployment.config.base_url.startsWith('https:'))
  app.decorateRequest('caller', null)
  const addressOf = createAddressReader(deployment.config.trusted_proxies)
  app.decorateRequest('ip_address', {
    getter() {
      return addressOf(this)
    },
  })
  app.decorateReply('extra_headers', null)
  app.decorate('record', (request: FastifyRequest, status: number) => record(modules, request, status))

  const otherMethod = createMethodGuard()
  app.addHook('onSend', (request, reply, payload, done) => {
    reply.headers(sentAlways(reply))
    record(modules, request, reply.statusCode)
    done(null, payload)
  })
  app.setErrorHandler((error: FastifyError, request, reply) => refuse(deployment, error, request, reply))
  app.setNotFoundHandler((request, reply) => refuse(deployment, otherMethod(request) ?? notFound(), request, reply))

  mountManagement(app, modules)
  mountProtocol(app, modules)
  mountService(app, modules)
  return app
}

const received_at = Symbol('received at')

/** A request with the moment its head was read, in milliseconds of the process. */
type Received = IncomingMessage & { [received_at]: number }

function noSchemas(): never {
  throw new Error('No route has a schema that Fastify would compile.')
}

function mountManagement(app: FastifyInstance, modules: Modules): void {
  const { deployment, limiter, check_answers } = modules
  const { issuers, key_pool, passwords, root } = modules
  const services = { ...deployment, issuers, keys: modules.keys, key_pool, passwords, root }
  const gate = {
    keys: modules.keys,
    limiter,
    administrators: createAdministrators(deployment, issuers, root),
    counters: deployment.counters,
    now: deployment.now,
  }
  mount(
    app,
    { services, gate, check_answers },
    {
      ...applications,
      ...audit,
      ...events,
      ...issuerHandlers,
      ...keyHandlers,
      ...mail,
      ...members,
      ...providers,
      ...resourceServers,
      ...statistics,
      ...tenancy,
      ...users,
      ...webhooks,
    },
  )
}

function mountProtocol(app: FastifyInstance, { deployment, issuers, passwords, root }: Modules): void {
  const parts = {
    ...deployment,
    passwords,
    root_environment_id: root.environment_id,
    client_keys: createClientKeys(deployment),
    upstreams: upstreamsWhenNeeded(deployment),
    command_line_client_id: root.client_id,
  }
  const originAllowed = async (issuer: Issuer, origin: string) =>
    issuer.settings.cors.allowed_origins.includes(origin) || isSpaOrigin(deployment.db, issuer.environment_id, origin)
  mountOidc(
    app,
    { parts, issuers, originAllowed },
    {
      discovery,
      authorizationServer: discovery,
      jwks,
      authorize,
      authorizeByPost: authorize,
      token,
      userinfo,
      userinfoByPost: userinfo,
      revoke,
      logout,
      logoutByPost: logout,
      signIn,
      signUp,
      selectAccount,
      consent,
      signOut,
      federate,
      callback,
      callbackByPost: callback,
      showInvitation,
      acceptInvitation,
    },
  )
}

function mountService(app: FastifyInstance, { deployment, root, isReady }: Modules): void {
  app.get(serviceRoutes.protectedResource.path, async (_, reply) =>
    reply.headers({ 'cache-control': 'public, max-age=300', 'access-control-allow-origin': '*' }).send({
      resource: deployment.config.base_url,
      authorization_servers: [root.issuer],
      bearer_methods_supported: ['header'],
      client_id: root.client_id,
      redirect_uri: cli_redirect_uri,
    }),
  )
  app.get(serviceRoutes.healthz.path, async (_, reply) => reply.header('cache-control', 'no-store').send({ status: 'ok' }))
  app.get(serviceRoutes.readyz.path, async (_, reply) => {
    const ready = await isReady()
    return reply
      .code(ready ? 200 : 503)
      .header('cache-control', 'no-store')
      .send({ status: ready ? 'ready' : 'unavailable' })
  })
  app.get('/docs/errors/:code', async (request, reply) => {
    const { code } = request.params as { code: string } // as: the path has it
    if (!Object.hasOwn(errors, code)) throw notFound()
    const { html, csp } = errorPage(code as ErrorCode) // as: just checked
    return reply.type('text/html; charset=utf-8').header('content-security-policy', csp).send(html)
  })
  for (const { path } of [serviceRoutes.demo, serviceRoutes.demoCallback, serviceRoutes.demoScript])
    app.get(path.replace('{script}', ':script'), async (request, reply) => {
      const answer = await answerDemo(deployment, (request.params as { script?: string }).script) // as: one of the paths has it
      if (!answer) throw notFound()
      return reply.code(answer.status).headers(answer.headers).send(answer.body)
    })
}

/** Without trusted proxies the address is that of the connection, which is read once. */
function createAddressReader(trusted: Deployment['config']['trusted_proxies']): (request: FastifyRequest) => string | null {
  const of_sockets = new WeakMap<object, string | null>()
  return ({ socket, headers }) => {
    if (trusted.length > 0) return clientIp(socket.remoteAddress, headers['x-forwarded-for'], trusted)
    let address = of_sockets.get(socket)
    if (address === undefined) {
      address = clientIp(socket.remoteAddress, undefined, trusted)
      of_sockets.set(socket, address)
    }
    return address
  }
}

/** RFC 9110 §15.5.6: a known address refuses other methods with 405 and names its own. For requests that found no route. */
function createMethodGuard(): (request: FastifyRequest) => ApiError | undefined {
  const known = new Map<string, Set<string>>()
  for (const { path, method } of [...Object.values(routes), ...Object.values(oidcRoutes), ...Object.values(serviceRoutes)]) {
    const methods = known.get(path) ?? new Set()
    known.set(path, methods.add(method))
    if (method === 'GET') methods.add('HEAD')
  }
  const addresses = [...known].map(([path, methods]) => ({
    pattern: new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`),
    methods,
  }))
  return ({ url, method }) => {
    const [path = ''] = url.split('?', 1)
    const methods = addresses.find(({ pattern }) => pattern.test(path))?.methods
    if (!methods || methods.has(method)) return undefined
    const allow = [...methods].join(', ')
    return new ApiError('method_not_allowed', `This address takes ${allow}.`, { headers: { allow } })
  }
}

function refuse({ config, log }: Deployment, error: unknown, request: FastifyRequest, reply: FastifyReply) {
  const refusal = toApiError(error)
  if (refusal.status >= 500) log.error(refusal.code, { request_id: request.id, route: request.routeOptions.url ?? null }, error)
  return reply
    .code(refusal.status)
    .headers({
      ...sentAlways(reply), // what the router refuses passes no hook
      ...refusal.extra.headers,
      'cache-control': 'no-store',
      ...(refusal.code === 'unavailable' ? { 'retry-after': retry_after } : {}),
    })
    .type('application/problem+json; charset=utf-8')
    .send(JSON.stringify(refusal.toProblem(config.base_url, request.id)))
}

function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  if (error instanceof DatabaseUnavailable) return new ApiError('unavailable', 'The database is out of reach. Try again shortly.')
  if (error instanceof HashingRefused)
    return new ApiError('unavailable', 'Too many passwords are set or checked right now. Try again shortly.')
  const { statusCode } = error as Partial<FastifyError> // as: reading what Fastify's own errors carry
  if (statusCode === 404) return notFound()
  if (statusCode !== undefined && statusCode < 500) return new ApiError('malformed_request', 'The request cannot be read.')
  return new ApiError('internal_error', 'Something failed on our side. The request id finds it in the log.')
}

/** One line per request: never a query, a header or a body, where secrets are. */
function record({ deployment, metrics }: Modules, request: FastifyRequest, status: number): void {
  const route = request.routeOptions.url ?? 'none'
  const { environment_id } = (request.params ?? {}) as { environment_id?: string } // as: Fastify types them unknown
  const duration_ms = performance.now() - (request.raw as Received)[received_at] // as: it got it from `genReqId`
  metrics?.observe(request.method, route, status, duration_ms)
  deployment.log.answered({
    request_id: request.id,
    method: request.method,
    route,
    status,
    duration_ms: Math.round(duration_ms * 10) / 10,
    ip: request.ip_address,
    environment_id,
    key_id: request.caller?.key?.key_id,
  })
}
