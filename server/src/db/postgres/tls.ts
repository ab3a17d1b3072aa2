// pure
/** Reads the TLS mode from the address of a database, and says how to change it where the server does not agree. */

/**
 * `sslmode` of a connection string, as psql reads it: `disable`; `optional`, also without one, which uses TLS where the server has it;
 * otherwise TLS is demanded, and the word says how much of the certificate is checked.
 */
export type TlsMode = 'disable' | 'optional' | (string & {})

export function tlsModeOf(sslmode: string | null): TlsMode {
  return sslmode === null || sslmode === 'prefer' || sslmode === 'allow' ? 'optional' : sslmode
}

/** The driver's words for a server that answers the request for TLS with "no". */
export const isWithoutTls = (error: unknown): boolean =>
  error instanceof Error && error.message === 'The server does not support SSL connections'

/**
 * Says what to change where a connection failed for its TLS; `null` for other causes. pg_hba.conf has no answer of its own for "TLS is
 * demanded": the server names the encryption of the connection that no line admits, and another encryption may not be admitted either.
 */
export function tlsAdvice(error: unknown, mode: TlsMode): string | null {
  if (!(error instanceof Error)) return null
  const { message, code = '', syscall } = error as NodeJS.ErrnoException // as: node:tls and pg throw these
  if (isWithoutTls(error))
    return `The database has no TLS, and sslmode=${mode} of OSTIARY_DATABASE_URL demands it. Turn ssl on in its postgresql.conf. Take sslmode out only where nobody else can read the network between.`
  if (code === '28000' && message.includes('pg_hba.conf')) return accessAdvice(message, mode)
  if (of_certificate.test(code))
    return `The certificate of the database is not accepted: ${message}. Let sslrootcert of OSTIARY_DATABASE_URL name the file of its authority, and let the host of OSTIARY_DATABASE_URL be a name of the certificate.`
  if (syscall === 'open' || syscall === 'read')
    // a socket has the call `connect`
    return `A file of OSTIARY_DATABASE_URL, such as sslrootcert, cannot be read: ${message}. Correct its path, or its permissions.`
  return null
}

/** The error codes of OpenSSL's verification and of Node's check of the name. */
const of_certificate = /CERT|ISSUER|LEAF_SIGNATURE|^ERR_TLS_CERT/

function accessAdvice(why: string, mode: TlsMode): string | null {
  if (why.includes('SSL encryption')) {
    const or = mode === 'optional' ? ', or let OSTIARY_DATABASE_URL say sslmode=disable' : ''
    return `The database takes no connection with TLS from here: ${why}. Let its pg_hba.conf admit one${or}.`
  }
  if (!why.includes('no encryption')) return null
  if (mode === 'disable')
    return `The database takes no connection without TLS from here: ${why}. Take sslmode=disable out of OSTIARY_DATABASE_URL, or let its pg_hba.conf admit one.`
  return `The database takes no connection without TLS from here, and has no TLS: ${why}. Turn ssl on in its postgresql.conf, or let its pg_hba.conf admit one.`
}
