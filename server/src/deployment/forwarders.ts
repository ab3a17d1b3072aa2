/**
 * Notices a proxy that is not trusted: requests with forwarded headers from an address that OSTIARY_TRUSTED_PROXIES does not name. Their
 * X-Forwarded-For has no effect then, so all visitors share the address of the proxy, and its limits. The log says so once, and the
 * database keeps the last such address for `doctor`, which runs in a process of its own.
 */
import type { IncomingHttpHeaders } from 'node:http'
import { z } from 'zod'
import type { Config } from '../base/config/config.ts'
import { day_ms } from '../base/durations.ts'
import type { Log } from '../base/log.ts'
import { isWithin, parseAddress } from '../base/networks.ts'
import { type Db, sql } from '../db/db.ts'
import { insertInto } from '../db/rows.ts'

const Forwarder = z.object({ address: z.string(), at: z.string() })
export type Forwarder = z.infer<typeof Forwarder>

const row_name = 'untrusted_forwarder'
/** The row of an address that was seen again is written again after this time. */
const write_interval_ms = 600_000
/** A proxy that was named or moved away is forgotten after this time. */
const forgotten_after_ms = day_ms
const forwarded_headers = ['x-forwarded-for', 'x-forwarded-proto', 'forwarded'] as const

export interface Forwarders {
  note(request: { readonly headers: IncomingHttpHeaders; readonly socket: { readonly remoteAddress?: string | undefined } }): void
  /** Writes the last address, if it is new. A process writes one row, at most once in ten minutes for each address. */
  write(): Promise<void>
}

export function createForwarders({ config, db, log, now }: { config: Config; db: Db; log: Log; now: () => Date }): Forwarders {
  let noted: string | null = null
  let written: { address: string; at: number } | null = null
  return {
    note({ headers, socket }) {
      if (forwarded_headers.every((name) => headers[name] === undefined)) return
      const address = parseAddress(socket.remoteAddress?.replace(/%.*$/, '') ?? '')?.toString()
      if (address === undefined || isTrusted(address, config)) return
      if (noted === null && written === null) log.warn(warning, { address })
      noted = address
    },
    async write() {
      const at = now()
      if (noted === null) return
      if (written?.address === noted && at.getTime() - written.at < write_interval_ms) {
        noted = null
        return
      }
      const address = noted
      const value = JSON.stringify({ address, at: at.toISOString() })
      await db.run(insertInto('deployment', { name: row_name, value }, sql`on conflict (name) do update set value = excluded.value`))
      written = { address, at: at.getTime() }
      noted = null
    },
  }
}

const warning =
  'Forwarded headers come from an address that OSTIARY_TRUSTED_PROXIES does not name, so they have no effect. If it is your proxy, name it: until then all visitors share its address, and its limits.'

/** The last address that sent forwarded headers without being trusted, unless it is trusted now or was seen a day ago. */
export async function findUntrustedForwarder({ db, config, now }: { db: Db; config: Config; now: () => Date }): Promise<Forwarder | null> {
  const row = await db.maybeOne(z.object({ value: z.string() }), sql`select value from deployment where name = ${row_name}`)
  if (!row) return null
  const found = Forwarder.parse(JSON.parse(row.value))
  const is_over = now().getTime() - Date.parse(found.at) > forgotten_after_ms
  return is_over || isTrusted(found.address, config) ? null : found
}

function isTrusted(address: string, { trusted_proxies }: Config): boolean {
  const parsed = parseAddress(address)
  return parsed !== null && isWithin(parsed, trusted_proxies)
}
