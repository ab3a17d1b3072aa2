import { setImmediate as yieldToOthers } from 'node:timers/promises'
import { most_client_secrets } from '@ostiary/contract/client-secret.ts'
import type { EnvironmentId } from '@ostiary/contract/ids.ts'
import { type Application, type ApplicationInList, application, type NewApplication } from '@ostiary/contract/objects/application.ts'
import { oidcScopes } from '@ostiary/contract/scopes.ts'
import type { EnvironmentType } from '@ostiary/contract/tenancy.ts'
import { thousands } from '@ostiary/contract/thousands.ts'
import { quotaDetail } from '../../base/config/limits.ts'
import { restartLimit } from '../../base/database-time.ts'
import { patched } from '../../base/patched.ts'
import { most_sorted, pageByName } from '../../domain/applications/by-name.ts'
import * as changes from '../../domain/applications/changes.ts'
import { fieldsOfTemplate } from '../../domain/applications/from-template.ts'
import { applicationProblems, usesClientSecret } from '../../domain/applications/rules.ts'
import { findSecrets, type SecretRow, shown } from '../../domain/applications/secrets.ts'
import * as store from '../../domain/applications/store.ts'
import { readPageBy } from '../../domain/lists/lists.ts'
import { changeVersioned } from '../../domain/lists/versions.ts'
import { findOwnedScopes } from '../../domain/resource-servers/store.ts'
import { knownRoles } from '../../domain/roles/access.ts'
import { placeIn } from '../../domain/tenancy/objects.ts'
import { findActivity } from '../../domain/usage/activity.ts'
import { badField, type Fail, found, pointerTo, validationFailed } from '../../http/problem.ts'
import { redirectUriProblem } from '../../protocol/redirect-uris.ts'
import { environmentOf, finderOf } from '../environment.ts'
import { refusePastExpiry } from '../expiry.ts'
import type { Call, Handler } from '../handler.ts'
import { changeObject, commitChange, createObject, deleteObject, listObjects } from '../objects.ts'
import type { Services } from '../services.ts'

const table = 'applications'

function tooManyToSort(): never {
  throw badField(['sort'], `At most ${thousands(most_sorted)} applications are sorted by name. Leave out sort.`)
}

export const listApplications: Handler<'listApplications'> = async (services, call) => {
  const { activity, sort } = call.query
  const { id: environment_id } = await environmentOf(services, call)
  const page =
    sort === 'name'
      ? ((await pageByName(services, environment_id, call)) ?? tooManyToSort())
      : await listObjects(services, call, 'applications', store.listApplications)
  if (!activity) return page
  const at = services.now()
  const data: ApplicationInList[] = []
  for (const application of page.data) {
    restartLimit()
    data.push({ ...application, ...(await findActivity(services.db, environment_id, application.id, at)) })
    await yieldToOthers() // each reads up to 2,000 rows
  }
  return { ...page, data }
}

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
    refuseWithoutSecret(current, call.fail)
    const at = services.now()
    const { client_secret, ...rotated } = changes.rotated(services, current, at)
    const after = { ...rotated.after, client_secret }
    return (await commitChange(call.commit, { ...rotated, after }, at)) ? after : null
  })

function refuseWithoutSecret({ token_endpoint_auth_method: method }: Application, fail: Fail<'secret_not_used'>): void {
  if (!usesClientSecret(method)) fail('secret_not_used', `The application authenticates with ${method} and has no secret.`)
}

/** The present secrets, with uses that are not written yet. */
async function secretsOf({ db, secret_uses }: Services, application: store.ApplicationRow): Promise<SecretRow[]> {
  const secrets = await findSecrets(db, application)
  return secrets.map((secret) => ({ ...secret, last_used_at: secret_uses.find(secret.id)?.toISOString() ?? secret.last_used_at }))
}

export const listClientSecrets: Handler<'listClientSecrets'> = async (services, call) => {
  const application = await found((await finder(services, call))())
  const secrets = (await secretsOf(services, application)).map((secret) => {
    const { version: _, ...record } = shown(secret)
    return record
  })
  const from = (last: string | null) => (last === null ? 0 : secrets.findIndex(({ id }) => id === last) + 1)
  return readPageBy(services, call, `client-secrets.${application.id}`, {
    keyOf: ({ id }: (typeof secrets)[number]) => id,
    read: async (last, limit) => secrets.slice(from(last), from(last) + limit),
  })
}

export const addClientSecret: Handler<'addClientSecret'> = async (services, call) => {
  const { label = null, expires_at: sent = null } = call.body
  const expires_at = sent === null ? null : new Date(sent).toISOString()
  refusePastExpiry(expires_at, services.now())
  return changeVersioned(null, await finder(services, call), async (current) => {
    refuseWithoutSecret(current, call.fail)
    const kept = await findSecrets(services.db, current)
    if (kept.length >= most_client_secrets)
      return call.fail('quota_exceeded', 'The application has two client secrets, the most that it can have. Delete one of them first.')
    const at = services.now()
    const { statements, after, event, client_secret } = changes.secretAdded(services, current, { kept, label, expires_at }, at)
    const { environment_id } = current
    const answer = { ...after, client_secret }
    return (await call.commit({ statements, before: null, answer, event: { environment_id, ...event } }, at)) ? answer : null
  })
}

export const getClientSecret: Handler<'getClientSecret'> = async (services, call) =>
  found((await secretFinder(services, call))().then((one) => one && shown(one.secret)))

export const deleteClientSecret: Handler<'deleteClientSecret'> = async (services, call) => {
  await changeVersioned(call.if_match, await secretFinder(services, call), async ({ secret, application, secrets }) => {
    const at = services.now()
    const kept = secrets.filter(({ id }) => id !== secret.id)
    const isUsable = ({ expires_at }: SecretRow) => expires_at === null || Date.parse(expires_at) > at.getTime()
    if (isUsable(secret) && !kept.some(isUsable))
      return call.fail('last_secret', 'The application authenticates with this secret alone. Add another one first.')
    const { statements, event } = changes.secretDeleted(application, secret.id, kept, at)
    const { environment_id } = application
    const before = shown(secret)
    return (await call.commit({ statements, before, answer: null, event: { environment_id, ...event } }, at)) ? secret : null
  })
  return null
}

/** Finds the secret of the path, with its application and all secrets of it. */
async function secretFinder(services: Services, call: Pick<Call<'getClientSecret'>, 'caller' | 'params'>) {
  const findApplication = await finder(services, call)
  return async () => {
    const application = await findApplication()
    const secrets = application ? await secretsOf(services, application) : []
    const secret = secrets.find(({ id }) => id === call.params.client_secret_id)
    return application && secret ? { application, secrets, secret, version: shown(secret).version } : null
  }
}

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
