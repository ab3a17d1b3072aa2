// pure
/** The anchors of headings as GitHub makes them: lower case, without punctuation, spaces as hyphens, repeated ones numbered. */
export function anchorsOf(headings: readonly string[]): string[] {
  const anchors = headings.map((heading) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  )
  return anchors.map((anchor, i) => {
    const before = anchors.slice(0, i).filter((other) => other === anchor).length
    return before === 0 ? anchor : `${anchor}-${before}`
  })
}
