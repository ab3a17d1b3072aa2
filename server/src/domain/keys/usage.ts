/**
 * Counts the calls with each key by hour, route and source address, in memory, and adds them to the rows of the hour every few seconds.
 * A process that dies loses the counts it has not written. Entered by `createKeyStore`.
 */
import type { KeyUsage } from '@ostiary/contract/api-key.ts'
import type { TenantId } from '@ostiary/contract/ids.ts'
import { z } from 'zod'
import { hour_ms } from '../../base/durations.ts'
import { inBatches } from '../../base/in-batches.ts'
import { type Db, type Statement, sql } from '../../db/db.ts'
import { atCoordinator } from '../../db/environment.ts'
import { insertInto } from '../../db/rows.ts'

/** Pairs of route and address with rows of their own, per key and hour. The rest is counted together. */
const most_pairs = 100
/** Pairs in memory, over all keys. Beyond it, each key counts new pairs together. */
const most_in_memory = 20_000
/** Groups in one batch, so that no request waits for long. */
const most_groups = 5

const other = { route: 'other', ip: '' }

export interface KeyCall {
  key_id: string
  tenant_id: TenantId
  /** The path of the row of the route table. */
  route: string
  ip: string | null
  at: Date
}

interface Pair {
  route: string
  ip: string
  count: number
  refused: number
}

/** The counts of one key in one hour. */
interface Group {
  key_id: string
  tenant_id: TenantId
  hour: number
  pairs: Map<string, Pair>
}

export function createKeyUsage(db: Db) {
  let groups = new Map<string, Group>()
  let in_memory = 0

  function add({ key_id, tenant_id, hour }: Omit<Group, 'pairs'>, { route, ip, count, refused }: Pair): void {
    const name = `${key_id} ${hour}`
    const group = groups.get(name) ?? { key_id, tenant_id, hour, pairs: new Map() }
    groups.set(name, group)
    const has_room = group.pairs.size < most_pairs && in_memory < most_in_memory
    const counted = has_room || group.pairs.has(`${route} ${ip}`) ? { route, ip } : other
    const pair_name = `${counted.route} ${counted.ip}`
    const pair = group.pairs.get(pair_name)
    if (pair) {
      pair.count += count
      pair.refused += refused
      return
    }
    group.pairs.set(pair_name, { ...counted, count, refused })
    in_memory++
  }

  return {
    count({ key_id, tenant_id, route, ip, at }: KeyCall, is_refused: boolean): void {
      const hour = Math.floor(at.getTime() / hour_ms) * hour_ms
      add({ key_id, tenant_id, hour }, { route, ip: ip ?? '', count: 1, refused: is_refused ? 1 : 0 })
    },

    /** Writes the counts. Keeps for the next time what the database did not take. */
    async write(): Promise<void> {
      // Sorted by key and hour, so that two processes that write the same groups do not deadlock.
      const waiting = [...groups.values()].sort((a, b) => (a.key_id === b.key_id ? a.hour - b.hour : a.key_id < b.key_id ? -1 : 1))
      groups = new Map()
      in_memory = 0
      try {
        await inBatches(waiting, most_groups, (batch) => db.batch(batch.flatMap(statementsOf)))
      } catch (error) {
        for (const group of waiting) for (const pair of group.pairs.values()) add(group, pair)
        throw error
      }
    },
  }
}

/**
 * The first statement holds the group: a batch of another process that adds pairs to it waits, and then counts the pairs that this one
 * added. So the limit is exact.
 */
function statementsOf({ key_id, tenant_id, hour, pairs }: Group): Statement[] {
  const hold = insertInto(
    'key_usage',
    { key_id, tenant_id, hour, route: other.route, ip: other.ip, count: 0, refused: 0 },
    sql`on conflict (key_id, hour, route, ip) do update set count = key_usage.count`,
  )
  const of_group = sql`k.key_id = ${key_id} and k.hour = ${hour}`
  return [
    hold,
    ...[...pairs.values()].map(
      ({ route, ip, count, refused }) => atCoordinator`insert into key_usage (key_id, tenant_id, hour, route, ip, count, refused)
        select ${key_id}, ${tenant_id}, ${hour}, case when has_room = 1 then ${route} else ${other.route} end,
               case when has_room = 1 then ${ip} else ${other.ip} end, ${count}, ${refused}
          from (select case when exists (select 1 from key_usage k where ${of_group} and k.route = ${route} and k.ip = ${ip})
                         or (select count(*) from key_usage k where ${of_group} and k.route <> ${other.route}) < ${most_pairs}
                       then 1 else 0 end as has_room) room
         where 1 = 1
        on conflict (key_id, hour, route, ip)
          do update set count = key_usage.count + excluded.count, refused = key_usage.refused + excluded.refused`,
    ),
  ]
}

const Row = z.object({ hour: z.iso.datetime(), route: z.string(), ip: z.string().nullable(), count: z.int(), refused: z.int() })

/** Reads the counts of the hours within a time range. The hour of `from` is included whole. */
export function findKeyUsage(
  db: Db,
  tenant_id: TenantId,
  key_id: string,
  { from, to }: { from: Date; to: Date },
): Promise<KeyUsage['data']> {
  const first_hour = new Date(Math.floor(from.getTime() / hour_ms) * hour_ms)
  return db.all(
    Row,
    sql`select hour, route, nullif(ip, '') as ip, count, refused from key_usage
         where key_id = ${key_id} and tenant_id = ${tenant_id} and hour >= ${first_hour} and hour < ${to} and count > 0
         order by hour, count desc, route, ip`,
  )
}
