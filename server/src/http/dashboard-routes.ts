/** The routes of the dashboard and of the first start: `site/dashboard/` and `setup/` answer them with plain values. */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { serviceRoutes } from '@ostiary/contract/routes.ts'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Refusal } from '../base/refusal.ts'

export interface DashboardRequest {
  readonly method: string
  /** The path as it was sent, without the query. */
  readonly path: string
  /** As it was sent, without the question mark. */
  readonly query: string
  readonly headers: IncomingHttpHeaders
  readonly ip: string | null
  readonly request_id: string
  /** The request, for those who read its body. */
  readonly raw: IncomingMessage
}

export interface DashboardAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[]>>
  readonly body: string | Buffer
  readonly refusal?: Refusal
  /** The page shows what a form was refused for, and that call has the record. */
  readonly is_recorded?: true
}

export type AnswerDashboard = (request: DashboardRequest) => Promise<DashboardAnswer>

export interface DashboardAnswers {
  /** The application, and its files. */
  application: AnswerDashboard
  signIn: AnswerDashboard
  callback: AnswerDashboard
  session: AnswerDashboard
  signOut: AnswerDashboard
  /** Where a sign-in that the dashboard tries out returns to. */
  tryCallback: AnswerDashboard
  /** A hosted page with unsaved settings. */
  preview: AnswerDashboard
  /** The page of the first start, and its form. */
  setup: AnswerDashboard
}

export function mountDashboardRoutes(app: FastifyInstance, answers: DashboardAnswers): void {
  const { dashboard, dashboardSignIn, dashboardCallback, dashboardSession, dashboardSignOut, dashboardPreview, tryCallback, setup } =
    serviceRoutes
  app.get(dashboard.path, answeredBy(answers.application))
  app.get(`${dashboard.path}/*`, answeredBy(answers.application))
  app.get(dashboardSignIn.path, answeredBy(answers.signIn))
  app.get(dashboardCallback.path, answeredBy(answers.callback))
  app.get(dashboardSession.path, answeredBy(answers.session))
  app.post(dashboardSignOut.path, answeredBy(answers.signOut))
  app.get(dashboardPreview.path, answeredBy(answers.preview))
  app.get(tryCallback.path, answeredBy(answers.tryCallback))
  app.get(setup.path, answeredBy(answers.setup))
  app.post(setup.path, answeredBy(answers.setup))
}

const answeredBy = (answer: AnswerDashboard) => async (request: FastifyRequest, reply: FastifyReply) => {
  const [path = '', query = ''] = request.url.split(/\?(.*)/s, 2)
  const { method, headers, ip_address: ip, id: request_id, raw } = request
  const answered = await answer({ method, path, query, headers, ip, request_id, raw })
  if (answered.refusal) request.refusal = answered.refusal
  if (answered.is_recorded) request.is_recorded = true
  return reply.code(answered.status).headers(answered.headers).send(answered.body)
}
