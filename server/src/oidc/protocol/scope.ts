// pure
/** Scope as on the wire: names between single spaces (RFC 6749 §3.3). */

/** The names of a scope in the order asked, each once. More than one space between two is forgiven. */
export function scopeNames(scope: string): string[] {
  return [...new Set(scope.split(' '))].filter((name) => name !== '')
}

export function includesScope(scope: string, name: string): boolean {
  return ` ${scope} `.includes(` ${name} `)
}
