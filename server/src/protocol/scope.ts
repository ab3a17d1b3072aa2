// pure
/** The text form of a scope: names between single spaces (RFC 6749 §3.3). */
import { oidcScopes } from '@ostiary/contract/scopes.ts'
import type { Client } from './client.ts'

/** The names of a scope in their order, each once. Several spaces between two names equal one. */
export function scopeNames(scope: string): string[] {
  return [...new Set(scope.split(' '))].filter((name) => name !== '')
}

/** RFC 6749 §3.3: printable ASCII without space, quotation mark and backslash. Any other word cannot be a scope. */
export const isScopeToken = (word: string): boolean => /^[\x21\x23-\x5B\x5D-\x7E]+$/.test(word)

export function includesScope(scope: string, name: string): boolean {
  return ` ${scope} `.includes(` ${name} `)
}

/** Many products ask for it. It gives nothing more, so an application with a claim for roles needs no other permission. */
const groups = 'groups'

/** The scopes of this client that belong to no resource server. */
export const scopesWithoutServer = ({ roles_claim }: { roles_claim: string | null }): readonly string[] =>
  roles_claim === null ? oidcScopes : [...oidcScopes, groups]

/** The scopes that a client may request at these resource servers: those of an application are fixed, those of other clients are all of theirs. */
export const allowedScopes = (
  { allowed_scopes, metadata }: Pick<Client, 'allowed_scopes' | 'metadata'>,
  servers: readonly { scopes: readonly (string | { name: string })[] }[],
): readonly string[] => {
  if (!metadata) return allowed_scopes
  const { scope } = metadata
  const names = servers.flatMap(({ scopes }) => scopes.map((one) => (typeof one === 'string' ? one : one.name)))
  return [...allowed_scopes, ...names.filter((name) => scope === null || scope.includes(name))]
}

/** Whether the client may request a scope. `of_servers` are those of the resource servers of the request. */
export const mayRequest = (
  { allowed_scopes, roles_claim }: { allowed_scopes: readonly string[]; roles_claim: string | null },
  name: string,
  of_servers: Pick<ReadonlySet<string>, 'has'>,
): boolean => allowed_scopes.includes(name) || (name === groups && roles_claim !== null && !of_servers.has(groups))
