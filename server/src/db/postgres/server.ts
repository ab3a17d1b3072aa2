/** Connects to the server of a connection string, with or without TLS. */
import type { ClientConfig } from 'pg'
import { type Distribution, prepareConnection } from '../citus/distribution.ts'
import { DatabaseUnavailable } from '../db.ts'
import { type Connection, connect } from './connection.ts'
import { adviceFor } from './errors.ts'
import { within } from './time.ts'
import { isWithoutTls, type TlsMode, tlsAdvice, tlsModeOf } from './tls.ts'

export interface Opened {
  readonly connection: Connection
  readonly distribution: Distribution
}

export interface PostgresServer {
  /** Rejects with `DatabaseUnavailable`, which names the reason. A limit of 0 means no limit. */
  connect(statement_limit_ms: number, onEnd: (connection: Connection) => void): Promise<Opened>
}

/** Where a node of a distributed database listens, as the nodes reach each other. */
export interface NodeAddress {
  readonly host: string
  readonly port: number
}

/** The connection string for another node: with the same database, user, password and rules of TLS. */
export function addressAt(address: string, { host, port }: NodeAddress): string {
  const url = new URL(address)
  url.searchParams.delete('host')
  url.searchParams.delete('port')
  url.host = `${host.includes(':') ? `[${host}]` : host}:${port}`
  return url.href
}

/** @param connect_limit_ms for a connection that is ready */
export function postgresServer(address: string, application_name: string, connect_limit_ms: number): PostgresServer {
  const { location, connectionString, mode } = readAddress(address)
  const is_tls_optional = mode === 'optional'
  let has_tls = true

  async function open(statement_limit_ms: number, onEnd: (connection: Connection) => void): Promise<Opened> {
    const config: ClientConfig = {
      connectionString,
      application_name,
      connectionTimeoutMillis: connect_limit_ms,
      keepAlive: true, // detects a dead peer, and keeps the connection open in firewalls
      ...(is_tls_optional && has_tls ? { ssl: { rejectUnauthorized: false } } : {}),
    }
    const deadline = performance.now() + connect_limit_ms
    const connection = await connect(config, onEnd)
    try {
      // Not in the startup packet, since poolers such as PgBouncer refuse it there.
      const prepared = prepareConnection(connection, `set statement_timeout to ${statement_limit_ms}`)
      const problem = problemOf(location, 'it accepted the connection and then did not answer')
      return { connection, distribution: await within(prepared, deadline, problem) }
    } catch (error) {
      connection.destroy()
      throw error
    }
  }

  return {
    async connect(statement_limit_ms, onEnd) {
      const tried_tls = has_tls // meanwhile an attempt at the same time may learn that the server has none
      try {
        return await open(statement_limit_ms, onEnd)
      } catch (error) {
        if (error instanceof DatabaseUnavailable) throw error
        if (!is_tls_optional || !tried_tls || !isWithoutTls(error)) throw outOfReach(location, mode, error)
      }
      has_tls = false
      return this.connect(statement_limit_ms, onEnd)
    },
  }
}

/**
 * Gives `sslmode` its meaning in psql. Without it, or with `prefer`, TLS is used if the server supports it. `require` demands TLS and
 * accepts any certificate unless `sslrootcert` is set. `verify-full` checks the certificate and the host name.
 */
function readAddress(text: string) {
  const url = new URL(text)
  const mode = tlsModeOf(url.searchParams.get('sslmode'))
  if (mode === 'optional') url.searchParams.delete('sslmode')
  url.searchParams.set('uselibpqcompat', 'true')
  const host = url.hostname || url.searchParams.get('host') || 'localhost'
  return { location: `${host}${url.port && `:${url.port}`}${url.pathname}`, connectionString: url.href, mode }
}

/** Says nothing about changes: the process may have made some on an earlier connection. */
function outOfReach(location: string, mode: TlsMode, error: unknown): DatabaseUnavailable {
  const advised = tlsAdvice(error, mode) ?? adviceFor(error)
  if (advised) return new DatabaseUnavailable(advised, { cause: error })
  const { message, code } = error as NodeJS.ErrnoException // as: node:net and pg throw these
  return new DatabaseUnavailable(problemOf(location, message || code || 'unknown'), { cause: error })
}

const problemOf = (location: string, why: string) => `The database at ${location} cannot be reached: ${why}.`
