/** Checks a database with Citus for `ostiary doctor`: its nodes, and whether each table is where this version wants it (decision 0146). */
import type { Config } from '@ostiary/server/base/config/config.ts'
import type { Inspection, Reached } from '@ostiary/server/db/citus/distribute.ts'
import type { Finding } from './finding.ts'

interface Checked {
  readonly findings: readonly Finding[]
  /** Whether the service can run on the database. A process waits for tables that are not in place. */
  readonly is_placed: boolean
}

export async function checkNodes({ database_url }: Config): Promise<Checked> {
  if (database_url === null) return { findings: [], is_placed: true }
  // Loaded here, since an embedded deployment does not load the driver.
  const { inspectDistribution, tried_versions } = await import('@ostiary/server/db/citus/distribute.ts')
  const found = await inspectDistribution(database_url)
  if (found === null) return { findings: [], is_placed: true }
  if (!found.is_distributed) {
    const text = `The database has the extension Citus ${found.citus}, and its tables are not distributed.`
    return { findings: [{ level: 'ok', text }], is_placed: true }
  }
  const places = checkPlaces(found)
  return {
    findings: [checkShards(found), ...checkVersion(found, tried_versions), ...found.nodes.flatMap(checkNode), ...places],
    is_placed: places.length === 0,
  }
}

function checkShards({ citus, nodes, shards }: Inspection): Finding {
  const named = nodes.map(({ address, is_coordinator }) => `${address}${is_coordinator ? ' (coordinator)' : ''}`).join(', ')
  return {
    level: 'ok',
    text: `Citus ${citus} distributes the tables over ${nodes.length} nodes: ${named}. Shards of each table: ${shards}.`,
  }
}

function checkVersion({ citus }: Inspection, tried: readonly string[]): Finding[] {
  if (tried.some((version) => citus.startsWith(`${version}-`))) return []
  const text = `This version of Ostiary was not tried with Citus ${citus}. Tried: ${tried.join(', ')}.`
  return [{ level: 'warning', text }]
}

/** A node as the coordinator and this machine see it. */
export function checkNode({ address, is_active, answers, is_reached }: Omit<Reached, 'has_shards' | 'is_coordinator'>): Finding[] {
  if (!is_active)
    return [
      { level: 'problem', text: `The node ${address} is not active. As a superuser, run citus_activate_node for it on the coordinator.` },
    ]
  if (answers && is_reached) return []
  if (answers)
    return [
      {
        level: 'warning',
        text: `The coordinator reaches the node ${address}, and this machine does not. Where processes of the service do not reach it either, batches for its environments pass the coordinator, which does most of the work then. Let the processes log in there as they do at the coordinator.`,
      },
    ]
  return [
    {
      level: 'problem',
      text: `The node ${address} does not answer. Its environments get 503, and nothing changes tenants, projects and environments. Start it, or let its standby take its place.`,
    },
  ]
}

const others = 'The other checks did not run.'

function checkPlaces({ state, misplaced, unplaced }: Inspection): Finding[] {
  if (misplaced.length > 0)
    return [
      {
        level: 'problem',
        text: `Tables were distributed by hand: ${misplaced.join('; ')}. Stop the service, take them back with undistribute_table, and run "ostiary distribute". ${others}`,
      },
    ]
  if (unplaced.length === 0) return []
  const [first = ''] = unplaced
  const what =
    state === 'whole'
      ? 'Run "ostiary migrate" to finish what an upgrade began.'
      : 'Stop the service, and run "ostiary distribute" until it ends with 0.'
  return [
    { level: 'problem', text: `Tables are not where this version wants them (${unplaced.length}, ${first} among them). ${what} ${others}` },
  ]
}
