/**
 * The steps that put the tables of a database where `placement.ts` says. A step is one transaction under the lock of migrations, and the next
 * one is the first that the catalogue of Citus does not show as done. So steps can be cut short and run again, also by two programs at once,
 * and end in the same state (decision 0146). `distribute.ts` runs them for the command, `postgres-schema.ts` for the new tables of a migration.
 */
import { CannotStart } from '../../base/cannot-start.ts'
import { isRefusal } from '../postgres/errors.ts'
import { type Known, kindOf, known_places } from './distribution.ts'
import { distributionColumn, indexes_without_marks, type Place, placeOf, tables_of } from './placement.ts'

/** Runs one statement on a connection that nothing else uses. */
export type Run = (text: string) => Promise<readonly Row[]>
type Row = Record<string, unknown>

/** An arbitrary number. No other program may use the same one in this database. */
export const migration_lock = 7_157_263_411

interface Table {
  /** `null`: Citus does not know it. `elsewhere`: a place that the registry does not have. */
  readonly place: Place | 'elsewhere' | null
  /** Citus made it known by itself, for a foreign key, and would forget it with that. */
  readonly is_temporary: boolean
  /** Tables with the same number have the rows of one environment on one node. */
  readonly colocation: number
  readonly shards: number
  /** The size of the table itself. The rows of a placed table are in its shards, so these bytes are a hidden copy. */
  readonly bytes: number
}

export interface Distribution {
  /** The tables of the registry that the schema has. */
  readonly tables: ReadonlyMap<string, Table>
  /** The shards of each table by environment; `null` before the first. */
  readonly shards: number | null
  /** How far `ostiary distribute` came; `null` if it has not run. */
  readonly state: 'begun' | 'whole' | null
  /** The oldest program that the schema names. */
  readonly oldest_program: number
  readonly stale_indexes: readonly MarkedIndex[]
}

type MarkedIndex = keyof typeof indexes_without_marks
export const every_marked_index = Object.keys(indexes_without_marks) as MarkedIndex[] // as: the keys of the table

export interface DistributionStep {
  readonly text: string
  readonly statements: readonly string[]
  /** Runs after the commit. Its loss does no harm. */
  readonly afterwards?: string
}

/** Reports whether the database has the extension. */
export const hasCitus = async (run: Run): Promise<boolean> =>
  (await run("select 1 as one from pg_extension where extname = 'citus'")).length > 0

/** The coordinator has the group 0. */
export const isCoordinator = async (run: Run): Promise<boolean> =>
  Number((await run('select groupid as number from pg_dist_local_group'))[0]?.number) === 0

const state_row = 'distribution'

export async function readDistribution(run: Run): Promise<Distribution> {
  const known = (await run(known_places)) as unknown as readonly Known[] // as: the columns of the query
  const rows = await run(`
    select c.relname as name, p.autoconverted as is_temporary, d.shardcount as shards, pg_relation_size(c.oid) as bytes
      from pg_class c left join pg_dist_partition p on p.logicalrelid = c.oid left join pg_dist_colocation d on d.colocationid = p.colocationid
     where c.relkind in ('r', 'p') and pg_table_is_visible(c.oid)`)
  const more = new Map(rows.map((row) => [row.name, row]))
  const tables = new Map(known.map((table) => [table.name, tableFrom(table, more.get(table.name) ?? {})]))
  const indexes = await run(`select indexname as name, indexdef as text from pg_indexes where schemaname = any (current_schemas(false))`)
  const texts = new Map(indexes.map(({ name, text }) => [name, String(text)]))
  const has_state = tables.has('deployment')
  const [row] = has_state ? await run(`select value from deployment where name = '${state_row}'`) : []
  const [named] = has_state ? await run('select max(oldest_program) as oldest from schema_migrations') : []
  return {
    tables,
    shards: [...tables.values()].find(({ place }) => place === 'environment')?.shards ?? null,
    state: row?.value === 'begun' || row?.value === 'whole' ? row.value : null,
    oldest_program: Number(named?.oldest ?? 0),
    stale_indexes: every_marked_index.filter((index) => tables.has('events') && (texts.get(index)?.includes('||') ?? true)),
  }
}

function tableFrom(known: Known, { is_temporary, shards, bytes }: Row): Table {
  return {
    place: known.method === null ? null : (kindOf(known) ?? 'elsewhere'),
    is_temporary: is_temporary === 1,
    colocation: known.colocation ?? 0,
    shards: Number(shards ?? 0),
    bytes: Number(bytes ?? 0),
  }
}

/** Reports whether Citus has a table of ours in more than a list: on other nodes too. */
export const isDistributed = ({ tables }: Distribution): boolean => [...tables.values()].some(({ place }) => place !== null)

/** The tables that are in a place from which no step moves them, with words. Someone distributed them by hand. */
export function misplaced({ tables }: Distribution): { table: string; text: string }[] {
  const beside = anchorOf(tables)
  return [...tables].flatMap(([table, { place, colocation }]) => {
    const wanted = placeOf(table)
    if (place === null || place === 'coordinator') return []
    if (place !== wanted) return [{ table, text: `${table} is ${is_in[place]} and belongs ${belongs[wanted ?? 'coordinator']}` }]
    const is_apart = place !== 'everywhere' && beside !== null && colocation !== tables.get(beside)?.colocation
    return is_apart ? [{ table, text: `${table} is not beside ${beside}` }] : []
  })
}

/** The tables that a step is left for. */
export const unplaced = ({ tables }: Distribution): string[] =>
  in_order.filter((table) => {
    const found = tables.get(table)
    return found !== undefined && (found.place !== placeOf(table) || found.is_temporary)
  })

const is_in = {
  environment: 'distributed by environment_id',
  scope: 'distributed by scope_id',
  everywhere: 'on every node',
  coordinator: 'on the coordinator',
  elsewhere: 'distributed in another way',
} as const

const belongs: Readonly<Record<Place, string>> = {
  environment: 'to the nodes by environment_id',
  scope: 'to the nodes by scope_id',
  everywhere: 'on every node',
  coordinator: 'on the coordinator',
}

/** Foreign keys lead to the tables of `everywhere`. With the first of them Citus makes their tables known by itself, where they are. */
const in_order = (['everywhere', 'environment', 'scope', 'coordinator'] as const).flatMap((place) => tables_of[place])

/** The distributed table beside which the others go. */
const anchorOf = (tables: Distribution['tables']): string | null =>
  tables_of.environment.find((table) => tables.get(table)?.place === 'environment') ?? null

/** The request of `ostiary distribute`. A migration has neither field, since the command ran before. */
export interface Wanted {
  readonly shards: number
  /** The newest migration of this program. */
  readonly program: number
}

/** All steps that are left, in their order. */
export function stepsOf(distribution: Distribution, wanted: Wanted | null): DistributionStep[] {
  const { tables, stale_indexes } = distribution
  const shards = distribution.shards ?? wanted?.shards ?? null
  let beside = anchorOf(tables)
  const placements = unplaced(distribution).map((table): DistributionStep => {
    const step = placement(table, beside, shards)
    if (placeOf(table) === 'environment') beside ??= table
    const is_filled = (tables.get(table)?.bytes ?? 0) > 0
    return is_filled ? { ...step, afterwards: `analyze ${table}` } : step
  })
  const indexes = stale_indexes.map(
    (index): DistributionStep => ({
      text: `index ${index} without marks`,
      statements: [`drop index if exists ${index}`, indexes_without_marks[index]],
    }),
  )
  return [
    ...(wanted !== null && hasToBegin(distribution, wanted) ? [begin(wanted.program)] : []),
    ...indexes,
    ...placements,
    ...in_order.filter((table) => (tables.get(table)?.bytes ?? 0) > 0 && placeOf(table) !== 'coordinator').map(removal),
    ...(wanted === null || isWhole(distribution) ? [] : [{ text: 'all tables are in place', statements: [setState('whole')] }]),
  ]
}

/** The state can be of a copy that was restored into a PostgreSQL without distributed tables. */
const isWhole = (distribution: Distribution): boolean => distribution.state === 'whole' && isDistributed(distribution)

const hasToBegin = (distribution: Distribution, { program }: Wanted): boolean =>
  distribution.state === 'begun' ? distribution.oldest_program < program : !isWhole(distribution)

const setState = (state: 'begun' | 'whole') =>
  `insert into deployment (name, value) values ('${state_row}', '${state}') on conflict (name) do update set value = excluded.value`

const begin = (program: number): DistributionStep => ({
  text: `the schema names this program (${program}) as the oldest`,
  statements: [
    `update schema_migrations set oldest_program = ${program} where number = ${program} and oldest_program < ${program}`,
    setState('begun'),
  ],
})

function placement(table: string, beside: string | null, shards: number | null): DistributionStep {
  const column = distributionColumn(table)
  const text = `${table} ${placed[placeOf(table) ?? 'coordinator']}`
  if (column !== null) {
    const where = beside === null ? `colocate_with => 'none', shard_count => ${shards}` : `colocate_with => '${beside}'`
    // One copy of each shard, whatever the database sets: standbys of the nodes have the others.
    return {
      text,
      statements: ['set local citus.shard_replication_factor to 1', `select create_distributed_table('${table}', '${column}', ${where})`],
    }
  }
  if (placeOf(table) === 'everywhere') return { text, statements: [`select create_reference_table('${table}')`] }
  return { text, statements: [`select citus_add_local_table_to_metadata('${table}')`] }
}

const placed: Readonly<Record<Place, string>> = {
  environment: 'by environment_id',
  scope: 'by scope_id',
  everywhere: 'on every node',
  coordinator: 'on the coordinator',
}

/** The rows of a table that was filled are in its shards, and their first copy is still on the disk of the coordinator. */
const removal = (table: string): DistributionStep => ({
  text: `the first copy of ${table} is removed`,
  statements: [`select truncate_local_data_after_distributing_table('${table}')`],
})

interface Running {
  wanted: Wanted | null
  /** Runs in the transaction of each step, before it. */
  check?: (distribution: Distribution) => Promise<void>
  done?: (step: DistributionStep, left: number) => void
}

/** Runs the steps that are left. Returns how many it ran. */
export async function runSteps(run: Run, { wanted, check, done }: Running): Promise<number> {
  await run("set client_min_messages to 'warning'")
  for (let count = 0, last = ''; ; count++) {
    await run('begin isolation level read committed')
    await run(`select pg_advisory_xact_lock(${migration_lock})`)
    const distribution = await readDistribution(run)
    await check?.(distribution)
    const [step, ...left] = stepsOf(distribution, wanted)
    if (!step) {
      await run('commit')
      return count
    }
    if (step.text === last) throw new Error(`The step "${step.text}" was run and is left.`)
    for (const statement of step.statements) await runOf(step, run, statement)
    await runOf(step, run, 'commit')
    if (step.afterwards) await runOf(step, run, step.afterwards)
    last = step.text
    done?.(step, left.length)
  }
}

async function runOf({ text }: DistributionStep, run: Run, statement: string): Promise<void> {
  try {
    await run(statement)
  } catch (error) {
    if (!isRefusal(error)) throw error
    throw new CannotStart(
      `The database refused a step (${text}): ${error.message}. What was done before stays. Mend the cause and run "ostiary distribute" again. See docs/guides/beyond-one-primary.md.`,
      { cause: error },
    )
  }
}
