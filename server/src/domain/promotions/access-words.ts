// pure
/** The warnings about people who gain or lose a permission by a plan: one for each object that has such an effect, the largest first. */
import type { PlannedChange } from '@ostiary/contract/promotion.ts'
import type { PromotionCheck } from '@ostiary/contract/promotion-check.ts'
import { thousands } from '@ostiary/contract/thousands.ts'
import type { Steps } from '../../base/steps.ts'
import { warning } from '../configuration/warnings.ts'
import { type Effect, placesIn } from '../roles/effects.ts'
import type { ConcernedAccess } from './access.ts'

export interface CountedEffects {
  readonly effects: readonly Effect[]
  readonly most: number
  /** A count can be too low where more people are concerned than were read. */
  readonly is_complete: boolean
}

/** A plan is read by people, and has a bound in bytes. */
const most_warnings = 100
const most_permissions_named = 5
const most_roles_named = 3

type Place = Pick<PromotionCheck, 'object' | 'slug' | 'pointer'> & { readonly object: 'role' | 'resource_server' }

interface Found {
  readonly at: Place
  readonly change: Effect['change']
  readonly effects: Effect[]
}

export function* accessWarnings(
  counted: CountedEffects,
  concerned: ConcernedAccess,
  changes: readonly PlannedChange[],
): Steps<PromotionCheck[]> {
  const placed = placing(concerned, changes)
  const who = words[concerned.kind]
  const found = new Map<string, Found>()
  for (const effect of counted.effects) {
    const at = placed.placeOf(effect)
    const key = [at.object, at.slug, at.pointer, effect.change].join(' ')
    const those = found.get(key)
    if (those) those.effects.push(effect)
    else found.set(key, { at, change: effect.change, effects: [effect] })
    yield
  }
  const sorted: Found[] = []
  for (const each of found.values()) {
    each.effects.sort(byPeople)
    sorted.push(each)
    yield
  }
  sorted.sort((a, b) => largestOf(b) - largestOf(a))
  const [shown, rest] = [sorted.slice(0, most_warnings), sorted.slice(most_warnings)]
  const [first] = rest
  const others = rest.length === 1 ? '' : ` and by ${rest.length - 1} more objects of the plan`
  return [
    ...shown.map((each) => warning(codes[each.change], each.at, detailOf(each, counted, { ...placed, who }))),
    ...(first ? [warning(codes[first.change], first.at, `${who.Many} gain or lose permissions by this too${others}.`)] : []),
  ]
}

/** The words for those who are counted. */
const words = {
  user: { one: 'user', many: 'users', Many: 'Users' },
  organization: { one: 'member of an organization', many: 'members of organizations', Many: 'Members of organizations' },
} as const

const codes = { gained: 'people_gain_access', lost: 'people_lose_access' } as const

/** Where an organization becomes required, people who act for none lose their access. Nobody counts them: it depends on how they sign in. */
export const requiredOrganizations = (changes: readonly PlannedChange[]): PromotionCheck[] =>
  changes.flatMap(({ object, slug, action, fields }) => {
    const becomes = action === 'update' && fields.some(({ pointer, to }) => pointer === '/organizations' && to === 'required')
    if (!becomes || slug === null || (object !== 'application' && object !== 'resource_server')) return []
    const detail = 'People who act for no organization get no token for it any more. Add them to an organization first.'
    return [warning('people_lose_access', { object, slug, pointer: '/organizations' }, detail)]
  })

const sizeOf = ({ people }: Effect) => people ?? Number.POSITIVE_INFINITY
const largestOf = ({ effects: [first] }: Found) => (first ? Math.min(sizeOf(first), Number.MAX_SAFE_INTEGER) : 0)
const byPeople = (a: Effect, b: Effect) =>
  sizeOf(a) === sizeOf(b) ? compare(a.identifier, b.identifier) || compare(a.scope, b.scope) : sizeOf(a) < sizeOf(b) ? 1 : -1
const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)

type Placing = ReturnType<typeof placing> & { readonly who: (typeof words)[keyof typeof words] }

function placing({ servers, roles }: Pick<ConcernedAccess, 'servers' | 'roles'>, changes: readonly PlannedChange[]) {
  const changed = new Map(changes.map((change) => [`${change.object}/${change.slug}`, change]))
  const had = new Map(servers.flatMap(({ before }) => (before ? [[before.identifier, before.slug] as const] : [])))
  const has = new Map(servers.flatMap(({ after }) => (after ? [[after.identifier, after.slug] as const] : [])))
  /** Many scopes have the effect by the same roles. */
  const slugs = new Map<Effect['by'], readonly string[]>()

  function rolesOf({ by }: Effect): readonly string[] {
    if (typeof by === 'string') return []
    const known = slugs.get(by) ?? placesIn(by).flatMap((place) => roles[place]?.slug ?? [])
    slugs.set(by, known)
    return known
  }
  const serverOf = ({ identifier, change }: Effect): string => {
    const [own, other] = change === 'lost' ? [had, has] : [has, had]
    return own.get(identifier) ?? other.get(identifier) ?? ''
  }

  return {
    rolesOf,
    serverOf,
    placeOf(effect: Effect): Place {
      const role = rolesOf(effect).find((slug) => changed.has(`role/${slug}`))
      const [object, slug] = role === undefined ? (['resource_server', serverOf(effect)] as const) : (['role', role] as const)
      const change = changed.get(`${object}/${slug}`)
      const fields = new Set(change?.action === 'delete' ? [] : change?.fields.map(({ pointer }) => pointer))
      const pointers = object === 'role' ? pointersOfRole(effect) : [`/${effect.by}`]
      return { object, slug, pointer: pointers.find((pointer) => fields.has(pointer)) ?? null }
    },
  }
}

/** Everyone gains or loses something by having the role or not, where that changes too. */
const pointersOfRole = ({ people }: Effect) => (people === null ? ['/default', '/permissions'] : ['/permissions'])

function detailOf({ change, effects }: Found, counted: CountedEffects, { rolesOf, serverOf, who }: Placing): string {
  const named = effects.slice(0, most_permissions_named)
  const alike = Map.groupBy(named, (effect) => JSON.stringify([effect.people, serverOf(effect), rolesOf(effect), effect.by === 'scopes']))
  const sentences = [...alike.values()].flatMap((those) => {
    const [first] = those
    if (!first) return []
    const names = those.map(({ scope }) => `"${scope}"`)
    const what = `${listed(names, names.length)} of the resource server "${serverOf(first)}"`
    return `${whoOf(first, counted, who)} ${what}${byRoles(rolesOf(first))}${exceptionOf(first)}.`
  })
  const rest = effects.length - named.length
  const more = rest === 0 ? [] : [`${who.Many} ${verbOf(change)} ${rest === 1 ? 'one more permission' : `${rest} more permissions`}.`]
  return [...sentences, ...more, advice[change]].join(' ')
}

const advice = {
  gained: 'Apply this only if they should have it.',
  lost: 'Give those who still need it a role that gives it first.',
} as const

const verbOf = (change: Effect['change']) => (change === 'gained' ? 'gain' : 'lose')

function whoOf({ people, change }: Effect, { most, is_complete }: CountedEffects, { one, many }: Placing['who']): string {
  const verb = verbOf(change)
  if (people === null) return `Every ${one} ${verb}s`
  if (people >= most || !is_complete) return `${thousands(people)} or more ${many} ${verb}`
  return people === 1 ? `One ${one} ${verb}s` : `${people} ${many} ${verb}`
}

function byRoles(slugs: readonly string[]): string {
  if (slugs.length === 0) return ''
  const names = slugs.map((slug) => `"${slug}"`)
  return ` by the role${names.length === 1 ? '' : 's'} ${listed(names, most_roles_named)}`
}

function exceptionOf({ people, change, by }: Effect): string {
  if (people !== null || by === 'scopes') return ''
  if (change === 'gained') return by === 'require_roles' ? ', which requires no roles any more' : ''
  return by === 'require_roles' ? ', except those with a role that gives it' : ', except those with another role that gives it'
}

function listed(names: readonly string[], most: number): string {
  const shown = names.slice(0, most)
  const rest = names.length - shown.length
  const parts = rest === 0 ? shown : [...shown, `${rest} more`]
  return parts.length === 1 ? parts.join() : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`
}
