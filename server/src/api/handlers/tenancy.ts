import { isDeepStrictEqual } from 'node:util'
import type { TenantId } from '@ostiary/contract/ids.ts'
import { bySwitch } from '@ostiary/contract/sign-in-methods.ts'
import { default_fresh_sign_in, type NewEnvironment, type ProjectChange, type ProjectFreshSignIn } from '@ostiary/contract/tenancy.ts'
import { quotaDetail } from '../../base/config/limits.ts'
import { picked } from '../../base/picked.ts'
import { reason } from '../../base/reason.ts'
import type { Deployment } from '../../deployment/deployment.ts'
import { sealed_columns } from '../../deployment/secrets/sealed-columns.ts'
import { beginCounter } from '../../domain/events/numbering.ts'
import { readNamedPage } from '../../domain/lists/search.ts'
import { changeVersioned } from '../../domain/lists/versions.ts'
import { followSettings, modeOf } from '../../domain/metadata-clients/store.ts'
import { keepNeeds } from '../../domain/promotions/store.ts'
import { defaultIssuer } from '../../domain/tenancy/default-issuer.ts'
import { isIssuerTaken, mayTakeIssuer, takeIssuer } from '../../domain/tenancy/issuer-origins.ts'
import { previewUrl } from '../../domain/tenancy/preview-address.ts'
import { applySettingsChange, effectiveSettings, showSettings } from '../../domain/tenancy/settings.ts'
import * as store from '../../domain/tenancy/store.ts'
import { hasEnabledProvider, hasOwnMethod, keepsProvider } from '../../domain/tenancy/ways-in.ts'
import { badField, fieldErrors, found, notFound, validationFailed } from '../../http/problem.ts'
import { environmentOf } from '../environment.ts'
import { refuseFreshSignIn } from '../fresh-settings.ts'
import type { Handler } from '../handler.ts'
import { refuseApprovals, refuseKeeps } from '../promotions/settings.ts'

export const listProjects: Handler<'listProjects'> = (services, call) => {
  const { tenant_id } = call.caller
  return readNamedPage(services, call, `projects.${tenant_id}`, (rest) => store.listProjects(services.db, tenant_id, rest))
}

/** The environments of a project that names none. */
const first_environments: readonly NewEnvironment[] = [
  { slug: 'test', name: 'Test', type: 'test' },
  { slug: 'live', name: 'Live', type: 'live' },
]

export const createProject: Handler<'createProject'> = async (services, { caller, body, fail, commit }) => {
  const { config, db, now, newId } = services
  const at = now()
  const { tenant_id } = caller
  const { limits } = config
  const { environments: first = first_environments, ...fields } = body
  refuseRepeated(first, 'slug')
  refuseRepeated(first, 'issuer')
  await Promise.all(first.map(({ issuer }, i) => refuseForeignHost(services, tenant_id, issuer, ['environments', i, 'issuer'])))
  if (limits.environments_per_project < first.length) return fail('quota_exceeded', quotaDetail('environments_per_project', limits))
  const id = newId('prj')
  // Lists are newest first, so the last environment is created first.
  const environments = first.toReversed().map((fields) => {
    const id = newId('env')
    return { id, ...fields, issuer: fields.issuer ?? defaultIssuer(config.base_url, id) }
  })
  const { version, ...times } = createdAt(at)
  const parents = { tenant_id, project_id: id }
  const project = {
    id,
    tenant_id,
    ...fields,
    promotion: { require_approval: false },
    fresh_sign_in: default_fresh_sign_in,
    ...times,
    version,
    environments: environments.toReversed().map((environment) => ({ ...environment, ...parents, config_version: 1, keeps: [], ...times })),
  }
  const statements = [
    ...store.haveRoom(store.holdTenant(tenant_id), store.roomForProject(tenant_id, limits.projects_per_tenant)),
    store.insertProject(tenant_id, id, fields, at),
    ...environments.map(({ id: environment_id, issuer, ...fields }) =>
      store.insertEnvironment({ tenant_id, project_id: id }, { id: environment_id, issuer }, fields, at),
    ),
    ...takeOwnIssuers(config.base_url, environments, at),
    ...environments.map(({ id }) => beginCounter(id)),
  ]
  if (await commit({ statements, before: null, answer: project }, at)) return project
  if (await store.isProjectSlugTaken(db, tenant_id, body.slug))
    return fail('slug_taken', `This tenant already has a project with the slug "${body.slug}".`, {
      reason: reason`Another project of the tenant has the slug.`,
    })
  if (await isIssuerTaken(db, ownIssuers(first))) return fail('issuer_taken', issuer_taken)
  return fail('quota_exceeded', quotaDetail('projects_per_tenant', limits))
}

function refuseRepeated(environments: readonly NewEnvironment[], field: 'slug' | 'issuer'): void {
  const values = environments.map((environment) => environment[field])
  const repeated = values.findIndex((value, i) => value !== undefined && values.indexOf(value) !== i)
  if (repeated >= 0) throw badField(['environments', repeated, field], `An earlier environment of the list has the same ${field}.`)
}

/** Refuses a host that the operator did not list, and one that is listed for another tenant, alike. */
async function refuseForeignHost(
  { db, config }: Pick<Deployment, 'db' | 'config'>,
  tenant_id: TenantId,
  issuer: string | null | undefined,
  path: readonly (string | number)[],
): Promise<void> {
  if (issuer === undefined || issuer === null || (await mayTakeIssuer(db, config, tenant_id, issuer))) return
  throw badField(path, 'This host is not admitted for the tenant. The operator of the service lists hosts in OSTIARY_ISSUER_HOSTS.')
}

const ownIssuers = (environments: readonly Pick<NewEnvironment, 'issuer'>[]) => environments.flatMap(({ issuer }) => issuer ?? [])
const takeOwnIssuers = (base_url: string, environments: readonly { id: string; issuer: string }[], at: Date) =>
  environments.filter(({ id, issuer }) => issuer !== defaultIssuer(base_url, id)).map(({ id, issuer }) => takeIssuer(id, issuer, at))
const issuer_taken = 'Another environment has this issuer, or had it. Choose another origin.'

const createdAt = (at: Date) => ({ version: 1, created_at: at.toISOString(), updated_at: at.toISOString() })
const changedAt = (version: number, at: Date) => ({ version: version + 1, updated_at: at.toISOString() })

export const getProject: Handler<'getProject'> = async ({ db }, { caller, params }) =>
  found(store.findProject(db, caller.tenant_id, params.project_id ?? ''))

export const changeProject: Handler<'changeProject'> = ({ db, now }, { caller, params, body, if_match, commit }) =>
  changeVersioned(
    if_match,
    () => store.findProject(db, caller.tenant_id, params.project_id ?? ''),
    async (current) => {
      const { name = current.name } = body
      const promotion = { ...current.promotion, ...definedOf(body.promotion) }
      const asks = promotion.require_approval
      if (asks !== current.promotion.require_approval) await refuseApprovals(db, caller, asks)
      const fresh_sign_in = freshSignInAfter(current.fresh_sign_in, body.fresh_sign_in)
      const is_as_fresh = isDeepStrictEqual(fresh_sign_in, current.fresh_sign_in)
      if (!is_as_fresh) refuseFreshSignIn(caller)
      if (name === current.name && asks === current.promotion.require_approval && is_as_fresh) return current
      const at = now()
      const project = { ...current, name, promotion, fresh_sign_in, ...changedAt(current.version, at) }
      const stops_asking = current.promotion.require_approval && !asks
      const statements = [
        store.updateProject(current, { name, promotion, fresh_sign_in }, at),
        // After the row of the project, which each plan and each apply holds: none of them falls between.
        ...(stops_asking ? [keepNeeds(current.id, at)] : []),
      ]
      const changed = await commit({ statements, before: current, answer: project }, at)
      return changed ? project : null
    },
  )

const definedOf = ({ require_approval }: NonNullable<ProjectChange['promotion']> = {}) =>
  require_approval === undefined ? {} : { require_approval }

/** RFC 7396: `null` puts a default back. */
function freshSignInAfter(current: ProjectFreshSignIn, change: ProjectChange['fresh_sign_in'] = {}): ProjectFreshSignIn {
  const { test_seconds = current.test_seconds, live_seconds = current.live_seconds } = change ?? both_default
  return {
    test_seconds: test_seconds ?? default_fresh_sign_in.test_seconds,
    live_seconds: live_seconds ?? default_fresh_sign_in.live_seconds,
  }
}

const both_default: NonNullable<ProjectChange['fresh_sign_in']> = { test_seconds: null, live_seconds: null }

export const listEnvironments: Handler<'listEnvironments'> = async (services, call) => {
  const { caller, params } = call
  const project = await found(store.findProject(services.db, caller.tenant_id, params.project_id ?? ''))
  return readNamedPage(services, call, `environments.${project.id}`, (rest) =>
    store.listEnvironments(services.db, caller.tenant_id, project.id, rest),
  )
}

export const createEnvironment: Handler<'createEnvironment'> = async (services, { caller, params, body, fail, commit }) => {
  const { config, db, now, newId } = services
  const project = await found(store.findProject(db, caller.tenant_id, params.project_id ?? ''))
  await refuseForeignHost(services, caller.tenant_id, body.issuer, ['issuer'])
  const at = now()
  const id = newId('env')
  const issuer = body.issuer ?? defaultIssuer(config.base_url, id)
  const environment = {
    id,
    tenant_id: caller.tenant_id,
    project_id: project.id,
    ...body,
    issuer,
    config_version: 1,
    keeps: [],
    ...createdAt(at),
  }
  const { tenant_id } = caller
  const statements = [
    ...store.haveRoom(
      store.holdProject(tenant_id, project.id),
      store.roomForEnvironment(tenant_id, project.id, config.limits.environments_per_project),
    ),
    store.insertEnvironment({ tenant_id, project_id: project.id }, { id, issuer }, body, at),
    ...takeOwnIssuers(config.base_url, [environment], at),
    beginCounter(id),
  ]
  if (await commit({ statements, before: null, answer: environment }, at)) return environment
  if (await store.isEnvironmentSlugTaken(db, tenant_id, project.id, body.slug))
    return fail('slug_taken', `This project already has an environment with the slug "${body.slug}".`, {
      reason: reason`Another environment of the project has the slug.`,
    })
  if (await isIssuerTaken(db, ownIssuers([body]))) return fail('issuer_taken', issuer_taken)
  return fail('quota_exceeded', quotaDetail('environments_per_project', config.limits))
}

export const getEnvironment: Handler<'getEnvironment'> = (services, call) => environmentOf(services, call)

export const changeEnvironment: Handler<'changeEnvironment'> = ({ db, now }, { caller, params, body, if_match, commit }) =>
  changeVersioned(
    if_match,
    () => store.findEnvironment(db, caller.tenant_id, params.project_id ?? '', params.environment_id ?? ''),
    async (current) => {
      const name = body.name ?? current.name
      const keeps = body.keeps === undefined ? current.keeps : (body.keeps ?? [])
      const raises = JSON.stringify(keeps) !== JSON.stringify(current.keeps)
      if (raises) refuseKeeps(caller, current.type, keeps)
      if (name === current.name && !raises) return current
      const at = now()
      const config_version = current.config_version + (raises ? 1 : 0)
      const environment = { ...current, name, keeps, config_version, ...changedAt(current.version, at) }
      const statements = [store.updateEnvironment(current, { name, keeps }, raises, at)]
      const changed = await commit({ statements, before: current, answer: environment }, at)
      return changed ? environment : null
    },
  )

export const getSettings: Handler<'getSettings'> = async ({ db }, { caller, params }) => {
  const row = await found(store.findSettings(db, caller.tenant_id, params.project_id ?? '', params.environment_id ?? ''))
  return { ...showSettings(row), version: row.version }
}

export const changeSettings: Handler<'changeSettings'> = async (
  { config, db, now, secrets, root },
  { caller, params, body, if_match, commit },
) => {
  const changed = await changeVersioned(
    if_match,
    () => store.findSettings(db, caller.tenant_id, params.project_id ?? '', params.environment_id ?? ''),
    async (current) => {
      const { environment_id } = current
      const outcome = applySettingsChange(current.type, current.settings, body, {
        seal: (password) => secrets.seal(password, sealed_columns.smtp_password.associatedData(environment_id)),
        allowed: config.webhook_allowed_networks,
        issuer: current.issuer,
        has_provider: await hasEnabledProvider(db, environment_id, null),
        is_root: environment_id === root.environment_id,
      })
      if ('problem' in outcome) throw validationFailed(fieldErrors(outcome.problem))
      if (outcome.changed.length === 0) return current
      const at = now()
      const next = { ...current, settings: outcome.stored, ...changedAt(current.version, at) }
      const written = await commit(
        {
          statements: [
            store.updateSettings(caller.tenant_id, current, outcome.stored, at),
            ...followSettings(environment_id, modeOf(current), modeOf({ type: current.type, settings: outcome.stored }), at),
            ...(body.sign_in === undefined || hasOwnMethod(next) ? [] : [keepsProvider(environment_id, null)]),
          ],
          before: showSettings(current),
          answer: { ...showSettings(next), version: next.version },
          event: { environment_id, type: 'environment.settings_updated', data: { changed: outcome.changed } },
        },
        at,
      )
      return written ? next : null
    },
  )
  return { ...showSettings(changed), version: changed.version }
}

const preview_lives_ms = 600_000

/** Signs the address of a page that shows these settings. They are checked as a change is, and not stored. */
export const previewSettings: Handler<'previewSettings'> = async ({ config, db, now, secrets }, { caller, params, body }) => {
  const { page, theme, ...change } = body
  const row = await store.findSettings(db, caller.tenant_id, params.project_id ?? '', params.environment_id ?? '')
  const project = row && (await store.findProject(db, caller.tenant_id, row.project_id))
  if (!row || !project) throw notFound()
  const { environment_id } = row
  const outcome = applySettingsChange(row.type, row.settings, change, {
    seal: () => '', // none of these groups has a secret
    allowed: config.webhook_allowed_networks,
    issuer: row.issuer,
    has_provider: await hasEnabledProvider(db, environment_id, null),
  })
  if ('problem' in outcome) throw validationFailed(fieldErrors(outcome.problem))
  const saved = effectiveSettings(row.type, row.settings)
  const { branding, links, sign_in, sign_up } = effectiveSettings(row.type, outcome.stored)
  const expires_at = new Date(now().getTime() + preview_lives_ms)
  const url = previewUrl(config.base_url, secrets, {
    tenant_id: caller.tenant_id,
    environment_id,
    page,
    theme,
    display_name: branding.display_name ?? project.name,
    primary_color: branding.primary_color,
    has_logo: branding.logo_url !== null && branding.logo_url === saved.branding.logo_url,
    has_links: { terms: links.terms_url !== null, privacy: links.privacy_url !== null, support: links.support_url !== null },
    methods: bySwitch((method) => sign_in[method]),
    sign_up: picked(sign_up, ['mode', 'name']),
    expires_at: expires_at.getTime(),
  })
  return { url, expires_at: expires_at.toISOString() }
}
