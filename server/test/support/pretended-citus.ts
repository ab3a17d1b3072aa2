/** Imitates the catalogue of Citus in a database without it. Batches are sent there as on a distributed database. */
import { distributionColumn, placeOf, tables_of } from '../../src/db/citus/placement.ts'
import { runCommand } from './postgres.ts'

const catalogue = `select pg_advisory_xact_lock(1); create table if not exists pg_dist_partition
  (logicalrelid regclass primary key, partmethod "char", partkey text, colocationid integer, repmodel "char")`

/** Says that tables live where `db/citus/placement.ts` has them, or all that exist. */
export async function pretendPlaced(url: string, tables: readonly string[] = Object.values(tables_of).flat()): Promise<void> {
  const values = tables.map((table) => {
    const column = distributionColumn(table)
    if (column !== null) return `('${table}', 'h', '${column}', 2, 's')`
    return placeOf(table) === 'everywhere' ? `('${table}', 'n', null, 1, 't')` : `('${table}', 'n', null, 0, 's')`
  })
  await runCommand(url, `${catalogue}; ${insert(values)}`)
}

/** Says something else about a table. */
export const pretend = (
  url: string,
  table: string,
  { column = null as string | null, colocation = 0, model = 's' as 's' | 't' },
): Promise<void> =>
  runCommand(
    url,
    `${catalogue}; ${insert([`('${table}', '${column === null ? 'n' : 'h'}', ${column === null ? 'null' : `'${column}'`}, ${colocation}, '${model}')`])}`,
  )

const insert = (values: readonly string[]): string => `insert into pg_dist_partition
  select to_regclass(name), method, '{VAR :varno 1 :varattno ' || a.attnum || '}', colocation, model
    from (values ${values.join(', ')}) said (name, method, by, colocation, model)
    left join pg_attribute a on a.attrelid = to_regclass(name) and a.attname = by
   where to_regclass(name) is not null
  on conflict (logicalrelid) do update set
    partmethod = excluded.partmethod, partkey = excluded.partkey, colocationid = excluded.colocationid, repmodel = excluded.repmodel`
