/** The options of the client and of one call, and the shapes of lists and answers. */

export interface ClientOptions {
  /** The address of the service, such as `https://id.example.com`. In browsers it can be a path of the page's own origin. */
  base_url: string
  /** An API key, sent as `X-API-Key`. */
  api_key?: string | undefined
  /** The access token of an administrator, or a function that returns the current one. It is called before each attempt. */
  token?: string | (() => string | Promise<string>) | undefined
  /** The tenant in which an administrator acts, sent as `X-Tenant-Id`. */
  tenant_id?: string | undefined
  /** The environment whose users an administrator manages, sent as `X-Environment-Id`. */
  environment_id?: string | undefined
  /** Headers of every request. */
  headers?: Readonly<Record<string, string>> | undefined
  /** Whether browsers send cookies, as of `fetch`. */
  credentials?: 'omit' | 'same-origin' | 'include' | undefined
  /** How long one attempt can take, in milliseconds. The default is 30,000. */
  timeout_ms?: number | undefined
  /** How often a call is repeated that can be repeated safely. The default is 2. */
  max_retries?: number | undefined
  /** The longest wait before a retry, in milliseconds. A longer `Retry-After` is left to you, as `retry_after_seconds`. The default is 60,000. */
  max_wait_ms?: number | undefined
  /** Replaces the global `fetch`. */
  fetch?: typeof fetch | undefined
  /** Replaces the clock, the waits between attempts and randomness, for tests. */
  runtime?: Partial<Runtime> | undefined
}

/** The functions of its environment that the client uses besides `fetch`. */
export interface Runtime {
  now: () => Date
  /** Waits. Rejects with the reason of the signal when it aborts. */
  sleep: (ms: number, signal: AbortSignal | undefined) => Promise<void>
  /** A number from 0 (included) to 1. */
  random: () => number
  /** A new Idempotency-Key. */
  newKey: () => string
}

/** The options of one call. They take precedence over those of the client. */
export interface CallOptions {
  tenant_id?: string | undefined
  environment_id?: string | undefined
  headers?: Readonly<Record<string, string>> | undefined
  /** Ends the call, its waits between attempts included. */
  signal?: AbortSignal | undefined
  timeout_ms?: number | undefined
  max_retries?: number | undefined
}

export interface PostOptions extends CallOptions {
  /** The service runs calls with the same key once. By default each call has a key of its own, which its retries keep. */
  idempotency_key?: string | undefined
}

export interface ChangeOptions extends CallOptions {
  /** Change or delete only this version: the `etag` of an answer. Another version is refused with `stale_version`. */
  if_match?: string | undefined
}

/** All options, as the code that sends a call reads them. */
export interface AnyOptions extends PostOptions, ChangeOptions {}

export interface Page<T> {
  data: T[]
  has_more: boolean
  next_cursor: string | null
}

/** A list. `for await` reads all its objects, page by page. Nothing is sent before it is read. */
export interface List<T> extends AsyncIterable<T> {
  /** Reads one page: the first, or the one after the `cursor` of the parameters. */
  page(): Promise<Page<T>>
  /** Reads this page and all after it. */
  pages(): AsyncIterable<Page<T>>
}

/** An answer with its headers. */
export interface Answer<T> {
  data: T
  status: number
  /** The version of the object, for `if_match`. `null` where the answer has none. */
  etag: string | null
  request_id: string | null
  /** The answer repeats an earlier one with the same Idempotency-Key. Secrets that are shown once are `null` in it. */
  replayed: boolean
  headers: Headers
}
