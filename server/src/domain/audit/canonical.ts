// pure
/** Canonical JSON (RFC 8785): equal values have equal text, so they have equal hashes. */

/**
 * RFC 8785 §3.2.2: strings, numbers and literals as ECMAScript serializes them, without whitespace
 * RFC 8785 §3.2.3: members in the order of their names' UTF-16 code units
 */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item ?? null)).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value ?? null)
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`)
  return `{${members.join(',')}}`
}
