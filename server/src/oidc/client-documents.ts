/**
 * The documents that clients publish about themselves. A stranger can name any URL, so calls are few: one at a time for a URL, none for some
 * seconds after a failure, and limits by environment, source and host. Those of URLs with a record are apart, so that strangers cannot use
 * them up. `protocol/client-metadata.ts` says what a document means.
 */
import type { EnvironmentId } from '@ostiary/contract/ids.ts'
import { createBoundedMap } from '../base/bounded-map.ts'
import { minute_ms } from '../base/durations.ts'
import { createJointLimits } from '../base/joint-limits.ts'
import { decodeJson, JsonError } from '../base/json.ts'
import { confirmation, withoutPremise } from '../base/premise.ts'
import { type Reason, reason } from '../base/reason.ts'
import { withoutBlanks } from '../base/text.ts'
import type { Deployment } from '../deployment/deployment.ts'
import { type OutboundAnswer, OutboundFailed } from '../deployment/outbound/fetch.ts'
import { type ClientMetadata, readClientMetadata } from '../protocol/client-metadata.ts'
import { memorySeconds } from '../protocol/memory-seconds.ts'

export interface DocumentRequest {
  environment_id: EnvironmentId
  /** A URL that `isClientUrl` accepts. */
  url: string
  /** Whether the environment has a record of the URL. */
  has_record: boolean
  /** Of the request: see `sourceOf`. */
  source: string
  /** Uses no remembered document. */
  fresh?: boolean
  /** Uses no remembered document that is older, for a request that such a document refuses. */
  fresh_after_s?: number
}

export type ReadDocument = { client: ClientMetadata; read_at: Date }
type Failure = { refused: 'unavailable' | 'invalid'; why: Reason }
type Busy = { refused: 'busy'; why: Reason; retry_after_s: number }
export type DocumentReading = ReadDocument | Failure | Busy

const timeout_ms = 3_000
const limit_bytes = 5_120
/** After a failure the failure is answered for so long, without a call. */
const cool_down_ms = 10_000
const most_remembered = 500
/** More than a process can have within their time, unless a hundred environments are under attack. */
const most_failures = 5_000
const most_at_once = 3
const most_of_environment = 30
/** Of a source in all environments, and of a host in one, so that no environment can use up the calls of another. */
const most_of_source = 10
const most_of_host = 10
const most_counted_keys = 20_000

export type ClientDocuments = ReturnType<typeof createClientDocuments>

export function createClientDocuments({ outbound, now, log }: Pick<Deployment, 'outbound' | 'now' | 'log'>) {
  const remembered = createBoundedMap<string, ReadDocument & { keep_ms: number }>(most_remembered)
  const failures = createBoundedMap<string, Failure & { failed_at: Date }>(most_failures)
  const running = new Map<string, Promise<ReadDocument | Failure>>()
  const at_once = new Map<string, number>()
  const limits = createJointLimits({ now }, { window_ms: minute_ms, most_keys: most_counted_keys })
  const ageOf = (time: Date) => Math.abs(now().getTime() - time.getTime())

  function recall({ url, fresh = false, fresh_after_s = Number.POSITIVE_INFINITY }: DocumentRequest): ReadDocument | null {
    const known = remembered.get(url)
    if (!known || fresh) return null
    const { keep_ms, client, read_at } = known
    if (ageOf(read_at) >= keep_ms || ageOf(read_at) > fresh_after_s * 1_000) return null
    remembered.set(url, known) // the least recently used one leaves first
    return { client, read_at }
  }

  function recentFailure(url: string): Failure | null {
    const failure = failures.get(url)
    return failure && ageOf(failure.failed_at) < cool_down_ms ? { refused: failure.refused, why: failure.why } : null
  }

  function admit(request: DocumentRequest): Busy | null {
    const { url, source } = request
    const place = placeOf(request)
    const busy = (wait_ms: number): Busy => ({ refused: 'busy', why: too_many, retry_after_s: Math.ceil(wait_ms / 1_000) })
    if ((at_once.get(place) ?? 0) >= most_at_once) return busy(timeout_ms)
    const wait_ms = limits.take([
      { key: place, most: most_of_environment },
      { key: `${kindOf(request)} ${source}`, most: most_of_source },
      { key: `${place} ${new URL(url).host}`, most: most_of_host },
    ])
    return wait_ms > 0 ? busy(wait_ms) : null
  }

  function begin(request: DocumentRequest): Promise<ReadDocument | Failure> {
    const { environment_id, url } = request
    const place = placeOf(request)
    count(place, 1)
    const reading = withoutPremise(() => fetchDocument(environment_id, url)).finally(() => {
      running.delete(url)
      count(place, -1)
    })
    running.set(url, reading)
    return reading
  }

  function count(place: string, change: number): void {
    const calls = (at_once.get(place) ?? 0) + change
    if (calls > 0) at_once.set(place, calls)
    else at_once.delete(place)
  }

  async function fetchDocument(environment_id: EnvironmentId, url: string): Promise<ReadDocument | Failure> {
    const answer = await call(environment_id, url)
    const read = 'refused' in answer ? answer : judge(url, answer)
    if ('client' in read) {
      const document = { client: read.client, read_at: now() }
      failures.delete(url)
      remembered.set(url, { ...document, keep_ms: read.keep_ms })
      return document
    }
    failures.set(url, { ...read, failed_at: now() })
    if (read.refused === 'invalid') remembered.delete(url) // its owner has replaced it
    return read
  }

  async function call(environment_id: EnvironmentId, url: string): Promise<OutboundAnswer | Failure> {
    try {
      const headers = { accept: 'application/json' }
      return await outbound({ method: 'GET', url, headers, https_only: true, timeout_ms, limit_bytes, beyond_limit: 'fail' })
    } catch (error) {
      if (!(error instanceof OutboundFailed)) throw error
      log.warn('The document of a client cannot be read.', { environment_id }, error)
      return unavailable(failed[error.reason])
    }
  }

  return {
    /** The client that the document at this URL describes, at most as old as its server and the request allow. */
    async read(request: DocumentRequest): Promise<DocumentReading> {
      await confirmation() // a request that begins again counts once
      const { url } = request
      return recall(request) ?? running.get(url) ?? recentFailure(url) ?? admit(request) ?? begin(request)
    },
  }
}

const kindOf = ({ has_record }: DocumentRequest) => (has_record ? 'known' : 'new')
const placeOf = (request: DocumentRequest) => `${kindOf(request)} ${request.environment_id}`

const too_many = reason`Too many documents of clients are being read.`
const unavailable = (why: Reason): Failure => ({ refused: 'unavailable', why })

const failed = {
  bad_url: reason`The document cannot be read: its address cannot be called.`,
  unreachable: reason`The document cannot be read: its host gives no complete answer, has no trusted certificate, or may not be called.`,
  timeout: reason`The document cannot be read: there was no answer within ${timeout_ms / 1_000} s.`,
  answer_too_large: reason`The document cannot be read: it is larger than ${limit_bytes} bytes.`,
  stopped: reason`The document cannot be read: the call was stopped.`,
}

/** An answer that is not a document at all is unavailable, and one that breaks a rule of documents is invalid. */
function judge(url: string, { status, headers, body }: OutboundAnswer): { client: ClientMetadata; keep_ms: number } | Failure {
  if (status !== 200) return unavailable(reason`The document cannot be read: the status is ${status}, and not 200.`)
  if (isEncoded(headers)) return unavailable(reason`The document cannot be read: the answer is compressed.`)
  if (!isJson(headers['content-type']))
    return unavailable(reason`The document cannot be read: its type is neither application/json nor application/*+json.`)
  const read = readClientMetadata(url, textOf(body))
  return 'invalid' in read
    ? { refused: 'invalid', why: read.invalid }
    : { client: read.client, keep_ms: memorySeconds(headers['cache-control']) * 1_000 }
}

/** RFC 9112 §6.1: an answer can be compressed by its transfer coding too. No call here asks for either. */
function isEncoded({ 'content-encoding': content = 'identity', 'transfer-encoding': transfer = 'chunked' }: OutboundAnswer['headers']) {
  return content.toLowerCase() !== 'identity' || transfer.toLowerCase() !== 'chunked'
}

/** RFC 6839 §3.1: `+json` says that a type is JSON. Parameters of the type mean nothing (RFC 8259 §11). */
function isJson(content_type = ''): boolean {
  const [type = ''] = content_type.split(';')
  return /^application\/(?:[\w!#$&^.+-]+\+)?json$/i.test(withoutBlanks(type))
}

/** Empty for bytes that are not UTF-8, which is not JSON either. */
function textOf(body: Buffer): string {
  try {
    return decodeJson(body)
  } catch (error) {
    if (error instanceof JsonError) return ''
    throw error
  }
}
