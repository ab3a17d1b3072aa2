/** One call: the request, its retries, and the answer. */
import { OstiaryError } from './error.ts'
import type { Answer, AnyOptions, ClientOptions } from './options.ts'
import { failureOf } from './problem.ts'
import { isDone, mayRepeat, waitBefore } from './retries.ts'
import { platform } from './runtime.ts'

export interface Request {
  operation: string
  method: string
  /** The path of the route, with the names of its parameters in braces. */
  path: string
  params: Readonly<Record<string, unknown>>
  body: unknown
  options: AnyOptions
}

/** The result of one attempt: an answer, or no answer because of `error`. */
export type Attempt = { response: Response; text: string } | { error: OstiaryError }

export function createCaller(client: ClientOptions): (request: Request) => Promise<Answer<unknown>> {
  if (client.api_key !== undefined && client.token !== undefined) throw new TypeError('Give the client an API key or a token, not both.')
  const base_url = client.base_url.replace(/\/+$/, '')
  const runtime = { ...platform, ...client.runtime }

  return async (request) => {
    const { method, options } = request
    const url = base_url + target(request)
    // The key and the bytes are made once: the service compares both with those of an earlier attempt.
    const idempotency_key = method === 'POST' ? (options.idempotency_key ?? runtime.newKey()) : undefined
    const body = request.body === undefined ? undefined : JSON.stringify(request.body)
    const retries = options.max_retries ?? client.max_retries ?? 2

    for (let earlier: Attempt[] = []; ; ) {
      const headers = await headersOf(client, request, idempotency_key)
      const attempt = await attemptOnce(client, url, { method, headers, ...(body === undefined ? {} : { body }) }, options)
      const is_last = earlier.length >= retries || !mayRepeat(method, attempt)
      const wait_ms = is_last ? null : waitBefore(earlier.length, attempt, client.max_wait_ms ?? 60_000, runtime)
      if (wait_ms === null) return settle(attempt, isDone(method, attempt, earlier), runtime.now())
      earlier = [...earlier, attempt]
      await runtime.sleep(wait_ms, options.signal)
    }
  }
}

/** The path and query of a request. Parameters that the path does not name are the query. */
function target({ operation, path, params }: Request): string {
  const rest = new Map(Object.entries(params).filter(([, value]) => value !== undefined && value !== null))
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = String(rest.get(name) ?? '')
    rest.delete(name)
    // WHATWG URL: the segments `.` and `..` change the path, so the call would reach another route.
    if (value === '' || value === '.' || value === '..')
      throw new TypeError(`${operation} needs ${name}, and got ${JSON.stringify(value)}.`)
    return encodeURIComponent(value)
  })
  const query = new URLSearchParams()
  for (const [name, value] of rest) query.set(name, String(value))
  return query.size === 0 ? filled : `${filled}?${query}`
}

async function headersOf(client: ClientOptions, request: Request, idempotency_key: string | undefined): Promise<Headers> {
  const { options, body, method } = request
  const headers = new Headers({ accept: 'application/json', ...client.headers, ...options.headers })
  const set = (name: string, value: string | undefined) => value !== undefined && headers.set(name, value)
  set('content-type', body === undefined ? undefined : method === 'PATCH' ? 'application/merge-patch+json' : 'application/json')
  set('x-api-key', client.api_key)
  if (client.token !== undefined) {
    const token = typeof client.token === 'string' ? client.token : await client.token()
    set('authorization', `Bearer ${token}`)
  }
  set('x-tenant-id', options.tenant_id ?? client.tenant_id)
  set('x-environment-id', options.environment_id ?? client.environment_id)
  set('idempotency-key', idempotency_key)
  set('if-match', options.if_match)
  return headers
}

async function attemptOnce(client: ClientOptions, url: string, init: RequestInit, options: AnyOptions): Promise<Attempt> {
  const call = client.fetch ?? globalThis.fetch
  const timeout_ms = options.timeout_ms ?? client.timeout_ms ?? 30_000
  const timeout = AbortSignal.timeout(timeout_ms)
  const signal = options.signal === undefined ? timeout : AbortSignal.any([timeout, options.signal])
  // The API never redirects. A followed redirect would hand the key to another server.
  const settings: RequestInit = { ...init, signal, redirect: 'manual', cache: 'no-store' }
  if (client.credentials !== undefined) settings.credentials = client.credentials
  try {
    const response = await call(url, settings)
    return { response, text: await response.text() }
  } catch (cause) {
    options.signal?.throwIfAborted()
    const failure = timeout.aborted
      ? { code: 'timed_out' as const, detail: `There is no answer after ${timeout_ms} ms.` }
      : { code: 'network_error' as const, detail: 'The service cannot be reached.' }
    return { error: new OstiaryError({ status: 0, ...failure }, { cause }) }
  }
}

/** Turns the last attempt into an answer, or throws its error. */
function settle(attempt: Attempt, is_done: boolean, now: Date): Answer<unknown> {
  if ('error' in attempt) throw attempt.error
  const { response, text } = attempt
  if (!response.ok && !is_done) throw new OstiaryError(failureOf(response, text, now))
  return {
    data: is_done || text === '' ? undefined : parsed(response, text),
    status: response.status,
    etag: response.headers.get('etag'),
    request_id: response.headers.get('x-request-id'),
    replayed: response.headers.get('idempotent-replayed') === 'true',
    headers: response.headers,
  }
}

function parsed(response: Response, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    const detail = 'The answer is not JSON. Check the address of the service.'
    throw new OstiaryError({ status: response.status, code: 'unexpected_answer', detail }, { cause })
  }
}
