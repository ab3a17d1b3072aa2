import type { EnvironmentId } from '@ostiary/contract/ids.ts'
import { type Application, application, type NewApplication } from '@ostiary/contract/objects/application.ts'
import { oidcScopes } from '@ostiary/contract/scopes.ts'
import type { EnvironmentType } from '@ostiary/contract/tenancy.ts'
import { quotaDetail } from '../../base/config/limits.ts'
import { patched } from '../../base/patched.ts'
import * as changes from '../../domain/applications/changes.ts'
import { fieldsOfTemplate } from '../../domain/applications/from-template.ts'
import { applicationProblems, usesClientSecret } from '../../domain/applications/rules.ts'
import * as store from '../../domain/applications/store.ts'
import { changeVersioned } from '../../domain/lists/versions.ts'
import { findOwnedScopes } from '../../domain/resource-servers/store.ts'
import { knownRoles } from '../../domain/roles/access.ts'
import { placeIn } from '../../domain/tenancy/objects.ts'
import { found, pointerTo, validationFailed } from '../../http/problem.ts'
import { redirectUriProblem } from '../../protocol/redirect-uris.ts'
import { environmentOf, finderOf } from '../environment.ts'
import type { Call, Handler } from '../handler.ts'
import { changeObject, commitChange, createObject, deleteObject, listObjects } from '../objects.ts'
import type { Services } from '../services.ts'

const table = 'applications'

export const listApplications: Handler<'listApplications'> = (services, call) =>
  listObjects(services, call, 'applications', store.listApplications)

export const createApplication: Handler<'createApplication'> = async (services, call) => {
  const { config, now, newId } = services
  const environment = await environmentOf(services, call)
  const { type: environment_type, id: environment_id } = environment
  const { application_type, template, sent } = await withTemplate(call.body, { environment_type, base_url: config.base_url })
  const fields = patched(application, application_type, {}, sent)
  const known = await knownIn(services, environment_id, sent)
  refuseProblems(application_type, fields, { environment_type, base_url: config.base_url, ...known })
  const id = newId('app')
  return createObject(services, call, {
    scope: { table, environment_id },
    slug: call.body.slug,
    name: fields.name,
    room: store.roomForApplication(environment_id, config.limits.applications),
    created: (slug) => {
      const place = placeIn(environment, now())
      const { client_secret, ...created } = changes.created(services, place, { id, slug, application_type, template }, fields)
      return { ...created, after: { ...created.after, client_secret } }
    },
    refuseWithoutRoom: () => call.fail('quota_exceeded', quotaDetail('applications', config.limits)),
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

export const getApplication: Handler<'getApplication'> = async (services, call) => found((await finder(services, call))())

const finder = (services: Services, call: Pick<Call<'getApplication'>, 'caller' | 'params'>) =>
  finderOf(services, call, store.findApplication, call.params.application_id)

export const changeApplication: Handler<'changeApplication'> = async (services, call) => {
  const { base_url } = services.config
  const { type: environment_type, id } = await environmentOf(services, call)
  return changeObject(services, call, {
    find: await finder(services, call),
    next: async (current) => {
      const { application_type } = current
      const fields = patched(application, application_type, current, call.body)
      const known = await knownIn(services, id, call.body, current)
      refuseProblems(application_type, fields, { environment_type, base_url, ...known })
      return fields
    },
    changed: (current, edit) => changes.changed(services, current, edit, { makes_secret: false }),
  })
}

export const rotateClientSecret: Handler<'rotateClientSecret'> = async (services, call) =>
  changeVersioned(call.if_match, await finder(services, call), async (current) => {
    if (!usesClientSecret(current.token_endpoint_auth_method)) {
      return call.fail('secret_not_used', `The application authenticates with ${current.token_endpoint_auth_method} and has no secret.`)
    }
    const at = services.now()
    const { client_secret, ...rotated } = changes.rotated(services, current, at)
    const after = { ...rotated.after, client_secret }
    return (await commitChange(call.commit, { ...rotated, after }, at)) ? after : null
  })

export const deleteApplication: Handler<'deleteApplication'> = async (services, call) => {
  await deleteObject(services, call, await finder(services, call), changes.deleted)
  return null
}

interface Named {
  allowed_scopes?: readonly string[] | null | undefined
  allowed_roles?: readonly string[] | null | undefined
}

/**
 * The scopes and roles that an application can name: scopes of OpenID Connect and of the resource servers of the environment, its roles, and
 * those that the application already has. A client can therefore send back what it read, even if a resource server or role has been deleted.
 */
async function knownIn({ db }: Pick<Services, 'db'>, environment_id: EnvironmentId, sent: Named, kept: Named = {}) {
  const scopes = new Set<string>([...oidcScopes, ...(kept.allowed_scopes ?? [])])
  const roles = new Set<string>(kept.allowed_roles ?? [])
  const unknown = (names: Named[keyof Named], known: ReadonlySet<string>) => [...new Set(names ?? [])].filter((name) => !known.has(name))
  const [owned, found] = await Promise.all([
    findOwnedScopes(db, environment_id, unknown(sent.allowed_scopes, scopes)),
    knownRoles(db, environment_id, unknown(sent.allowed_roles, roles)),
  ])
  return { known_scopes: new Set([...scopes, ...owned.map(({ name }) => name)]), known_roles: new Set([...roles, ...found]) }
}

function refuseProblems(...checked: Parameters<typeof applicationProblems>): void {
  const problems = applicationProblems(...checked)
  if (problems.length > 0)
    throw validationFailed(problems.map(({ path, detail }) => ({ pointer: pointerTo(path), code: 'not_allowed', detail })))
}
