/** The routes of the service itself: the start page, health, readiness, protected resource metadata, documentation and the demo. */
import type { IncomingHttpHeaders } from 'node:http'
import type { Route } from '@ostiary/contract/route.ts'
import { serviceRoutes } from '@ostiary/contract/routes.ts'
import type { FastifyInstance } from 'fastify'
import { reason } from '../reason.ts'
import { refusal } from '../refusal.ts'
import { nothingHere } from './problem.ts'

export interface PageAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[]>>
  readonly body: string
}

export interface ServiceAnswers {
  /** RFC 9728 §2: the metadata of the management API as a protected resource. */
  resource_metadata: Record<string, unknown>
  isReady: () => Promise<boolean>
  /** `null` for an error code that does not exist. */
  documentation: (name: 'openapi' | 'reference' | 'errorIndex' | 'errorPage', code?: string) => Promise<Omit<PageAnswer, 'status'> | null>
  /** The start page, or the same links as JSON. */
  answerStart: (headers: IncomingHttpHeaders) => Promise<PageAnswer>
  favicon: string
  /** `null` if the deployment has no demo, or the demo no such script. */
  answerDemo: (script: string | undefined) => Promise<PageAnswer | null>
}

export function mountServiceRoutes(
  app: FastifyInstance,
  { resource_metadata, isReady, documentation, answerStart, favicon, answerDemo }: ServiceAnswers,
): void {
  app.get(serviceRoutes.start.path, async (request, reply) => {
    const answer = await answerStart(request.headers)
    return reply.code(answer.status).headers(answer.headers).send(answer.body)
  })
  app.get(serviceRoutes.favicon.path, async (_, reply) =>
    reply.type('image/svg+xml').header('cache-control', 'public, max-age=86400').send(favicon),
  )
  app.get(serviceRoutes.protectedResource.path, async (_, reply) =>
    reply.headers({ 'cache-control': 'public, max-age=300', 'access-control-allow-origin': '*' }).send(resource_metadata),
  )
  app.get(serviceRoutes.healthz.path, async (_, reply) => reply.header('cache-control', 'no-store').send({ status: 'ok' }))
  app.get(serviceRoutes.readyz.path, async (request, reply) => {
    const ready = await isReady()
    if (!ready) request.refusal = not_ready
    return reply
      .code(ready ? 200 : 503)
      .header('cache-control', 'no-store')
      .send({ status: ready ? 'ready' : 'unavailable' })
  })
  for (const name of ['openapi', 'reference', 'errorIndex', 'errorPage'] as const) {
    const route: Route = serviceRoutes[name]
    app.get(route.path.replace('{code}', ':code'), async (request, reply) => {
      const text = await documentation(name, (request.params as { code?: string }).code) // as: only the path of an error has the parameter
      if (!text) throw nothingHere('No error has this code. All codes are at /docs/errors.', no_error_code)
      const headers = { ...text.headers, 'cache-control': 'public, max-age=300' }
      const any_origin = route.cross_origin === 'every' ? { 'access-control-allow-origin': '*' } : {}
      const is_known = [request.headers['if-none-match'] ?? ''].flatMap((tags) => tags.split(/, */)).includes(String(text.headers.etag))
      reply.headers({ ...headers, ...any_origin })
      return is_known ? reply.code(304).send() : reply.send(text.body)
    })
  }
  for (const { path } of [serviceRoutes.demo, serviceRoutes.demoCallback, serviceRoutes.demoScript])
    app.get(path.replace('{script}', ':script'), async (request, reply) => {
      const answer = await answerDemo((request.params as { script?: string }).script) // as: only the path of the script has the parameter
      if (!answer) throw nothingHere('This service has no demo. It comes with the first start by npm start.', no_demo)
      return reply.code(answer.status).headers(answer.headers).send(answer.body)
    })
}

const not_ready = refusal(
  'unavailable',
  reason`The service is starting or stopping, or its database is out of reach or has an older schema.`,
)
const no_demo = reason`The deployment has no demo, or the demo no such script.`
const no_error_code = reason`No error has this code.`
