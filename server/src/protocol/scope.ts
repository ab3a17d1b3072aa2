// pure
/** The text form of a scope: names between single spaces (RFC 6749 §3.3). */

/** The names of a scope in their order, each once. Several spaces between two names equal one. */
export function scopeNames(scope: string): string[] {
  return [...new Set(scope.split(' '))].filter((name) => name !== '')
}

/** RFC 6749 §3.3: printable ASCII without space, quotation mark and backslash. Any other word cannot be a scope. */
export const isScopeToken = (word: string): boolean => /^[\x21\x23-\x5B\x5D-\x7E]+$/.test(word)

export function includesScope(scope: string, name: string): boolean {
  return ` ${scope} `.includes(` ${name} `)
}
