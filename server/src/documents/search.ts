// pure
/**
 * The search of the documentation. The index is a list of sections in memory, and a query looks at each of them once: about a millisecond
 * of work, for at most `longest_query` characters and `most_words` words.
 */

export interface Entry {
  /** Where the section is: the title of its document. */
  readonly title: string
  /** The heading of the section; the title where it is the beginning of the document. */
  readonly heading: string
  readonly url: string
  readonly text: string
  /** The exact name of the thing, such as that of an operation. */
  readonly name?: string
}

export interface Found extends Omit<Entry, 'text' | 'name'> {
  /** The text around the first word that was found. */
  readonly excerpt: string
}

export const longest_query = 100
const most_words = 8
const most_results = 20
const excerpt_length = 160

interface Prepared extends Entry {
  readonly in_heading: string
  readonly in_name: string
  readonly in_title: string
  readonly in_text: string
}

/** Returns the search over these sections. Of equally good ones, the first comes first. */
export function createSearch(entries: readonly Entry[]) {
  const prepared: Prepared[] = entries.map((entry) => ({
    ...entry,
    in_heading: entry.heading.toLowerCase(),
    in_name: (entry.name ?? entry.heading).toLowerCase(),
    in_title: entry.title.toLowerCase(),
    in_text: entry.text.toLowerCase(),
  }))

  return (query: string): Found[] => {
    const words = wordsOf(query)
    if (words.length === 0) return []
    const rated = prepared.map((entry) => ({ entry, points: pointsOf(entry, words) })).filter(({ points }) => points > 0)
    return rated
      .toSorted((a, b) => b.points - a.points)
      .slice(0, most_results)
      .map(({ entry: { title, heading, url, text, in_text } }) => ({ title, heading, url, excerpt: excerptOf(text, in_text, words) }))
  }
}

/** The words of a query: identifiers such as `redirect_uri` and codes such as `0028` are words too. */
const wordsOf = (query: string): string[] => [
  ...new Set(
    query
      .slice(0, longest_query)
      .toLowerCase()
      .split(/[^\p{L}\p{N}_.-]+/u)
      .filter((word) => word !== '')
      .slice(0, most_words),
  ),
]

/** 0 where a word occurs nowhere. */
function pointsOf({ in_heading, in_name, in_title, in_text }: Prepared, words: readonly string[]): number {
  let sum = 0
  for (const word of words) {
    const points = in_name === word ? 20 : in_heading.includes(word) ? 8 : in_title.includes(word) ? 3 : in_text.includes(word) ? 1 : 0
    if (points === 0) return 0
    sum += points
  }
  return in_heading === words.join(' ') ? sum + 20 : sum
}

function excerptOf(text: string, in_text: string, words: readonly string[]): string {
  const places = words.map((word) => in_text.indexOf(word)).filter((place) => place >= 0)
  const begin = Math.max(0, Math.min(...places, text.length) - excerpt_length / 4)
  const from = places.length === 0 || begin === 0 ? 0 : text.indexOf(' ', begin) + 1
  const end = from + excerpt_length
  return `${from > 0 ? '… ' : ''}${text.slice(from, end).trim()}${end < text.length ? ' …' : ''}`
}
