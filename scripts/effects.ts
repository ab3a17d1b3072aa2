/**
 * Finds effects and ref callbacks of React without a block body. React calls what they return as a clean-up, and an expression returns what
 * its call answers: browsers have changed that for scroll methods, which answer promises in newer versions.
 */
import ts from 'typescript'

const HOOKS = /^use(Layout|Insertion)?Effect$/

export function effectsWithoutBlock(path: string, source: string): { line: number; what: string }[] {
  const file = ts.createSourceFile(path, source, ts.ScriptTarget.Latest)
  const found: { line: number; what: string }[] = []
  const functions = new Map<string, ts.Expression>()
  const add = (node: ts.Node, what: string) => found.push({ line: file.getLineAndCharacterOfPosition(node.getStart(file)).line + 1, what })

  const collect = (node: ts.Node) => {
    if (ts.isVariableDeclaration(node) && ts.isIdentifier(node.name) && node.initializer) functions.set(node.name.text, node.initializer)
    ts.forEachChild(node, collect)
  }
  collect(file)

  /** A ref is a function, an object of `useRef`, or a choice of them; a name is looked up in its file. */
  const returnsItsExpression = (value: ts.Expression, names: readonly string[] = []): boolean => {
    if (ts.isArrowFunction(value)) return !ts.isBlock(value.body)
    if (ts.isParenthesizedExpression(value)) return returnsItsExpression(value.expression, names)
    if (ts.isConditionalExpression(value)) return [value.whenTrue, value.whenFalse].some((branch) => returnsItsExpression(branch, names))
    if (ts.isBinaryExpression(value)) return returnsItsExpression(value.right, names)
    if (ts.isCallExpression(value)) return value.arguments.some((argument) => returnsItsExpression(argument, names)) // such as useCallback
    const meant = ts.isIdentifier(value) && !names.includes(value.text) ? functions.get(value.text) : undefined
    return meant !== undefined && ts.isIdentifier(value) && returnsItsExpression(meant, [...names, value.text])
  }

  const look = (node: ts.Node) => {
    if (ts.isCallExpression(node)) {
      const called = ts.isPropertyAccessExpression(node.expression) ? node.expression.name : node.expression
      const [effect] = node.arguments
      const has_block = effect && (ts.isArrowFunction(effect) || ts.isFunctionExpression(effect)) && ts.isBlock(effect.body)
      if (ts.isIdentifier(called) && HOOKS.test(called.text) && !has_block) add(node, called.text)
    }
    const is_ref = (ts.isJsxAttribute(node) || ts.isPropertyAssignment(node)) && node.name.getText(file) === 'ref'
    const value =
      is_ref && node.initializer && ts.isJsxExpression(node.initializer)
        ? node.initializer.expression
        : is_ref
          ? node.initializer
          : undefined
    if (value && !ts.isStringLiteral(value) && returnsItsExpression(value as ts.Expression)) add(node, 'ref') // as: no JSX element is a ref
    ts.forEachChild(node, look)
  }
  look(file)
  return found
}
