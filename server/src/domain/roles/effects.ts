// pure
/**
 * Counts who gains and loses something by a change of roles and of resource servers: for each scope of a resource server that requires roles
 * before or after it whether everyone gains or loses it, and else how many people. A person who has the scope by another role neither gains nor
 * loses it.
 */
import type { RoleKind } from '@ostiary/contract/objects/role.ts'
import { finish, flatMapSteps, type Steps } from '../../base/steps.ts'
import { type Access, type RoleSet, rolesHeld } from '../../protocol/roles.ts'

/** The permissions of people, before or after a change. */
export interface Given {
  readonly access: Access
  /** The scopes of the resource servers that require no roles, by identifier: everyone has them. */
  readonly open: ReadonlyMap<string, ReadonlySet<string>>
}

export interface Effect {
  readonly identifier: string
  readonly scope: string
  readonly change: 'gained' | 'lost'
  /** `null`: everyone who has no other role that gives it. */
  readonly people: number | null
  /** The roles that give it from then on, or no more; or the field of the resource server that has the effect, whatever roles give. */
  readonly by: RoleSet | 'require_roles' | 'scopes'
}

export interface EffectCount {
  /** The ids of the roles whose holders can gain or lose something that not everyone does. */
  readonly roles: readonly string[]
  /** Whether more holders of the role can change a count. */
  readonly isOpen: (role_id: string) => boolean
  /** Counts people by the ids of the roles that they were given. Returns how many comparisons that took. */
  readonly add: (given: readonly string[], people: number) => number
  readonly effects: () => Steps<Effect[]>
}

/** Counts the people who gain and lose something, each scope up to `most`. For changes of a few scopes. */
export function countEffects(before: Given, after: Given, most: number, kind: RoleKind = 'user') {
  const { add, effects } = finish(effectSteps(before, after, { most, kind }))
  return { add, finish: () => finish(effects()) }
}

const none: RoleSet = 0n
/** `null`: no role is needed. */
const gives = (roles: RoleSet | null, held: RoleSet) => roles === null || (roles & held) !== none
const without = (roles: RoleSet, others: RoleSet): RoleSet => roles & ~others

/** Scopes that the same roles gave, and that the same roles give, have the same people. */
interface Group {
  readonly before: RoleSet
  readonly after: RoleSet
  /** The places of the roles that give it on one side only: nobody else gains or loses it. */
  readonly places: readonly number[]
  gained: number
  lost: number
  /** The last call that looked at it. */
  seen_in: number
}

type Counted = Pick<Effect, 'identifier' | 'scope'> & { readonly group: Group; readonly is_gone: boolean }

/** Whom to count: users, or members by the roles of organizations. */
interface Counting {
  readonly most: number
  readonly kind: RoleKind
}

/** Both have the same roles at the same places. */
export function* effectSteps(before: Given, after: Given, whom: Counting): Steps<EffectCount> {
  const everyone = { before: rolesHeld(before.access, whom.kind, []), after: rolesHeld(after.access, whom.kind, []) }
  const found: (Effect | Counted)[] = []
  const groups = createGroups()
  for (const identifier of new Set([...before.access.requiring.keys(), ...after.access.requiring.keys()])) {
    const [sideBefore, sideAfter] = [sideOf(before, identifier), sideOf(after, identifier)]
    for (const scope of new Set([...sideBefore.scopes, ...sideAfter.scopes])) {
      const [had_by, has_by] = [sideBefore.rolesOf(scope), sideAfter.rolesOf(scope)]
      const [had, has] = [gives(had_by, everyone.before), gives(has_by, everyone.after)]
      const at = { identifier, scope }
      const is_gone = !sideAfter.has(scope)
      if (had && !has) {
        const by = is_gone
          ? 'scopes'
          : had_by === null
            ? 'require_roles'
            : without(had_by & everyone.before, (has_by ?? none) & everyone.after)
        found.push({ ...at, change: 'lost', people: null, by })
      } else if (!had && has) {
        const by = has_by === null ? 'require_roles' : without(has_by & everyone.after, (had_by ?? none) & everyone.before)
        found.push({ ...at, change: 'gained', people: null, by })
      } else if (!had && had_by !== null && has_by !== null && had_by !== has_by) {
        found.push({ ...at, group: groups.of(had_by, has_by), is_gone })
      }
    }
    yield
  }
  return counting(before.access, found, yield* groups.byPlace(), whom)
}

/** A resource server before or after the change. Nobody has the scopes of one that is not there. */
function sideOf({ access, open }: Given, identifier: string) {
  const requiring = access.requiring.get(identifier)
  const scopes: ReadonlyMap<string, RoleSet> | ReadonlySet<string> = requiring ?? open.get(identifier) ?? new Set<string>()
  return {
    scopes: scopes.keys(),
    has: (scope: string) => scopes.has(scope),
    rolesOf: (scope: string): RoleSet | null => (requiring ? (requiring.get(scope) ?? none) : scopes.has(scope) ? null : none),
  }
}

function createGroups() {
  const groups = new Map<RoleSet, Map<RoleSet, Group>>()
  return {
    of(before: RoleSet, after: RoleSet): Group {
      const alike = groups.get(before) ?? new Map<RoleSet, Group>()
      groups.set(before, alike)
      const group = alike.get(after) ?? { before, after, places: placesIn(before ^ after), gained: 0, lost: 0, seen_in: 0 }
      alike.set(after, group)
      return group
    },
    *byPlace(): Steps<ReadonlyMap<number, Group[]>> {
      const found = new Map<number, Group[]>()
      for (const alike of groups.values())
        for (const group of alike.values()) {
          for (const place of group.places) {
            const those = found.get(place)
            if (those) those.push(group)
            else found.set(place, [group])
          }
          yield
        }
      return found
    },
  }
}

/** The places of the roles of a set, lowest first. Sets of a thousand roles are read in words of 32 bits. */
export function placesIn(roles: RoleSet): number[] {
  const places: number[] = []
  let first = 0
  for (let rest = roles; rest !== none; rest >>= 32n) {
    for (let word = Number(BigInt.asUintN(32, rest)); word !== 0; word = (word & (word - 1)) >>> 0)
      places.push(first + 31 - Math.clz32(word & -word))
    first += 32
  }
  return places
}

function counting(
  { roles }: Access,
  found: readonly (Effect | Counted)[],
  by_place: ReadonlyMap<number, readonly Group[]>,
  whom: Counting,
): EffectCount {
  const { most } = whom
  const placeOf = new Map(roles.flatMap(({ id, kind }, place) => (kind === whom.kind ? [[id, place] as const] : [])))
  const isFull = ({ before, after, gained, lost }: Group) =>
    (gained >= most || without(after, before) === none) && (lost >= most || without(before, after) === none)
  /** Of each role, the groups that are not full. */
  const open = new Map([...by_place].map(([place, groups]) => [place, groups.length]))
  let calls = 0

  function count(group: Group, held: RoleSet, people: number): void {
    const [had, has] = [gives(group.before, held), gives(group.after, held)]
    if (had === has || isFull(group)) return
    if (had) group.lost = Math.min(most, group.lost + people)
    else group.gained = Math.min(most, group.gained + people)
    if (isFull(group)) for (const place of group.places) open.set(place, (open.get(place) ?? 0) - 1)
  }

  return {
    roles: [...placeOf].flatMap(([id, place]) => (by_place.has(place) ? [id] : [])),
    isOpen: (role_id) => (open.get(placeOf.get(role_id) ?? -1) ?? 0) > 0,
    add(given, people) {
      calls++
      let compared = 0
      const places = given.flatMap((id) => placeOf.get(id) ?? [])
      const held = places.reduce((set, place) => set | (1n << BigInt(place)), none)
      for (const place of places)
        for (const group of by_place.get(place) ?? []) {
          if (group.seen_in === calls) continue
          group.seen_in = calls
          compared++
          count(group, held, people)
        }
      return compared
    },
    effects: () => flatMapSteps(found, (each) => ('group' in each ? effectsOf(each) : [each])),
  }
}

function effectsOf({ group: { before, after, gained, lost }, is_gone, ...at }: Counted): Effect[] {
  return [
    ...(gained > 0 ? [{ ...at, change: 'gained', people: gained, by: without(after, before) } as const] : []),
    ...(lost > 0 ? [{ ...at, change: 'lost', people: lost, by: is_gone ? 'scopes' : without(before, after) } as const] : []),
  ]
}
