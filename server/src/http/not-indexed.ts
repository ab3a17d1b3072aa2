// pure
/** The header of every page that is no document: search engines list the documentation alone. */
export const not_indexed = { 'x-robots-tag': 'noindex' } as const
