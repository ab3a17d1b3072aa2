// pure
/** Finds the word that a mistyped one probably means. */

/** Returns the nearest of `words` that differs in at most `most` letters, and in less than half of its own; `null` if none does. */
export function nearest(typed: string, words: readonly string[], most = 2): string | null {
  let best: string | null = null
  let least = most + 1
  for (const word of words) {
    if (Math.abs(word.length - typed.length) > most) continue
    const letters = distance(word, typed)
    if (letters < least && letters * 2 < word.length) [best, least] = [word, letters]
  }
  return best
}

/** The Levenshtein distance: the number of letters to add, remove or change to turn one text into the other. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (const [i, letter] of [...a].entries()) {
    const next = [i + 1]
    for (const [j, other] of [...b].entries()) {
      next.push(Math.min((row[j] ?? 0) + (letter === other ? 0 : 1), (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1))
    }
    row = next
  }
  return row.at(-1) ?? 0
}
