/** The steps of a stored promotion: approve, apply, revert. Each step is one batch, whose guards are its status and the versions of its ends. */
import type { Permission } from '@ostiary/contract/objects/role.ts'
import type { PlannedChange, Promotion, RevertConflict } from '@ostiary/contract/promotion.ts'
import type { PromotionCheck } from '@ostiary/contract/promotion-check.ts'
import { oidcScopes } from '@ostiary/contract/scopes.ts'
import { reason } from '../../base/reason.ts'
import { untilWritten } from '../../base/until-written.ts'
import { guard, sql } from '../../db/db.ts'
import { errorSteps, objectsAfter } from '../../domain/configuration/checks.ts'
import { changeSteps, type Drafts, draftSteps } from '../../domain/configuration/drafts.ts'
import { type ConfigurationStep, inUse, type RevertStep, revertSteps, stepOfPlan } from '../../domain/configuration/steps.ts'
import { type Read, readConfigurations } from '../../domain/configuration/store.ts'
import { closedWaysOf, secretWarnings } from '../../domain/configuration/warnings.ts'
import { refuseOtherVersion } from '../../domain/lists/versions.ts'
import { bytesOf, roomForApplied, summaryOf } from '../../domain/promotions/bounds.ts'
import { differingSecrets, no_secrets, secretProblems } from '../../domain/promotions/secrets.ts'
import * as store from '../../domain/promotions/store.ts'
import { answerText, objectText, textsOf } from '../../domain/promotions/text.ts'
import { hasGrants, hasHolders, hasIdentities } from '../../domain/promotions/usage.ts'
import { haveRoom, holdProject } from '../../domain/tenancy/store.ts'
import { notFound, tooBusy, validationFailed } from '../../http/problem.ts'
import { asText } from '../answer.ts'
import type { Call, Handler } from '../handler.ts'
import {
  type Ends,
  refuseBlocked,
  refuseConflicts,
  refuseMoved,
  refuseOwnPlan,
  refuseUnapproved,
  wrongState,
} from '../promotions/refusals.ts'
import { entriesShownTo, refuseStep, whoIs } from '../promotions/rights.ts'
import { changedAccess, fullUntil, promotionOf, secretsSent, surroundingsOf, takeFromSteps, withoutWay } from '../promotions/target.ts'
import { audited, objectOf, writeStep } from '../promotions/write.ts'
import type { Services } from '../services.ts'

/** A try fails where another change of an end came first. */
const most_tries = 20

export const approvePromotion: Handler<'approvePromotion'> = async (services, call) => {
  const { caller } = call
  return untilWritten(
    most_tries,
    async () => {
      const promotion = await promotionOf(services, call)
      refuseOtherVersion(call.if_match, promotion)
      if (promotion.status !== 'planned') throw wrongState(reason`Only a plan can be approved, and this one is ${promotion.status}.`)
      if (!promotion.approval.required) throw wrongState(reason`This plan needs no approval.`)
      refuseOwnPlan(await store.findPlanners(services.db, promotion), promotion, caller)
      refuseMoved(promotion, await endsOf(services, promotion))
      refuseBlocked(caller, promotion.checks)
      if (promotion.approval.approved_at !== null) return promotion
      const at = services.now()
      const by = whoIs(caller)
      const answer = {
        ...promotion,
        approval: { required: true, approved_by: by, approved_at: at.toISOString() },
        updated_at: at.toISOString(),
        version: promotion.version + 1,
      }
      const approved = await call.commit(
        {
          statements: [store.approve(promotion, by, at)],
          before: audited(promotion, { approved_by: null }),
          after: audited(promotion, { approved_by: by }),
          answer,
          object: objectOf(promotion),
        },
        at,
      )
      return approved ? answer : null
    },
    tooBusy('promotion'),
  )
}

export const applyPromotion: Handler<'applyPromotion'> = async (services, call) => {
  const { body, caller } = call
  const sent = body.secrets ?? {}
  return untilWritten(
    most_tries,
    async (tries) => {
      const { promotion, ...ends } = await present(services, call)
      const { target } = ends
      const needed = promotion.needed_secrets
      const sends = secretsSent(promotion, body)
      await refuseStep(call, { target: target.settings.type, changes: promotion.changes, sends, is_preview: false })
      if (promotion.status !== 'planned') throw wrongState(reason`This promotion is ${promotion.status} already.`)
      refuseUnapproved(promotion)
      refuseMoved(promotion, ends)
      refuseBlocked(caller, promotion.checks)
      const problems = secretProblems(sent, needed)
      if (problems.length > 0) throw validationFailed(problems)

      const { drafts, errors } = await judged(services, call, target, stepOfPlan(promotion))
      refuseBlocked(caller, errors)
      const secrets = await differingSecrets(services, target, sent, needed)
      const plan = store.planIn(promotion)
      const plan_texts = await services.slices.run(textsOf(plan))
      const bytes = bytesOf(objectText(plan_texts))
      const room = await roomForApplied(services.db, promotion, bytes)
      const at = services.now()
      if (room.full_until !== null) throw fullUntil(room.full_until, at)
      if (tries === 0) await takeFromSteps(services, target.id, bytes)
      const needs_no_approval = target.settings.type === 'live' && promotion.approval.approved_at === null
      const hold = holdProject(caller.tenant_id, promotion.project_id)
      const still_needs_none = needs_no_approval ? [guard(sql`${hold} and ${store.asksForNoApproval}`)] : []
      const by = whoIs(caller)
      const answer = await writeStep(services, call, {
        ...ends,
        drafts,
        secrets,
        event: 'promotion.applied',
        promotion,
        at,
        project: [...haveRoom(hold, room.unchanged), ...still_needs_none],
        mark(changes, has_change) {
          const plan = objectText(new Map([...plan_texts, ['changes', changes]]))
          const summary = { ...summaryOf(promotion), bytes, changed_nothing: !has_change }
          return [store.markApplied(promotion, { by, plan, summary }, at), ...(has_change ? [] : room.without_change_before)]
        },
        next: {
          status: 'applied',
          applied_by: by,
          applied_at: at.toISOString(),
          revertible: promotion.changes.every(({ action }) => action !== 'delete'),
        },
      })
      if (answer) removeHistories(services, target, promotion.changes)
      return answer
    },
    tooBusy('environment'),
  )
}

export const revertPromotion: Handler<'revertPromotion'> = async (services, call) => {
  const { body, caller } = call
  if (body.dry_run === true) return services.plan_turns.run(caller.tenant_id, () => previewOf(services, call))
  return untilWritten(
    most_tries,
    async (tries) => {
      const { promotion, target, drafts, errors, changes, conflicts } = await reverting(services, call)
      refuseConflicts(conflicts)
      refuseBlocked(caller, errors)
      if (tries === 0) await takeFromSteps(services, target.id)
      const at = services.now()
      const by = whoIs(caller)
      const answer = await writeStep(services, call, {
        target,
        source: null,
        drafts,
        secrets: no_secrets,
        event: 'promotion.reverted',
        promotion,
        at,
        project: [],
        mark: () => [store.markReverted(promotion, by, at)],
        next: { status: 'reverted', reverted_by: by, reverted_at: at.toISOString(), revertible: false },
      })
      if (answer) removeHistories(services, target, changes)
      return answer
    },
    tooBusy('environment'),
  )
}

type RevertCall = Pick<Call<'revertPromotion'>, 'body' | 'caller' | 'params' | 'if_match' | 'sign_in'>

/** The target as a revert would leave it, and the conflicts that prevent it. */
async function reverting(services: Services, call: RevertCall) {
  const { body } = call
  const { promotion, target } = await present(services, call)
  await refuseStep(call, { target: target.settings.type, changes: promotion.changes, sends: [], is_preview: body.dry_run === true })
  if (promotion.status !== 'applied') throw wrongState(reason`Only an applied promotion can be reverted. This one is ${promotion.status}.`)
  if (!promotion.revertible) throw wrongState(reason`This promotion deleted objects, which cannot come back.`)
  const { rows, idOf } = target
  const step = await services.slices.run(
    revertSteps(promotion.changes, body.leave ?? [], {
      target: target.configuration,
      idOf,
      versionOf: (kind, slug) => rows[kind].get(slug)?.version ?? null,
    }),
  )
  if (step.problems.length > 0) throw validationFailed(step.problems)
  const { drafts, errors, changes } = await judged(services, call, target, step)
  const conflicts = [...step.conflicts, ...(await usesOf(services, target, step, drafts))]
  return { promotion, target, drafts, errors, changes, conflicts }
}

async function previewOf(services: Services, call: RevertCall) {
  const { target, drafts, errors, changes, conflicts } = await reverting(services, call)
  const checks = entriesShownTo(call.caller, [...errors, ...(await warningsOfRevert(services, target, { drafts, changes }))])
  return asText(answerText('preview', await services.slices.run(textsOf({ changes, conflicts, checks }))))
}

async function endsOf(
  services: Services,
  { tenant_id, project_id, from_environment_id, to_environment_id }: store.PromotionRow,
): Promise<Ends> {
  const ids = [to_environment_id, ...(from_environment_id === null ? [] : [from_environment_id])]
  const [target, source = null] = await readConfigurations(
    services,
    ids.map((environment_id) => ({ tenant_id, project_id, environment_id })),
  )
  if (!target) throw notFound()
  return { target, source }
}

/** Read after its ends, a promotion that has moved them itself is no longer planned. */
async function present(
  services: Services,
  call: Pick<Call<'applyPromotion'>, 'caller' | 'params' | 'if_match'>,
): Promise<Ends & { promotion: store.PromotionRow }> {
  const ends = await endsOf(services, await promotionOf(services, call))
  const promotion = await promotionOf(services, call)
  refuseOtherVersion(call.if_match, promotion)
  return { ...ends, promotion }
}

/** The target as the step would leave it, and what is wrong with it. */
async function judged(
  services: Services,
  { caller }: Pick<Call<'applyPromotion'>, 'caller'>,
  target: Read,
  { wanted, prune }: ConfigurationStep,
) {
  const { configuration, idOf } = target
  const surroundings = await surroundingsOf(services, caller, target)
  return services.slices.run(judging())

  function* judging() {
    const drafts = yield* draftSteps(configuration, wanted, prune, true)
    const { checks } = yield* errorSteps(configuration, drafts, false, surroundings)
    return { drafts, errors: checks, changes: yield* changeSteps(drafts, idOf) }
  }
}

async function warningsOfRevert(
  services: Services,
  target: Read,
  { drafts, changes }: { drafts: Drafts; changes: readonly PlannedChange[] },
): Promise<PromotionCheck[]> {
  const after = { settings: drafts.settings.next, objects: objectsAfter(target.configuration, drafts) }
  const lost = await withoutWay(services, target, { closed_ways: closedWaysOf(drafts), after })
  return [...drafts.objects.flatMap(secretWarnings), ...lost, ...(await changedAccess(services, target, { after, changes }))]
}

/** Returns the conflicts of a revert that would delete objects in use by people or other applications. */
async function usesOf({ db }: Services, target: Read, { created }: RevertStep, drafts: Drafts): Promise<RevertConflict[]> {
  const conflicts: RevertConflict[] = []
  const after = objectsAfter(target.configuration, drafts)
  const allowed = new Set([...after.application.values()].flatMap(({ allowed_scopes }) => allowed_scopes as string[])) // as: checked by the schema
  const permissions = [...after.role.values()].flatMap((fields) => fields.permissions as Permission[]) // as: checked by the schema
  const permitted = new Set(permissions.map(({ resource_server }) => resource_server))
  const known = new Set<string>(oidcScopes)
  for (const { scopes } of after.resource_server.values()) for (const { name } of scopes as { name: string }[]) known.add(name) // as: checked by the schema
  for (const { object, slug, id } of created) {
    if (object === 'application' && (await hasGrants(db, target.id, id)))
      conflicts.push(inUse(object, slug, 'People have signed in to the application: it has grants.'))
    if (object === 'provider' && (await hasIdentities(db, target.id, id)))
      conflicts.push(inUse(object, slug, 'People have signed in by the provider: it has identities.'))
    if (object === 'role' && (await hasHolders(db, target.id, id))) conflicts.push(inUse(object, slug, 'People have the role.'))
    const lost = target.rows.resource_server.get(slug)?.scopes.filter(({ name }) => !known.has(name)) ?? []
    const uses = lost.some(({ name }) => allowed.has(name))
    if (object === 'resource_server' && uses) conflicts.push(inUse(object, slug, 'An application is allowed one of its scopes.'))
    else if (object === 'resource_server' && permitted.has(slug)) conflicts.push(inUse(object, slug, 'A role gives its scopes.'))
  }
  return conflicts
}

function removeHistories({ webhook_histories }: Services, { rows }: Read, changes: Promotion['changes']): void {
  for (const { object, slug, action } of changes) {
    const row = object === 'webhook' && action === 'delete' ? rows.webhook.get(slug ?? '') : undefined
    if (row) webhook_histories.remove(row)
  }
}
