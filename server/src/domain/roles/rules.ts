// pure
/** The rules for the fields of a role that its schema cannot express. */
import type { Permission, RoleFields, RoleKind } from '@ostiary/contract/objects/role.ts'

/** Everyone has these roles, so every token reads them. */
export const most_default = 5

export const too_many_default = `At most ${most_default} roles of a kind are held by everyone. Take that from another role first.`

interface Problem {
  readonly code: 'unknown_resource_server' | 'unknown_scope' | 'not_allowed'
  readonly path: readonly PropertyKey[]
  readonly detail: string
}

interface Known {
  /** The names of the scopes of a resource server of the environment, by its slug. */
  readonly scopesOf: (slug: string) => Pick<ReadonlySet<string>, 'has'> | undefined
  /** The permissions that are stored: what they name may be sent again, even if it is gone. */
  readonly stored: readonly Permission[]
}

export const roleProblems = (kind: RoleKind, fields: RoleFields, known: Known): Problem[] => [
  ...administersProblems(kind, fields),
  ...permissionProblems(fields.permissions, known),
]

function administersProblems(kind: RoleKind, { administers, default: is_default }: RoleFields): Problem[] {
  const refuse = (detail: string): Problem[] => [{ code: 'not_allowed', path: ['administers'], detail }]
  if (!administers) return []
  if (kind !== 'organization') return refuse('Only a role of the kind organization administers one.')
  return is_default ? refuse('A role that everyone has cannot administer organizations.') : []
}

function permissionProblems(permissions: readonly Permission[], { scopesOf, stored }: Known): Problem[] {
  const kept = new Map(stored.map(({ resource_server, scopes }) => [resource_server, new Set(scopes)]))
  return permissions.flatMap(({ resource_server, scopes }, i): Problem[] => {
    const isKept = (name: string) => kept.get(resource_server)?.has(name) === true
    if (scopes.every(isKept)) return []
    const known = scopesOf(resource_server)
    if (!known) {
      const detail = `This environment has no resource server with the slug "${resource_server}".`
      return [{ code: 'unknown_resource_server', path: ['permissions', i, 'resource_server'], detail }]
    }
    return scopes.flatMap((name, j): Problem[] => {
      if (known.has(name) || isKept(name)) return []
      const detail = `The resource server "${resource_server}" has no scope "${name}".`
      return [{ code: 'unknown_scope', path: ['permissions', i, 'scopes', j], detail }]
    })
  })
}

export const countScopes = (permissions: readonly Permission[]): number => permissions.reduce((sum, { scopes }) => sum + scopes.length, 0)
