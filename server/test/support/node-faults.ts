/** The faults of a node of a distributed database, at any moment or amid a batch, and how it returns. */
import { Client } from 'pg'
import { type Postgres, query } from './postgres.ts'
import { until } from './receiver.ts'

/** The place of a node in a list of all. */
export const coordinator = 0
export const worker = 1

export interface Fault {
  /** @param nodes the URLs of the database on each node */
  begin(server: Postgres, nodes: readonly string[]): Promise<void>
  end(server: Postgres): Promise<void>
}

export const crash: Fault = { begin: (server) => server.signal('SIGKILL'), end: (server) => server.resume() }
export const hang: Fault = { begin: (server) => server.signal('SIGSTOP'), end: (server) => server.signal('SIGCONT') }

/** Keeps batches at one moment until it is released. */
interface Hold {
  isReached(): Promise<boolean>
  release(): Promise<void>
}

/** The server crashes when a batch has reached this moment; then the batch goes on. */
export function crashAmid(hold: (nodes: readonly string[]) => Promise<Hold>): Fault {
  return {
    async begin(server, nodes) {
      const { isReached, release } = await hold(nodes)
      await until('a batch has reached this moment', isReached)
      await crash.begin(server, nodes)
      await release()
    },
    async end(server) {
      await crash.end(server)
      await setStandby(server.url, '') // of `isCommitting`
    },
  }
}

/** A batch waits at the worker to write to a table. */
export function isAtWorker(table: string) {
  return async ({ [worker]: url = '' }: readonly string[]): Promise<Hold> => {
    const shards = await query(
      url,
      `select shard_name(logicalrelid, shardid) as name
         from pg_dist_shard join pg_dist_placement using (shardid) join pg_dist_node using (groupid)
        where logicalrelid = '${table}'::regclass and nodeport = inet_server_port()`,
    )
    return holdTables(url, shards.map(({ name }) => name).join(', '))
  }
}

/** A batch waits at the coordinator for the audit log, where a creation writes after what it creates. */
export const isAtCoordinator = ({ [coordinator]: url = '' }: readonly string[]): Promise<Hold> => holdTables(url, 'audit_log')

/** A worker commits or prepares to, and waits for a standby that does not exist. */
export async function isCommitting({ [worker]: url = '' }: readonly string[]): Promise<Hold> {
  await setStandby(url, 'nobody')
  const release = () => setStandby(url, '').catch(() => {}) // the worker may have crashed
  return { isReached: () => isWaiting(url, `wait_event = 'SyncRep'`), release }
}

/** Locks tables in a session of its own. */
async function holdTables(url: string, tables: string): Promise<Hold> {
  const holder = new Client({ connectionString: url })
  holder.on('error', () => {}) // its server may crash
  await holder.connect()
  await holder.query(`set citus.enable_manual_changes_to_shards to on; begin; lock table ${tables} in share row exclusive mode`)
  return { isReached: () => isWaiting(url, `wait_event_type = 'Lock'`), release: () => holder.end() }
}

const isWaiting = async (url: string, wait: string): Promise<boolean> =>
  (await query(url, `select 1 from pg_stat_activity where datname = current_database() and ${wait}`)).length > 0

async function setStandby(url: string, name: string): Promise<void> {
  await query(url, `alter system set synchronous_standby_names = '${name}'`)
  await query(url, 'select pg_reload_conf()')
}
