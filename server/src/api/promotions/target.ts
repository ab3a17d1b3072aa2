/** The promotion of a call, and what its target is judged against. */
import type { RoleKind } from '@ostiary/contract/objects/role.ts'
import type { Promotion, PromotionApply } from '@ostiary/contract/promotion.ts'
import type { PromotionCheck } from '@ostiary/contract/promotion-check.ts'
import { most_counted } from '@ostiary/contract/role-preview.ts'
import type { Surroundings } from '../../domain/configuration/checks.ts'
import type { Plan } from '../../domain/configuration/plan.ts'
import { valueAt } from '../../domain/configuration/pointers.ts'
import type { Read } from '../../domain/configuration/store.ts'
import { warning } from '../../domain/configuration/warnings.ts'
import { hasOrganizations } from '../../domain/organizations/counts.ts'
import { concernedSteps, givenSteps } from '../../domain/promotions/access.ts'
import { accessWarnings, requiredOrganizations } from '../../domain/promotions/access-words.ts'
import { countWithoutWay, type Ways } from '../../domain/promotions/people.ts'
import { findPromotion, type PromotionRow } from '../../domain/promotions/store.ts'
import { namedByAll } from '../../domain/roles/access.ts'
import { effectSteps } from '../../domain/roles/effects.ts'
import { countHolders } from '../../domain/roles/people.ts'
import { findProject } from '../../domain/tenancy/store.ts'
import { countWebhooksOfTenant } from '../../domain/webhooks/store.ts'
import { type ApiError, found, rateLimited } from '../../http/problem.ts'
import type { RateLimitPolicy } from '../../http/rate-limit.ts'
import type { Caller } from '../authenticate.ts'
import type { Call } from '../handler.ts'
import type { Services } from '../services.ts'

type About = Pick<Call<'getPromotion'>, 'caller' | 'params'>

export async function projectOf({ db }: Services, { caller, params }: About) {
  return found(findProject(db, caller.tenant_id, params.project_id ?? ''))
}

export async function promotionOf(services: Services, call: About): Promise<PromotionRow> {
  const project = await projectOf(services, call)
  return found(findPromotion(services.db, project.id, call.params.promotion_id ?? ''))
}

/** The secrets of a plan that a call to apply it sends. */
export const secretsSent = ({ needed_secrets }: Pick<Promotion, 'needed_secrets'>, body: PromotionApply | undefined) =>
  needed_secrets.filter(({ name }) => Object.hasOwn(body?.secrets ?? {}, name))

/** Of each counter. Each call stores a plan or an answer, most of them for a day. */
const limit_of_hour: RateLimitPolicy = { limit: 120, window_seconds: 3_600 }
/** A larger plan counts once for each of these that it begins. */
const bytes_of_one = 200_000

/** Counts a plan that is stored. It needs read scopes only, so it never counts with applies and reverts. `project_id` is one of the tenant. */
export const takeFromPlans = (services: Services, project_id: string, bytes: number): Promise<void> =>
  takeFromLimit(services, `promotions.plans.${project_id}`, bytes, 'this project is 120 stored plans')

/** Counts an apply, by the bytes of its plan, or a revert. Those of Test, which needs fewer rights, never count with those of Live. */
export const takeFromSteps = (services: Services, target_id: string, bytes = 0): Promise<void> =>
  takeFromLimit(services, `promotions.steps.${target_id}`, bytes, 'the target is 120 applies and reverts')

async function takeFromLimit({ limiter }: Services, counter: string, bytes: number, what: string): Promise<void> {
  const take = () => limiter.take(counter, limit_of_hour)
  const more = Math.max(0, Math.ceil(bytes / bytes_of_one) - 1)
  const taken = await take()
  if (!taken.allowed || taken.remaining < more) {
    const seconds = taken.allowed ? taken.reset_seconds : taken.retry_after_seconds
    throw rateLimited(
      `The limit of ${what} of promotions an hour; a plan counts once for each 200,000 bytes. Try again in ${seconds} s.`,
      seconds,
    )
  }
  for (let counted = 0; counted < more; counted++) await take()
}

/** The target has no room for another promotion that was applied until the oldest one expires. */
export function fullUntil(expires_at: Date, now: Date): ApiError {
  const day = expires_at.toISOString().slice(0, 10)
  return rateLimited(
    `The target keeps as many applied promotions as it can, each for 90 days. The oldest of them goes on ${day}. Nothing was changed.`,
    Math.max(1, Math.ceil((expires_at.getTime() - now.getTime()) / 1_000)),
  )
}

export async function surroundingsOf(
  { db, config, root }: Services,
  caller: Caller,
  { id, configuration, issuer }: Read,
): Promise<Surroundings> {
  const { limits } = config
  const webhooks_of_tenant = await countWebhooksOfTenant(db, caller.tenant_id)
  const webhooks = Math.min(limits.webhooks - configuration.objects.webhook.size, limits.webhooks_per_tenant - webhooks_of_tenant)
  return {
    environment_type: configuration.environment.type,
    base_url: config.base_url,
    issuer,
    is_root: id === root.environment_id,
    allowed: config.webhook_allowed_networks,
    most_role_permissions: limits.role_permissions,
    room: {
      application: Math.max(0, limits.applications - configuration.objects.application.size),
      resource_server: Math.max(0, limits.resource_servers - configuration.objects.resource_server.size),
      role: Math.max(0, limits.roles - configuration.objects.role.size),
      provider: Math.max(0, limits.providers - configuration.objects.provider.size),
      webhook: Math.max(0, webhooks),
    },
  }
}

/** The warnings about people whom the plan leaves without a way in: one for each way that it closes. */
export async function withoutWay(
  { db }: Services,
  { id, idOf, configuration }: Read,
  { closed_ways, after }: Pick<Plan, 'closed_ways' | 'after'>,
): Promise<PromotionCheck[]> {
  if (closed_ways.length === 0) return []
  const waysOf = ({ settings, objects }: Pick<Read['configuration'], 'settings' | 'objects'>): Ways => {
    const isOn = (method: string) => valueAt(settings, ['sign_in', method]) === true
    const enabled = [...objects.provider].filter(([, { enabled }]) => enabled === true)
    return {
      password: isOn('password'),
      email_code: isOn('email_code'),
      passkey: isOn('passkey'),
      provider_ids: enabled.flatMap(([slug]) => idOf('provider', slug) ?? []),
    }
  }
  const people = await countWithoutWay(db, id, waysOf(configuration), waysOf(after))
  if (people === 0) return []
  const many = people >= 1_000 ? '1,000 or more people' : people === 1 ? 'One person' : `${people} people`
  const detail = `${many} can sign in now and could not afterwards. Leave the way on until they have a second way in.`
  return closed_ways.map((at) => warning('people_lose_way_in', at, detail))
}

/**
 * The warnings about people who gain or lose a permission by the plan: those who have one of the roles that it concerns are counted, users and
 * members of organizations apart.
 */
export async function changedAccess(services: Services, read: Read, plan: Pick<Plan, 'after' | 'changes'>): Promise<PromotionCheck[]> {
  const of_users = await changedAccessOf(services, read, plan, 'user')
  const has_members = await hasOrganizations(services.db, read.id)
  const of_members = has_members ? await changedAccessOf(services, read, plan, 'organization') : []
  return [...of_users, ...of_members, ...requiredOrganizations(plan.changes)]
}

async function changedAccessOf(
  { db, slices }: Services,
  { id, rows }: Read,
  { after, changes }: Pick<Plan, 'after' | 'changes'>,
  kind: RoleKind,
): Promise<PromotionCheck[]> {
  const concerned = await slices.run(concernedSteps({ rows, after, changes }, kind))
  if (concerned === null) return []
  const stored = concerned.roles.flatMap(({ before }) => before ?? [])
  const given = await slices.run(givenSteps(concerned, await namedByAll(db, id, stored)))
  const count = await slices.run(effectSteps(given.before, given.after, { most: most_counted, kind }))
  const is_complete = await countHolders({ db, slices }, { environment_id: id, kind }, count)
  const effects = await slices.run(count.effects())
  return slices.run(accessWarnings({ effects, most: most_counted, is_complete }, concerned, changes))
}
