/**
 * Finds what a mutant replaces by the syntax of its file: within the declaration that it names, one node whose words are those of the
 * mutant, or a part of one template or text. Space, line breaks, comments and last commas do not count, so formatting breaks no mutant. A
 * file that is not TypeScript has no declarations, and is searched whole.
 */
import ts from 'typescript'

export interface Span {
  readonly start: number
  readonly end: number
}

interface Word extends Span {
  readonly text: string
}

/** A file that is searched. */
export interface Parsed {
  readonly text: string
  readonly words: readonly Word[]
  readonly declarations: readonly (Span & { readonly path: string })[]
  /** `start-end` of each node. */
  readonly nodes: ReadonlySet<string>
  /** Templates and texts, which are replaced in part. */
  readonly texts: readonly Span[]
}

const is_typescript = /\.tsx?$/

export function parseSource(file: string, text: string): Parsed {
  if (!is_typescript.test(file))
    return { text, words: wordsOf(text), declarations: [], nodes: new Set(), texts: [{ start: 0, end: text.length }] }
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true)
  const words: Word[] = []
  const declarations: (Span & { path: string })[] = []
  const nodes = new Set<string>()
  const texts: Span[] = []
  function visit(node: ts.Node, path: string): void {
    const [start, end] = [node.getStart(source), node.end]
    const name = nameOf(node)
    const own = name === null ? path : `${path}.${name}`
    if (name !== null) declarations.push({ start, end, path: own })
    nodes.add(`${start}-${end}`)
    if (ts.isTemplateExpression(node) || ts.isStringLiteralLike(node) || ts.isJsxText(node)) texts.push({ start, end })
    const children = node.getChildren(source)
    for (const child of children) if (!ts.isJSDoc(child)) visit(child, own)
    if (children.length === 0 && node.kind !== ts.SyntaxKind.SyntaxList) words.push(...wordsOf(text.slice(start, end), start))
  }
  visit(source, '')
  return { text, words: withoutLastCommas(words), declarations, nodes, texts }
}

/** The name of what a reader calls a function, a table or a row of it. */
function nameOf(node: ts.Node): string | null {
  if (ts.isConstructorDeclaration(node)) return 'constructor'
  const has_name =
    ts.isFunctionDeclaration(node) ||
    ts.isMethodDeclaration(node) ||
    ts.isAccessor(node) ||
    ts.isVariableDeclaration(node) ||
    ts.isPropertyAssignment(node) ||
    ts.isPropertyDeclaration(node) ||
    ts.isClassDeclaration(node)
  if (!has_name || !node.name) return null
  return ts.isIdentifier(node.name) || ts.isStringLiteral(node.name) ? node.name.text : null
}

/** Returns the place of the words in the named declaration, or a sentence about why there is not one. */
export function findSpan(parsed: Parsed, { function: name, replaces }: { function?: string | undefined; replaces: string }): Span | string {
  let within: Span = { start: 0, end: parsed.text.length }
  if (name !== undefined) {
    const outermost = parsed.declarations.filter(({ path }) => path === `.${name}`)
    const named = outermost.length > 0 ? outermost : parsed.declarations.filter(({ path }) => path.endsWith(`.${name}`))
    const [one] = named
    if (!one || named.length > 1) return `it has ${named.length} declarations named ${name}`
    within = one
  }
  const asked = withoutLastCommas(wordsOf(replaces)).map(({ text }) => text)
  const found = new Map<string, Span>()
  for (const [at, first] of parsed.words.entries()) {
    const last = parsed.words[at + asked.length - 1]
    if (!last || first.start < within.start || last.end > within.end) continue
    if (!asked.every((text, i) => parsed.words[at + i]?.text === text)) continue
    const span = { start: first.start, end: last.end }
    const is_whole = parsed.nodes.has(`${span.start}-${span.end}`) || parsed.texts.some((text) => contains(text, span))
    if (is_whole) found.set(`${span.start}`, span)
  }
  const [span] = found.values()
  return span && found.size === 1 ? span : `its words are ${found.size} times a part of ${name ?? 'the file'}`
}

/** Replaces the span. With an element of a list its comma goes, too. */
export function replaceSpan({ text, words }: Parsed, { start, end }: Span, becomes: string): string {
  if (becomes !== '') return text.slice(0, start) + becomes + text.slice(end)
  const before = words.findLast((word) => word.end <= start)
  const after = text.slice(end).match(/^\s*,/)
  if (after) return text.slice(0, start) + text.slice(end + after[0].length)
  return text.slice(0, before?.text === ',' ? before.start : start) + text.slice(end)
}

/** Reports whether a compiler could not read the text. */
export function hasSyntaxErrors(file: string, text: string): boolean {
  if (!is_typescript.test(file)) return false
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest)
  return 'parseDiagnostics' in source && Array.isArray(source.parseDiagnostics) && source.parseDiagnostics.length > 0
}

const contains = (outer: Span, inner: Span) => outer.start <= inner.start && inner.end <= outer.end

const wordsOf = (text: string, from = 0): Word[] =>
  [...text.matchAll(/[\p{L}\p{N}_$]+|\S/gu)].map(({ 0: word, index }) => ({
    text: word,
    start: from + index,
    end: from + index + word.length,
  }))

/** A formatter adds and removes the last comma of a list. */
const withoutLastCommas = (words: readonly Word[]): Word[] =>
  words.filter(({ text }, at) => text !== ',' || !/^[)\]}]$/.test(words[at + 1]?.text ?? ''))
