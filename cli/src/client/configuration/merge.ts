/**
 * Brings a configuration to a file that a person wrote. Only what differs is changed: a field that the file leaves out is added if it has
 * another value than its default, an object that the file leaves out is added as a whole, and what the environment lacks is removed. A
 * secret that is set keeps the name that it has in the file. Decision 0134.
 */
import { SecretName } from '@ostiary/contract/configuration.ts'
import type { EnvironmentType } from '@ostiary/contract/tenancy.ts'
import { areEqual } from '@ostiary/server/domain/configuration/equal.ts'
import { isAlias, isMap, isSeq, type ParsedNode } from 'yaml'
import { isObject } from '../show.ts'
import { changeItems, changePairs, replaceItem, replaceValue } from './change.ts'
import { type DefaultAt, defaultsOf, isSecretAt } from './defaults.ts'
import { applied, type Edit, itemsOf, lineBreakOf, UnusualForm } from './edits.ts'
import { keyText, pairsOf, readYaml, type YamlFile, type YamlPair } from './yaml-read.ts'
import { isMembers, type Members, membersOf } from './yaml-write.ts'

/** An edit at an anchor also changes its aliases, which the next round brings back. */
const most_rounds = 6

/** Returns the text of the file with the configuration, or the offset of a place that is not changed in place. */
export function mergedText(text: string, wanted: Members, type: EnvironmentType): { text: string } | { offset: number } {
  const defaultAt = defaultsOf(type)
  let current = text
  /** The place of the first edit of the person's file. */
  let begin = 0
  for (let round = 0; round < most_rounds; round++) {
    const read = readYaml(current)
    if ('mistakes' in read || !read.file.root) return { offset: begin }
    try {
      const edits = editsOf(read.file, wanted, defaultAt)
      if (edits.length === 0) return { text: current }
      if (round === 0) {
        begin = Math.min(...edits.map(({ start }) => start))
        refuseLostAnchors(read.file, edits)
      }
      current = current.endsWith('\n') ? applied(current, edits) : current + lineBreakOf(current)
    } catch (error) {
      if (!(error instanceof UnusualForm)) throw error
      return { offset: error.offset }
    }
  }
  return { offset: begin }
}

/** An anchor must not go where an alias of it stays. @throws UnusualForm at the anchor */
function refuseLostAnchors({ text, aliases }: YamlFile, edits: readonly Edit[]): void {
  const goes = (offset: number) => edits.some(({ start, end }) => start <= offset && offset < end)
  for (const [alias, node] of aliases) {
    const anchor = text.lastIndexOf(`&${isAlias(alias) ? alias.source : ''}`, node.range[0])
    if (goes(anchor) && !goes(alias.range[0])) throw new UnusualForm(anchor)
  }
}

/** A place in the document: the path to it, and the object of the environment around it. */
interface At {
  readonly path: readonly string[]
  readonly object: Readonly<Record<string, unknown>>
}

function editsOf(file: YamlFile, wanted: Members, defaultAt: DefaultAt): Edit[] {
  const { text, root, target } = file
  const edits = root && insideEdits(root, wanted, { path: [], object: {} })
  if (!edits) throw new UnusualForm(root?.range[0] ?? 0)
  return edits

  function mapEdits(map: ParsedNode, members: Members, at: At): Edit[] {
    const values = new Map(membersOf(members))
    const pairs = new Map(pairsOf(map).map((pair) => [keyText(pair.key), pair]))
    const removed = [...pairs].flatMap(([name, pair]) => (values.has(name) ? [] : [pair]))
    const edits: Edit[] = []
    const added: { after: YamlPair | null; name: string; value: unknown }[] = []
    let after: YamlPair | null = null
    for (const [name, value] of values) {
      const inner = inside(at, name, value)
      const pair = pairs.get(name)
      if (pair) {
        edits.push(...pairEdits(map, pair, value, inner))
        after = pair
        continue
      }
      const missing = missingPart(value, inner, defaultAt)
      if (missing !== undefined) added.push({ after, name, value: missing })
    }
    return [...edits, ...changePairs(text, map, removed, added)]
  }

  function pairEdits(map: ParsedNode, pair: YamlPair, value: unknown, at: At): Edit[] {
    const { value: node } = pair
    if (isSame(node ? file.valueOf(node) : null, value, at)) return []
    const edits = node && insideEdits(target(node), value, at)
    // The text of an alias is elsewhere.
    if (edits && node && (edits.length === 0 || target(node) === node)) return edits
    const is_group = at.path[0] === 'settings' && isObject(value)
    return replaceValue(text, map, pair, is_group ? (missingPart(value, at, defaultAt) ?? {}) : value)
  }

  /** The edits within a map or a list. `null` if it is replaced as a whole. */
  function insideEdits(node: ParsedNode, value: unknown, at: At): Edit[] | null {
    if (isMap(node) && isMembers(value)) {
      const names = new Set(membersOf(value).map(([name]) => name))
      if (pairsOf(node).some(({ key }) => names.has(keyText(key)))) return mapEdits(node, value, at)
      return node.items.length === 0 && missingPart(value, at, defaultAt) === undefined ? [] : null
    }
    return isSeq(node) && Array.isArray(value) ? listEdits(node, value, at) : null
  }

  /** A list of texts, or of objects with names. */
  function listEdits(list: ParsedNode, wanted: readonly unknown[], at: At): Edit[] | null {
    const items = itemsOf(list)
    const unpaired = wanted.map((value): [name: string | null, value: unknown] => [nameOf(value), value])
    if (unpaired.some(([name]) => name === null)) return null
    const removed: ParsedNode[] = []
    const edits: Edit[] = []
    for (const item of items) {
      const found = unpaired.findIndex(([name]) => name === nameOf(file.valueOf(item)))
      const [[, value] = []] = found === -1 ? [] : unpaired.splice(found, 1)
      if (found === -1) removed.push(item)
      else if (!areEqual(file.valueOf(item), value)) edits.push(...itemEdits(item, value, at))
    }
    if (removed.length === items.length) return null
    return [
      ...edits,
      ...changeItems(
        text,
        list,
        removed,
        unpaired.map(([, value]) => value),
      ),
    ]
  }

  function itemEdits(item: ParsedNode, value: unknown, at: At): Edit[] {
    const edits = isMembers(value) && isMap(target(item)) ? mapEdits(target(item), value, inside(at, '-', value)) : null
    return edits && (edits.length === 0 || target(item) === item) ? edits : replaceItem(item, value)
  }

  function isSame(written: unknown, value: unknown, { path, object }: At): boolean {
    if (isSecretAt(path) && value !== null) return SecretName.safeParse(written).success
    if (written === null && !(value instanceof Map)) return areEqual(value, defaultAt(path, object) ?? null)
    return !(value instanceof Map) && areEqual(written, value)
  }
}

const nameOf = (item: unknown): string | null =>
  typeof item === 'string' ? item : isObject(item) && typeof item.name === 'string' ? item.name : null

/** The object of a section is the one whose type decides the defaults of its fields. */
const inside = ({ path, object }: At, name: string, value: unknown): At => ({
  path: [...path, name],
  object: path.length === 1 && isObject(value) ? value : object,
})

/** Returns the value to write for a part that the file leaves out; `undefined` for nothing. */
function missingPart(value: unknown, at: At, defaultAt: DefaultAt): unknown {
  const { path, object } = at
  const [section] = path
  if (section === 'environment') return undefined // the file is for every environment
  if (section === 'version') return value
  if (section === 'settings' && isObject(value)) {
    const members = Object.entries(value).flatMap(([name, inner]): [string, unknown][] => {
      const missing = missingPart(inner, inside(at, name, inner), defaultAt)
      return missing === undefined ? [] : [[name, missing]]
    })
    return members.length === 0 ? undefined : Object.fromEntries(members)
  }
  if (path.length === 1) return isMembers(value) && membersOf(value).length === 0 ? undefined : value
  const fallback = defaultAt(path, object)
  return fallback !== undefined && areEqual(value, fallback) ? undefined : value
}
