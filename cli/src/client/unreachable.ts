/** Why a service did not answer, from the error of the network. */
import { visible } from './show.ts'

const unknown_issuer = 'its certificate is not from an authority that this machine knows. NODE_EXTRA_CA_CERTS=FILE adds one.'
const no_tls = 'it does not speak TLS there. Does its address begin with http://?'

const causes: readonly [code: RegExp, why: string][] = [
  [/^ECONNREFUSED$/, 'nothing listens there. Is the service running?'],
  [/^(ENOTFOUND|EAI_AGAIN)$/, 'its host name is unknown.'],
  [/^(ETIMEDOUT|UND_ERR_CONNECT_TIMEOUT|EHOSTUNREACH|ENETUNREACH)$/, 'the network does not reach it.'],
  [/^(ECONNRESET|EPIPE|UND_ERR_SOCKET)$/, 'it closed the connection.'],
  [/^(DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_\w+)$/, unknown_issuer],
  [/^CERT_HAS_EXPIRED$/, 'its certificate has expired.'],
  [/^ERR_TLS_CERT_ALTNAME_INVALID$/, 'its certificate is for another host name.'],
  [/^ERR_SSL_/, no_tls],
]

/** A sentence that says that an address cannot be reached, and why where that is known. */
export function unreachable(address: string, error: unknown): string {
  const code = codesOf(error).find((each) => causes.some(([pattern]) => pattern.test(each))) ?? codesOf(error).at(-1)
  const why = causes.find(([pattern]) => pattern.test(code ?? ''))?.[1] ?? (code === undefined ? null : `${code}.`)
  return why === null ? `${visible(address)} cannot be reached.` : `${visible(address)} cannot be reached: ${visible(why)}`
}

/** The codes of an error and of its causes, outermost first. */
function codesOf(error: unknown): string[] {
  if (!(error instanceof Error)) return []
  const { code, cause } = error as Error & { code?: unknown } // as: errors of Node have a code
  const inner = error instanceof AggregateError ? error.errors.flatMap(codesOf) : []
  const own = typeof code === 'string' && code !== 'network_error' ? [code] : []
  return [...own, ...inner, ...codesOf(cause)]
}
