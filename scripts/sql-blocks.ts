/**
 * Reads a recorded statement by the grammar of PostgreSQL itself (`libpg-query`): what it changes, the tables that it reads, and its query
 * blocks with the conditions that must all be true for their rows. A condition is a node of the grammar's tree, and the functions below
 * say what it compares.
 */
import { type InsertStmt, loadModule, type Node, parseSync, type RangeVar, type SelectStmt, type UpdateStmt } from 'libpg-query'

interface Table {
  readonly name: string
  readonly alias: string
}

/** A query, update or deletion. Each arm of a union is a block, and so is each query in parentheses or after `with`. */
export interface Block {
  /** The tables whose rows the block reads; for an update or a deletion also the one that it changes. */
  readonly tables: readonly Table[]
  /** The conditions that must all be true, after `on` and `where`. */
  readonly conditions: readonly Node[]
}

export interface Statement {
  readonly does: 'insert' | 'update' | 'delete' | 'select'
  /** The table that the statement changes; `null` for a query. */
  readonly target: string | null
  /** The tables after `from` and `join`. */
  readonly reads: ReadonlySet<string>
  /** The blocks of the statement, with its own for an update or a deletion. */
  readonly blocks: readonly Block[]
  /** The conditions of an update or a deletion itself. */
  readonly conditions: readonly Node[]
  readonly insert: InsertStmt | undefined
  readonly update: UpdateStmt | undefined
  /** What the grammar says of a text that it does not know. */
  readonly error: string | null
}

await loadModule()
const known = new Map<string, Statement>()

/** Reads a statement, each text once. */
export function readSql(text: string): Statement {
  const statement = known.get(text) ?? read(text)
  known.set(text, statement)
  return statement
}

function read(text: string): Statement {
  const { tree, error } = parsed(text)
  const [insert] = every('InsertStmt', tree)
  const [update] = every('UpdateStmt', tree)
  const [deletion] = every('DeleteStmt', tree)
  const queries = every('SelectStmt', tree)
    .flatMap(arms)
    .filter(({ valuesLists }) => !valuesLists)
  const named = new Set(every('CommonTableExpr', tree).map(({ ctename }) => ctename)) // after `with`: queries, not tables
  const tablesOf = (all: readonly RangeVar[]) => all.filter(({ relname }) => !named.has(relname)).map(tableOf)
  const blockOf = ({ relation, fromClause = [], whereClause }: Part): Block => {
    const parts = fromClause.flatMap(joined)
    return {
      tables: tablesOf([relation ?? [], parts.flatMap((part) => only('RangeVar', part) ?? [])].flat()),
      conditions: [...parts.map((part) => only('JoinExpr', part)?.quals), whereClause].flatMap(conjuncts),
    }
  }
  return {
    does: insert ? 'insert' : update ? 'update' : deletion ? 'delete' : 'select',
    target: (insert ?? update ?? deletion)?.relation?.relname ?? null,
    reads: new Set(tablesOf(every('RangeVar', tree)).map(({ name }) => name)),
    blocks: [update ?? [], deletion ?? [], queries].flat().map(blockOf),
    conditions: conjuncts((update ?? deletion)?.whereClause),
    insert,
    update,
    error,
  }
}

const a_list = 2

/**
 * Parses a text that `server/test/support/record.mjs` has shortened: `?` is a value, `?…` a list of them, and a row before `…` stands for
 * several. SQLite explains a query after words of its own.
 */
function parsed(text: string): { tree: unknown; error: string | null } {
  const marks: Record<string, string> = { '?': '$1', '?…': `$${a_list}`, '…': '' }
  const written = text.replace(/^explain query plan /, '').replace(/\?…|\?|…/g, (mark) => marks[mark] ?? mark)
  try {
    return { tree: parseSync(written), error: null }
  } catch (error) {
    return { tree: null, error: String(error) }
  }
}

type Kind = Node extends infer One ? (One extends unknown ? keyof One : never) : never
type Of<K extends Kind> = Extract<Node, { [Key in K]: unknown }>[K]

/** What a node of this kind has; `undefined` for another node. */
export const only = <K extends Kind>(kind: K, node: Node | undefined): Of<K> | undefined =>
  (node as { [Key in K]?: Of<K> } | undefined)?.[kind] // as: a node has one property, whose name is its kind

/** Every node of a kind in a tree, an outer one before those inside of it. */
export function every<K extends Kind>(kind: K, tree: unknown, found: Of<K>[] = []): Of<K>[] {
  if (typeof tree !== 'object' || tree === null) return found
  for (const [key, child] of Object.entries(tree)) {
    if (key === kind) found.push(child)
    every(kind, child, found)
  }
  return found
}

/** The queries between `union`, `except` and `intersect`. */
const arms = (query: SelectStmt): SelectStmt[] => (query.larg && query.rarg ? [...arms(query.larg), ...arms(query.rarg)] : [query])

type Part = Pick<UpdateStmt, 'relation' | 'fromClause' | 'whereClause'>

/** The tables and joins of a from clause. A query in it is a block of its own. */
function joined(from: Node): Node[] {
  const { larg, rarg } = only('JoinExpr', from) ?? {}
  return [from, ...(larg ? joined(larg) : []), ...(rarg ? joined(rarg) : [])]
}

const tableOf = ({ relname = '', alias }: RangeVar): Table => ({ name: relname, alias: alias?.aliasname ?? relname })

/** The parts of a condition that must all be true. */
function conjuncts(condition: Node | undefined): Node[] {
  const { boolop, args = [] } = only('BoolExpr', condition) ?? {}
  return boolop === 'AND_EXPR' ? args.flatMap(conjuncts) : condition ? [condition] : []
}

/** The left and the right side of an expression with this operator. That of `in` with a list is `=` too, so its kind differs. */
export function sides(node: Node | undefined, operator: string, kind = 'AEXPR_OP'): [Node, Node] | null {
  const found = only('A_Expr', node)
  const is_same = found?.kind === kind && only('String', found.name?.[0])?.sval === operator
  return is_same && found.lexpr && found.rexpr ? [found.lexpr, found.rexpr] : null
}

/** The node before the mark `|| ''`, which changes no value (`server/src/db/environment.ts`). */
function unmarked(node: Node | undefined): Node | undefined {
  const [marked, mark] = sides(node, '||') ?? []
  return only('A_Const', mark)?.sval?.sval === '' ? marked : node
}

/** A column, and the name before it. */
export function columnOf(node: Node | undefined): { column: string | undefined; table: string | undefined } {
  const names = only('ColumnRef', unmarked(node))?.fields?.map((name) => only('String', name)?.sval) ?? []
  return { column: names.at(-1), table: names.at(-2) }
}

/** Whether a statement gives this value itself, bound or written. */
export function isValue(node: Node | undefined): boolean {
  const value = only('TypeCast', node)?.arg ?? unmarked(node)
  return only('ParamRef', value) !== undefined || only('A_Const', value)?.sval !== undefined
}

/** The expressions after `select`. */
export const selected = ({ targetList = [] }: SelectStmt): Node[] => targetList.flatMap((target) => only('ResTarget', target)?.val ?? [])

const sourceOf = ({ selectStmt }: InsertStmt): SelectStmt => only('SelectStmt', selectStmt) ?? {}

export const isOfValues = (insert: InsertStmt): boolean => sourceOf(insert).valuesLists !== undefined

/** What each row of an insert gives to a column. In a row with a list of values it is one of those. */
export function givenTo(column: string, insert: InsertStmt): (Node | undefined)[] {
  const place = insert.cols?.findIndex((node) => only('ResTarget', node)?.name === column) ?? -1
  const rows = arms(sourceOf(insert)).flatMap(
    (query) => query.valuesLists?.map((row) => only('List', row)?.items ?? []) ?? [selected(query)],
  )
  return rows.map((row) => row.find((node) => only('ParamRef', node)?.number === a_list) ?? row[place])
}
