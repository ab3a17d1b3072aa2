/** Edits of a text, and where the lines of a YAML node begin and end in it. */
import { isAlias, isCollection, isMap, isScalar, isSeq, type ParsedNode } from 'yaml'
import { pairsOf, type YamlPair } from './yaml-read.ts'

export interface Edit {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** A place is written in a form that is not changed in place, such as a key after `?`. */
export class UnusualForm extends Error {
  override readonly name = 'UnusualForm'
  readonly offset: number
  constructor(offset: number) {
    super('This place is written in an unusual form.')
    this.offset = offset
  }
}

/** Applies edits. Insertions at one offset keep the order of the edits, and come before a removal there. */
export function applied(text: string, edits: readonly Edit[]): string {
  let result = ''
  let place = 0
  for (const edit of edits.toSorted((a, b) => a.start - b.start || a.end - a.start - (b.end - b.start))) {
    if (edit.start < place) throw new UnusualForm(edit.start)
    result += text.slice(place, edit.start) + edit.text
    place = edit.end
  }
  return result + text.slice(place)
}

export const lineStart = (text: string, offset: number) => text.lastIndexOf('\n', offset - 1) + 1

/** The beginning of the line after the one in which something ends. A block of text ends with its line break. */
export function afterLine(text: string, end: number): number {
  if (text[end - 1] === '\n') return end
  const at = text.indexOf('\n', end)
  return at === -1 ? text.length : at + 1
}

export const columnOf = (text: string, offset: number) => offset - lineStart(text, offset)

/** Lines of their own, in the line breaks of the file. The offset is the beginning of a line. */
export const insertion = (text: string, offset: number, column: number, lines: readonly string[]): Edit => ({
  start: offset,
  end: offset,
  text: lines.map((line) => ' '.repeat(column) + line + lineBreakOf(text)).join(''),
})

export const lineBreakOf = (text: string) => (text.includes('\r\n') ? '\r\n' : '\n')

/**
 * Removes the lines of something, from the line in which it begins, with the comments directly above, and with the blank line above them if
 * a second blank line follows.
 */
export function removal(text: string, begin: number, end: number): Edit {
  const stop = afterLine(text, end)
  const line_above = (offset: number) => text.slice(lineStart(text, offset - 1), offset)
  const is_blank = (line: string) => /^[ \t]*\r?\n?$/.test(line)
  const is_comment = (line: string) => /^ *#/.test(line) && line.indexOf('#') === columnOf(text, begin)
  const own = lineStart(text, begin)
  let start = own
  while (start > 0 && is_comment(line_above(start))) start = lineStart(text, start - 1)
  if (start === 0) start = own // these comments are about the file
  const is_blank_below = is_blank(text.slice(stop, afterLine(text, stop + 1)))
  if (start > 0 && is_blank_below && is_blank(line_above(start))) start = lineStart(text, start - 1)
  return { start, end: stop, text: '' }
}

export const isInBrackets = (node: ParsedNode) => isCollection(node) && node.flow === true

/** Whether a node is in the line of its key, or begins there. */
export const isInline = (node: ParsedNode) =>
  isAlias(node) || isInBrackets(node) || (isScalar(node) && node.type !== 'BLOCK_LITERAL' && node.type !== 'BLOCK_FOLDED')

export const itemsOf = (list: ParsedNode): readonly ParsedNode[] => (isSeq(list) ? (list.items as readonly ParsedNode[]) : []) // as: its types allow pairs, which are maps in a list

export function startOf(node: ParsedNode): number {
  const [pair] = isMap(node) && !isInBrackets(node) ? pairsOf(node) : []
  return pair ? pair.key.range[0] : node.range[0]
}

/** Where the text of a node ends. The library counts the comments after a list or a map, too. */
export function endOf(node: ParsedNode): number {
  const [pair, item] = isInBrackets(node) ? [] : [pairsOf(node).at(-1), itemsOf(node).at(-1)]
  return pair ? endOfPair(pair) : item ? endOf(item) : node.range[1]
}

export const endOfPair = ({ key, value }: YamlPair) => (isWritten(value) ? endOf(value) : key.range[1])

/** `key:` alone has no value in the file. */
export const isWritten = (value: ParsedNode | null): value is ParsedNode => value !== null && value.range[1] > value.range[0]
