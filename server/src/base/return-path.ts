// pure
/** The path to which a sign-in to the dashboard returns. */

/** In characters. The cookie of the sign-in contains the path. */
export const longest_return_path = 1_000

/** The addresses below `/dashboard` that are not views. */
const is_no_view = /^\/dashboard\/(?:api|sign-in|sign-out|callback|session|preview|assets)(?:\/|$)/

/** The path of a view of the dashboard, with query and fragment; its start page for every other text, so no text leads elsewhere. */
export function returnPath(text: string): string {
  const start = '/dashboard'
  if (text.length > longest_return_path || !/^\/dashboard(?:[/?#][\x21-\x5B\x5D-\x7E]*)?$/.test(text)) return start
  const { origin, pathname, search, hash } = new URL(text, 'http://localhost') // resolves dot segments, also encoded ones
  const is_view = origin === 'http://localhost' && /^\/dashboard(?:\/|$)/.test(pathname) && !is_no_view.test(pathname)
  return is_view ? pathname + search + hash : start
}
