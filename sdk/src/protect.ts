/**
 * The common parts of the middleware of all frameworks: the token of a request, the refusal of one (RFC 6750), and for an MCP server its
 * metadata and the scopes of its tools. An entry for a framework says how to read a request and how to answer it.
 */
import { type Body, messageIn, type Read } from './body.ts'
import { type Answer, createMetadata } from './resource-metadata.ts'
import { checkScopes, hasScopes } from './scopes.ts'
import { TokenError } from './token-error.ts'
import { scopesOfTools } from './tools.ts'
import { type AccessToken, type VerifyOptions, verifyAccessToken } from './verify.ts'

/** `R` is the request of the framework; of Hono its context. */
export interface ProtectOptions<R> extends Omit<VerifyOptions, 'organization'> {
  /** The scopes that the token must have, as `required_scopes`. */
  scopes?: readonly string[] | undefined
  /**
   * The organization that the request is about: its id, a function that reads the id from the request, or `any`, as of `verifyAccessToken`. A
   * request for which the function finds no id is refused.
   */
  organization?: string | ((request: R) => FoundId | Promise<FoundId>) | undefined
  /**
   * The tools of an MCP server, each with the scopes that a call needs in addition to `scopes`; an empty list for a tool that needs none. A call of a
   * tool that is not listed is refused, so that a forgotten line opens no tool.
   */
  tools?: Readonly<Record<string, readonly string[]>> | undefined
  /**
   * Whether to answer `/.well-known/oauth-protected-resource` and the address with the path of the audience in it (RFC 9728), where clients learn
   * the issuer. The audience is then the address of this server. The default is `true` with `tools`, else `false`.
   */
  metadata?: boolean | undefined
  /** The longest message that is read for `tools`, in bytes. The default is 1,048,576. */
  max_body_bytes?: number | undefined
}

/** A parameter of a path can be a list in some frameworks. That is not an id. */
type FoundId = string | readonly string[] | null | undefined

/** A request, as the entry of its framework reads it. */
export interface Received<R> {
  request: R
  method: string
  /** The path of the address that the client called, without the query. */
  path: string
  header(name: 'authorization' | 'content-encoding' | 'content-length'): string | undefined
  /** Called at most once, for a message of an MCP client. */
  readBody(longest: number): Promise<Body>
}

/** An admitted request, with its message where `tools` are given; or the answer to give in place of the application. */
export type Verdict = { token: AccessToken; message: unknown } | { answer: Answer }

/** The longest message that is read of a client without a valid token, only to name the scopes of its tool. */
const longest_of_strangers = 16_384

/** Returns the function that judges each request. It throws where an option is wrong, and for errors of the application's own functions. */
export function createGuard<R>(options: ProtectOptions<R>): (received: Received<R>) => Promise<Verdict> {
  const { scopes = [], required_scopes = [], organization, tools, metadata: has_metadata = tools !== undefined, ...others } = options
  const { max_body_bytes = 1_048_576, ...verified } = others
  if (!(Number.isSafeInteger(max_body_bytes) && max_body_bytes > 0)) throw new TypeError('max_body_bytes is a positive integer.')
  const always = [...required_scopes, ...scopes]
  const listed = new Map(Object.entries(tools ?? {}))
  const every_scope = [...new Set([...always, ...[...listed.values()].flat()])]
  checkScopes(every_scope)
  const metadata = has_metadata ? createMetadata(options, every_scope) : null

  async function tokenIn(received: Received<R>): Promise<AccessToken | TokenError | null> {
    // RFC 6750 §2: in the header only. A token in an address ends in logs.
    const [, token] = /^Bearer +([^ ]+)$/i.exec(received.header('authorization') ?? '') ?? []
    if (token === undefined) return null
    try {
      return await verifyAccessToken(token, { ...verified, organization: await organizationOf(organization, received.request) })
    } catch (error) {
      if (error instanceof TokenError) return error
      throw error
    }
  }

  return async (received) => {
    const document = metadata?.answerTo(received.method, received.path)
    if (document) return { answer: document }

    const found = await tokenIn(received)
    const token = found === null || found instanceof TokenError ? null : found
    // Each message of a client is a POST of its own. The other methods of the transport carry none.
    const is_message = tools !== undefined && received.method === 'POST'
    const longest = token === null ? Math.min(longest_of_strangers, max_body_bytes) : max_body_bytes
    const read: Read | { message: undefined } = is_message ? await messageIn(received, longest) : { message: undefined }
    const of_tools = 'message' in read ? scopesOfTools(read.message, listed) : null
    // One challenge names all scopes of the call: else a person would be asked once for each.
    const needed = [...new Set([...always, ...(of_tools ?? [])])]

    if (token === null) return { answer: refusalFor(found instanceof TokenError ? found : null, needed, metadata?.address) }
    if (!hasScopes(token.scope, needed)) {
      const error = new TokenError('insufficient_scope', 'The token lacks a scope.')
      return { answer: refusalFor(error, needed, metadata?.address) }
    }
    if ('problem' in read) return { answer: refusal(...problems[read.problem]) }
    if (of_tools === null) return { answer: refusal(403, 'unknown_tool', 'The message calls a tool that the server does not list.') }
    return { token, message: read.message }
  }
}

async function organizationOf<R>(asked: ProtectOptions<R>['organization'], request: R): Promise<string | undefined> {
  if (typeof asked !== 'function') return asked
  const found = await asked(request)
  // The word would accept every organization, and requests are written by strangers.
  if (typeof found === 'string' && found !== '' && found !== 'any') return found
  throw new TokenError('wrong_organization', 'The request names no organization.')
}

/** RFC 6750 §3.1: a request without a token gets no error code. RFC 9728 §5.1: `resource_metadata` says where the issuer stands. */
function refusalFor(error: TokenError | null, needed: readonly string[], metadata: string | undefined): Answer {
  if (error?.status === 503) return refusal(503, 'temporarily_unavailable', 'The token cannot be verified now.', { 'retry-after': '30' })
  const code = error?.status === 403 ? error.code : 'invalid_token'
  const parts = [
    ...(error ? [`error="${code}"`, `error_description="${error.message}"`] : []),
    ...(needed.length > 0 ? [`scope="${needed.join(' ')}"`] : []),
    ...(metadata ? [`resource_metadata="${metadata}"`] : []),
  ]
  const headers = { 'www-authenticate': parts.length > 0 ? `Bearer ${parts.join(', ')}` : 'Bearer' }
  if (error === null) return refusal(401, 'unauthorized', 'Send an access token as "Authorization: Bearer".', headers)
  return refusal(error.status, code, error.message, headers)
}

const problems: Readonly<Record<'too_long' | 'encoded' | 'malformed', readonly [number, string, string]>> = {
  too_long: [413, 'message_too_long', 'The message is longer than the server reads.'],
  encoded: [415, 'unsupported_encoding', 'Send the message without Content-Encoding.'],
  malformed: [400, 'malformed_message', 'The body is not a JSON-RPC message.'],
}

function refusal(status: number, error: string, error_description: string, headers: Record<string, string> = {}): Answer {
  return { status, headers: { ...headers, 'cache-control': 'no-store' }, body: { error, error_description } }
}
