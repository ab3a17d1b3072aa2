/**
 * Reads a recorded statement as nested query blocks, in the subset of SQL that the service uses: which tables each block reads under which
 * names, and which conditions must all be true for its rows.
 */

export interface Table {
  readonly name: string
  readonly alias: string
}

export interface Block {
  readonly does: 'select' | 'insert' | 'update' | 'delete'
  /** The tables whose rows the block reads; for an update or a deletion also the one that it changes. */
  readonly tables: readonly Table[]
  /** The conditions that must all be true, after `where` and `on`. */
  readonly conditions: readonly string[]
  /** The blocks in parentheses, and the query of an insert. */
  readonly inner: readonly Block[]
  /** For an insert its columns, with the value or expression that each gets. */
  readonly columns: ReadonlyMap<string, string>
  /** The table that the block changes; `null` for a query. */
  readonly target: string | null
  readonly text: string
}

type Token = string | Token[]

/** Reads a statement as its blocks, one for each arm of a union. */
export function blocksOf(text: string): Block[] {
  return readBlocks(nested(text))
}

/** Every block of a list, with those inside of them. */
export function* allBlocks(blocks: readonly Block[]): Generator<Block> {
  for (const block of blocks) {
    yield block
    yield* allBlocks(block.inner)
  }
}

const pattern = /'(?:[^']|'')*'|\?…?|…|[a-z_][a-z_0-9]*(?:\.[a-z_*][a-z_0-9]*)*|\d+|\|\||<>|<=|>=|[-(),=<>+*/%:]/gi

function nested(text: string): Token[] {
  const stack: Token[][] = [[]]
  for (const [token] of text.matchAll(pattern)) {
    if (token === '(') stack.push([])
    else if (token === ')') {
      const group = stack.pop() ?? []
      stack.at(-1)?.push(group)
    } else stack.at(-1)?.push(token)
  }
  return stack[0] ?? []
}

const isGroup = (token: Token | undefined): token is Token[] => Array.isArray(token)
const textOf = (tokens: readonly Token[]): string => tokens.map((token) => (isGroup(token) ? `(${textOf(token)})` : token)).join(' ')
const isQuery = (tokens: readonly Token[]) => tokens[0] === 'select' || tokens[0] === 'with'

/** Splits at words outside of parentheses. */
function split(tokens: readonly Token[], ...words: readonly string[]): Token[][] {
  const found: Token[][] = [[]]
  for (const token of tokens) {
    if (typeof token === 'string' && words.includes(token)) found.push([])
    else found.at(-1)?.push(token)
  }
  return found
}

function readBlocks(tokens: readonly Token[]): Block[] {
  if (tokens[0] === 'with') return readWith(tokens)
  const arms = split(tokens, 'union', 'except', 'intersect').map((arm) => (arm[0] === 'all' ? arm.slice(1) : arm))
  return arms.flatMap((arm) => {
    const [only] = arm
    return isGroup(only) && arm.length === 1 ? readBlocks(only) : [readBlock(arm)]
  })
}

/** `with [recursive] name [(columns)] as (query), … statement`. A name stands for its query, not for a table. */
function readWith(tokens: readonly Token[]): Block[] {
  const names: string[] = []
  const blocks: Block[] = []
  let at = tokens[1] === 'recursive' ? 2 : 1
  for (;;) {
    names.push(String(tokens[at]))
    while (tokens[at] !== 'as') at += 1
    const query = tokens[at + 1]
    if (isGroup(query)) blocks.push(...readBlocks(query))
    at += 2
    if (tokens[at] !== ',') break
    at += 1
  }
  blocks.push(...readBlocks(tokens.slice(at)))
  return blocks.map((block) => without(block, names))
}

function without(block: Block, names: readonly string[]): Block {
  return {
    ...block,
    tables: block.tables.filter(({ name }) => !names.includes(name)),
    inner: block.inner.map((one) => without(one, names)),
  }
}

const ends_from = ['where', 'group', 'order', 'having', 'limit', 'offset', 'returning']
const ends_where = ['group', 'order', 'having', 'limit', 'offset', 'returning', 'on']
const joins = ['join', 'left', 'inner', 'cross', 'on', ',']

function readBlock(tokens: readonly Token[]): Block {
  const [verb, second] = tokens
  const text = textOf(tokens)
  if (verb === 'insert') return readInsert(tokens, text)
  if (verb === 'update') {
    const { conditions, inner } = readConditions(tokens.slice(2))
    const target = String(second)
    return { does: 'update', tables: [{ name: target, alias: target }], conditions, inner, columns: new Map(), target, text }
  }
  const from = tokens.indexOf('from')
  const { tables, conditions: joined } = from === -1 ? { tables: [], conditions: [] } : readFrom(tokens.slice(from + 1))
  const { conditions, inner } = readConditions(tokens)
  const all = [...joined, ...conditions]
  const target = verb === 'delete' ? (tables[0]?.name ?? null) : null
  return { does: verb === 'delete' ? 'delete' : 'select', tables, conditions: all, inner, columns: new Map(), target, text }
}

/** The tables between `from` and the next clause, with the conditions after `on`. */
function readFrom(tokens: readonly Token[]): { tables: Table[]; conditions: string[] } {
  const end = tokens.findIndex((token) => typeof token === 'string' && ends_from.includes(token))
  const clause = end === -1 ? tokens : tokens.slice(0, end)
  const tables: Table[] = []
  const conditions: string[] = []
  for (let at = 0; at < clause.length; at++) {
    const token = clause[at]
    if (token === 'on') {
      let until = at + 1
      while (until < clause.length && !joins.includes(String(clause[until]))) until += 1
      conditions.push(...conjuncts(clause.slice(at + 1, until)))
      at = until - 1
      continue
    }
    if (typeof token === 'string' && [...joins, 'as', 'outer', 'lateral'].includes(token)) continue
    let next = clause[at + 1]
    if (next === 'as') next = clause[at + 2]
    const has_alias = typeof next === 'string' && !joins.includes(next)
    if (typeof token === 'string' && !isGroup(next)) tables.push({ name: token, alias: has_alias ? String(next) : token })
    while (at + 1 < clause.length && !joins.includes(String(clause[at + 1]))) at += 1
  }
  return { tables, conditions }
}

function readConditions(tokens: readonly Token[]): { conditions: string[]; inner: Block[] } {
  const where = tokens.lastIndexOf('where')
  const clause = where === -1 ? [] : tokens.slice(where + 1)
  const end = clause.findIndex((token) => typeof token === 'string' && ends_where.includes(token))
  return { conditions: conjuncts(end === -1 ? clause : clause.slice(0, end)), inner: innerBlocks(tokens) }
}

/** The parts that must all be true. `between ? and ?` is not in the subset. */
function conjuncts(tokens: readonly Token[]): string[] {
  if (tokens.includes('or')) return [textOf(tokens)]
  const parts = splitOutsideCase(tokens)
  if (parts.length > 1) return parts.flatMap(conjuncts)
  const [only] = tokens
  return tokens.length === 1 && isGroup(only) && !isQuery(only) ? conjuncts(only) : [textOf(tokens)]
}

function splitOutsideCase(tokens: readonly Token[]): Token[][] {
  let depth = 0
  const found: Token[][] = [[]]
  for (const token of tokens) {
    if (token === 'case') depth += 1
    if (token === 'end') depth -= 1
    if (token === 'and' && depth === 0) found.push([])
    else found.at(-1)?.push(token)
  }
  return found.filter((part) => part.length > 0)
}

function innerBlocks(tokens: readonly Token[]): Block[] {
  return tokens.filter(isGroup).flatMap((group) => (isQuery(group) ? readBlocks(group) : innerBlocks(group)))
}

/** `insert into table (columns) values (…)` or a query, and perhaps `on conflict … do update set … where …`. */
function readInsert(tokens: readonly Token[], text: string): Block {
  const [, , table, names] = tokens
  const target = String(table)
  const columns = isGroup(names) ? split(names, ',').map((name) => textOf(name)) : []
  const rest = tokens.slice(4)
  const conflict = rest.findIndex((token, index) => token === 'on' && rest[index + 1] === 'conflict')
  const source = conflict === -1 ? rest.filter((token) => token !== 'returning') : rest.slice(0, conflict)
  const after = conflict === -1 ? [] : rest.slice(conflict)
  const row = source[0] === 'values' && isGroup(source[1]) ? source[1] : selected(source)
  const given = valuesOf(row)
  const query = isQuery(source) ? readBlocks(source) : innerBlocks(source)
  return {
    does: 'insert',
    tables: [],
    conditions: [],
    inner: [...query, ...innerBlocks(after)],
    columns: new Map(columns.map((name, index) => [name, given.at(index) ?? given.at(-1) ?? ''])),
    target,
    text,
  }
}

/** Returns the selection of a query, without its clauses; after `with` that of the query which follows. */
function selected(all: readonly Token[]): Token[] {
  const tokens = all[0] === 'with' ? all.slice(all.indexOf('select')) : all
  const from = tokens.findIndex((token) => token === 'from' || token === 'where')
  return tokens[0] === 'select' ? tokens.slice(1, from === -1 ? undefined : from) : []
}

/** The values of a row. `?…` stands for a list of any length, so what follows it is counted from the end. */
function valuesOf(tokens: readonly Token[]): string[] {
  return split(tokens, ',').map(textOf)
}
