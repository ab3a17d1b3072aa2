// pure
/** The query and the results of a search of the documentation. */

export const longest_search = 100

export interface Found {
  /** Where the section is: the title of its document. */
  readonly title: string
  /** The heading of the section; the title where it is the beginning of the document. */
  readonly heading: string
  readonly url: string
  /** The text around the first word that was found. */
  readonly excerpt: string
}
