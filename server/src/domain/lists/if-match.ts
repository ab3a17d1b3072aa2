// pure
/** Conditional changes: If-Match. A change of the object increments its version. */

/** The parsed If-Match header. */
export type IfMatch = ReturnType<typeof parseIfMatch>

/** The entity tags of an If-Match header; `null` for any version or without the header. */
export function parseIfMatch(header: string | undefined): ReadonlySet<string> | null | 'malformed' {
  if (header === undefined || header.trim() === '*') return null
  const tags = header.split(',').map((tag) => tag.trim())
  if (!tags.every((tag) => /^(W\/)?"[\x21\x23-\x7e\x80-\xff]*"$/.test(tag))) return 'malformed'
  return new Set(tags)
}

/** A strong entity tag. A weak tag in If-Match never matches it (RFC 9110 §13.1.1). */
export function entityTag(version: number): string {
  return `"${version}"`
}
