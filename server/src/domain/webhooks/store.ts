/** Webhooks of an environment and their messages. Secrets are sealed here. */
import { Delivery } from '@ostiary/contract/delivery.ts'
import type { EventKind } from '@ostiary/contract/event.ts'
import type { EnvironmentId, TenantId } from '@ostiary/contract/ids.ts'
import { changeableNames, fieldsOf } from '@ostiary/contract/objects/field.ts'
import { Webhook, type WebhookFields, webhook } from '@ostiary/contract/objects/webhook.ts'
import { z } from 'zod'
import { lowestId } from '../../base/ids.ts'
import { type Db, guard, list, type Statement, sql } from '../../db/db.ts'
import { assignments, columnsOf, insertInto } from '../../db/rows.ts'
import { withAttempts } from '../queue/attempts.ts'
import { enqueueEach } from '../queue/queue.ts'
import { readerOf } from '../tenancy/object-reader.ts'
import type { SealedSecrets } from './sign.ts'

const Versioned = Webhook.extend({ version: z.int() })
export type WebhookRow = z.infer<typeof Versioned>

const columns = sql`w.id, e.tenant_id, e.project_id, w.environment_id, w.slug, ${columnsOf('w', changeableNames(webhook))}, w.disabled_reason,
  w.previous_secret_until, w.last_success_at, w.failing_since, w.version, w.created_at, w.updated_at`

export const {
  page: pageOfWebhooks,
  list: listWebhooks,
  find: findWebhook,
} = readerOf({ Shown: Webhook, Row: Versioned }, { table: 'webhooks', alias: 'w', columns })

/** Fails as a guard if the slug is taken in the environment. */
export function insertWebhook(
  environment_id: EnvironmentId,
  { id, slug, sealed_secret }: { id: string; slug: string; sealed_secret: string },
  fields: WebhookFields,
  now: Date,
): Statement {
  const facts = { environment_id, id, slug, secret: sealed_secret, created_at: now, updated_at: now }
  return guard(sql`${insertInto('webhooks', { ...facts, ...fieldsOf(webhook, fields) })} on conflict (environment_id, slug) do nothing`)
}

interface WebhookLimits {
  webhooks: number
  webhooks_per_tenant: number
}

const inEnvironment = (environment_id: EnvironmentId) => sql`select count(*) from webhooks where environment_id = ${environment_id}`

/** True while neither the environment nor its tenant is at its limit with so many more. Used by `haveRoom` with `holdTenant`. */
export const roomForWebhook = (tenant_id: TenantId, environment_id: EnvironmentId, most: WebhookLimits, more = 1) => sql`
  (${inEnvironment(environment_id)}) <= ${most.webhooks - more}
  and (select count(*) from webhooks w join environments e on e.id = w.environment_id where e.tenant_id = ${tenant_id})
        <= ${most.webhooks_per_tenant - more}`

const Count = z.object({ count: z.int() })

export async function countWebhooksOfTenant(db: Db, tenant_id: TenantId): Promise<number> {
  const row = await db.many.maybeOne(
    Count,
    sql`select count(*) as count from webhooks w join environments e on e.id = w.environment_id where e.tenant_id = ${tenant_id}`,
  )
  return row?.count ?? 0
}

/** Returns which of the two limits is reached. */
export async function webhookLimitOf(db: Db, environment_id: EnvironmentId, most: WebhookLimits): Promise<keyof WebhookLimits> {
  const row = await db.of(environment_id).maybeOne(Count, sql`select (${inEnvironment(environment_id)}) as count`)
  return row !== null && row.count >= most.webhooks ? 'webhooks' : 'webhooks_per_tenant'
}

/** Updates a webhook. Enabling it resets its failure state. */
export function updateWebhook(current: WebhookRow, fields: WebhookFields, now: Date): Statement {
  const reset = current.disabled && !fields.disabled ? { disabled_reason: null, failing_since: null } : {}
  return guard(sql`update webhooks
    set ${assignments({ ...fieldsOf(webhook, fields), ...reset })}, version = version + 1, updated_at = ${now}
    where environment_id = ${current.environment_id} and id = ${current.id} and version = ${current.version}`)
}

const Sealed = z.object({ secret: z.string(), previous_secret: z.string().nullable(), previous_secret_until: z.date().nullable() })

export function findSecrets(db: Db, { environment_id, id }: WebhookRow): Promise<SealedSecrets | null> {
  return db
    .of(environment_id)
    .maybeOne(
      Sealed,
      sql`select secret, previous_secret, previous_secret_until from webhooks where environment_id = ${environment_id} and id = ${id}`,
    )
}

/** Rotates the secret. The previous ones keep signing beside it; see `sign.ts`. */
export function replaceSecret(
  current: WebhookRow,
  { secret, previous_secret, previous_secret_until }: SealedSecrets,
  now: Date,
): Statement {
  return guard(sql`update webhooks
    set previous_secret = ${previous_secret}, previous_secret_until = ${previous_secret_until}, secret = ${secret}, version = version + 1,
      updated_at = ${now}
    where environment_id = ${current.environment_id} and id = ${current.id} and version = ${current.version}`)
}

/** Guards a batch that depends on the webhook: the batch fails if the webhook is deleted or, with a version, changed. */
export function holdWebhook({ environment_id, id }: Pick<WebhookRow, 'environment_id' | 'id'>, version?: number): Statement {
  return guard(sql`update webhooks set updated_at = updated_at
    where environment_id = ${environment_id} and id = ${id} ${version === undefined ? sql`` : sql`and version = ${version}`}`)
}

const MessageId = z.object({ id: z.string() })

/** Finds messages of a webhook with ids after this one, to delete them. */
export async function findMessages(db: Db, { environment_id, id }: WebhookRow, limit: number, after = ''): Promise<string[]> {
  const rows = await db.of(environment_id).all(
    MessageId,
    sql`select id from webhook_messages
         where environment_id = ${environment_id} and webhook_id = ${id} and id > ${after} order by id limit ${limit}`,
  )
  return rows.map((row) => row.id)
}

/** Deletes these messages with their attempts. */
export function deleteMessages({ environment_id }: WebhookRow, ids: readonly string[]): Statement[] {
  return [
    sql`delete from webhook_attempts where environment_id = ${environment_id} and message_id in (${list(ids)})`,
    sql`delete from webhook_messages where environment_id = ${environment_id} and id in (${list(ids)})`,
  ]
}

/** Deletes the webhook. Its messages follow (`history.ts`). */
export const deleteWebhook = ({ environment_id, id, version }: WebhookRow): Statement =>
  guard(sql`delete from webhooks where environment_id = ${environment_id} and id = ${id} and version = ${version}`)

const Subscriber = z.object({ id: z.string(), events: z.array(z.custom<EventKind>()), disabled: z.boolean() })

/** The webhooks of an environment and the kinds of events they subscribe to. */
export function findSubscribers(db: Db, environment_id: EnvironmentId) {
  return db
    .of(environment_id)
    .all(Subscriber, sql`select id, events, disabled from webhooks where environment_id = ${environment_id} order by id`)
}

const Message = Delivery.omit({ attempts: true, message_id: true })

const message = sql`select id, event_id, event_type, webhook_id, environment_id, status, next_attempt_at, created_at, updated_at from webhook_messages`

interface DeliveryFilters {
  status?: string | undefined
  event_id?: string | undefined
}

export async function listDeliveries(
  db: Db,
  { environment_id, id: webhook_id }: { environment_id: EnvironmentId; id: string },
  { status, event_id }: DeliveryFilters,
  rest: Statement,
): Promise<Delivery[]> {
  const by_status = status === undefined ? sql`` : sql`and status = ${status}`
  const by_event = event_id === undefined ? sql`` : sql`and event_id = ${event_id}`
  const rows = await db
    .of(environment_id)
    .all(Message, sql`${message} where environment_id = ${environment_id} and webhook_id = ${webhook_id} ${by_status} ${by_event} ${rest}`)
  return withAttempts(db, 'webhook_attempts', environment_id, rows)
}

export async function findDelivery(db: Db, environment_id: EnvironmentId, webhook_id: string, id: string): Promise<Delivery | null> {
  const rows = await db
    .of(environment_id)
    .all(Message, sql`${message} where environment_id = ${environment_id} and webhook_id = ${webhook_id} and id = ${id}`)
  return (await withAttempts(db, 'webhook_attempts', environment_id, rows))[0] ?? null
}

/** The payload of a job that sends a message `m`. Ids need no escaping in JSON. */
export const messagePayload = sql`'{"webhook_id":"' || m.webhook_id || '","message_id":"' || m.id || '"}'`

/**
 * Queues a retry of each of these waiting messages, due at its next attempt. The id of the job is that of its message, so a message waits
 * for one retry at most.
 */
export function enqueueRetries(which: Statement, now: Date): Statement {
  return enqueueEach(
    {
      kind: 'webhook_retry',
      id: sql`m.id`,
      lane: sql`m.webhook_id`,
      environment_id: sql`m.environment_id`,
      payload: messagePayload,
      due_at: sql`m.next_attempt_at`,
    },
    sql`from webhook_messages m where ${which} and status = 'waiting'`,
    now,
  )
}

/**
 * Sends messages again: makes them due now and begins their schedules of retries again. The first statement selects and holds them, by
 * `which` among those of `range`, so none waits without a job. A message that waits for its first attempt keeps its place in the order: it
 * is due since its creation, and one that was sent again is not.
 */
function sendAgain(range: Statement, which: Statement, now: Date): [Statement, ...Statement[]] {
  const held = sql`${range} and updated_at = ${now}`
  return [
    sql`update webhook_messages set updated_at = ${now} where ${range} ${which}`,
    sql`update webhook_messages set status = 'waiting', next_attempt_at = ${now}, attempts = 0
      where ${held} ${which} and (status <> 'waiting' or attempts > 0 or next_attempt_at <> created_at)`,
    enqueueRetries(sql`${held} and next_attempt_at = ${now}`, now),
  ]
}

export function sendOneAgain(environment_id: EnvironmentId, id: string, now: Date): Statement[] {
  return sendAgain(sql`environment_id = ${environment_id} and id = ${id}`, sql``, now)
}

interface Resending {
  since: Date
  /** Messages from this time on are left out. */
  until: Date | null
  status: 'given_up' | 'all'
  /** The newest message of the webhook when they were counted. Later ones are on their way anyway. */
  newest: string
}

/** Ids have the time of their creation, so the index of ids finds the first message. They are made just before `created_at`. */
const id_is_older_ms = 60_000

/** `between`, since for two comparisons SQLite prefers the messages of every webhook. */
const inRange = (environment_id: EnvironmentId, webhook_id: string, { since, until, newest }: Resending) =>
  sql`webhook_id = ${webhook_id} and environment_id = ${environment_id}
    and id between ${lowestId('msg', new Date(since.getTime() - id_is_older_ms))} and ${newest} and created_at >= ${since}
    ${until === null ? sql`` : sql`and created_at < ${until}`}`

const hasStatus = ({ status }: Pick<Resending, 'status'>) => (status === 'all' ? sql`` : sql`and status = ${status}`)

const Counted = z.object({ messages: z.int(), newest: z.string().nullable() })

/** Counts the messages that `sendAllAgain` would send. */
export async function countToResend(
  db: Db,
  { environment_id, id: webhook_id }: { environment_id: EnvironmentId; id: string },
  which: Omit<Resending, 'newest'>,
  most: number,
): Promise<{ messages: number; newest: string }> {
  const row = await db.of(environment_id).maybeOne(
    Counted,
    sql`select count(*) as messages, max(id) as newest
          from (select id from webhook_messages
                 where ${inRange(environment_id, webhook_id, { ...which, newest: last_message })} ${hasStatus(which)}
                 order by id limit ${most}) resent`,
  )
  return { messages: row?.messages ?? 0, newest: row?.newest ?? '' }
}

const last_message = `msg_${'z'.repeat(26)}`

/** Sends the counted messages again, as part of a batch. Fails as a guard if their number changed since they were counted. */
export function sendAllAgain(
  environment_id: EnvironmentId,
  webhook_id: string,
  which: Resending & { messages: number },
  now: Date,
): Statement[] {
  const [messages, ...rest] = sendAgain(inRange(environment_id, webhook_id, which), hasStatus(which), now)
  return [guard(messages, which.messages), ...rest]
}
