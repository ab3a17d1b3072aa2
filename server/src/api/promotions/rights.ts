/** Who may do what with a promotion: scopes of keys by the kinds of objects, roles by the type of the target, and fresh sign-ins. */
import { freshFields, newApplication, newProvider } from '@ostiary/contract/fresh.ts'
import type { ObjectOfConfiguration } from '@ostiary/contract/kept.ts'
import type { PlannedChange, Promotion } from '@ostiary/contract/promotion.ts'
import type { PlatformScope } from '@ostiary/contract/scopes.ts'
import { type EnvironmentType, roles } from '@ostiary/contract/tenancy.ts'
import { reason } from '../../base/reason.ts'
import { scopesAllow } from '../../domain/keys/policy.ts'
import type { PlanDetails } from '../../domain/promotions/store.ts'
import { ApiError } from '../../http/problem.ts'
import { type Caller, refuseMissingScopes } from '../authenticate.ts'
import type { FreshSignIn } from '../fresh.ts'

const scope_names = {
  settings: 'env.settings',
  resource_server: 'resource_servers',
  role: 'resource_servers',
  application: 'applications',
  provider: 'providers',
  webhook: 'webhooks',
} as const satisfies Record<ObjectOfConfiguration, string>

export const scopesOfKinds = (kinds: Iterable<ObjectOfConfiguration>, verb: 'read' | 'write'): PlatformScope[] => [
  ...new Set([...kinds].map((kind) => `${scope_names[kind]}:${verb}` as const)),
]

/** The lists of a plan whose entries name an object. */
const lists = ['values', 'only', 'prune', 'changes', 'checks', 'needed_secrets', 'left_alone'] as const

/** The kinds of objects that a plan names, so that it shows a key nothing that it may not read. */
export const kindsIn = (plan: PlanDetails): ObjectOfConfiguration[] =>
  lists.flatMap((list) => plan[list].map(({ object }: { object: ObjectOfConfiguration }) => object))

/** The answer of a step shows a key the kinds that it may read or write. */
export function shownTo<T extends PlanDetails>(caller: Caller, promotion: T): T {
  const entriesOf = (list: (typeof lists)[number]) => promotion[list] as { object: ObjectOfConfiguration }[] // as: each list has objects
  return { ...promotion, ...Object.fromEntries(lists.map((list) => [list, entriesShownTo(caller, entriesOf(list))])) }
}

/** Of a list that a step answers or is refused with. */
export function entriesShownTo<T extends { object: ObjectOfConfiguration }>({ key }: Caller, entries: readonly T[]): T[] {
  if (!key) return [...entries]
  return entries.filter(({ object }) =>
    (['read', 'write'] as const).some((verb) => scopesOfKinds([object], verb).every((scope) => scopesAllow(key.scopes, scope))),
  )
}

interface JudgedStep {
  readonly target: EnvironmentType
  readonly changes: readonly PlannedChange[]
  /** Nothing happens: the step only shows what it would change. */
  readonly is_preview: boolean
  /** Where secrets are sent. */
  readonly sends: readonly { readonly object: ObjectOfConfiguration; readonly slug: string | null }[]
}

/** The scopes of a step beside that of its row. */
export const scopesOfStep = ({ changes, sends }: Pick<JudgedStep, 'changes' | 'sends'>): PlatformScope[] =>
  scopesOfKinds(
    [...changes, ...sends].map(({ object }) => object),
    'write',
  )

/** To apply and to revert: a key needs the write scope of each kind that changes, and Live needs an admin with a fresh sign-in. */
export async function refuseStep(
  { caller, sign_in }: { caller: Caller; sign_in: FreshSignIn | null },
  { target, changes, sends, is_preview }: JudgedStep,
): Promise<void> {
  const { key, role } = caller
  if (key) {
    refuseMissingScopes(key, ['projects:write', ...scopesOfStep({ changes, sends })])
    return
  }
  if (is_preview) return
  if (target === 'live' && role !== null && roles.indexOf(role) < roles.indexOf('admin'))
    throw new ApiError('insufficient_role', reason`A change of Live by a promotion needs the role admin; yours is ${role}.`)
  const needs_fresh = sends.length > 0 || changes.some(needsFreshEverywhere)
  await sign_in?.forPromotion(target, needs_fresh ? 'always' : null)
}

/** Whether the call that makes this change by itself needs a fresh sign-in in Test too. */
function needsFreshEverywhere({ object, action, fields }: PlannedChange): boolean {
  if (action === 'delete' || object === 'resource_server' || object === 'role') return false
  if (action === 'update') {
    const always = Object.entries(freshFields[object]).filter(([, { where }]) => where === 'always')
    return always.some(([name]) => {
      const pointer = `/${name.replaceAll('.', '/')}`
      return fields.some((field) => field.pointer === pointer || field.pointer.startsWith(`${pointer}/`))
    })
  }
  if (object === 'webhook') return true
  const body = Object.fromEntries(fields.map(({ pointer, to }) => [pointer.slice(1), to]))
  const { bodies } = object === 'application' ? newApplication : newProvider
  return bodies.some(([where, schema]) => where === 'always' && schema.safeParse(body).success)
}

type Person = NonNullable<Promotion['created_by']>

export function whoIs({ actor, key, administrator }: Caller): Person {
  return { type: key ? 'key' : 'user', id: actor.id ?? '', label: key?.label ?? administrator?.email ?? null }
}
