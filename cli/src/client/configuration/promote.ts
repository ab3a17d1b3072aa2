/** `ostiary promote`: brings the configuration of one environment to another. Decision 0135. */
import { z } from 'zod'
import type { Written } from '../../arguments.ts'
import { UsageError } from '../../usage.ts'
import { type Connection, connect } from '../connection.ts'
import { rowOf } from '../derive.ts'
import type { Io } from '../io.ts'
import { rowFor, textOf, writtenOptions } from '../run-command.ts'
import { inScope, isId, resolveScope, type Scope } from '../scope.ts'
import { carryOut } from './carry-out.ts'
import { readYamlFile } from './file.ts'
import { type NamedFile, namesIn, refuseSecrets } from './problems.ts'
import { linesToFill, onlyOf, valuesIn } from './values.ts'

export async function promote(io: Io, written: Written): Promise<number> {
  const [from = '', to = ''] = written.words
  const only_words = written.values.get('only')
  const only = Array.isArray(only_words) ? onlyOf(only_words.map(String)) : undefined
  const named = await valuesFile(io, textOf(written, 'values'))
  const connection = connect(io, textOf(written, 'profile'))
  const row = rowFor({ noun: 'configuration', verb: 'get', rows: [rowOf('getConfiguration')] }, connection.kind)
  const where = { tenant: textOf(written, 'tenant'), project: textOf(written, 'project'), words: [] }
  const source = await resolveScope(connection, row, { ...where, env: from })
  const scope = await resolveScope(connection, row, { ...where, env: to })
  const target = isId(to) ? await slugOf(connection, scope) : to
  const given = named ? valuesIn(named, target) : []
  const job = {
    io: named?.path === '-' ? { ...io, is_interactive: false } : io,
    connection,
    scope,
    target,
    body: {
      from_environment_id: source.environment_id,
      to_environment_id: scope.environment_id,
      values: given.map(({ value }) => value),
      only,
      note: textOf(written, 'note') ?? undefined,
    },
    document: null,
    locate: (pointer: string) => {
      const [list, index] = namesIn(pointer)
      const found = list === 'values' ? given[Number(index)] : undefined
      return named && found ? { named, path: found.path } : null
    },
    scope_options: writtenOptions(written, ['tenant', 'project', 'profile']),
    is_json: written.values.has('json'),
  }
  const asked = { yes: written.values.has('yes'), overwrite: written.values.has('overwrite'), word: textOf(written, 'confirm') }
  return carryOut(job, { ...asked, unanswered: 3, advise: (plan) => linesToFill(plan, target) })
}

const Environment = z.object({ slug: z.string() })

/** Files of values, and words about a plan, name an environment by its slug. */
async function slugOf(connection: Connection, scope: Scope): Promise<string> {
  const row = rowOf('getEnvironment')
  const { project_id, environment_id } = scope
  const { data } = await connection.call(row, { ...inScope(row, scope), params: { project_id, environment_id } })
  return Environment.parse(data).slug
}

async function valuesFile(io: Io, path: string | null): Promise<NamedFile | null> {
  if (path === null) return null
  if (path === '') throw new UsageError('--values takes the name of a file.')
  const named = { path, file: await readYamlFile(io, path) }
  refuseSecrets(named, no_secrets)
  return named
}

/** The service says the same of a name. Text in the clear is never sent. */
const no_secrets =
  'Values hold no secrets. Set it in the target itself, or name it in a file of the target, and apply that with "ostiary apply". If this text was a secret, replace it.'
