// pure
/**
 * The index of the search: for each term the sections that have it, with the score that the term gives each of them. All that depends on
 * the texts alone is computed when the index is built (BM25+), so a search only adds numbers. See docs/decisions/0098.
 */

/** The weight of a term in a field. */
export type Boosts<Field extends string> = Readonly<Record<Field, number>>

export interface Postings {
  /** The numbers of sections, ascending. */
  readonly sections: Uint16Array
  /** The score of each section where the term was asked for, and where it is another word for what was asked. */
  readonly own: Float32Array
  readonly other: Float32Array
  /** Where the term is in the text of the section; -1 where only another field has it. */
  readonly at: Int32Array
}

export interface Index {
  readonly size: number
  /** Sorted, so that terms with a common beginning are adjacent. */
  readonly terms: readonly string[]
  readonly postings: readonly Postings[]
  /** For typing errors: the letters of each term as bits, and its length. */
  readonly letters: Int32Array
  readonly lengths: Uint8Array
}

/** The constants of BM25+: how fast repetition saturates, the weight of the length of a field, and the least weight of a match. */
const [k, b, d] = [1.2, 0.7, 0.5]

interface Builder<Field extends string> {
  /** Adds the next section. `words` are all words, `terms` those that count, with their places. */
  add(fields: Readonly<Record<Field, readonly Word[]>>, weight: number): void
  /** Takes a pause after every few terms, so that others can be served. */
  build(pause: () => Promise<void>): Promise<Index>
}

const terms_between_pauses = 200

export interface Word {
  /** `null` for a word that is not searched. */
  readonly term: string | null
  readonly at: number
}

interface Found {
  section: number
  count: number
  at: number
}

/** @param text the field whose places are kept */
export function indexBuilder<Field extends string>(own: Boosts<Field>, other: Boosts<Field>, text: Field): Builder<Field> {
  const fields = Object.keys(own) as Field[] // as: the keys of the record
  const found = new Map(fields.map((field) => [field, new Map<string, Found[]>()]))
  const lengths = new Map<Field, number[]>(fields.map((field) => [field, []]))
  const weights: number[] = []

  function add(section: Readonly<Record<Field, readonly Word[]>>, weight: number): void {
    const number = weights.push(weight) - 1
    for (const field of fields) {
      const words = section[field]
      lengths.get(field)?.push(new Set(words.map(({ term }) => term)).size)
      const terms = found.get(field) ?? new Map<string, Found[]>()
      for (const { term, at } of words) {
        if (term === null) continue
        const places = terms.get(term) ?? []
        const last = places.at(-1)
        if (last?.section === number) last.count += 1
        else places.push({ section: number, count: 1, at })
        terms.set(term, places)
      }
    }
  }

  async function build(pause: () => Promise<void>): Promise<Index> {
    const size = weights.length
    const averages = new Map(fields.map((field) => [field, (lengths.get(field) ?? []).reduce((sum, length) => sum + length, 0) / size]))
    const terms = [...new Set(fields.flatMap((field) => [...(found.get(field)?.keys() ?? [])]))].sort()
    const postings: Postings[] = []
    for (const term of terms) {
      if (postings.length % terms_between_pauses === 0) await pause()
      postings.push(postingsOf(term, averages))
    }
    return {
      size,
      terms,
      postings,
      letters: Int32Array.from(terms, lettersOf),
      lengths: Uint8Array.from(terms, ({ length }) => Math.min(length, 255)),
    }
  }

  function postingsOf(term: string, averages: ReadonlyMap<Field, number>): Postings {
    const size = weights.length
    const sums = new Map<number, { own: number; other: number; at: number }>()
    for (const field of fields) {
      const places = found.get(field)?.get(term) ?? []
      const rarity = Math.log(1 + (size - places.length + 0.5) / (places.length + 0.5))
      for (const { section, count, at } of places) {
        const length = (lengths.get(field)?.[section] ?? 0) / (averages.get(field) ?? 1)
        const score = (weights[section] ?? 1) * rarity * (d + (count * (k + 1)) / (count + k * (1 - b + b * length)))
        const sum = sums.get(section) ?? { own: 0, other: 0, at: -1 }
        sums.set(section, {
          own: sum.own + own[field] * score,
          other: sum.other + other[field] * score,
          at: field === text ? at : sum.at,
        })
      }
    }
    const sorted = [...sums].sort(([one], [another]) => one - another)
    return {
      sections: Uint16Array.from(sorted, ([section]) => section),
      own: Float32Array.from(sorted, ([, sum]) => sum.own),
      other: Float32Array.from(sorted, ([, sum]) => sum.other),
      at: Int32Array.from(sorted, ([, sum]) => sum.at),
    }
  }
  return { add, build }
}

/** The place of a term in the index; -1 if it is nowhere. */
export function placeOf({ terms }: Index, term: string): number {
  const place = firstFrom(terms, term)
  return terms[place] === term ? place : -1
}

/** The terms that begin with a term and are longer, at most `most`. */
export function withBeginning({ terms }: Index, term: string, most: number): number[] {
  const places: number[] = []
  for (let place = firstFrom(terms, term); places.length < most && terms[place]?.startsWith(term); place++)
    if (terms[place] !== term) places.push(place)
  return places
}

/** The first term that is not before a term. */
function firstFrom(terms: readonly string[], term: string): number {
  let [from, to] = [0, terms.length]
  while (from < to) {
    const middle = (from + to) >>> 1
    if ((terms[middle] ?? '') < term) from = middle + 1
    else to = middle
  }
  return from
}

/** The terms with the same first letter that are one or two typing errors away, at most `most`. */
export function similarTo(index: Index, term: string, most_errors: number, most: number): [place: number, errors: number][] {
  const { terms, letters, lengths } = index
  const mask = lettersOf(term)
  const first = term.charAt(0)
  const similar: [number, number][] = []
  for (let place = firstFrom(terms, first); similar.length < most && terms[place]?.startsWith(first); place++) {
    // An error changes at most two letters of the set.
    if (Math.abs((lengths[place] ?? 0) - term.length) > most_errors || bitsIn((letters[place] ?? 0) ^ mask) > 2 * most_errors) continue
    const errors = errorsBetween(term, terms[place] ?? '', most_errors)
    if (errors <= most_errors) similar.push([place, errors])
  }
  return similar
}

function lettersOf(term: string): number {
  let mask = 0
  for (let i = 0; i < term.length; i++) mask |= 1 << (term.charCodeAt(i) & 31)
  return mask
}

/** How many bits of a number are set. */
export function bitsIn(mask: number): number {
  let rest = mask - ((mask >>> 1) & 0x55555555)
  rest = (rest & 0x33333333) + ((rest >>> 2) & 0x33333333)
  return Math.imul((rest + (rest >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
}

/** Letters that are added, left out or exchanged between two terms (Levenshtein); `most + 1` if there are more than `most`. */
function errorsBetween(one: string, other: string, most: number): number {
  const row = Array.from({ length: other.length + 1 }, (_, i) => i)
  for (let i = 1; i <= one.length; i++) {
    let [diagonal, least] = [i - 1, i]
    row[0] = i
    for (let j = 1; j <= other.length; j++) {
      const exchanged = diagonal + (one.charCodeAt(i - 1) === other.charCodeAt(j - 1) ? 0 : 1)
      diagonal = row[j] ?? 0
      const errors = Math.min(exchanged, diagonal + 1, (row[j - 1] ?? 0) + 1)
      row[j] = errors
      least = Math.min(least, errors)
    }
    if (least > most) return most + 1
  }
  return row[other.length] ?? most + 1
}
