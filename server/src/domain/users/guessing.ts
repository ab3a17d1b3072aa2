// pure
/**
 * Estimates how many guesses a password withstands, from lists of common passwords and words. A password that is not listed still
 * falls early if it consists of listed ones, or if its characters follow one another as they do there: names and words of all languages,
 * walks over the keyboard, digits after a word. See docs/decisions/0039.
 */

/** Words of one source, sorted by code unit. */
interface WordList {
  words: readonly string[]
  /** The bits of the rank of the word at a position. */
  bitsOf(at: number): number
}

/** Common passwords and words, and how often a character follows two others in the passwords. */
export interface GuessModel {
  lists: readonly WordList[]
  /** The bits of each character class after each pair of classes. */
  next_bits: Float32Array
}

/** Characters beyond this number are not judged: no list of guesses is that long. Bounds the time of an estimate. */
const longest_judged = 64

// Character classes: 26 letters, 10 digits, any other character, and the start of a password.
const other = 36
const start = 37
const classes = 38
/** Among how many characters of the class `other` an attacker chooses. */
const bits_of_other = 5

const copy_bits = 1.5
const word_bits = 1
const bits_of_unranked_word = 15
const digit_bits = Math.log2(10)
const year_bits = 7
const date_bits = 17
/** People append up to four digits to a password that was refused, and attackers try them. */
const most_trailing_digits = 4
const trailing_digit_bits = 1
const shortest_word = 3
const shortest_run = 4
const run_bits = 8

/**
 * The characters that a character may stand for: the letters that it resembles (`0` for `o`), and the digit on the same key of an
 * American keyboard (`!` for `1`).
 */
const stands_for = new Map(
  Object.entries({
    ...{ 0: 'o', 1: 'il', 2: 'z', 3: 'e', 4: 'a', 5: 's', 6: 'g', 7: 't', 8: 'b', 9: 'g', '+': 't', '|': 'il', '€': 'e' },
    ...{ '!': 'il1', '@': 'a2', '#': '3', $: 's4', '%': '5', '^': '6', '&': '7', '*': '8', '(': 'c9', ')': '0' },
  }).map(([sign, readings]) => [sign, [sign, ...readings]] as const),
)
const readingsOf = (character: string): readonly string[] => stands_for.get(character) ?? [character]

/**
 * @param passwords lines of a rank's bits (one digit, base 36) and a password in lower case, sorted by password
 * @param words sorted words and names in lower case
 */
export function guessModel(passwords: readonly string[], words: readonly string[]): GuessModel {
  const common = passwords.map((line) => line.slice(1))
  const rank_bits = Uint8Array.from(passwords, (line) => Number.parseInt(line.charAt(0), 36))
  return {
    lists: [
      { words: common, bitsOf: (at) => rank_bits[at] ?? 0 },
      { words, bitsOf: () => bits_of_unranked_word },
    ],
    next_bits: nextBits(common),
  }
}

/**
 * Reports whether an attacker who knows the list finds a password in fewer than two to the power of `limit_bits` guesses. Expects
 * lower case without diacritics: an attacker tries capitals too.
 */
export function isGuessable(model: GuessModel, password: string, limit_bits: number): boolean {
  const characters = [...password]
  const length = characters.length
  if (length > longest_judged) return false
  /** For each position, the fewest bits to reach it, by the classes of the two characters before it. */
  const reached = Array.from({ length: length + 1 }, () => new Map<number, number>())
  const reach = (position: number, context: number, bits: number) => {
    const before = reached[position]
    if (before && bits < limit_bits && bits < (before.get(context) ?? limit_bits)) before.set(context, bits)
  }
  reach(0, start * classes + start, 0)
  for (let from = 0; from < length; from++) {
    const contexts = reached[from] ?? new Map<number, number>()
    const fewest = Math.min(...contexts.values())
    if (fewest >= limit_bits) continue // no way leads here
    for (const { to, context, bits } of nextCharacters(model, characters, from, contexts)) reach(to, context, bits)
    for (const { to, context, bits } of nextParts(model, characters, from)) reach(to, context, fewest + bits)
  }
  return (reached[length]?.size ?? 0) > 0
}

interface NextCharacter {
  to: number
  context: number
  bits: number
}

/** One character more, as likely as it is after the two before it. */
function* nextCharacters(
  { next_bits }: GuessModel,
  characters: readonly string[],
  from: number,
  contexts: ReadonlyMap<number, number>,
): Generator<NextCharacter> {
  for (const reading of readingsOf(characters[from] ?? '')) {
    const next = classOf(reading)
    for (const [context, bits] of contexts) {
      const more = (next_bits[context * classes + next] ?? 0) + (next === other ? bits_of_other : 0)
      yield { to: from + 1, context: (context % classes) * classes + next, bits: bits + more }
    }
  }
}

/** A part whose bits do not depend on what is before it: a listed word, a copy of the part before it, digits. */
function* nextParts(model: GuessModel, characters: readonly string[], from: number): Generator<NextCharacter> {
  for (const list of model.lists) {
    for (const { word, bits } of wordsAt(list, characters, from)) {
      yield { to: from + word.length, context: contextAfter(word), bits: bits + word_bits }
    }
  }
  const text = (begin: number, end: number) => characters.slice(begin, end).join('')
  for (let size = 1; size <= from && from + size <= characters.length; size++) {
    if (!repeats(characters, from, size)) continue
    yield { to: from + size, context: contextAfter(text(from, from + size)), bits: copy_bits }
  }
  const run = runLength(characters, from)
  if (run >= shortest_run) yield { to: from + run, context: contextAfter(text(from, from + run)), bits: run_bits }
  const digit = characters[from] ?? ''
  if (!/^[0-9]$/.test(digit)) return
  const is_trailing = characters.length - from <= most_trailing_digits && /^[0-9]+$/.test(text(from, characters.length))
  yield {
    to: from + 1,
    context: contextAfter(`${characters[from - 1] ?? ''}${digit}`),
    bits: is_trailing ? trailing_digit_bits : digit_bits,
  }
  const four = text(from, from + 4)
  if (isYear(four)) yield { to: from + 4, context: contextAfter(four), bits: year_bits }
  const eight = text(from, from + 8)
  if (isDate(eight)) yield { to: from + 8, context: contextAfter(eight), bits: date_bits }
}

/** The listed words that can be read at a position. Narrows a range of the sorted list by each character. */
function* wordsAt({ words, bitsOf }: WordList, characters: readonly string[], from: number) {
  let ranges = [{ low: 0, high: words.length }]
  for (let depth = 0; ranges.length > 0 && from + depth < characters.length; depth++) {
    const readings = readingsOf(characters[from + depth] ?? '')
    const code = (at: number) => words[at]?.charCodeAt(depth) ?? 0 // NaN after the end of a word, which is less than nothing
    ranges = ranges.flatMap(({ low, high }) =>
      readings.map((reading) => {
        const wanted = reading.charCodeAt(0)
        const first = lowerBound(low, high, (at) => !(code(at) >= wanted))
        return { low: first, high: lowerBound(first, high, (at) => code(at) === wanted) }
      }),
    )
    ranges = ranges.filter(({ low, high }) => low < high)
    if (depth + 1 < shortest_word) continue
    for (const { low } of ranges) {
      const word = words[low] ?? ''
      if (word.length === depth + 1) yield { word, bits: bitsOf(low) }
    }
  }
}

/** Returns the first position in the range for which `isBefore` is false. */
function lowerBound(low: number, high: number, isBefore: (at: number) => boolean): number {
  let [first, end] = [low, high]
  while (first < end) {
    const middle = (first + end) >>> 1
    if (isBefore(middle)) first = middle + 1
    else end = middle
  }
  return first
}

/** Reports whether the part of this size is a copy of the part before it. */
function repeats(characters: readonly string[], from: number, size: number): boolean {
  for (let at = from; at < from + size; at++) if (characters[at] !== characters[at - size]) return false
  return true
}

/** Returns how many characters follow one another in the alphabet or in the digits, upwards or downwards: `cdef`, `8765`. */
function runLength(characters: readonly string[], from: number): number {
  const step = (at: number) => (characters[at]?.charCodeAt(0) ?? 0) - (characters[at - 1]?.charCodeAt(0) ?? 0)
  const first = step(from + 1)
  if (first !== 1 && first !== -1) return 1
  let end = from + 2
  while (end < characters.length && step(end) === first) end++
  return end - from
}

const isYear = (four: string) => /^(19[3-9]|20[0-3])[0-9]$/.test(four)
const day = '(0[1-9]|[12][0-9]|3[01])'
const month = '(0[1-9]|1[0-2])'
const year = '(19|20)[0-9]{2}'
const date = new RegExp(`^(${day}${month}${year}|${month}${day}${year}|${year}${month}${day})$`)
const isDate = (eight: string) => date.test(eight)

function classOf(character: string): number {
  const code = character.length === 1 ? character.charCodeAt(0) : 0
  if (code >= 97 && code <= 122) return code - 97
  if (code >= 48 && code <= 57) return code - 48 + 26
  return other
}

const contextAfter = (text: string): number =>
  (text.length < 2 ? start : classOf(text.charAt(text.length - 2))) * classes + classOf(text.charAt(text.length - 1))

/**
 * Counts which characters follow which in the list. A pair that is rare in the list borrows from its last character, and that one from
 * all characters (interpolated Witten-Bell smoothing with a constant weight), so that no character is impossible.
 */
function nextBits(words: readonly string[]): Float32Array {
  const borrowed = 5
  const [single, pairs, triples] = [1, 2, 3].map((size) => new Float64Array(classes ** size)) as [Float64Array, Float64Array, Float64Array] // as: map of three yields three
  const totals = { single: 0, pairs: new Float64Array(classes), triples: new Float64Array(classes ** 2) }
  const add = (counts: Float64Array, at: number) => {
    counts[at] = (counts[at] ?? 0) + 1
  }
  for (const word of words) {
    let context = start * classes + start
    for (let at = 0; at < word.length; at++) {
      const next = classOf(word.charAt(at))
      const last = context % classes
      totals.single++
      add(single, next)
      add(pairs, last * classes + next)
      add(totals.pairs, last)
      add(triples, context * classes + next)
      add(totals.triples, context)
      context = last * classes + next
    }
  }
  return Float32Array.from(triples, (count, at) => {
    const next = at % classes
    const context = (at - next) / classes
    const last = context % classes
    const alone = ((single[next] ?? 0) + 1) / (totals.single + classes)
    const after_one = ((pairs[last * classes + next] ?? 0) + borrowed * alone) / ((totals.pairs[last] ?? 0) + borrowed)
    const after_two = (count + borrowed * after_one) / ((totals.triples[context] ?? 0) + borrowed)
    return -Math.log2(after_two)
  })
}
