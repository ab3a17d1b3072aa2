// pure
/**
 * Which roles a member who administers an organization may give, take and invite with, and whom they may change or remove. One rule for all of it:
 * nobody gives what they do not have (decision 0180). Pages ask this file before a change, and acceptance asks it again for the member who sent
 * an invitation. Backends and administrators of the environment do not ask it.
 *
 * A permission counts by its name, even if it gives nothing now: its scope may come back. It counts by what it gives, too: of two roles that
 * name a scope, one can mean the present scope and the other an earlier one under the same name.
 *
 * The roles that are compared come from one `createGiving`.
 */
import type { Permission } from '@ostiary/contract/objects/role.ts'
import type { RoleSet } from './roles.ts'

export interface GivenRole {
  readonly id: string
  readonly administers: boolean
  /** An application lets in only holders of roles that it names, and names this one. */
  readonly lets_in: boolean
  /** The place of the role in the sets. */
  readonly bit: RoleSet
  /** For each scope of its permissions the roles that name it; equal sets once. */
  readonly named: readonly RoleSet[]
  /** The same for the scopes that it gives, whether or not their resource servers require roles. */
  readonly in_effect: readonly RoleSet[]
}

/** A role as it is stored. */
export interface RoleToGive extends Pick<GivenRole, 'id' | 'administers' | 'lets_in'> {
  readonly permissions: readonly Permission[]
  /** The part that gives something. */
  readonly in_effect: readonly Permission[]
}

/**
 * Compares roles once, so that no page compares their permissions: of each scope remains which roles have it. All roles are added before the first
 * is taken. Both go on one role at a time, since the most that there can be are 200,000 scopes.
 */
export function createGiving<R extends RoleToGive>() {
  const [named, in_effect] = [createScopeSets(), createScopeSets()]
  const added: { role: R; bit: RoleSet; named: number[]; in_effect: number[] }[] = []
  return {
    add(role: R): void {
      const bit = 1n << BigInt(added.length)
      added.push({ role, bit, named: named.add(role.permissions, bit), in_effect: in_effect.add(role.in_effect, bit) })
    },
    *finish(): Generator<Omit<R, 'permissions' | 'in_effect'> & GivenRole> {
      for (const { role, bit, ...places } of added) {
        const { permissions: _, in_effect: __, ...rest } = role
        yield { ...rest, bit, named: named.of(places.named), in_effect: in_effect.of(places.in_effect) }
      }
    },
  }
}

/** The roles that have each scope. */
function createScopeSets() {
  const places = new Map<string, Map<string, number>>()
  const sets: RoleSet[] = []
  function placeOf(resource_server: string, scope: string): number {
    const scopes = places.get(resource_server) ?? new Map<string, number>()
    places.set(resource_server, scopes)
    const place = scopes.get(scope) ?? sets.push(nobody) - 1
    scopes.set(scope, place)
    return place
  }
  return {
    /** Returns the places of the scopes. */
    add(permissions: readonly Permission[], bit: RoleSet): number[] {
      const added = permissions.flatMap(({ resource_server, scopes }) => scopes.map((scope) => placeOf(resource_server, scope)))
      for (const place of added) sets[place] = (sets[place] ?? nobody) | bit
      return added
    },
    of: (added: readonly number[]): RoleSet[] => [...new Set(added.map((place) => sets[place] ?? nobody))],
  }
}

const nobody: RoleSet = 0n

/** The roles of one member, with those that every member has. */
type Held = readonly GivenRole[]

/** Whether a member with these roles manages members at all. */
export const administers = (held: Held): boolean => held.some((role) => role.administers)

/** Whether a member may give this role, take it, or invite with it. */
export const mayGive = (own: Held, role: GivenRole): boolean => administers(own) && covers(own, [role]) && holdsWhatIsHeld(own, [role])

export const mayGiveAll = (own: Held, roles: readonly GivenRole[]): boolean =>
  administers(own) && covers(own, roles) && holdsWhatIsHeld(own, roles)

/** Whether a member may replace the roles of another. `given`: those that were given to them, without those that every member has. */
export function mayChange(
  own: Held,
  other: Held,
  change: { readonly before: readonly GivenRole[]; readonly after: readonly GivenRole[] },
): boolean {
  const touched = [...without(change.after, change.before), ...without(change.before, change.after)]
  return administers(own) && covers(own, other) && mayGiveAll(own, touched)
}

/** Whether a member may remove another. Leaving is not removing: every member may leave. */
export const mayRemove = (own: Held, other: Held): boolean => administers(own) && covers(own, other) && holdsWhatIsHeld(own, other)

/** Whether these roles have no more than one's own. */
function covers(own: Held, roles: readonly GivenRole[]): boolean {
  const all = own.reduce((set, { bit }) => set | bit, nobody)
  const isOwn = (roles_with: RoleSet) => (roles_with & all) !== nobody
  return (administers(own) || !administers(roles)) && roles.every(({ named, in_effect }) => named.every(isOwn) && in_effect.every(isOwn))
}

/**
 * A role without permissions means something to the product alone, and one that lets in means something to an application. No permission shows
 * how much that is, so only a holder gives and takes it.
 */
function holdsWhatIsHeld(own: Held, roles: readonly GivenRole[]): boolean {
  const ids = new Set(own.map(({ id }) => id))
  return roles.every((role) => !meansMore(role) || ids.has(role.id))
}

const meansMore = ({ administers, named, lets_in }: GivenRole): boolean => lets_in || (!administers && named.length === 0)

const without = (roles: readonly GivenRole[], others: readonly GivenRole[]): GivenRole[] => {
  const ids = new Set(others.map(({ id }) => id))
  return roles.filter(({ id }) => !ids.has(id))
}
