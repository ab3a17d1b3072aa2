/** The answers of the routes of the service itself, for the documentation. */
import { z } from 'zod'
import { ApplicationTemplate, ApplicationTemplates } from './application-template.ts'
import { DashboardSession } from './dashboard.ts'
import { SearchResults } from './documentation.ts'
import type { Route } from './route.ts'
import type { serviceRoutes } from './routes.ts'

export interface ServiceAnswer {
  description: string
  /** The schema of each media type. */
  types?: Record<string, z.ZodType>
}

const page = z.string().describe('A page.')
const health = (status: string) => z.object({ status: z.literal(status).describe('The state of the service.') })

const readiness = (status: string) =>
  health(status).extend({
    writes: z
      .enum(['ok', 'failing'])
      .describe('`failing` while the last write failed because the disk of the database is full or fails, or the database is read-only.'),
  })

const ResourceMetadata = z.object({
  resource: z.string().describe('The `resource` to ask a token for: the URL of this API.'),
  authorization_servers: z.array(z.string()).describe('The issuer where administrators sign in.'),
  bearer_methods_supported: z.array(z.string()).describe('Always `header`.'),
  client_id: z.string().describe('The application for command lines.'),
  redirect_uri: z.string().describe('Its redirect URI; any port is accepted.'),
})

const unchanged: Record<number, ServiceAnswer> = { 304: { description: 'The copy of the client is current.' } }
const html: Record<number, ServiceAnswer> = { 200: { description: 'A page.', types: { 'text/html': page } } }

const markdown = z.string().describe('Markdown.')
const document: Record<number, ServiceAnswer> = {
  200: { description: 'The document.', types: { 'text/html': page, 'text/markdown': markdown } },
  ...unchanged,
}
const led_to_search: Record<number, ServiceAnswer> = {
  302: { description: 'No document has this name: a browser is led to a search for it.' },
}

const demo_roles = z.array(z.string()).describe('The slugs of the roles of the person.')
const DemoOrders = z.object({
  organization: z.string().nullable().describe('The id of the organization of the token.'),
  roles: demo_roles,
  orders: z
    .array(z.object({ id: z.string().describe('The id of the order.'), item: z.string().describe('What was ordered.') }))
    .describe('Always the same three.'),
})
const DeletedDemoOrder = z.object({ deleted: z.string().describe('The id of the order.'), roles: demo_roles })
/** RFC 6750 §3. */
const DemoRefusal = z.looseObject({ error: z.string().describe('`invalid_token` or `insufficient_scope`.') })
const of_demo_api: Record<number, ServiceAnswer> = {
  401: { description: 'There is no access token for this API, or not a valid one.', types: { 'application/json': DemoRefusal } },
  403: { description: 'The roles of the person do not give the scope.', types: { 'application/json': DemoRefusal } },
}

const documented: { readonly [Name in keyof typeof serviceRoutes]?: Record<number, ServiceAnswer> } = {
  healthz: { 200: { description: 'The process runs.', types: { 'application/json': health('ok') } } },
  readyz: {
    200: { description: 'The service takes requests.', types: { 'application/json': readiness('ready') } },
    503: {
      description:
        'The database is unreachable, its schema is not current, or the service is stopping; with `writes=1` while writes fail, too.',
      types: { 'application/json': readiness('unavailable') },
    },
  },
  protectedResource: { 200: { description: 'Success.', types: { 'application/json': ResourceMetadata } } },
  openapi: {
    200: { description: 'The document.', types: { 'application/json': z.looseObject({}).describe('An OpenAPI document.') } },
    ...unchanged,
  },
  listApplicationTemplates: { 200: { description: 'The templates.', types: { 'application/json': ApplicationTemplates } }, ...unchanged },
  getApplicationTemplate: { 200: { description: 'The template.', types: { 'application/json': ApplicationTemplate } }, ...unchanged },
  configurationSchema: {
    200: { description: 'The schema.', types: { 'application/schema+json': z.looseObject({}).describe('A JSON Schema.') } },
    ...unchanged,
  },
  start: {
    200: {
      description: 'The start page, or its links.',
      types: { 'text/html': page, 'application/json': z.looseObject({}).describe('The name of the service and its links.') },
    },
  },
  forPrograms: { 200: { description: 'The list.', types: { 'text/plain': z.string().describe('Text.') } }, ...unchanged },
  sdkPackage: {
    200: { description: 'The package.', types: { 'application/gzip': z.string().describe('A gzipped tar archive.') } },
    ...unchanged,
    503: { description: 'The package is being packed. It is there some seconds after the first start.' },
  },
  documentSearch: {
    200: { description: 'What was found.', types: { 'text/html': page, 'application/json': SearchResults } },
  },
  document: { ...document, ...led_to_search },
  guide: { ...document, ...led_to_search },
  settingsPage: document,
  example: document,
  decision: document,
  createFirst: {
    303: { description: 'To the dashboard.' },
    400: { description: 'The form with its errors.', types: { 'text/html': page } },
  },
  dashboardSignIn: { 303: { description: 'To the issuer of administrators.' } },
  dashboardCallback: {
    303: { description: 'To the view that asked for the sign-in.' },
    400: { description: 'A page with the way to sign in again.', types: { 'text/html': page } },
  },
  dashboardSession: {
    200: { description: 'The session.', types: { 'application/json': DashboardSession } },
    204: { description: 'There is no session.' },
  },
  dashboardSignOut: { 204: { description: 'Signed out.' } },
  dashboardApi: { 200: { description: 'The answer of the route.' } },
  favicon: { 200: { description: 'The mark.', types: { 'image/svg+xml': z.string().describe('An SVG image.') } } },
  demo: { 303: { description: 'To “Try sign-in” of the demo application.' } },
  demoOrders: { 200: { description: 'The orders.', types: { 'application/json': DemoOrders } }, ...of_demo_api },
  deleteDemoOrder: { 200: { description: 'What would be deleted.', types: { 'application/json': DeletedDemoOrder } }, ...of_demo_api },
}

export function serviceAnswers(name: keyof typeof serviceRoutes, route: Route): Record<number, ServiceAnswer> {
  return documented[name] ?? { ...html, ...(route.cache ? unchanged : {}) }
}
