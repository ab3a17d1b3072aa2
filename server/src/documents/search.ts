/**
 * The search of the documentation: an index of sections in memory, which MiniSearch ranks. A question is words in any form: words that every
 * question has count nothing, endings are cut, words of the field find their synonyms, and a word that is nowhere does not empty the result.
 * A query is at most `longest_search` characters and `most_words` words, so it costs a few milliseconds.
 */
import MiniSearch, { type Query, type SearchResult } from 'minisearch'
import { stemmer } from 'stemmer'
import { type Found, longest_search } from './found.ts'
import { common_words, phrases, synonyms } from './search-words.ts'

/** What a section is: what answers a question stands above what explains a decision. */
export type EntryKind = 'guide' | 'error' | 'operation' | 'project' | 'record'

export interface Entry extends Omit<Found, 'excerpt'> {
  readonly kind: EntryKind
  readonly text: string
  /** The exact name of the thing, such as that of an operation. */
  readonly name?: string
  /** Other words for what the whole document is about. */
  readonly about?: string
}

const most_words = 12
const most_results = 20
/** Sections of one page that are shown, so that a long page does not hide the others. */
const most_of_page = 2
const excerpt_length = 160

const weights: Record<EntryKind, number> = { guide: 1.5, error: 1.1, operation: 0.8, project: 0.5, record: 0.3 }

/** Who types the number of a decision wants that one. */
const number_of_decision = /^\d{4}$/

/** Returns the search over these sections: first the one whose heading was asked for, and decision records after everything else. */
export function createSearch(entries: readonly Entry[]) {
  const index = new MiniSearch<Entry & { id: number }>({
    fields: ['name', 'heading', 'title', 'about', 'text'],
    tokenize: wordsOf,
    processTerm: stemOf,
    searchOptions: {
      boost: { name: 5, heading: 3, title: 3, about: 2 },
      boostDocument: (id) => weights[entries[Number(id)]?.kind ?? 'record'],
      prefix: (term) => term.length > 3,
      fuzzy: (term) => (term.length > 5 ? 0.17 : false),
      weights: { prefix: 0.3, fuzzy: 0.15 },
    },
  })
  index.addAll(entries.map((entry, id) => ({ ...entry, id })))

  return (query: string): Found[] => {
    const found = index.search(queryOf(query)).flatMap(({ id, terms }: SearchResult) => {
      const entry = entries[Number(id)]
      return entry ? [{ ...entry, terms }] : []
    })
    const shown = new Map<string, number>()
    const asked = query.trim().toLowerCase()
    const rankOf = ({ kind, heading }: Entry) =>
      kind === 'record' && !number_of_decision.test(asked) ? 2 : heading.toLowerCase() === asked ? 0 : 1
    return found
      .toSorted((a, b) => rankOf(a) - rankOf(b))
      .filter(({ url }) => {
        const page = url.split('#', 1)[0] ?? url
        shown.set(page, (shown.get(page) ?? 0) + 1)
        return (shown.get(page) ?? 0) <= most_of_page
      })
      .slice(0, most_results)
      .map(({ title, heading, url, text, terms }) => ({ title, heading, url, excerpt: excerptOf(text, terms) }))
  }
}

/** Identifiers such as `redirect_uri` and codes such as `0028` are words, and the parts of an identifier too. */
const wordsOf = (text: string): string[] =>
  text
    .split(/[^\p{L}\p{N}_]+/u)
    .flatMap((word) => (word.includes('_') ? [word, ...word.split('_')] : [word]))
    .filter((word) => word !== '')

const stemOf = (word: string): string | null => {
  const lower = word.toLowerCase()
  return common_words.has(lower) ? null : lower.includes('_') ? lower : stemmer(lower)
}

/** Each word of the question, or one of its synonyms. A phrase becomes the words that the documents have for it. */
function queryOf(question: string): Query {
  const asked = phrases.reduce(
    (text, [phrase, words]) => text.replace(phrase, ` ${words} `),
    question.slice(0, longest_search).toLowerCase(),
  )
  const words = [...new Set(wordsOf(asked))].slice(0, most_words)
  return {
    combineWith: 'OR',
    queries: words.map((word) => {
      const others = synonyms.get(stemOf(word) ?? '') ?? []
      return { combineWith: 'OR', queries: [word, ...(others.length > 0 ? [{ queries: [...others], boost: other_boost }] : [])] }
    }),
  }
}

/** A section with the asked word itself stands above one with another word for it. */
const other_boost = { name: 2, heading: 1.5, title: 1.5, about: 1, text: 0.5 }

function excerptOf(text: string, terms: readonly string[]): string {
  const lower = text.toLowerCase()
  const places = terms.map((term) => lower.indexOf(term)).filter((place) => place >= 0)
  const begin = Math.max(0, Math.min(...places, text.length) - excerpt_length / 4)
  const from = places.length === 0 || begin === 0 ? 0 : text.indexOf(' ', begin) + 1
  const end = from + excerpt_length
  return `${from > 0 ? '… ' : ''}${text.slice(from, end).trim()}${end < text.length ? ' …' : ''}`
}
