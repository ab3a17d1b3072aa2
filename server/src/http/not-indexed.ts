// pure
/** The header of every page outside of the documentation: search engines list the documentation alone. */
export const not_indexed = { 'x-robots-tag': 'noindex' } as const
