/**
 * Reads an origin while it is typed. A pasted path is cut off, and the note says so; Live refuses http at once, except where the
 * service will say so itself.
 */
export function originOf(typed: string, is_live: boolean): { origin: string | null; note: string | null } {
  const text = typed.includes('://') ? typed : `https://${typed}`
  if (!URL.canParse(text))
    return { origin: null, note: `“${typed}” is not an origin. Use a scheme, a host and a port, such as https://app.example.com.` }
  const { origin, protocol, href } = new URL(text)
  if (protocol !== 'https:' && protocol !== 'http:') return { origin: null, note: 'An origin begins with https:// or http://.' }
  if (is_live && protocol === 'http:') return { origin: null, note: `Live takes https only. Use ${origin.replace('http:', 'https:')}.` }
  const is_cut = href !== `${origin}/`
  return { origin, note: is_cut ? `The path was cut off: ${origin}` : null }
}
