/** `ostiary distribute`: puts the tables of a PostgreSQL with Citus on its nodes. Safe to run again. */
import { CannotStart } from '@ostiary/server/base/cannot-start.ts'
import type { Config } from '@ostiary/server/base/config/config.ts'
import { type Place, tables_of } from '@ostiary/server/db/citus/placement.ts'
import { wrongArguments } from './arguments.ts'
import type { commands, Values } from './commands.ts'

type DistributeValues = Values<typeof commands.distribute>

export async function distributeCommand(config: Config, values: DistributeValues): Promise<number> {
  // Loaded here, since an embedded deployment does not load the driver.
  const { distribute, shards_at_most, tried_versions } = await import('@ostiary/server/db/citus/distribute.ts')
  const shards = readShards(values.shards, shards_at_most)
  if (config.database_url === null)
    throw new CannotStart(
      'The embedded database is one file and cannot be distributed. Set OSTIARY_DATABASE_URL to a PostgreSQL with Citus.',
    )
  const is_dry_run = values['dry-run'] === true
  const say = (line: string) => process.stderr.write(`${line}\n`)
  const result = await distribute(config.database_url, { shards, is_dry_run, say })
  if (!tried_versions.some((version) => result.citus.startsWith(`${version}-`)))
    say(`Citus ${result.citus} was not tried with this version of Ostiary. Tried: ${tried_versions.join(', ')}.`)
  process.stdout.write(
    values.json ? `${JSON.stringify({ status: is_dry_run ? 'dry_run' : 'done', ...result })}\n` : text(result, is_dry_run),
  )
  return 0
}

function readShards(text: string | undefined, most: number): number | null {
  if (text === undefined) return null
  const count = /^[0-9]{1,3}$/.test(text) ? Number(text) : 0
  if (count < 1 || count > most) throw wrongArguments('distribute', [`--shards takes a number from 1 to ${most}.`])
  return count
}

const places: Readonly<Record<Place, string>> = {
  environment: 'by environment',
  scope: 'by scope',
  everywhere: 'on every node',
  coordinator: 'on the coordinator',
}

interface Result {
  readonly citus: string
  readonly nodes: readonly { address: string; is_coordinator: boolean }[]
  readonly shards: number
  readonly steps: readonly string[]
}

function text({ citus, nodes, shards, steps }: Result, is_dry_run: boolean): string {
  const named = nodes.map(({ address, is_coordinator }) => `${address}${is_coordinator ? ' (coordinator)' : ''}`)
  const tables = (Object.keys(places) as Place[]).map((place) => `  ${places[place].padEnd(20)}${tables_of[place].length} tables\n`) // as: the keys of the table
  const done = is_dry_run ? 'Nothing was changed. These steps are left:' : 'Every table is in its place. Steps of this run:'
  return `Citus ${citus}, nodes: ${named.join(', ')}. Shards of each table: ${shards}.\n${tables.join('')}${
    steps.length === 0
      ? 'Nothing is left to do.\n'
      : `${done} ${steps.length}\n${is_dry_run ? steps.map((step) => `  ${step}\n`).join('') : ''}`
  }`
}
