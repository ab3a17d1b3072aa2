/**
 * The search of the documentation, over an index of sections in memory. A question is words in any form: words that every question has
 * weigh nothing, endings are cut, words of the field find their synonyms, and a word that is nowhere does not empty the result.
 *
 * Everyone can search, so each step has a bound: the length and the words of a question, the terms that a word becomes, the scores that are
 * added, and the results. `explain` counts what was done (docs/decisions/0098).
 */
import { stemmer } from 'stemmer'
import { type Found, longest_search } from './found.ts'
import { bitsIn, type Index, indexBuilder, placeOf, similarTo, type Word, withBeginning } from './search-index.ts'
import { common_words, phrases, synonyms } from './search-words.ts'

/** The kind of a section: sections that answer a question rank above those that explain a decision. */
export type EntryKind = 'guide' | 'absent' | 'error' | 'operation' | 'project' | 'record'

export interface Entry extends Omit<Found, 'excerpt'> {
  readonly kind: EntryKind
  readonly text: string
  /** The exact name of the thing, such as that of an operation. */
  readonly name?: string
  /** Other words for what the whole document is about. */
  readonly about?: string
}

/** The bounds of one search. */
export const bounds = {
  words: 8,
  /** Other words for them. */
  synonyms: 24,
  /** Longer terms that a word begins. */
  beginnings: 16,
  /** Words that are in no section, for which similar terms are looked up, and the terms that one of them becomes. */
  mistyped: 3,
  similar: 12,
  /** Scores that are added: one for each section of each term. */
  scores: 5_000,
  results: 20,
  /** Sections of one page that are shown, so that a long page does not hide the others. */
  of_page: 2,
  /** Answers that are kept. */
  kept: 200,
} as const

const excerpt_length = 160
const weights: Record<EntryKind, number> = { guide: 1.5, absent: 1.2, error: 1.1, operation: 0.8, project: 0.5, record: 0.3 }
const own_boosts = { name: 5, heading: 3, title: 3, about: 2, text: 1 }
/** A section with the asked word itself ranks above one with another word for it. */
const other_boosts = { name: 2, heading: 1.5, title: 1.5, about: 1, text: 0.5 }
const beginning_weight = 0.3
const similar_weight = 0.15

/** More than any score: for sections that rank first or last with any score. */
const step = 1e9

/** Who types the number of a decision wants that one. */
const number_of_decision = /^\d{4}$/

export interface Explained {
  readonly found: Found[]
  /** How many scores were added. */
  readonly scores: number
  readonly terms: number
  /** Whether the answer was kept from an earlier search. */
  readonly is_kept: boolean
}

/** Makes the search from sections, each of which is added in a step of its own. */
export function searchBuilder() {
  const entries: Entry[] = []
  const { add, build } = indexBuilder(own_boosts, other_boosts, 'text')
  return {
    add(entry: Entry): void {
      entries.push(entry)
      const { name = '', heading, title, about = '', text } = entry
      const words = { name: wordsOf(name), heading: wordsOf(heading), title: wordsOf(title), about: wordsOf(about), text: wordsOf(text) }
      add(words, weights[entry.kind])
    },
    build: async (pause: () => Promise<void>) => createSearch(entries, await build(pause)),
  }
}

function createSearch(entries: readonly Entry[], index: Index) {
  const headings = entries.map(({ heading }) => heading.toLowerCase())
  const urls = entries.map(({ url }) => url.split('#', 1)[0] ?? url)
  const numbers = new Map([...new Set(urls)].map((url, number) => [url, number]))
  const pages = Uint16Array.from(urls, (url) => numbers.get(url) ?? 0)
  const kept = new Map<string, Found[]>()

  /** First the section whose heading was asked for, and decision records after everything else. */
  function explain(query: string): Explained {
    const asked = shorten(query).trim().toLowerCase()
    const known = kept.get(asked)
    if (known) {
      kept.delete(asked)
      kept.set(asked, known) // the least recently used is the first one
      return { found: known, scores: 0, terms: 0, is_kept: true }
    }
    const matches = addScores(index, termsOf(index, asked))
    const shows_records = number_of_decision.test(asked)
    const values = new Float64Array(entries.length)
    for (const section of matches.sections) {
      const is_last = entries[section]?.kind === 'record' && !shows_records
      values[section] = matches.scoreOf(section) + (is_last ? 0 : headings[section] === asked ? 2 * step : step)
    }
    const found = bestOf(matches.sections, (section) => values[section] ?? 0, pages).map((section) => {
      const { title = '', heading = '', url = '', text = '' } = entries[section] ?? {}
      return { title, heading, url, excerpt: excerptOf(text, matches.placeIn(section)) }
    })
    kept.set(asked, found)
    for (const [oldest] of kept) {
      if (kept.size <= bounds.kept) break
      kept.delete(oldest)
    }
    return { found, scores: matches.scores, terms: matches.terms, is_kept: false }
  }
  return { search: (query: string): Found[] => explain(query).found, explain, addresses: entries.map(({ url }) => url) }
}

/** The whole words of the first `longest_search` characters: this is a search box, so a longer question is cut. */
export function shorten(query: string): string {
  return query.length <= longest_search ? query : query.slice(0, longest_search + 1).replace(/(?:[\p{L}\p{N}_]+|[^\p{L}\p{N}_])$/u, '')
}

const word = /[\p{L}\p{N}_]+/gu
const compound = /[\p{L}\p{N}]+(?:-[\p{L}\p{N}]+)+/gu

/**
 * Identifiers such as `redirect_uri` and codes such as `0028` are words, and the parts of an identifier too. A compound such as `sign-up` is a word
 * besides its parts, as others write it in one.
 */
function wordsOf(text: string): Word[] {
  const words: Word[] = []
  for (const { 0: found, index: at } of text.matchAll(word)) {
    words.push({ term: stemOf(found), at })
    if (found.includes('_')) for (const part of found.split('_')) if (part !== '') words.push({ term: stemOf(part), at })
  }
  for (const { 0: found, index: at } of text.matchAll(compound)) words.push({ term: stemOf(found.replaceAll('-', '')), at })
  return words
}

const stemOf = (found: string): string | null => {
  const lower = found.toLowerCase()
  return common_words.has(lower) ? null : lower.includes('_') ? lower : stemmer(lower)
}

interface Term {
  readonly place: number
  readonly weight: number
  /** Whether it is a word of the question, or another word for it. */
  readonly is_own: boolean
  /** The number of the word of the question that it stands for. */
  readonly source: number
}

/** The terms of a question: its words and their synonyms first, then the terms that they begin, then similar ones. */
function termsOf(index: Index, asked: string): Term[] {
  const text = phrases.reduce((text, [phrase, words]) => text.replace(phrase, ` ${words} `), asked)
  const words = [...new Set(wordsOf(text).flatMap(({ term }) => term ?? []))].slice(0, bounds.words)
  const others = new Map(words.flatMap((each, source) => (synonyms.get(each) ?? []).map((other) => [other, source] as const)))
  for (const own of words) others.delete(own)
  const added = [...others].slice(0, bounds.synonyms)
  const sources = [
    ...words.map((term, source) => ({ term, source, is_own: true })),
    ...added.map(([term, source]) => ({ term, source, is_own: false })),
  ]

  const exact: Term[] = []
  const beginnings: Term[] = []
  const similar: Term[] = []
  let mistyped = 0
  for (const { term, source, is_own } of sources) {
    const place = placeOf(index, term)
    if (place >= 0) exact.push({ place, weight: 1, is_own, source })
    const longer = term.length > 3 ? withBeginning(index, term, bounds.beginnings) : []
    for (const place of longer) {
      const { length } = index.terms[place] ?? ''
      beginnings.push({ place, weight: (beginning_weight * length) / (length + 0.3 * (length - term.length)), is_own, source })
    }
    if (!is_own || place >= 0 || term.length <= 5 || mistyped === bounds.mistyped) continue
    mistyped += 1
    for (const [place, errors] of similarTo(index, term, term.length > 8 ? 2 : 1, bounds.similar)) {
      const { length } = index.terms[place] ?? ''
      if (!longer.includes(place)) similar.push({ place, weight: (similar_weight * length) / (length + errors), is_own, source })
    }
  }
  return [...exact, ...beginnings, ...similar]
}

/** Adds the scores of the terms in their order, while the bound allows. A section with more of the words ranks above one with fewer. */
function addScores(index: Index, terms: readonly Term[]) {
  const sums = new Float64Array(index.size)
  const sources = new Int32Array(index.size) // a bit for each word of the question that the section has, itself or by another word
  const places = new Int32Array(index.size) // of the first word, from 1
  const sections: number[] = []
  let scores = 0
  let used = 0
  for (const { place, weight, is_own, source } of terms) {
    const postings = index.postings[place]
    if (!postings || scores + postings.sections.length > bounds.scores) continue
    scores += postings.sections.length
    used += 1
    const values = is_own ? postings.own : postings.other
    for (let i = 0; i < postings.sections.length; i++) {
      const section = postings.sections[i] ?? 0
      if (sources[section] === 0) sections.push(section)
      sources[section] = (sources[section] ?? 0) | (1 << source)
      sums[section] = (sums[section] ?? 0) + weight * (values[i] ?? 0)
      const at = (postings.at[i] ?? -1) + 1
      if (at > 0 && (places[section] === 0 || at < (places[section] ?? 0))) places[section] = at
    }
  }
  return {
    sections,
    scores,
    terms: used,
    scoreOf: (section: number) => (sums[section] ?? 0) * bitsIn(sources[section] ?? 0),
    /** The place of the first word in the text of a section; the beginning where only another field has one. */
    placeIn: (section: number) => Math.max(0, (places[section] ?? 0) - 1),
  }
}

/** The best sections in their order, few of one page. Each section is looked at once. */
function bestOf(sections: readonly number[], judge: (section: number) => number, pages: Uint16Array): number[] {
  const before = (one: number, other: number) => judge(one) - judge(other) || other - one
  const best_of_pages: number[][] = []
  for (const section of sections) {
    const page = pages[section] ?? 0
    const best = best_of_pages[page]
    if (best) insert(best, section, before, bounds.of_page)
    else best_of_pages[page] = [section]
  }
  const best: number[] = []
  for (const of_page of best_of_pages) for (const section of of_page ?? []) insert(best, section, before, bounds.results)
  return best
}

/** Puts a value into a sorted list of limited length. */
function insert(list: number[], value: number, before: (one: number, other: number) => number, most: number): void {
  let place = list.length
  while (place > 0 && before(value, list[place - 1] ?? 0) > 0) place -= 1
  if (place >= most) return
  list.splice(place, 0, value)
  if (list.length > most) list.pop()
}

/** @param place where the first word is */
function excerptOf(text: string, place: number): string {
  const begin = Math.max(0, place - excerpt_length / 4)
  const from = begin === 0 ? 0 : text.indexOf(' ', begin) + 1
  const end = from + excerpt_length
  return `${from > 0 ? '… ' : ''}${text.slice(from, end).trim()}${end < text.length ? ' …' : ''}`
}
