import type { Application, NewApplication } from '@ostiary/contract/application.ts'
import type { EnvironmentId } from '@ostiary/contract/ids.ts'
import { oidcScopes } from '@ostiary/contract/scopes.ts'
import type { EnvironmentType } from '@ostiary/contract/tenancy.ts'
import { makeClientSecret } from '../../applications/client-secret.ts'
import { fieldsOfTemplate } from '../../applications/from-template.ts'
import { listOrigins } from '../../applications/origins.ts'
import { type ApplicationFields, applicationProblems, mergeApplication, usesClientSecret } from '../../applications/rules.ts'
import * as store from '../../applications/store.ts'
import { changedFields } from '../../base/changed-fields.ts'
import { digestOf } from '../../base/digest.ts'
import { quotaDetail } from '../../config/limits.ts'
import { changedApplication, newApplication } from '../../configuration/shown.ts'
import type { Statement } from '../../db/db.ts'
import type { NewEvent } from '../../events/store.ts'
import { notFound, pointerTo, validationFailed } from '../../http/problem.ts'
import { readNamedPage } from '../../lists/search.ts'
import { changeVersioned } from '../../lists/versions.ts'
import { redirectUriProblem } from '../../oidc/protocol/redirect-uris.ts'
import { findOwnedScopes } from '../../resource-servers/store.ts'
import { createWithSlug, slugStatements } from '../../slugs/choose.ts'
import { haveRoom, holdEnvironment, isThereRoom } from '../../tenancy/store.ts'
import type { Commit } from '../commit.ts'
import { environmentOf } from '../environment.ts'
import type { Call, Handler } from '../handler.ts'
import type { Services } from '../services.ts'

const table = 'applications'

export const listApplications: Handler<'listApplications'> = async (services, call) => {
  const environment = await environmentOf(services, call)
  return readNamedPage(services, call, `applications.${environment.id}`, (rest) =>
    store.listApplications(services.db, environment.id, rest),
  )
}

export const createApplication: Handler<'createApplication'> = async (services, call) => {
  const { config, db, now, newId } = services
  const environment = await environmentOf(services, call)
  const { slug } = call.body
  const { application_type, template, sent } = await withTemplate(call.body, {
    environment_type: environment.type,
    base_url: config.base_url,
  })
  const fields = mergeApplication(application_type, {}, sent)
  const known_scopes = await knownScopes(services, environment.id, sent)
  refuseProblems(application_type, fields, { environment_type: environment.type, base_url: config.base_url, known_scopes })

  const id = newId('app')
  const at = now()
  const client_secret = usesClientSecret(fields.token_endpoint_auth_method) ? makeClientSecret(services) : null
  const secret_hash = client_secret && digestOf(client_secret)
  const { tenant_id, project_id, issuer } = environment
  const place = { tenant_id, project_id, environment_id: environment.id, issuer, at }
  const application = (slug: string) => ({
    ...newApplication(place, { id, slug, application_type, template, has_client_secret: client_secret !== null }, fields),
    client_secret,
  })
  const room = store.roomForApplication(environment.id, config.limits.applications)
  const create = async (slug: string) => {
    const answer = application(slug)
    const created = await call.commit(
      {
        statements: [
          ...haveRoom(holdEnvironment(tenant_id, environment.id), room),
          store.insertApplication(environment.id, { id, slug, application_type, template, client_secret_hash: secret_hash }, fields, at),
          ...listOrigins(environment.id, id, { application_type, redirect_uris: fields.redirect_uris }),
        ],
        before: null,
        answer,
        event: {
          environment_id: environment.id,
          type: 'application.created',
          application_id: id,
          data: { slug, name: fields.name, application_type },
        },
      },
      at,
    )
    return created ? answer : null
  }
  const scope = { table, environment_id: environment.id } as const
  return createWithSlug(services, scope, {
    slug,
    name: fields.name,
    create,
    refuse: async () => {
      if (!(await isThereRoom(db, room))) call.fail('quota_exceeded', quotaDetail('applications', config.limits))
    },
    fail: call.fail,
  })
}

/** The body with the fields of its template. Fields that the body has win. */
async function withTemplate(
  { template: slug = null, url, slug: _, application_type, ...own }: NewApplication,
  context: { environment_type: EnvironmentType; base_url: string },
): Promise<{ application_type: Application['application_type']; template: string | null; sent: Partial<NewApplication> }> {
  // The schema of the body asks for the type where there is no template.
  if (slug === null) return { application_type: application_type ?? 'web', template: null, sent: own }
  // Most requests name no template, so the texts are loaded when they are needed.
  const { templates } = await import('@ostiary/contract/application-templates/index.ts')
  const template = templates.find((each) => each.slug === slug)
  if (!template)
    throw validationFailed([
      {
        pointer: '/template',
        code: 'not_allowed',
        detail: 'No template has this slug. GET /v1/application-templates lists them, as does "ostiary application-templates list".',
      },
    ])
  const type = application_type ?? template.application_type
  const problem = url === undefined ? null : redirectUriProblem(url, { application_type: type, ...context })
  if (problem !== null) throw validationFailed([{ pointer: '/url', code: 'not_allowed', detail: problem }])
  return { application_type: type, template: template.slug, sent: { ...fieldsOfTemplate(template, url), ...own } }
}

export const getApplication: Handler<'getApplication'> = async (services, call) => {
  const application = await (await finder(services, call))()
  if (!application) throw notFound()
  return application
}

/** Returns a function that reads the application of the path, which `changeVersioned` calls before every try. */
async function finder(services: Services, call: Pick<Call<'getApplication'>, 'caller' | 'params'>) {
  const environment = await environmentOf(services, call)
  return () => store.findApplication(services.db, environment.id, call.params.application_id ?? '')
}

export const changeApplication: Handler<'changeApplication'> = async (services, call) => {
  const { config } = services
  const environment = await environmentOf(services, call)
  return changeVersioned(call.if_match, await finder(services, call), async (current) => {
    const { slug = current.slug, ...sent } = call.body
    const fields = mergeApplication(current.application_type, fieldsOf(current), sent)
    const known_scopes = await knownScopes(services, environment.id, sent, current.allowed_scopes)
    refuseProblems(current.application_type, fields, { environment_type: environment.type, base_url: config.base_url, known_scopes })
    const given_slug = await slugStatements(
      services.db,
      { table, environment_id: environment.id },
      { current, sent: call.body.slug },
      call.fail,
    )
    const next = { ...current, slug, ...fields }
    const changed = changedFields(Object.keys(call.body), current, next)
    if (changed.length === 0) return current
    // A client that stops authenticating with a secret loses it. One that starts gets its secret from rotate-secret.
    const drops_secret = current.has_client_secret && !usesClientSecret(fields.token_endpoint_auth_method)
    const event = { type: 'application.updated', data: { changed } } as const
    return writeApplication(services, call, current, {
      next,
      client_secret_hash: drops_secret ? null : undefined,
      event,
      given_slug,
    })
  })
}

export const rotateClientSecret: Handler<'rotateClientSecret'> = async (services, call) => {
  const client_secret = makeClientSecret(services)
  return changeVersioned(call.if_match, await finder(services, call), async (current) => {
    if (!usesClientSecret(current.token_endpoint_auth_method)) {
      return call.fail('secret_not_used', `The application authenticates with ${current.token_endpoint_auth_method} and has no secret.`)
    }
    const next = { ...current, client_secret }
    const event = { type: 'application.secret_rotated' as const, data: {} }
    return writeApplication(services, call, current, { next, client_secret_hash: digestOf(client_secret), event, given_slug: [] })
  })
}

interface ApplicationUpdate<T> {
  next: T
  /** `undefined` keeps the secret. */
  client_secret_hash: string | null | undefined
  event: Pick<NewEvent, 'type' | 'data'>
  given_slug: readonly Statement[]
}

/** `null` when another request changed the application first. */
async function writeApplication<T extends store.ApplicationRow>(
  { now }: Services,
  { commit }: { commit: Commit },
  current: store.ApplicationRow,
  { next, client_secret_hash, event, given_slug }: ApplicationUpdate<T>,
): Promise<T | null> {
  const at = now()
  const secret = client_secret_hash === undefined ? 'stays' : client_secret_hash === null ? 'ended' : 'made'
  const answer = changedApplication(next, next, secret, at)
  const changed = await commit(
    {
      statements: [...store.updateApplication(current, fieldsOf(next), client_secret_hash, at), ...given_slug],
      before: current,
      answer,
      event: { environment_id: current.environment_id, application_id: current.id, ...event },
    },
    at,
  )
  return changed ? answer : null
}

export const deleteApplication: Handler<'deleteApplication'> = async (services, call) => {
  await changeVersioned(call.if_match, await finder(services, call), async (current) => {
    const { environment_id, id } = current
    const at = services.now()
    const deleted = await call.commit(
      {
        statements: store.deleteApplication(current, at),
        before: current,
        answer: null,
        event: {
          environment_id,
          type: 'application.deleted',
          application_id: id,
          data: { slug: current.slug, name: current.name },
        },
      },
      at,
    )
    return deleted || null
  })
  return null
}

/**
 * The scopes that an application can be allowed: those of OpenID Connect, of the environment's resource servers, and those it already
 * has. A client can therefore send back what it read, even if a resource server has been deleted.
 */
async function knownScopes(
  { db }: Pick<Services, 'db'>,
  environment_id: EnvironmentId,
  sent: { allowed_scopes?: readonly string[] | null | undefined },
  kept: readonly string[] = [],
): Promise<ReadonlySet<string>> {
  const known = new Set<string>([...oidcScopes, ...kept])
  const unknown = [...new Set(sent.allowed_scopes ?? [])].filter((scope) => !known.has(scope))
  const owned = await findOwnedScopes(db, environment_id, unknown)
  return new Set([...known, ...owned.map(({ name }) => name)])
}

/** The fields that an administrator can change. */
function fieldsOf(application: store.ApplicationRow): ApplicationFields {
  const {
    id,
    client_id,
    tenant_id,
    project_id,
    environment_id,
    slug,
    application_type,
    template,
    has_client_secret,
    secret_rotated_at,
    created_at,
    updated_at,
    version,
    ...fields
  } = application
  return fields
}

function refuseProblems(...checked: Parameters<typeof applicationProblems>): void {
  const problems = applicationProblems(...checked)
  if (problems.length > 0)
    throw validationFailed(problems.map(({ path, detail }) => ({ pointer: pointerTo(path), code: 'not_allowed', detail })))
}
