/**
 * The nodes of a distributed database. A batch about one environment goes straight to the node that has its rows. Each node knows where all
 * rows are and passes on what it does not have, so an answer that is out of date costs time and nothing else.
 *
 * A batch that waits for one node holds up none for another (decision 0148): the coordinator has connections of its own for what it answers alone,
 * others for what needs each node, and others again for what it passes on to each.
 *
 * Batches for a node that this process has not reached pass the coordinator: an operator may let only the nodes connect to each other. While a
 * node is down that it has reached they fail with it.
 */
import { createBoundedMap } from '../../base/bounded-map.ts'
import { outsideRequests } from '../../base/database-time.ts'
import { asObjects, type Rows } from '../codec.ts'
import { type Statement, sql } from '../db.ts'
import type { Pool } from '../postgres/pool.ts'
import type { NodeAddress } from '../postgres/server.ts'
import type { Need } from './need.ts'

interface Placement {
  readonly address: NodeAddress
  /** The node is the one that answers, which is the coordinator in most cases. */
  readonly is_here: boolean
}

interface Node {
  /** To the node itself. */
  readonly straight: Pool
  /** To the coordinator, which passes on what needs both, and everything while the node was not reached. */
  readonly passed_on: Pool
  is_reached: boolean
  tried_at: number
}

const most_environments = 10_000
/** Placements are read again after this time, where anything is sent. */
const placed_ms = 10_000
/** The same after a node failed, whose rows may be elsewhere now. */
const failed_ms = 1_000
/** A node that was not reached is tried again after this time. */
const tried_ms = 30_000

/** All tables of environments have their shards beside each other, so one table answers for all. */
const placements = sql`
  select s.shardid as shard, n.nodename as host, n.nodeport as port, case when n.groupid = here.groupid then 1 else 0 end as is_here
    from pg_dist_shard s
    join pg_dist_placement p on p.shardid = s.shardid
    join pg_dist_node n on n.groupid = p.groupid and n.noderole = 'primary'
    cross join pg_dist_local_group here
   where s.logicalrelid = cast('users' as regclass)`

const shardOf = (environment_id: string): Statement =>
  sql`select get_shard_id_for_distribution_column(cast('users' as regclass), cast(${environment_id} as text)) as shard`

/**
 * @param here the connections to the node of the connection string, which is the coordinator in most cases
 * @param openPool makes connections to a node, or with `null` others to the same one, and reports one that could not be opened
 * @param read asks the node of the connection string
 */
export function createNodes(
  here: Pool,
  openPool: (address: NodeAddress | null, onFailure?: () => void) => Pool,
  read: (statement: Statement) => Promise<Rows>,
) {
  const nodes = new Map<string, Node>()
  let of_all: Pool | null = null
  /** `null` while it is asked for. */
  const shards = createBoundedMap<string, unknown>(most_environments)
  let placed: ReadonlyMap<unknown, Placement> = new Map()
  let read_at = Number.NEGATIVE_INFINITY

  const nameOf = ({ host, port }: NodeAddress) => `${host} ${port}`

  /** Asks beside the requests. Where nothing is known, the coordinator answers, and the next batch asks again. */
  function inBackground(asking: () => Promise<void>, onFailure = () => {}): void {
    outsideRequests(() => asking().catch(onFailure))
  }

  async function readPlacements(): Promise<void> {
    const rows = asObjects(await read(placements)) as unknown as ({ shard: unknown; is_here: number } & NodeAddress)[] // as: the columns of the query
    placed = new Map(rows.map(({ shard, host, port, is_here }) => [shard, { address: { host, port }, is_here: is_here === 1 }]))
    const present = new Set([...placed.values()].map(({ address }) => nameOf(address)))
    for (const [name, { straight, passed_on }] of nodes) {
      if (present.has(name)) continue
      nodes.delete(name)
      await Promise.all([straight.close(), passed_on.close()]) // which answers what is in flight
    }
  }

  function readAgain(after_ms: number): void {
    if (performance.now() - read_at < after_ms) return
    read_at = performance.now()
    inBackground(readPlacements)
  }

  function placementOf(environment_id: string): Placement | undefined {
    const shard = shards.get(environment_id)
    const placement = placed.get(shard)
    if (placement || shard === null) return placement
    // Not asked for yet, or the shard has been divided since.
    shards.set(environment_id, null)
    inBackground(
      async () => shards.set(environment_id, (await read(shardOf(environment_id))).rows[0]?.[0]),
      () => shards.delete(environment_id),
    )
    return undefined
  }

  function nodeAt(address: NodeAddress): Node {
    const name = nameOf(address)
    const known = nodes.get(name)
    if (known) return known
    const straight = openPool(address, () => readAgain(failed_ms))
    const node = { straight, passed_on: openPool(null), is_reached: false, tried_at: Number.NEGATIVE_INFINITY }
    nodes.set(name, node)
    return node
  }

  function forAll(): Pool {
    of_all ??= openPool(null)
    return of_all
  }

  return {
    /** The connections for a batch. */
    poolFor(need: Need): Pool {
      if (need === 'coordinator') return here
      if (need === 'every node') return forAll()
      readAgain(placed_ms)
      const placement = placementOf(need.environment_id)
      if (!placement) return forAll()
      if (placement.is_here) return here
      const node = nodeAt(placement.address)
      if (!node.is_reached && performance.now() - node.tried_at > tried_ms) {
        node.tried_at = performance.now()
        inBackground(async () => {
          await node.straight.open()
          node.is_reached = true
        })
      }
      return node.is_reached && !need.beside_coordinator ? node.straight : node.passed_on
    },

    pools: (): Pool[] => [...(of_all ? [of_all] : []), ...[...nodes.values()].flatMap(({ straight, passed_on }) => [straight, passed_on])],
  }
}
