/** The routes of the service itself: the start page, health, readiness, protected resource metadata, documentation and the demo. */
import type { IncomingHttpHeaders } from 'node:http'
import type { Route } from '@ostiary/contract/route.ts'
import { serviceRoutes } from '@ostiary/contract/routes.ts'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type Reason, reason } from '../base/reason.ts'
import { type Refusal, refusal } from '../base/refusal.ts'
import { prefers, wantsPage } from './accept.ts'
import { type Coded, codingFor, tagOf } from './coded.ts'
import { isKnown } from './if-none-match.ts'
import { ApiError, nothingHere } from './problem.ts'

export interface PageAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[]>>
  readonly body: string
}

/** A text that is the same for everyone, with its compressed forms. */
interface DocumentationText {
  readonly body: Buffer
  readonly coded: Coded
  readonly etag: string
  readonly headers: Readonly<Record<string, string>>
}

interface Documentation {
  /** `null` for a page that does not exist. */
  find(row: keyof typeof documentation_rows, parameter: string | undefined): Promise<DocumentationText | null>
  /** Only the beginning of a question is searched, so the answer says what was searched. */
  answerSearch(query: string): Promise<object>
  searchPage(query: string): Promise<Omit<PageAnswer, 'status'>>
}

export interface ServiceAnswers {
  /** RFC 9728 §2: the metadata of the management API as a protected resource. */
  resource_metadata: Record<string, unknown>
  isReady: () => Promise<boolean>
  /** Whether the last write failed because of the disk or a read-only database. */
  areWritesFailing: () => boolean
  /** Loaded at the first request for the documentation. */
  documentation: () => Promise<Documentation>
  /** Loaded at the first request for a template. All templates for `undefined`, `null` for one that does not exist. */
  findTemplates: (slug: string | undefined) => Promise<DocumentationText | null>
  /** Made at the first request for it. */
  findConfigurationSchema: () => Promise<DocumentationText>
  /** A package of the client library; `waiting` while it is not packed, `null` for one that is not here. */
  findPackage: (file: string) => { body: Buffer; etag: string; digest: string } | 'waiting' | null
  /** The start page, or the same links as JSON. */
  answerStart: (headers: IncomingHttpHeaders) => Promise<PageAnswer>
  favicon: string
  /** Where the demo is tried out, or why there is none. */
  findDemo: () => Promise<string | Missing>
  /** The answer of the API of the demo. `order_id` is of the order to delete, `null` for the list. */
  answerOrders: (call: { authorization: string | undefined; order_id: string | null }) => Promise<(PageAnswer & Refused) | Missing>
}

interface Refused {
  readonly refusal?: Refusal
}

export function mountServiceRoutes(
  app: FastifyInstance,
  {
    resource_metadata,
    isReady,
    areWritesFailing,
    documentation,
    findTemplates,
    findConfigurationSchema,
    findPackage,
    answerStart,
    favicon,
    findDemo,
    answerOrders,
  }: ServiceAnswers,
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
    const is_reading = await isReady()
    const writes = areWritesFailing() ? 'failing' : 'ok'
    const wants_writes = new URLSearchParams(request.url.split('?', 2)[1]).get('writes') === '1'
    const ready = is_reading && (writes === 'ok' || !wants_writes)
    if (!ready) request.refusal = is_reading ? not_writing : not_ready
    return reply
      .code(ready ? 200 : 503)
      .header('cache-control', 'no-store')
      .send({ status: ready ? 'ready' : 'unavailable', writes })
  })
  mountDocumentation(app, documentation)
  for (const route of [serviceRoutes.listApplicationTemplates, serviceRoutes.getApplicationTemplate])
    mountText(app, route, findTemplates, no_template)
  mountText(app, serviceRoutes.configurationSchema, findConfigurationSchema, no_document)
  mountPackages(app, findPackage)
  app.get(serviceRoutes.demo.path, async (_, reply) => {
    const found = await findDemo()
    if (typeof found !== 'string') throw nothingHere(found.detail, found.why)
    return reply.header('cache-control', 'no-store').redirect(found, 303)
  })
  const answerOrder = async (request: FastifyRequest, reply: FastifyReply, order_id: string | null) => {
    const found = await answerOrders({ authorization: request.headers.authorization, order_id })
    if ('why' in found) throw nothingHere(found.detail, found.why)
    if (found.refusal) request.refusal = found.refusal
    return reply.code(found.status).headers(found.headers).send(found.body)
  }
  app.get(serviceRoutes.demoOrders.path, (request, reply) => answerOrder(request, reply, null))
  app.delete(
    serviceRoutes.deleteDemoOrder.path.replace('{order}', ':order'),
    (request, reply) => answerOrder(request, reply, (request.params as { order: string }).order), // as: the parameter of the path
  )
}

function mountPackages(app: FastifyInstance, findPackage: ServiceAnswers['findPackage']): void {
  app.get(serviceRoutes.sdkPackage.path.replace('{file}', ':file'), async (request, reply) => {
    const found = findPackage((request.params as { file: string }).file) // as: the parameter of the path
    if (found === null)
      throw nothingHere('This service has no such package. The line that installs the current one is in /docs/sdk.', no_package)
    if (found === 'waiting')
      throw new ApiError('unavailable', 'The package of the client library is being packed. Try again in some seconds.', {
        reason: reason`The package is not packed yet. The launcher does it after the start, and a release has it.`,
      })
    const { cache = '' } = serviceRoutes.sdkPackage
    reply.headers({ 'cache-control': cache, etag: found.etag, 'repr-digest': found.digest })
    if (isKnown(request.headers['if-none-match'], found.etag)) return reply.code(304).send()
    return reply.type('application/gzip').send(found.body)
  })
}

const no_package = reason`No package of the client library has this name.`

export interface Missing {
  readonly detail: string
  readonly why: Reason
  /** A browser that asks for such a name, like that of a feature, is led to a search for it. */
  readonly leads_to_search?: true
}

const no_document: Missing = { detail: 'No document has this name. All documents are at /docs.', why: reason`No document has this name.` }
const no_page: Missing = { ...no_document, leads_to_search: true }
const no_group: Missing = {
  detail: 'The API reference has no group of this name. All groups are at /docs/api.',
  why: reason`The API reference has no group of this name.`,
}
const no_template: Missing = {
  detail: 'No template has this slug. All templates are at /v1/application-templates.',
  why: reason`No template of an application has this slug.`,
}
const no_code: Missing = { detail: 'No error has this code. All codes are at /docs/errors.', why: reason`No error has this code.` }

/** The rows of the documentation, each with its refusal for a page that does not exist; rows without a parameter have one page. */
const documentation_rows = {
  openapi: null,
  forPrograms: null,
  documents: null,
  document: no_page,
  guide: no_page,
  settingsPage: no_document,
  example: no_document,
  decision: no_document,
  operatorExample: no_document,
  reference: null,
  referenceGroup: no_group,
  errorIndex: null,
  errorPage: no_code,
} as const

function mountDocumentation(app: FastifyInstance, documentation: ServiceAnswers['documentation']): void {
  const rows = Object.entries(documentation_rows) as [keyof typeof documentation_rows, Missing | null][] // as: the keys of the table
  for (const [name, missing] of rows) {
    const find = async (parameter: string | undefined) => (await documentation()).find(name, parameter)
    mountText(app, serviceRoutes[name], find, missing ?? no_document)
  }
  app.get(serviceRoutes.documentSearch.path, async (request, reply) => {
    const { answerSearch, searchPage } = await documentation()
    const query = queryIn(request.url)
    reply.headers({ 'cache-control': 'no-store', vary: 'Accept' })
    if (!prefers(request.headers.accept, 'text/html')) return reply.send(await answerSearch(query))
    const page = await searchPage(query)
    return reply.headers(page.headers).send(page.body)
  })
}

/** The question of a search. Only the beginning of a long address is read, since only the beginning of a question is searched. */
function queryIn(url: string): string {
  const [, begun = ''] = url.slice(0, longest_address).split('?', 2)
  return new URLSearchParams(begun).get('q')?.trim() ?? ''
}

/** Enough for a question in which each character is encoded. */
const longest_address = 2_048

/** A name that a person may have typed or guessed. */
const name_in_words = /^[a-z][a-z0-9-]{1,39}$/i

/** A text that is the same for everyone, in the form that the client takes. */
function mountText(
  app: FastifyInstance,
  route: Route,
  find: (parameter: string | undefined) => Promise<DocumentationText | null>,
  missing: Missing,
): void {
  app.get(route.path.replace(/\{(\w+)\}/, ':$1'), async (request, reply) => {
    const [parameter] = Object.values(request.params as Record<string, string>) // as: Fastify types them unknown
    const text = await find(parameter)
    if (!text) {
      if (missing.leads_to_search && wantsPage(request.headers) && parameter && name_in_words.test(parameter))
        return reply.headers({ 'cache-control': 'no-store', vary: 'Accept' }).redirect(`/docs/search?q=${parameter.replaceAll('-', '+')}`)
      throw nothingHere(missing.detail, missing.why)
    }
    const coding = codingFor(request.headers['accept-encoding'], text.coded)
    const etag = tagOf(text.etag, coding)
    reply.headers({ ...text.headers, 'cache-control': 'public, max-age=300', etag, vary: 'Accept-Encoding' })
    if (route.cross_origin === 'every') reply.header('access-control-allow-origin', '*')
    if (isKnown(request.headers['if-none-match'], etag)) return reply.code(304).send()
    if (coding !== null) reply.header('content-encoding', coding)
    return reply.send((coding !== null && text.coded[coding]) || text.body)
  })
}

const not_ready = refusal(
  'unavailable',
  reason`The service is starting or stopping, or its database is out of reach or has an older schema.`,
)
const not_writing = refusal('unavailable', reason`The disk of the database was full or failed, or the database was read-only.`)
