// pure
/** Finds the words that a mistyped one probably means. */

/** Returns the nearest of `words` that differs in at most `most` letters, and in less than half of its own; `null` if none does. */
export const nearest = (typed: string, words: readonly string[], most = 2): string | null => nearestFew(typed, words, 1, most)[0] ?? null

/** Returns the nearest of `words`, at most `count`, nearest first. */
export function nearestFew(typed: string, words: readonly string[], count: number, most = 2): string[] {
  const found: { word: string; letters: number }[] = []
  for (const word of new Set(words)) {
    if (Math.abs(word.length - typed.length) > most) continue
    const letters = distance(word, typed, most)
    if (letters <= most && letters * 2 < word.length) found.push({ word, letters })
  }
  return found
    .toSorted((a, b) => a.letters - b.letters)
    .slice(0, count)
    .map(({ word }) => word)
}

/**
 * The number of letters to add, remove or change to turn one text into the other (Levenshtein), where two neighbours that have changed
 * places count as one. More than `most` is infinite, so only letters at most that far apart are compared.
 */
function distance(a: string, b: string, most: number): number {
  let before: number[] = []
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  const [letters, others] = [[...a], [...b]]
  for (const [i, letter] of letters.entries()) {
    const next: number[] = Array(others.length + 1).fill(Number.POSITIVE_INFINITY)
    next[0] = i + 1
    let least = i + 1
    for (let j = Math.max(0, i - most); j <= Math.min(others.length - 1, i + most); j++) {
      const changed = (row[j] ?? 0) + (letter === others[j] ? 0 : 1)
      const is_swapped = i > 0 && j > 0 && letter === others[j - 1] && others[j] === letters[i - 1]
      const fewest = Math.min(changed, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1, is_swapped ? (before[j - 1] ?? 0) + 1 : changed)
      next[j + 1] = fewest
      least = Math.min(least, fewest)
    }
    if (least > most) return Number.POSITIVE_INFINITY
    before = row
    row = next
  }
  return row[others.length] ?? 0
}
