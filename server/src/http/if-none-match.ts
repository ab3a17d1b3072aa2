// pure
/** RFC 9110 §13.1.2: whether the client has this form already. Weak and strong tags compare as equal. */
export function isKnown(if_none_match: string | undefined, tag: string): boolean {
  if (if_none_match === undefined) return false
  const known = if_none_match.split(',').map((each) => each.trim())
  return known.some((each) => each === '*' || each.replace(/^W\//, '') === tag)
}
