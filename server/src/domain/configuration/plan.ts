// pure
/**
 * The plan of a promotion: from what is wanted and the target to changes and checks. Decision 0130.
 *
 *   wanted.ts   which fields a plan wants         checks.ts     errors
 *   drafts.ts   the target before and after       warnings.ts   warnings
 */
import type { LeftAlone, NeededSecret, PlannedChange } from '@ostiary/contract/promotion.ts'
import type { PromotionCheck } from '@ostiary/contract/promotion-check.ts'
import { flatMapSteps, type Steps } from '../../base/steps.ts'
import { errorCheck, errorSteps, hasNewIssuer, isSentElsewhere, objectsAfter, type Surroundings } from './checks.ts'
import type { Configuration, Fields } from './configuration.ts'
import { changeSteps, type Drafts, draftSteps, type IdOf } from './drafts.ts'
import { fieldsOf, valueAt } from './pointers.ts'
import { type Asked, type Problem, type WantedField, wantedSteps } from './wanted.ts'
import { type ClosedWay, closedWaysOf, type LeftState, warningSteps } from './warnings.ts'

export interface Plan {
  readonly changes: readonly PlannedChange[]
  /** Errors, then warnings. */
  readonly checks: readonly PromotionCheck[]
  readonly needed_secrets: readonly NeededSecret[]
  readonly left_alone: readonly LeftAlone[]
  /** The ways in that it closes: whom they leave without one, only the database knows. */
  readonly closed_ways: readonly ClosedWay[]
  /** The configuration of the target as the plan would leave it. */
  readonly after: Pick<Configuration, 'settings' | 'objects'>
}

export interface PlanContext extends Surroundings {
  readonly idOf: IdOf
  readonly left: LeftState
}

/** A promotion is one batch. */
const most_changes = 1_000

/** Nothing else is judged of a plan that has it: it is not applied. */
export const too_many_changes = errorCheck(
  'too_many_changes',
  { object: 'settings', slug: null, pointer: null },
  `A promotion changes at most ${most_changes} objects. Plan a part with \`only\`.`,
)

/** `problems` are mistakes of the caller: the request is refused. */
type Outcome = { readonly plan: Plan } | { readonly problems: readonly Problem[] }

export function* planSteps(asked: Asked, context: PlanContext): Steps<Outcome> {
  const { target, source, is_own, prune } = asked
  const { wanted, left_alone, problems } = yield* wantedSteps(asked)
  if (problems.length > 0) return { problems }
  const drafts = yield* draftSteps(target, wanted, prune, is_own)
  const changes = yield* changeSteps(drafts, context.idOf)
  const after = { settings: drafts.settings.next, objects: objectsAfter(target, drafts) }
  if (changes.length > most_changes)
    return { plan: { changes, checks: [too_many_changes], needed_secrets: [], left_alone, closed_ways: [], after } }
  const errors = yield* errorSteps(target, drafts, is_own, context)
  if (errors.problems.length > 0) return { problems: errors.problems }
  const warnings = yield* warningSteps({ target, source, is_own, drafts, changes, left: context.left })
  return {
    plan: {
      changes,
      checks: [...errors.checks, ...warnings],
      needed_secrets: yield* neededSecrets(drafts),
      left_alone,
      closed_ways: closedWaysOf(drafts),
      after,
    },
  }
}

/** The secrets that a document names. One that is stored stays where none is sent, unless it would go to another place. */
function* neededSecrets({ settings, objects }: Drafts): Steps<NeededSecret[]> {
  const needed = (
    object: NeededSecret['object'],
    slug: string | null,
    { wanted, current, goes_elsewhere }: { wanted: ReadonlyMap<string, WantedField>; current: Fields | null; goes_elsewhere: boolean },
  ) =>
    fieldsOf(object).flatMap(({ pointer, path, class: kind }): NeededSecret[] => {
      const value = kind === 'secret' ? wanted.get(pointer)?.value : null
      if (typeof value !== 'string') return []
      return [{ name: value.slice(2, -1), object, slug, pointer, stored: !goes_elsewhere && valueAt(current, path) != null }]
    })
  return [
    ...needed('settings', null, { ...settings, goes_elsewhere: isSentElsewhere(settings.current, settings.next) }),
    ...(yield* flatMapSteps(objects, ({ kind, slug, current, next, wanted, type_differs }) =>
      type_differs || next === null
        ? []
        : needed(kind, slug, { wanted, current, goes_elsewhere: kind === 'provider' && current !== null && hasNewIssuer(current, next) }),
    )),
  ]
}
