// pure
/** Places in a file, and what is wrong there: `FILE:LINE:COLUMN: …`. */
import { visible } from '../show.ts'

export interface Mistake {
  /** In UTF-16 code units from the beginning of the text. */
  readonly offset: number
  readonly text: string
}

const most_shown = 20

/** One line for each mistake, in the order of the file. */
export function mistakeText(file: string, text: string, mistakes: readonly Mistake[]): string {
  const shown = mistakes.toSorted((a, b) => a.offset - b.offset).slice(0, most_shown)
  const lines = shown.map((mistake) => `${placeText(file, text, mistake.offset)}: ${visible(mistake.text)}\n`)
  const more = mistakes.length - shown.length
  return lines.join('') + (more > 0 ? `${visible(file)}: ${more} more.\n` : '')
}

export function placeText(file: string, text: string, offset: number): string {
  const before = text.slice(0, offset)
  return `${visible(file)}:${before.split('\n').length}:${offset - before.lastIndexOf('\n')}`
}
