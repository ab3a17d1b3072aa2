// pure
/** Conditional requests: changes over a version that only changes of the object raise, and reading what is known already. */

/** What If-Match asks for: one of these tags, any version, or it cannot be told. */
export type IfMatch = ReturnType<typeof parseIfMatch>

/** The versions an If-Match header admits; `null` where there is none or it admits any; `'malformed'` where it is no such header. */
export function parseIfMatch(header: string | undefined): ReadonlySet<string> | null | 'malformed' {
  if (header === undefined || header.trim() === '*') return null
  const tags = header.split(',').map((tag) => tag.trim())
  if (!tags.every((tag) => /^(W\/)?"[\x21\x23-\x7e\x80-\xff]*"$/.test(tag))) return 'malformed'
  return new Set(tags)
}

/** RFC 9110 §13.1.2: whether whoever asks has this version already. Weak and strong tags are compared alike. */
export function isKnown(if_none_match: string | undefined, tag: string): boolean {
  if (if_none_match === undefined) return false
  const known = if_none_match.split(',').map((each) => each.trim())
  return known.some((each) => each === '*' || each.replace(/^W\//, '') === tag)
}

/** A strong entity tag. A weak tag in If-Match never matches it (RFC 9110 §13.1.1). */
export function entityTag(version: number): string {
  return `"${version}"`
}
