/** The scopes of a resource server: each with the role that gives it to a person, or why none does. */
import type { EnvironmentRole, UserAccess } from '@ostiary/sdk'

export interface ScopeLine {
  name: string
  can: boolean
  why: string
}

interface Known {
  /** The scopes of the resource server; `undefined` where they are not read yet: then only what is given is shown. */
  scopes: readonly string[] | undefined
  roles: readonly EnvironmentRole[]
  /** Which of them count: those of users, or those of members of an organization. */
  kind: EnvironmentRole['kind']
  /** The slugs of the roles that count for the person. */
  held: readonly string[]
}

export function scopeLines(at: UserAccess['permissions'][number], { scopes, roles, kind, held }: Known): ScopeLine[] {
  const given = new Map(at.scopes.map(({ name, by }) => [name, by]))
  const nameOf = (slug: string) => roles.find((role) => role.slug === slug)?.name ?? slug
  const named = (slugs: readonly string[]) => slugs.map(nameOf).join(', ')
  return (scopes ?? [...given.keys()]).map((name) => {
    const by = given.get(name)
    if (by !== undefined) return { name, can: true, why: by.length > 0 ? `By ${named(by)}` : 'No role is needed here' }
    const naming = roles
      .filter((role) => role.kind === kind && role.permissions.some((each) => names(each, at.resource_server, name)))
      .map(({ slug }) => slug)
    // A role that the person has and that gives nothing names an earlier scope of the same name.
    const outdated = naming.filter((slug) => held.includes(slug))
    if (outdated.length > 0) return { name, can: false, why: `The scope is newer than ${named(outdated)}: save its permissions again` }
    return { name, can: false, why: naming.length > 0 ? `Only by ${named(naming)}` : 'No role gives it' }
  })
}

const names = ({ resource_server, scopes }: { resource_server: string; scopes: readonly string[] }, slug: string, scope: string): boolean =>
  resource_server === slug && scopes.includes(scope)
