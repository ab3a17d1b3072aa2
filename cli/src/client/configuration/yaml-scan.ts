/**
 * Splits a text into the tokens of YAML 1.2, within limits. It stops at the first token over a limit, so that the work for a hostile file is
 * bounded before anything is built from it.
 */
import { thousands } from '@ostiary/contract/thousands.ts'
import { CST, Lexer, Parser } from 'yaml'
import type { Mistake } from './places.ts'

/** Blank lines and comments: the library looks again at those above an item for each comment after them. */
const most_bare_lines = 20_000
const most_aliases = 100
export const most_nodes = 200_000
/** Of lists and maps within each other. A configuration has fewer than 10. */
const most_levels = 100
/** A node has its text, a mark before it, and at most three signs around it. Blanks and comments are not counted. */
const most_signs = 5 * most_nodes

/** Aliases of aliases make numbers that nobody reads. */
const most_counted = 1_000_000_000

/** @param found with those of aliases, or `null` where more than the limit were found and the rest was not counted */
export function tooManyNodes(found: number | null): string {
  const limit = thousands(most_nodes)
  if (found === null) return `The file has more than ${limit} keys, values, lists and maps, which is the limit.`
  const count = found > most_counted ? `more than ${thousands(most_counted)}` : thousands(found)
  return `With its aliases the file has ${count} keys, values, lists and maps. The limit is ${limit}.`
}

/** YAML 1.2.2 §5.1: no control characters but the tab and line breaks. */
const control_character = /(?![\t\n\x85]|\r\n)\p{Cc}/u

export function scanYaml(text: string): { tokens: CST.Token[] } | { mistakes: Mistake[] } {
  const control = control_character.exec(text)
  if (control) return { mistakes: [{ offset: control.index, text: 'A control character stands here.' }] }
  const bare = bareLines(text)
  if (bare.beyond !== null) {
    const found = `The file has ${thousands(bare.count)} blank lines and lines of comment. The limit is ${thousands(most_bare_lines)}.`
    return { mistakes: [{ offset: bare.beyond, text: found }] }
  }
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
        ? `The file has ${thousands(aliasesIn(text))} aliases. The limit is ${most_aliases}.`
        : parser.stack.length > most_levels + 1 // the document itself
          ? `Lists and maps stand within each other more than ${most_levels} levels deep.`
          : signs > most_signs
            ? tooManyNodes(null)
            : null
    if (limit !== null) return { mistakes: [...mistakes, { offset, text: limit }] }
  }
  tokens.push(...parser.end())
  const [, second] = tokens.filter(({ type }) => type === 'document')
  if (second) mistakes.push({ offset: second.offset, text: 'A second document begins here. A file has one.' })
  return mistakes.length > 0 ? { mistakes } : { tokens }
}

/** How many blank lines and lines of comment there are, and where the first one over the limit begins. */
function bareLines(text: string): { count: number; beyond: number | null } {
  let count = 0
  let beyond: number | null = null
  for (let start = 0; start < text.length; ) {
    const end = text.indexOf('\n', start)
    const next = end === -1 ? text.length : end + 1
    if (isBare(text, start, next) && ++count === most_bare_lines + 1) beyond = start
    start = next
  }
  return { count, beyond }
}

function isBare(text: string, start: number, end: number): boolean {
  for (let at = start; at < end; at++) {
    const character = text[at] ?? ''
    if (character === '#') return true
    if (!' \t\r\n'.includes(character)) return false
  }
  return true
}

function aliasesIn(text: string): number {
  let count = 0
  let is_scalar = false
  for (const lexeme of new Lexer().lex(text)) {
    if (!is_scalar && CST.tokenType(lexeme) === 'alias') count++
    is_scalar = lexeme === CST.SCALAR
  }
  return count
}

function mistakeOf(type: ReturnType<typeof CST.tokenType>, lexeme: string): string | null {
  if (type === 'tag') return 'Tags are refused. A value has the type that it is written as.'
  if (type === 'directive-line' && !/^%YAML 1\.2\s*$/.test(lexeme)) return 'Directives other than "%YAML 1.2" are refused.'
  return null
}
