/**
 * Changes of maps and lists at their place in a YAML text. All other bytes stay as they are: comments, blank lines, quotes and the order of
 * keys. Those in lines and those in brackets are changed in their own form.
 */
import { isScalar, type ParsedNode } from 'yaml'
import { quoted } from '../show.ts'
import {
  afterLine,
  columnOf,
  type Edit,
  endOf,
  endOfPair,
  insertion,
  isInBrackets,
  isInline,
  isWritten,
  itemsOf,
  lineBreakOf,
  lineStart,
  removal,
  startOf,
  UnusualForm,
} from './edits.ts'
import { pairsOf, type YamlPair } from './yaml-read.ts'
import { blockLines, entryLines, inlineText, isBlock, isMembers, itemLines, membersOf } from './yaml-write.ts'

/** A new pair of a map, after one that stays, or before all others. */
export interface NewPair {
  readonly after: YamlPair | null
  readonly name: string
  readonly value: unknown
}

/** Changes which pairs a map has. At least one of its pairs stays, or one is added. */
export function changePairs(text: string, map: ParsedNode, removed: readonly YamlPair[], added: readonly NewPair[]): Edit[] {
  const pairs = pairsOf(map)
  const [first] = pairs
  if (!first || (removed.length === 0 && added.length === 0)) return []
  if (isInBrackets(map)) {
    const write = writerLike(first.key)
    const entries = pairs.map((pair) => ({ start: pair.key.range[0], end: endOfPair(pair), is_removed: removed.includes(pair) }))
    const texts = added.map(({ after, name, value }) => ({
      after: after ? pairs.indexOf(after) : -1,
      text: `${write(name)}: ${write(value)}`,
    }))
    return changeInBrackets({ text, node: map, entries }, texts)
  }
  const column = columnOf(text, first.key.range[0])
  const removalOf = (pair: YamlPair) => removal(text, ownLine(text, pair), endOfPair(pair))
  // Where the first pair goes, its comments go with it.
  const front = () => (removed.includes(first) ? removalOf(first).start : lineStart(text, ownLine(text, first)))
  return [
    ...added.map(({ after, name, value }) =>
      insertion(text, after ? afterLine(text, endOfPair(after)) : front(), column, entryLines(name, value)),
    ),
    ...removed.map(removalOf),
  ]
}

/** Changes which items a list has. New ones are added at its end. At least one of its items stays. */
export function changeItems(text: string, list: ParsedNode, removed: readonly ParsedNode[], added: readonly unknown[]): Edit[] {
  const items = itemsOf(list)
  const last = items.findLast((item) => !removed.includes(item))
  if (!last || (removed.length === 0 && added.length === 0)) return []
  if (isInBrackets(list)) {
    const write = writerLike(last)
    const entries = items.map((item) => ({ start: item.range[0], end: item.range[1], is_removed: removed.includes(item) }))
    return changeInBrackets(
      { text, node: list, entries },
      added.map((value) => ({ after: items.indexOf(last), text: write(value) })),
    )
  }
  const column = columnOf(text, dashOf(text, last))
  return [
    ...added.map((value) => insertion(text, afterLine(text, endOf(last)), column, itemLines(value))),
    ...removed.map((item) => removal(text, dashOf(text, item), endOf(item))),
  ]
}

/** Replaces the value of a pair. */
export function replaceValue(text: string, map: ParsedNode, pair: YamlPair, value: unknown): Edit[] {
  const old = isWritten(pair.value) ? pair.value : null
  if (isInBrackets(map)) {
    if (!old) throw new UnusualForm(pair.key.range[0])
    return [{ start: old.range[0], end: old.range[1], text: writerLike(pair.key)(value) }]
  }
  const colon = afterColon(text, pair.key)
  const after = afterLine(text, endOfPair(pair))
  const inserted: Edit[] = isBlock(value)
    ? [insertion(text, after, columnOf(text, pair.key.range[0]) + 2, blockLines(value))]
    : [{ start: colon, end: colon, text: ` ${inlineText(value)}` }]
  if (!old) return inserted
  if (isInline(old)) {
    if (!isBlock(value)) return [{ start: old.range[0], end: old.range[1], text: inlineText(value) }]
    return [{ start: colon, end: old.range[1], text: '' }, ...inserted]
  }
  if (isScalar(old)) {
    // Text over several lines begins with a sign beside its key.
    const beside = isBlock(value) ? '' : ` ${inlineText(value)}`
    return [{ start: colon, end: after, text: beside + lineBreakOf(text) }, ...(isBlock(value) ? inserted : [])]
  }
  // Removes the lines below the key, and keeps a comment beside the key.
  const below = afterLine(text, colon)
  if (!/^[ \t]*(#.*)?\r?\n?$/.test(text.slice(colon, below))) throw new UnusualForm(pair.key.range[0])
  return [{ start: below, end: after, text: '' }, ...inserted]
}

/** Replaces an item of a list in lines or in brackets by a value on one line. */
export const replaceItem = (item: ParsedNode, value: unknown): Edit[] => {
  if (!isInline(item)) throw new UnusualForm(item.range[0])
  return [{ start: item.range[0], end: item.range[1], text: writerLike(item)(value) }]
}

interface Entry {
  readonly start: number
  readonly end: number
  readonly is_removed: boolean
}

interface InBrackets {
  readonly text: string
  readonly node: ParsedNode
  readonly entries: readonly Entry[]
}

function changeInBrackets({ text, node, entries }: InBrackets, added: readonly { after: number; text: string }[]): Edit[] {
  const first_kept = entries.findIndex(({ is_removed }) => !is_removed)
  const front = entries[first_kept]
  if (!front) throw new UnusualForm(node.range[0])
  const has_comments = entries.some(({ end }, index) => text.slice(end, entries[index + 1]?.start ?? node.range[1]).includes('#'))
  const removals = entries.flatMap((entry, index): Edit[] => {
    if (!entry.is_removed) return []
    const before = index > first_kept ? entries[index - 1] : undefined
    const after = entries[index + 1]
    const between = before ? text.slice(before.end, entry.start) : text.slice(entry.end, after?.start)
    if (has_comments && between.includes('\n')) return [removalOfLines(text, entry, after === undefined)]
    return [{ start: before ? before.end : entry.start, end: before ? entry.end : (after ?? entry).start, text: '' }]
  })
  const insertions = added.map(({ after, text: inserted }): Edit => {
    const entry = entries[after]
    return entry
      ? { start: entry.end, end: entry.end, text: `, ${inserted}` }
      : { start: front.start, end: front.start, text: `${inserted}, ` }
  })
  return [...insertions, ...removals]
}

/** Removes an entry in brackets with its lines, so that the comments of the others stay. Only the last entry may lack its comma. */
function removalOfLines(text: string, { start, end }: Entry, is_last: boolean): Edit {
  const is_alone = /^ *$/.test(text.slice(lineStart(text, start), start))
  const beside = text.slice(end, afterLine(text, end))
  if (!is_alone || !(is_last ? /^[ \t]*,?[ \t]*(#.*)?\r?\n$/ : /^[ \t]*,[ \t]*(#.*)?\r?\n$/).test(beside)) throw new UnusualForm(start)
  return removal(text, start, end)
}

/** Beside keys or texts in double quotes, as in JSON, all text has them. */
function writerLike(node: ParsedNode): (value: unknown) => string {
  const inner = pairsOf(node)[0]?.key ?? itemsOf(node)[0]
  if (inner) return writerLike(inner)
  return isScalar(node) && node.type === 'QUOTE_DOUBLE' ? jsonText : inlineText
}

function jsonText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(jsonText).join(', ')}]`
  if (!isMembers(value)) return quoted(value)
  return `{${membersOf(value)
    .map(([name, inner]) => `${quoted(name)}: ${jsonText(inner)}`)
    .join(', ')}}`
}

/** Where a pair begins, if it begins its line. */
function ownLine(text: string, { key }: YamlPair): number {
  const [offset] = key.range
  if (!/^ *$/.test(text.slice(lineStart(text, offset), offset))) throw new UnusualForm(offset)
  return offset
}

/** The offset of the dash of an item, if it begins its line. */
function dashOf(text: string, item: ParsedNode): number {
  const offset = startOf(item)
  const begin = lineStart(text, offset)
  const [, blanks] = /^( *)- +(?:&\S+ +)?$/.exec(text.slice(begin, offset)) ?? []
  if (blanks === undefined) throw new UnusualForm(offset)
  return begin + blanks.length
}

function afterColon(text: string, key: ParsedNode): number {
  const [, end] = key.range
  const [found] = /^[ \t]*:/.exec(text.slice(end, end + 100)) ?? []
  if (found === undefined) throw new UnusualForm(key.range[0])
  return end + found.length
}
