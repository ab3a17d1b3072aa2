// pure
/**
 * Counts who gains and loses something by a change of roles: for each scope of a resource server that requires roles whether everyone gains or
 * loses it, and else how many people. A person who has the scope by another role neither gains nor loses it.
 */
import { type Access, type RoleSet, rolesHeld } from '../../protocol/roles.ts'

interface Concerned {
  readonly identifier: string
  readonly scope: string
  /** The roles that give the scope; `null`: no role is needed. */
  readonly before: RoleSet | null
  readonly after: RoleSet | null
}

export interface Effect {
  readonly identifier: string
  readonly scope: string
  readonly change: 'gained' | 'lost'
  /** `null`: everyone who has no other role that gives it. */
  readonly people: number | null
}

const none: RoleSet = 0n
const gives = (roles: RoleSet | null, held: RoleSet) => roles === null || (roles & held) !== none

/** Both have the same roles at the same places. A resource server that one of them lacks requires no roles there. */
function concernedBy(before: Access, after: Access): Concerned[] {
  const identifiers = new Set([...before.requiring.keys(), ...after.requiring.keys()])
  return [...identifiers].flatMap((identifier) => {
    const [had, has] = [before.requiring.get(identifier), after.requiring.get(identifier)]
    const scopes = new Set([...(had?.keys() ?? []), ...(has?.keys() ?? [])])
    return [...scopes].map((scope) => ({
      identifier,
      scope,
      before: had ? (had.get(scope) ?? none) : null,
      after: has ? (has.get(scope) ?? none) : null,
    }))
  })
}

export interface EffectCount {
  /** Counts people by the ids of the roles that they were given. */
  add: (given: readonly string[], people: number) => void
  finish: () => Effect[]
}

/** Counts the people who gain and lose something, each scope up to `most`. */
export function countEffects(before: Access, after: Access, most: number): EffectCount {
  const everyone = { before: rolesHeld(before, 'user', []), after: rolesHeld(after, 'user', []) }
  const concerned = concernedBy(before, after)
  const of_everyone = (each: Concerned) => ({ had: gives(each.before, everyone.before), has: gives(each.after, everyone.after) })
  const isOfPeople = (each: Concerned) => {
    const { had, has } = of_everyone(each)
    return !had && !has
  }
  /** Scopes that the same roles give have the same people. */
  const counted = new Map<string, { before: RoleSet; after: RoleSet; gained: number; lost: number }>()
  const keyOf = ({ before, after }: Concerned) => `${before}/${after}`
  for (const each of concerned) {
    const { before, after } = each
    if (before === after && everyone.before === everyone.after) continue // nobody's roles give more or less of it
    if (before !== null && after !== null && isOfPeople(each)) counted.set(keyOf(each), { before, after, gained: 0, lost: 0 })
  }

  const effectsOf = (each: Concerned): Effect[] => {
    const { identifier, scope } = each
    const { had, has } = of_everyone(each)
    if (had !== has) return [{ identifier, scope, change: has ? 'gained' : 'lost', people: null }]
    const { gained = 0, lost = 0 } = counted.get(keyOf(each)) ?? {}
    return [
      ...(gained > 0 ? [{ identifier, scope, change: 'gained', people: gained } as const] : []),
      ...(lost > 0 ? [{ identifier, scope, change: 'lost', people: lost } as const] : []),
    ]
  }

  return {
    add(given, people) {
      const held = { before: rolesHeld(before, 'user', given), after: rolesHeld(after, 'user', given) }
      for (const count of counted.values()) {
        const [had, has] = [gives(count.before, held.before), gives(count.after, held.after)]
        if (had && !has) count.lost = Math.min(most, count.lost + people)
        if (!had && has) count.gained = Math.min(most, count.gained + people)
      }
    },
    finish: () => concerned.flatMap(effectsOf),
  }
}
