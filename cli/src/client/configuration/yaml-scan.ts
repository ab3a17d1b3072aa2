/**
 * Splits a text into the tokens of YAML 1.2, within limits. It stops at the first token over a limit, so that the work for a hostile file is
 * bounded before anything is built from it.
 */
import { CST, Lexer, Parser } from 'yaml'
import type { Mistake } from './places.ts'

/** The library looks again at the blank lines and comments above an item for each comment after them. */
const most_lines = 20_000
const most_aliases = 100
export const most_nodes = 20_000
/** Of lists and maps within each other. A configuration has fewer than 10. */
const most_levels = 100
/** A node has its text, a mark before it, and at most three signs around it. Blanks and comments are not counted. */
const most_signs = 5 * most_nodes

export const too_many_nodes = `The file has more than ${most_nodes.toLocaleString('en')} values, lists and maps.`

/** YAML 1.2.2 §5.1: no control characters but the tab and line breaks. */
const control_character = /(?![\t\n\x85]|\r\n)\p{Cc}/u

export function scanYaml(text: string): { tokens: CST.Token[] } | { mistakes: Mistake[] } {
  const control = control_character.exec(text)
  if (control) return { mistakes: [{ offset: control.index, text: 'A control character stands here.' }] }
  const line = lineAfterLimit(text)
  if (line !== null) return { mistakes: [{ offset: line, text: `The file has more than ${most_lines.toLocaleString('en')} lines.` }] }
  const parser = new Parser()
  const tokens: CST.Token[] = []
  const mistakes: Mistake[] = []
  let signs = 0
  let aliases = 0
  let is_scalar = false
  for (const lexeme of new Lexer().lex(text)) {
    const type = is_scalar ? 'scalar' : CST.tokenType(lexeme)
    const offset = parser.offset
    const mistake = mistakeOf(type, lexeme)
    if (mistake !== null) mistakes.push({ offset, text: mistake })
    if (type === 'alias') aliases++
    if (type !== 'space' && type !== 'newline' && type !== 'comment') signs++
    is_scalar = lexeme === CST.SCALAR
    tokens.push(...parser.next(lexeme))
    const limit =
      aliases > most_aliases
        ? `The file has more than ${most_aliases} aliases.`
        : parser.stack.length > most_levels + 1 // the document itself
          ? `Lists and maps stand within each other more than ${most_levels} levels deep.`
          : signs > most_signs
            ? too_many_nodes
            : null
    if (limit !== null) return { mistakes: [...mistakes, { offset, text: limit }] }
  }
  tokens.push(...parser.end())
  const [, second] = tokens.filter(({ type }) => type === 'document')
  if (second) mistakes.push({ offset: second.offset, text: 'A second document begins here. A file has one.' })
  return mistakes.length > 0 ? { mistakes } : { tokens }
}

/** Where the first line over the limit begins. */
function lineAfterLimit(text: string): number | null {
  let start = 0
  for (let lines = 0; lines < most_lines; lines++) {
    start = text.indexOf('\n', start) + 1
    if (start === 0) return null
  }
  return start < text.length ? start : null
}

function mistakeOf(type: ReturnType<typeof CST.tokenType>, lexeme: string): string | null {
  if (type === 'tag') return 'Tags are refused. A value has the type that it is written as.'
  if (type === 'directive-line' && !/^%YAML 1\.2\s*$/.test(lexeme)) return 'Directives other than "%YAML 1.2" are refused.'
  return null
}
