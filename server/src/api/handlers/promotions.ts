import { object_kinds } from '@ostiary/contract/objects/objects.ts'
import type { NewPromotion } from '@ostiary/contract/promotion.ts'
import type { z } from 'zod'
import { untilWritten } from '../../base/until-written.ts'
import { type Plan, planSteps, too_many_changes } from '../../domain/configuration/plan.ts'
import { documentReading, isOwn, type WrittenDocument } from '../../domain/configuration/read-document.ts'
import { type EnvironmentPath, type Read, readConfigurations } from '../../domain/configuration/store.ts'
import { readPage } from '../../domain/lists/lists.ts'
import { bytesOf, longest_plan, roomForPlan, summaryOf } from '../../domain/promotions/bounds.ts'
import * as store from '../../domain/promotions/store.ts'
import { answerText, objectText, textsOf } from '../../domain/promotions/text.ts'
import { findEnvironmentSlugs } from '../../domain/tenancy/store.ts'
import { badField, fieldErrors, pointerTo, tooBusy, validationFailed } from '../../http/problem.ts'
import { answeredWith, asText, recordedText } from '../answer.ts'
import { type Caller, refuseMissingScopes } from '../authenticate.ts'
import type { Handler } from '../handler.ts'
import { peopleBehind } from '../people-behind.ts'
import { kindsIn, scopesOfKinds, whoIs } from '../promotions/rights.ts'
import { changedAccess, projectOf, promotionOf, surroundingsOf, takeFromPlans, withoutWay } from '../promotions/target.ts'
import type { Services } from '../services.ts'

export const listPromotions: Handler<'listPromotions'> = async (services, call) => {
  const project = await projectOf(services, call)
  const { limit: _, cursor: __, ...filters } = call.query
  return readPage(services, call, `promotions.${project.id}.${JSON.stringify(filters)}`, (rest) =>
    store.listPromotions(services.db, project.id, filters, rest),
  )
}

export const getPromotion: Handler<'getPromotion'> = async (services, call) => {
  const promotion = await promotionOf(services, call)
  if (call.caller.key) refuseMissingScopes(call.caller.key, scopesOfKinds(kindsIn(promotion), 'read'))
  return promotion
}

/** A plan judges each of them. */
const most_objects = 1_000

export const createPromotion: Handler<'createPromotion'> = async (services, call) => {
  const { db, now, newId, slices } = services
  const { body, caller } = call
  const project = await projectOf(services, call)
  const planning = () => computed(services, { caller, body, project_id: project.id })
  const { target, source, from, plan, texts } = await services.plan_turns.run(caller.tenant_id, planning)
  const plan_text = objectText(texts)
  const bytes = bytesOf(plan_text)
  if (bytes > longest_plan) throw badField(['only'], 'The plan is too large for one promotion. Plan a part with `only`.')
  const at = now()
  const head = {
    id: newId('pro'),
    tenant_id: project.tenant_id,
    project_id: project.id,
    from_environment_id: from?.id ?? null,
    document_environment: from ? null : source.environment,
    to_environment_id: target.id,
    from_config_version: from?.configuration.environment.config_version ?? null,
    to_config_version: target.configuration.environment.config_version,
    status: 'planned' as const,
    note: body.note ?? null,
    created_by: whoIs(caller),
    applied_by: null,
    reverted_by: null,
    applied_at: null,
    reverted_at: null,
    created_at: at.toISOString(),
    updated_at: at.toISOString(),
  }
  const required = project.promotion.require_approval && target.configuration.environment.type === 'live'
  const shown = { stale: false, revertible: false, approval: { required, approved_by: null, approved_at: null } }
  const answerOf = async (members: object) => answerText('promotion', new Map([...(await slices.run(textsOf(members))), ...texts]))
  if (body.dry_run) return answeredWith(200, asText(await answerOf({ ...head, id: null, ...shown })))
  await takeFromPlans(services, project.id, bytes)
  const summary = summaryOf(plan)
  const answer_text = await answerOf({ ...head, ...shown })
  const planners = await peopleBehind(db, caller)
  const row = { ...head, plan: plan_text, summary: { ...summary, bytes, changed_nothing: false }, planners, needs_approval: required }
  const insertion = store.insertPromotion(row, at)
  return untilWritten(
    most_tries,
    async () => {
      const written = await call.commit(
        {
          statements: [...(await roomForPlan(db, project, bytes)), insertion],
          before: null,
          answer: null,
          answer_text: recordedText(answer_text, 1),
          after: { ...head, summary, environment_id: target.id },
          object: { type: 'promotion', id: head.id },
        },
        at,
      )
      return written ? asText(answer_text, { version: 1, id: head.id }) : null
    },
    tooBusy('project'),
  )
}

/** A try fails where the project got another plan meanwhile, of which it has at most 120 an hour, or an evicted one was approved. */
const most_tries = 200

interface Ends {
  target: Read
  source: WrittenDocument
  /** The environment that the configuration comes from; `null` for a document. */
  from: Read | null
}

/** The plan, and the texts of its parts. */
async function computed(services: Services, { caller, body, project_id }: { caller: Caller; body: NewPromotion; project_id: string }) {
  const { target, source, from } = await endsOf(services, { tenant_id: caller.tenant_id, project_id }, body)
  const is_own = from === null && isOwn(body.document, target.configuration.environment.slug)
  const plan = await planFor(services, { caller, body, target, source, is_own })
  const { changes, checks, needed_secrets, left_alone } = plan
  const { values = [], only = [], prune = [] } = body
  const texts = await services.slices.run(textsOf({ values, only, prune, changes, checks, needed_secrets, left_alone }))
  return { target, source, from, plan, texts }
}

async function endsOf(services: Services, project: Omit<EnvironmentPath, 'environment_id'>, body: NewPromotion): Promise<Ends> {
  const { from_environment_id, to_environment_id, document } = body
  if (from_environment_id === to_environment_id)
    throw badField(['to_environment_id'], 'This is the environment that the configuration comes from.')
  const ids = [to_environment_id, ...(from_environment_id === undefined ? [] : [from_environment_id])]
  const [target, from = null] = await readConfigurations(
    services,
    ids.map((environment_id) => ({ ...project, environment_id })),
  )
  if (!target) throw badField(['to_environment_id'], 'The project has no such environment.')
  if (from_environment_id !== undefined) {
    if (!from) throw badField(['from_environment_id'], 'The project has no such environment.')
    const { environment, settings, objects } = from.configuration
    return { target, from, source: { environment: environment.slug, settings, objects } }
  }
  const { slug, type } = target.configuration.environment
  const read = await services.slices.run(documentReading(document, isOwn(document, slug) ? type : null))
  if ('problem' in read) throw validationFailed(inDocument(read.problem))
  const { environment } = read.document
  if (environment !== null && environment !== slug) await refuseUnknownEnvironment(services, project, environment)
  await refuseUnknownTemplates(read.document)
  const objects = object_kinds.reduce((count, kind) => count + read.document.objects[kind].size, 0)
  if (objects > most_objects)
    throw badField(['document'], `A document has at most ${most_objects} objects. Send it in parts: what a part leaves out stays as it is.`)
  return { target, from: null, source: read.document }
}

async function refuseUnknownEnvironment(
  { db }: Services,
  project: Omit<EnvironmentPath, 'environment_id'>,
  environment: string,
): Promise<void> {
  const slugs = await findEnvironmentSlugs(db, project.tenant_id, project.project_id)
  if (slugs.includes(environment)) return
  throw badField(['document', 'environment'], `The project has no environment ${environment}. It has ${slugs.join(', ')}.`)
}

/** Most documents name no template, so the texts are loaded when they are needed. */
async function refuseUnknownTemplates({ objects }: WrittenDocument): Promise<void> {
  const named = [...objects.application].flatMap(([slug, { template }]) => (typeof template === 'string' ? [{ slug, template }] : []))
  if (named.length === 0) return
  const { templates } = await import('@ostiary/contract/application-templates/index.ts')
  const known = new Set(templates.map((each) => each.slug))
  const detail = 'No template has this slug. GET /v1/application-templates lists them, as does "ostiary application-templates list".'
  const problems = named.filter(({ template }) => !known.has(template)).map(({ slug }) => ['document', 'applications', slug, 'template'])
  if (problems.length > 0) throw validationFailed(problems.map((path) => ({ pointer: pointerTo(path), code: 'not_allowed', detail })))
}

const inDocument = (problem: Pick<z.ZodError, 'issues'>) =>
  fieldErrors(problem).map((error) => ({ ...error, pointer: `/document${error.pointer}` }))

async function planFor(
  services: Services,
  { caller, body, target, source, is_own }: { caller: Caller; body: NewPromotion; target: Read; source: WrittenDocument; is_own: boolean },
): Promise<Plan> {
  const [left, surroundings] = await Promise.all([
    store.findPromotedState(services.db, target.id),
    surroundingsOf(services, caller, target),
  ])
  const { type } = target.configuration.environment
  const { values = [], only = null, prune = [] } = body
  const asked = { target: target.configuration, source, is_own, keeps: target.keeps, values, only, prune }
  const context = { ...surroundings, idOf: target.idOf, left: left && (await leftState(services, left, type)) }
  const outcome = await services.slices.run(planSteps(asked, context))
  if ('problems' in outcome) throw validationFailed(outcome.problems)
  const { plan } = outcome
  if (plan.checks.includes(too_many_changes)) return plan
  const of_people = [...(await withoutWay(services, target, plan)), ...(await changedAccess(services, target, plan))]
  return { ...plan, checks: [...plan.checks, ...of_people] }
}

/** The state was a document of this environment when it was left. */
async function leftState({ slices }: Services, state: Record<string, unknown>, type: 'test' | 'live') {
  const read = await slices.run(documentReading(state, type))
  return 'document' in read ? read.document : null
}
