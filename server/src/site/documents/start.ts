/** The root of the service: for a person a page that says what this is, for a program the same links as JSON. */
import type { IncomingHttpHeaders } from 'node:http'
import { serviceRoutes } from '@ostiary/contract/routes.ts'
import { tryUrl } from '../../base/dashboard-links.ts'
import { reason } from '../../base/reason.ts'
import type { Deployment } from '../../deployment/deployment.ts'
import { prefers } from '../../http/accept.ts'
import type { Missing } from '../../http/service-routes.ts'
import { type Answer, json } from '../../oidc/call.ts'
import { html } from '../../oidc/hosted-page.ts'
import { type StartLink, service_name, serviceContext, startPage } from '../../pages/service.ts'
import { findDemo } from '../../setup/demo.ts'

/** The links in the order of the page. A new page of the service is one line here, and its words are in `pages/texts/`. */
const links: Record<StartLink, string> = {
  demo: serviceRoutes.demo.path,
  dashboard: serviceRoutes.dashboard.path,
  documentation: serviceRoutes.documents.path,
  reference: serviceRoutes.reference.path,
  openapi: serviceRoutes.openapi.path,
  errors: serviceRoutes.errorIndex.path,
  protected_resource: serviceRoutes.protectedResource.path,
  health: serviceRoutes.healthz.path,
  ready: serviceRoutes.readyz.path,
}

export async function answerStart(deployment: Deployment, headers: IncomingHttpHeaders): Promise<Answer> {
  const { base_url } = deployment.config
  const has_demo = (await findDemo(deployment)) !== null
  const all = Object.entries(links) as [StartLink, string][] // as: the keys of the table
  const shown = all.filter(([id]) => id !== 'demo' || has_demo).map(([id, path]) => ({ id, url: `${base_url}${path}` }))
  if (!prefers(headers.accept, 'text/html'))
    return varied(json({ name: service_name, base_url, links: Object.fromEntries(shown.map(({ id, url }) => [id, url])) }))
  return varied(html(startPage(serviceContext(base_url, headers['accept-language']), shown)))
}

/** Where the demo is tried out: its application in the dashboard. An issuer never changes, so at another address there is none. */
export async function demoUrl(deployment: Deployment): Promise<string | Missing> {
  const { base_url } = deployment.config
  const demo = await findDemo(deployment)
  if (!demo)
    return { detail: 'This service has no demo. It comes with the first start by npm start.', why: reason`The deployment has no demo.` }
  if (demo.issuer.startsWith(`${base_url}/`)) return tryUrl(base_url, demo.client_id)
  return {
    detail: `The first start created the demo for ${new URL(demo.issuer).origin}, and its issuer never changes. Start the service at that address (OSTIARY_PORT, OSTIARY_BASE_URL), or set OSTIARY_DATA_DIR to another folder for a new demo.`,
    why: reason`The demo was created for another address.`,
  }
}

const varied = (answer: Answer): Answer => ({ ...answer, headers: { ...answer.headers, vary: 'Accept, Accept-Language' } })
