/** The routes of the service itself: the start page, health, readiness, protected resource metadata, error pages and the demo. */
import type { IncomingHttpHeaders } from 'node:http'
import { type ErrorCode, errors } from '@ostiary/contract/errors.ts'
import { serviceRoutes } from '@ostiary/contract/routes.ts'
import type { FastifyInstance } from 'fastify'
import { errorPage } from './error-page.ts'
import { notFound } from './problem.ts'

export interface PageAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[]>>
  readonly body: string
}

export interface ServiceAnswers {
  /** RFC 9728 §2: the metadata of the management API as a protected resource. */
  resource_metadata: Record<string, unknown>
  isReady: () => Promise<boolean>
  /** The start page, or the same links as JSON. */
  answerStart: (headers: IncomingHttpHeaders) => Promise<PageAnswer>
  favicon: string
  /** `null` if the deployment has no demo, or the demo no such script. */
  answerDemo: (script: string | undefined) => Promise<PageAnswer | null>
}

export function mountServiceRoutes(
  app: FastifyInstance,
  { resource_metadata, isReady, answerStart, favicon, answerDemo }: ServiceAnswers,
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
      const answer = await answerDemo((request.params as { script?: string }).script) // as: only the path of the script has the parameter
      if (!answer) throw notFound()
      return reply.code(answer.status).headers(answer.headers).send(answer.body)
    })
}
