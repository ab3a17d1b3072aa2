/** The server behind a connection string: how a connection to it is made, with or without TLS, and what stands in the way. */
import type { ClientConfig } from 'pg'
import { DatabaseUnavailable } from './db.ts'
import { type Connection, connect } from './postgres-connection.ts'

export interface PostgresServer {
  /** Rejects with `DatabaseUnavailable`, which says what stands in the way. A limit of 0 is none. */
  connect(statement_limit_ms: number, onEnd: (connection: Connection) => void): Promise<Connection>
}

const connect_limit_ms = 1_000

export function postgresServer(address: string, application_name: string): PostgresServer {
  const { place, connectionString, is_tls_optional } = readAddress(address)
  let has_tls = true

  async function open(statement_limit_ms: number, onEnd: (connection: Connection) => void): Promise<Connection> {
    const config: ClientConfig = {
      connectionString,
      application_name,
      connectionTimeoutMillis: connect_limit_ms,
      keepAlive: true, // a peer that vanished is noticed, and firewalls keep the connection
      ...(is_tls_optional && has_tls ? { ssl: { rejectUnauthorized: false } } : {}),
    }
    const connection = await connect(config, onEnd)
    // Set here and not in the startup packet, which poolers such as PgBouncer refuse to pass on.
    await connection.send([{ parts: [`set statement_timeout to ${statement_limit_ms}`], values: [] }])
    return connection
  }

  return {
    async connect(statement_limit_ms, onEnd) {
      try {
        return await open(statement_limit_ms, onEnd)
      } catch (error) {
        if (!is_tls_optional || !has_tls || !isWithoutTls(error)) throw outOfReach(place, error)
      }
      has_tls = false
      return this.connect(statement_limit_ms, onEnd)
    },
  }
}

const isWithoutTls = (error: unknown) => error instanceof Error && error.message === 'The server does not support SSL connections'

/**
 * `sslmode` means what it means to psql: without one, or with `prefer`, TLS where the server has it; `require` insists
 * on it but believes any certificate, unless `sslrootcert` names whom to believe; `verify-full` checks everything.
 */
function readAddress(text: string) {
  const url = new URL(text)
  const mode = url.searchParams.get('sslmode')
  const is_tls_optional = mode === null || mode === 'prefer' || mode === 'allow'
  if (is_tls_optional) url.searchParams.delete('sslmode')
  url.searchParams.set('uselibpqcompat', 'true')
  const host = url.hostname || url.searchParams.get('host') || 'localhost'
  return { place: `${host}${url.port && `:${url.port}`}${url.pathname}`, connectionString: url.href, is_tls_optional }
}

function outOfReach(place: string, error: unknown): DatabaseUnavailable {
  const { message, code } = error as NodeJS.ErrnoException // as: node:net and pg throw these
  return new DatabaseUnavailable(`The database at ${place} cannot be reached: ${message || code}. Nothing was changed.`, { cause: error })
}
