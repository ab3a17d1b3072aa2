/**
 * Delivers webhook messages. First attempts are jobs in the lane of their webhook and run in the order of `sequence`. A retry
 * is a separate job that is due by the schedule, so it does not delay other messages. Delivery is at least once: receivers
 * recognise a repeated message by its `webhook-id`. Two attempts of a message can run at once, when the lease of a job ends before its
 * attempt does: both are recorded, and a success is final.
 */
import { EnvironmentId } from '@ostiary/contract/ids.ts'
import { EnvironmentType } from '@ostiary/contract/tenancy.ts'
import { z } from 'zod'
import { guard, type Statement, sql } from '../../db/db.ts'
import { sameEnvironment } from '../../db/environment.ts'
import type { Deployment } from '../../deployment/deployment.ts'
import { type FailedStep, type Outbound, type OutboundAnswer, OutboundFailed } from '../../deployment/outbound/fetch.ts'
import { sealed_columns } from '../../deployment/secrets/sealed-columns.ts'
import { bySystem, originOf } from '../events/origin.ts'
import { findEvent, insertEvent } from '../events/store.ts'
import { recordAttempt } from '../queue/attempts.ts'
import type { Job } from '../queue/queue.ts'
import type { JobKind, Outcome } from '../queue/runner.ts'
import { raiseConfigVersion } from '../tenancy/store.ts'
import { hasFailedTooLong, nextAttemptAt } from './schedule.ts'
import { signedHeaders, signingSecrets } from './sign.ts'
import { enqueueRetries, findWebhook } from './store.ts'

const timeout_ms = 15_000
const kept_bytes = 1_024

const Payload = z.object({ webhook_id: z.string(), message_id: z.string() })

const Target = z.object({
  environment_id: EnvironmentId,
  environment_type: EnvironmentType,
  webhook_id: z.string(),
  message_id: z.string(),
  event_id: z.string(),
  url: z.string(),
  disabled: z.boolean(),
  secret: z.string(),
  previous_secret: z.string().nullable(),
  previous_secret_until: z.date().nullable(),
  failing_since: z.date().nullable(),
  /** Failures of this message since its schedule of retries began. */
  failures: z.int(),
  next_attempt_at: z.date(),
  /** The `traceparent` of the request behind the event. */
  trace: z.string().nullable(),
})
type Target = z.infer<typeof Target>

interface Attempt {
  at: Date
  status: number | null
  latency_ms: number
  response: string | null
  error: FailedStep
  retry_after: string | undefined
}

export function createWebhookJobs(deployment: Deployment, outbound: Outbound): JobKind[] {
  const common = {
    urlOf: async (environment_id: EnvironmentId | null, id: string) =>
      environment_id === null ? null : ((await findWebhook(deployment.db, environment_id, id))?.url ?? null),
    retry_after_seconds: [5, 30, 120, 600],
    lease_seconds: 40,
    givenUp: ({ environment_id, payload }: Job, now: Date) =>
      environment_id === null ? [] : [giveUp({ environment_id, message_id: Payload.parse(payload).message_id }, now)],
    run: (job: Job, signal: AbortSignal) => deliver(deployment, outbound, job, signal),
  }
  return [
    { ...common, name: 'webhook', concurrency: 150, per_lane: 1, per_receiver: 10, in_order: true },
    { ...common, name: 'webhook_retry', concurrency: 75, per_lane: 5, per_receiver: 5 },
  ]
}

async function deliver(deployment: Deployment, outbound: Outbound, job: Job, signal: AbortSignal): Promise<Outcome> {
  const { db, now } = deployment
  const target = await findTarget(deployment, job)
  if (!target) return 'done'
  const event = await findEvent(db, target.environment_id, target.event_id)
  if (target.disabled || !event) return movedOn(target, { next: null, failures: target.failures }, now())
  const attempt = await send(deployment, outbound, { ...target, body: JSON.stringify(event) }, signal)
  if (signal.aborted) return 'retry'
  deployment.counters.count(target.environment_id, 'webhook_attempt', isSuccess(attempt) ? 'succeeded' : 'failed')
  return isSuccess(attempt) ? succeeded(target, attempt, now()) : failed(deployment, target, attempt)
}

async function findTarget({ db }: Deployment, { environment_id, payload }: Job): Promise<Target | null> {
  if (environment_id === null) return null
  const { webhook_id, message_id } = Payload.parse(payload)
  return db.of(environment_id).maybeOne(
    Target,
    sql`select m.environment_id, e.type as environment_type, w.id as webhook_id, m.id as message_id, m.event_id, w.url, w.disabled,
               w.secret, w.previous_secret, w.previous_secret_until, w.failing_since, m.attempts as failures, m.next_attempt_at, v.trace
          from webhook_messages m
          join webhooks w on w.environment_id = ${environment_id} and w.id = m.webhook_id
          join environments e on e.id = m.environment_id
          left join events v on ${sameEnvironment('v', 'm', environment_id)} and v.id = m.event_id
         where m.environment_id = ${environment_id} and m.id = ${message_id} and w.id = ${webhook_id} and m.status = 'waiting'`,
  )
}

/**
 * Sends a message once. A 2xx answer within 15 s is a success; redirects are not followed. Keeps the first KiB of an answer, and no
 * details of a failed connection, which would reveal the internal network.
 */
async function send(
  { secrets, now }: Deployment,
  outbound: Outbound,
  { body, ...target }: Target & { body: string },
  signal: AbortSignal,
): Promise<Attempt> {
  const at = now()
  const begun = performance.now()
  const context = sealed_columns.webhooks.associatedData(target.environment_id, target.webhook_id)
  const signing = signingSecrets(target, (text) => secrets.unseal(text, context), at)
  const headers = signedHeaders(target.message_id, body, signing, at)
  const done = (answer: OutboundAnswer | null, error: FailedStep = null) => ({
    at,
    status: answer?.status ?? null,
    latency_ms: Math.round(performance.now() - begun),
    response: answer && readable(answer.body),
    error,
    retry_after: answer?.headers['retry-after'],
  })
  try {
    const request = {
      method: 'POST',
      url: target.url,
      headers: {
        ...headers,
        'content-type': 'application/json',
        'user-agent': 'Ostiary-Webhooks/1',
        ...(target.trace === null ? {} : { traceparent: target.trace }),
      },
      body,
    } as const
    return done(
      await outbound({
        ...request,
        https_only: target.environment_type === 'live',
        timeout_ms,
        limit_bytes: kept_bytes,
        beyond_limit: 'cut',
        signal,
      }),
    )
  } catch (error) {
    if (error instanceof OutboundFailed) return done(null, error.step)
    throw error
  }
}

/** Text that every database accepts: invalid UTF-8 and NUL become U+FFFD. */
const readable = (bytes: Buffer) => new TextDecoder().decode(bytes.subarray(0, kept_bytes)).replaceAll('\0', '\ufffd')

const isSuccess = ({ status }: Attempt) => status !== null && status >= 200 && status < 300

/** The statements that record an attempt write the webhook first, then the message, as a resend does. */
function succeeded(target: Target, attempt: Attempt, at: Date): Outcome {
  const { environment_id, webhook_id, message_id } = target
  return {
    done: [
      sql`update webhooks set last_success_at = ${at}, failing_since = null where environment_id = ${environment_id} and id = ${webhook_id}`,
      sql`update webhook_messages set status = 'delivered', next_attempt_at = null, updated_at = ${at}
           where environment_id = ${environment_id} and id = ${message_id}`,
      ...recordAttempt('webhook_attempts', environment_id, message_id, attempt),
    ],
  }
}

/** Records a failure in the health of the webhook, and moves the message on. */
async function failed(deployment: Deployment, target: Target, attempt: Attempt): Promise<Outcome> {
  const { environment_id, message_id } = target
  const at = deployment.now()
  const reason = whyDisabled(target, attempt, at)
  const is_disabled = reason !== null && (await disable(deployment, target, attempt, reason))
  const chance = deployment.random(1).readUInt8() / 255
  const next = is_disabled ? null : nextAttemptAt(target.failures + 1, attempt.retry_after, chance, at)
  const { done, next: retry } = movedOn(target, { next, failures: target.failures + 1 }, at)
  return {
    done: [
      sql`update webhooks set failing_since = ${attempt.at} where ${isConcernedBy(target, attempt)} and failing_since is null`,
      ...done,
      ...recordAttempt('webhook_attempts', environment_id, message_id, attempt),
    ],
    next: retry,
  }
}

/**
 * Sets the next attempt of a message, or gives it up without one, unless a resend or another attempt moved it on after this attempt
 * began: then it waits as that left it. The job of this attempt goes, so a message that waits gets another one.
 */
function movedOn(
  { environment_id, message_id, failures, next_attempt_at }: Target,
  to: { next: Date | null; failures: number },
  now: Date,
): { done: Statement[]; next: Statement } {
  const message = sql`environment_id = ${environment_id} and id = ${message_id}`
  const moved = sql`update webhook_messages
    set status = ${to.next ? 'waiting' : 'given_up'}, next_attempt_at = ${to.next}, attempts = ${to.failures}, updated_at = ${now}
    where ${message} and status = 'waiting' and attempts = ${failures} and next_attempt_at = ${next_attempt_at}`
  return { done: [moved], next: enqueueRetries(message, now) }
}

function giveUp({ environment_id, message_id }: Pick<Target, 'environment_id' | 'message_id'>, now: Date): Statement {
  return sql`update webhook_messages set status = 'given_up', next_attempt_at = null, updated_at = ${now}
    where environment_id = ${environment_id} and id = ${message_id} and status = 'waiting'`
}

type DisabledReason = 'gone' | 'failing'

/**
 * Why the webhook must be disabled after this failure; `null` if it stays enabled. RFC 9110 §15.5.11: 410 means that the receiver is
 * permanently gone. Five days without a success have the same effect.
 */
function whyDisabled({ failing_since }: Target, { status }: Attempt, now: Date): DisabledReason | null {
  if (status === 410) return 'gone'
  return hasFailedTooLong(failing_since, now) ? 'failing' : null
}

/** Selects the webhook, unless its URL changed or a delivery succeeded after the attempt began: then a failure says nothing about it. */
const isConcernedBy = ({ environment_id, webhook_id, url }: Target, { at }: Attempt) =>
  sql`environment_id = ${environment_id} and id = ${webhook_id} and url = ${url} and (last_success_at is null or last_success_at < ${at})`

/**
 * Disables a webhook, and returns whether this attempt did. When several attempts fail in parallel, one of them disables it and reports
 * the event. Runs before the attempt is recorded: after a crash in between, the repeated job finds the webhook disabled.
 */
async function disable(
  { db, newId, now }: Pick<Deployment, 'db' | 'newId' | 'now'>,
  target: Target,
  attempt: Attempt,
  reason: DisabledReason,
): Promise<boolean> {
  const at = now()
  const { environment_id, webhook_id } = target
  const still_failing = reason === 'failing' ? sql`and failing_since = ${target.failing_since}` : sql``
  const disabled = await db.of(environment_id).batch([
    raiseConfigVersion(environment_id, at),
    guard(sql`update webhooks set disabled = 1, disabled_reason = ${reason}, version = version + 1, updated_at = ${at}
         where ${isConcernedBy(target, attempt)} and disabled = 0 ${still_failing}`),
    insertEvent(environment_id, originOf({ newId }, bySystem, null), { type: 'webhook.disabled', data: { webhook_id, reason } }, at),
  ])
  return disabled !== null
}
