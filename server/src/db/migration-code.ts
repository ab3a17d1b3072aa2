/**
 * Steps of migrations that SQL cannot express. A statement `{code} name` of a migration file runs the step of this name within the
 * migration. A step is a generator: it yields statements and gets their rows, so both engines can run it. It works in slices.
 */
import { hostOf, numbered, slugFrom } from '../base/slug.ts'
import { userNameKey } from '../base/user-name.ts'
import { type Engine, identifiers, join, type Row, type Statement, sql } from './db.ts'
import { createEventIndex, dropIndex, event_indexes, replaced_event_indexes } from './event-indexes.ts'

export type Step = Generator<Statement, void, readonly Row[]>

const steps: Readonly<Record<string, (engine: Engine['name']) => Step>> = {
  give_slugs: giveSlugs,
  fold_user_names: foldUserNames,
  shorten_event_indexes: shortenEventIndexes,
  name_scopes: nameScopes,
}

/** The step that a statement of a migration names, or `null` for SQL. */
export function codeStepOf(statement: string, engine: Engine['name']): Step | null {
  const name = /^\{code\} (\w+)$/.exec(statement)?.[1]
  if (name === undefined) return null
  const step = steps[name]
  if (!step) throw new Error(`No step of a migration has the name ${name}.`)
  return step(engine)
}

const rows_at_once = 500

/** 0017: gives a slug to every application, resource server, provider and webhook, to the oldest of an environment first. */
function* giveSlugs(): Step {
  yield* giveSlugsIn('applications', 'name')
  yield* giveSlugsIn('resource_servers', 'name')
  yield* giveSlugsIn('providers', 'display_name')
  yield* giveSlugsIn('webhooks', 'url')
}

function* giveSlugsIn(table: Parameters<typeof slugFrom>[1], column: string): Step {
  const [objects, source] = [identifiers(table), identifiers(column)]
  let last = { environment_id: '', id: '' }
  let taken = new Set<string>()
  for (;;) {
    const rows = yield sql`select environment_id, id, ${source} as text from ${objects}
      where (environment_id, id) > (${last.environment_id}, ${last.id}) order by environment_id, id limit ${rows_at_once}`
    for (const row of rows) {
      const { environment_id, id, text } = row as { environment_id: string; id: string; text: string } // as: the columns of the query
      if (environment_id !== last.environment_id) taken = new Set()
      last = { environment_id, id }
      const base = slugFrom(table === 'webhooks' ? hostOf(text) : text, table)
      let n = 1
      while (taken.has(numbered(base, n))) n++
      const slug = numbered(base, n)
      taken.add(slug)
      yield sql`update ${objects} set slug = ${slug}, slug_settable = 1 where environment_id = ${environment_id} and id = ${id}`
    }
    if (rows.length < rows_at_once) return
  }
}

/** 0044: the key of every user name that the API has set. A slice is one statement: sign-ins wait until the migration ends. */
function* foldUserNames(): Step {
  let last = { environment_id: '', id: '' }
  for (;;) {
    const rows = yield sql`select environment_id, id, preferred_username as name from users
      where (environment_id, id) > (${last.environment_id}, ${last.id}) and preferred_username is not null
      order by environment_id, id limit ${rows_at_once}`
    const keys = rows.map((row) => {
      const { environment_id, id, name } = row as { environment_id: string; id: string; name: string } // as: the columns of the query
      last = { environment_id, id }
      return sql`(${environment_id}, ${id}, ${userNameKey(name)})`
    })
    if (keys.length > 0)
      yield sql`update users set preferred_username_key = named.name_key
        from (select column1 as environment_id, column2 as id, column3 as name_key from (values ${join(keys, ', ')}) as given) as named
        where users.environment_id = named.environment_id and users.id = named.id`
    if (rows.length < rows_at_once) return
  }
}

/** On PostgreSQL an index of more events is replaced beside their changes, by a worker (`workers/event-indexes.ts`). */
const few_events = 10_000

/** 0045: short keys for the filters of events. */
function* shortenEventIndexes(engine: Engine['name']): Step {
  if (engine === 'postgres' && (yield sql`select 1 as one from events limit ${few_events + 1}`).length > few_events) return
  for (const index of event_indexes) yield createEventIndex(index)
  for (const index of replaced_event_indexes) yield dropIndex(index)
}

/** 0048: the names of the scopes of every resource server. */
function* nameScopes(): Step {
  let last = { environment_id: '', id: '' }
  for (;;) {
    const rows = yield sql`select environment_id, id, scopes from resource_servers
      where (environment_id, id) > (${last.environment_id}, ${last.id}) order by environment_id, id limit ${servers_at_once}`
    for (const row of rows) {
      const { environment_id, id, scopes } = row as { environment_id: string; id: string; scopes: string } // as: the columns of the query
      last = { environment_id, id }
      const names = (JSON.parse(scopes) as { name: string }[]).map(({ name }) => sql`(${environment_id}, ${name}, ${id})`) // as: what the API has checked
      if (names.length > 0)
        yield sql`insert into resource_server_scopes (environment_id, name, resource_server_id)
        values ${join(names, ', ')} on conflict do nothing`
      yield sql`update resource_servers set scopes_version = version where environment_id = ${environment_id} and id = ${id}`
    }
    if (rows.length < servers_at_once) return
  }
}

/** Each has up to 200 scopes. */
const servers_at_once = 100
