/**
 * Finds the places where code bypasses the type checker or the linter: `any`, `!`, `as` (except `as const`) and suppressions.
 * Each needs a reason in a comment on the same line.
 */
import ts from 'typescript'

export type EscapeHatch = { line: number; what: string; has_reason: boolean }

export function escapeHatches(path: string, source: string): EscapeHatch[] {
  const file = ts.createSourceFile(path, source, ts.ScriptTarget.Latest)
  const lines = source.split('\n')
  const found: EscapeHatch[] = []

  const look = (node: ts.Node) => {
    const what = hatch(node)
    if (what) {
      const end = ts.isAsExpression(node) ? node.type.getStart(file) : node.end
      const line = file.getLineAndCharacterOfPosition(end).line
      found.push({ line: line + 1, what, has_reason: /(^|\s)\/\/\s*\S/.test(lines[line] ?? '') })
    }
    ts.forEachChild(node, look)
  }
  look(file)

  lines.forEach((text, index) => {
    const [, biome, typescript] =
      /(?:\/\/|\/\*+)\s*(?:biome-ignore[\w-]* +(?:lint|assist)([^\n]*)|@ts-(?:ignore|expect-error|nocheck)([^\n]*))/.exec(text) ?? []
    if (biome !== undefined) found.push({ line: index + 1, what: 'suppression', has_reason: /:\s*[^\s<]/.test(biome) })
    if (typescript !== undefined) found.push({ line: index + 1, what: 'suppression', has_reason: /\w/.test(typescript) })
  })
  return found
}

function hatch(node: ts.Node): string | undefined {
  if (node.kind === ts.SyntaxKind.AnyKeyword) return 'any'
  if (ts.isNonNullExpression(node)) return '!'
  if ((ts.isPropertyDeclaration(node) || ts.isVariableDeclaration(node)) && node.exclamationToken) return '!'
  if (ts.isAsExpression(node) && !ts.isConstTypeReference(node.type)) return 'as'
  return undefined
}
