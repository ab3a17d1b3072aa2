/**
 * Reads YAML 1.2 as JSON, with the place of each value. It refuses everything else: tags, merge keys, several documents, duplicate keys,
 * and keys that are not text. Readers of YAML disagree about these. The words about a mistake never repeat a text of the file, which can be
 * a secret.
 */
import { Composer, type ErrorCode, isAlias, isMap, isPair, isScalar, isSeq, type ParsedNode } from 'yaml'
import type { Mistake } from './places.ts'
import { most_nodes, scanYaml, tooManyNodes } from './yaml-scan.ts'

export interface YamlFile {
  readonly text: string
  /** As JSON; `undefined` for a file without a value. */
  readonly value: unknown
  readonly root: ParsedNode | null
  /** The value at a node, aliases followed. */
  valueOf(node: ParsedNode): unknown
  /** The node that an alias stands for. Any other node stands for itself. */
  target(node: ParsedNode): ParsedNode
  /** Each alias, with the node that it stands for. */
  readonly aliases: ReadonlyMap<ParsedNode, ParsedNode>
  /** The value at a path; `undefined` if there is none. */
  at(path: readonly string[]): unknown
  /** The place of the value of a path, else of the nearest one around it. */
  placeOf(path: readonly string[]): number
}

export type ReadYaml = { readonly file: YamlFile } | { readonly mistakes: readonly Mistake[] }

/** Keys are text, so `123` and `true` are slugs. Equal keys are found here, since a library compares each with each. */
const options = { version: '1.2', schema: 'core', stringKeys: true, uniqueKeys: false, prettyErrors: false } as const

export function readYaml(text: string): ReadYaml {
  const scanned = scanYaml(text)
  if ('mistakes' in scanned) return scanned
  const [document] = new Composer(options).compose(scanned.tokens)
  const root = document?.contents ?? null
  if (!document) return { file: fileOf(text, null, new Map(), new Map()) }
  const errors = [...document.errors, ...document.warnings]
  if (errors.length > 0) return { mistakes: errors.map(({ code, pos: [offset] }) => ({ offset, text: sentences[code] ?? not_yaml })) }
  if (root === null) return { file: fileOf(text, null, new Map(), new Map()) }
  const reading = read(root)
  if (reading.mistakes.length > 0) return { mistakes: reading.mistakes }
  return { file: fileOf(text, root, reading.values, reading.targets) }
}

const not_yaml = 'This is not YAML.'
const sentences: { readonly [Code in ErrorCode]?: string } = {
  BAD_ALIAS: 'An alias needs an anchor before it.',
  BAD_DQ_ESCAPE: 'Text in double quotes has no such escape. Write \\\\ for a backslash.',
  BAD_INDENT: 'This is not indented like the lines that it belongs to, or a bracket before it is open.',
  BAD_SCALAR_START: 'Text that begins with this character needs quotes.',
  BLOCK_AS_IMPLICIT_KEY: 'A map cannot begin on the line of its key. Text with ": " in it needs quotes.',
  BLOCK_IN_FLOW: 'Within brackets, lists and maps have brackets, too.',
  KEY_OVER_1024_CHARS: 'A key has at most 1,024 characters.',
  MISSING_CHAR: 'A character is missing here: a quote, a bracket, a comma or a colon.',
  MULTILINE_IMPLICIT_KEY: 'A key stands on one line. Is a colon missing?',
  NON_STRING_KEY: 'A key is text.',
  TAB_AS_INDENT: 'A tab stands here. YAML indents with blanks.',
}

interface Reading {
  readonly mistakes: Mistake[]
  readonly values: Map<ParsedNode, unknown>
  readonly targets: Map<ParsedNode, ParsedNode>
  /** The newest node of each anchor so far. */
  readonly anchors: Map<string, ParsedNode>
  /** The number of nodes at a node, with those of its aliases. */
  readonly sizes: Map<ParsedNode, number>
}

function read(root: ParsedNode): Reading {
  const reading: Reading = { mistakes: [], values: new Map(), targets: new Map(), anchors: new Map(), sizes: new Map() }
  readNode(root, reading)
  const size = reading.sizes.get(root) ?? 0
  if (size > most_nodes) reading.mistakes.push({ offset: root.range[0], text: tooManyNodes(size) })
  return reading
}

/** Reads each node once: an alias has the value of its anchor. The scan has bounded the depth. */
function readNode(node: ParsedNode, reading: Reading): void {
  const { values, sizes, targets, anchors, mistakes } = reading
  if (isAlias(node)) {
    const target = anchors.get(node.source)
    // An anchor whose node is still being read has no value yet.
    if (target === undefined || !values.has(target)) {
      mistakes.push({ offset: node.range[0], text: target ? 'An alias stands within its own anchor.' : (sentences.BAD_ALIAS ?? '') })
      return
    }
    targets.set(node, target)
    values.set(node, values.get(target))
    sizes.set(node, sizes.get(target) ?? 1)
    return
  }
  if (node.anchor !== undefined) anchors.set(node.anchor, node)
  if (isMap(node)) {
    readMap(node, reading)
    return
  }
  if (isSeq(node)) {
    for (const item of node.items) {
      if (isPair(item)) mistakes.push({ offset: node.range[0], text: 'A list has values, not keys.' })
      else readNode(item, reading)
    }
    const items = node.items.filter((item) => !isPair(item))
    values.set(
      node,
      items.map((item) => values.get(item)),
    )
    sizes.set(node, sumOf(items, sizes))
    return
  }
  const mistake = isScalar(node) ? mistakeOfScalar(node.value) : not_yaml
  if (mistake !== null) mistakes.push({ offset: node.range[0], text: mistake })
  values.set(node, node.value)
  sizes.set(node, 1)
}

/** No value is changed on its way to JSON. */
function mistakeOfScalar(value: unknown): string | null {
  if (typeof value !== 'number') return null
  if (!Number.isFinite(value)) return 'A configuration has finite numbers only. Text needs quotes.'
  return Number.isInteger(value) && !Number.isSafeInteger(value) ? 'This number is too large to be exact. Text needs quotes.' : null
}

function readMap(node: ParsedNode & { items: unknown[] }, reading: Reading): void {
  const { values, sizes, mistakes } = reading
  const seen = new Set<string>()
  const entries: [string, unknown][] = []
  let size = 1
  for (const { key, value } of pairsOf(node)) {
    const name = keyText(key)
    const mistake = mistakeOfKey(key, seen)
    if (mistake !== null) mistakes.push({ offset: key.range[0], text: mistake })
    seen.add(name)
    if (value) readNode(value, reading)
    entries.push([name, value ? values.get(value) : null])
    size += 1 + (value ? (sizes.get(value) ?? 1) : 1)
  }
  values.set(node, Object.fromEntries(entries))
  sizes.set(node, size)
}

function mistakeOfKey(key: ParsedNode, seen: ReadonlySet<string>): string | null {
  const name = keyText(key)
  if (name === '<<' && isScalar(key) && key.type === 'PLAIN') return 'Merge keys are refused.'
  if (name === '__proto__') return 'No field and no object has this name.'
  return seen.has(name) ? 'This key stands here for the second time.' : null
}

const sumOf = (nodes: readonly ParsedNode[], sizes: ReadonlyMap<ParsedNode, number>) =>
  nodes.reduce((sum, node) => sum + (sizes.get(node) ?? 1), 1)

export interface YamlPair {
  readonly key: ParsedNode
  readonly value: ParsedNode | null
}

/** The pairs of a map. As the library reads a text, both of their sides are nodes of it. */
export const pairsOf = (node: ParsedNode): readonly YamlPair[] => (isMap(node) ? (node.items as readonly YamlPair[]) : []) // as: its types allow other sides

/** The library gives keys as text. */
export const keyText = (key: ParsedNode): string => (isScalar(key) ? String(key.value) : '')

function fileOf(
  text: string,
  root: ParsedNode | null,
  values: ReadonlyMap<ParsedNode, unknown>,
  targets: ReadonlyMap<ParsedNode, ParsedNode>,
): YamlFile {
  const target = (node: ParsedNode) => targets.get(node) ?? node
  return {
    text,
    root,
    value: root ? values.get(root) : undefined,
    valueOf: (node) => values.get(node),
    target,
    aliases: targets,
    at: (path) =>
      path.reduce<unknown>(
        (inner, name) => (typeof inner === 'object' && inner !== null && Object.hasOwn(inner, name) ? Reflect.get(inner, name) : undefined),
        root ? values.get(root) : undefined,
      ),
    placeOf(path) {
      let node = root
      let offset = root?.range[0] ?? 0
      for (const name of path) {
        if (node === null) break
        const inner = target(node)
        const pair = pairsOf(inner).find(({ key }) => keyText(key) === name)
        const item: unknown = isSeq(inner) ? inner.items[Number(name)] : undefined
        const next = pair ? pair.value : (item as ParsedNode | undefined) // as: the items of a list that was read
        if (next === undefined) break
        // A list or a map is found at its key, since its first line can be far below.
        const is_at_key = pair && (next === null || isMap(next) || isSeq(next) || next.range[0] === next.range[1])
        offset = (is_at_key ? pair.key : (next ?? inner)).range[0]
        node = next
      }
      return offset
    },
  }
}
