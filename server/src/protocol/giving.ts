// pure
/**
 * Which roles a member who administers an organization may give, take and invite with, and whom they may change or remove. One rule for all of it:
 * nobody gives what they do not have (decision 0180). Pages ask this file before a change, and acceptance asks it again for the member who sent
 * an invitation. Backends and administrators of the environment do not ask it.
 *
 * A permission counts by its name, even if it gives nothing now: its scope may come back. It counts by what it gives, too: of two roles that
 * name a scope, one can mean the present scope and the other an earlier one under the same name.
 */
import type { Permission } from '@ostiary/contract/objects/role.ts'

export interface GivenRole {
  readonly id: string
  readonly administers: boolean
  /** As the role has them. */
  readonly permissions: readonly Permission[]
  /** The part that gives something, whether or not its resource servers require roles. */
  readonly in_effect: readonly Permission[]
  /** An application lets in only holders of roles that it names, and names this one. */
  readonly lets_in: boolean
}

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
  const [named, in_effect] = [scopesOf(own, 'permissions'), scopesOf(own, 'in_effect')]
  return (
    (administers(own) || !administers(roles)) &&
    isWithin(scopesOf(roles, 'permissions'), named) &&
    isWithin(scopesOf(roles, 'in_effect'), in_effect)
  )
}

/**
 * A role without permissions means something to the product alone, and one that lets in means something to an application. No permission shows
 * how much that is, so only a holder gives and takes it.
 */
function holdsWhatIsHeld(own: Held, roles: readonly GivenRole[]): boolean {
  const ids = new Set(own.map(({ id }) => id))
  return roles.every((role) => !meansMore(role) || ids.has(role.id))
}

const meansMore = ({ administers, permissions, lets_in }: GivenRole): boolean =>
  lets_in || (!administers && permissions.every(({ scopes }) => scopes.length === 0))

const without = (roles: readonly GivenRole[], others: readonly GivenRole[]): GivenRole[] => {
  const ids = new Set(others.map(({ id }) => id))
  return roles.filter(({ id }) => !ids.has(id))
}

/** Slugs and names of scopes have no blanks. */
const scopesOf = (roles: readonly GivenRole[], which: 'permissions' | 'in_effect'): Set<string> =>
  new Set(roles.flatMap((role) => role[which].flatMap(({ resource_server, scopes }) => scopes.map((name) => `${resource_server} ${name}`))))

const isWithin = (some: ReadonlySet<string>, all: ReadonlySet<string>): boolean => [...some].every((one) => all.has(one))
