/** Batches of tests that plan statements by hand. */
import { type Db, type Statement, sql } from '../../src/db/db.ts'

/** A batch may begin with any word here. A statement that finds no row is not a failed guard. */
export const run = (db: Db, ...statements: readonly Statement[]) =>
  db.batch(statements.map(({ parts, values }) => ({ ...sql``, parts, values })))

/** The environment `e` of the project `p` of the tenant `t`. */
export const environment_rows: readonly Statement[] = [
  sql`insert into tenants (id, slug, name, created_at, updated_at) values ('t', 't', 't', 0, 0)`,
  sql`insert into projects (tenant_id, id, slug, name, created_at, updated_at) values ('t', 'p', 'p', 'p', 0, 0)`,
  sql`insert into environments (tenant_id, project_id, id, slug, name, type, issuer, created_at, updated_at, settings_updated_at)
    values ('t', 'p', 'e', 'e', 'e', 'test', 'i', 0, 0, 0)`,
]
