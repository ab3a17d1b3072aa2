// pure
/**
 * The version of a resource server in which each of its scopes was made. A scope that was removed and made again under its old name has a later
 * version, so permissions that were written before do not give it (decision 0176).
 */

export type ScopeVersions = Readonly<Record<string, number>>

interface Named {
  readonly name: string
}

/** A resource server, as the permissions of roles name it. */
export interface NamedServer extends Versioned {
  readonly id: string
  readonly slug: string
}

/** Scopes from before there were roles have no entry. */
const first_version = 1

export const versionOfScope = (versions: ScopeVersions, name: string): number =>
  Object.hasOwn(versions, name) ? (versions[name] ?? first_version) : first_version

export const versionsAtFirst = (scopes: readonly Named[]): ScopeVersions =>
  Object.fromEntries(scopes.map(({ name }) => [name, first_version]))

interface Versioned {
  readonly version: number
  readonly scopes: readonly Named[]
  readonly scope_versions: ScopeVersions
}

/** The versions after a change: a kept name keeps its own, and a new one gets that of the change. */
export function versionsAfter({ version, scopes, scope_versions }: Versioned, next: readonly Named[]): ScopeVersions {
  const kept = new Set(scopes.map(({ name }) => name))
  return Object.fromEntries(next.map(({ name }) => [name, kept.has(name) ? versionOfScope(scope_versions, name) : version + 1]))
}
