import type { Event } from '@ostiary/contract/event.ts'
import type { routes } from '@ostiary/contract/routes.ts'
import type { Delivery, Webhook } from '@ostiary/contract/webhook.ts'
import { readPage } from '../api/lists.ts'
import type { Call, Handler } from '../api/mount.ts'
import { changeVersioned } from '../api/versions.ts'
import type { Deployment } from '../deployment.ts'
import { badField, notFound, quotaExceeded } from '../http/problem.ts'
import { isPrivateLiteral } from '../outbound/addresses.ts'
import { enqueue } from '../outbound/queue.ts'
import { sealed_columns } from '../sealed-columns.ts'
import { environmentOf } from '../tenancy/environment.ts'
import { haveRoom, holdTenant } from '../tenancy/store.ts'
import { makeWebhookSecret } from './sign.ts'
import * as store from './store.ts'

type Table = typeof routes
type WebhookCall = Pick<Call<Table['getWebhook']>, 'caller' | 'params'>

/** Both secrets sign for a day: receivers are other people's machines (the no-grace rule is about keys). */
const overlap_ms = 86_400_000

export const listWebhooks: Handler<Table['listWebhooks']> = async (deployment, call) => {
  const environment = await environmentOf(deployment, call)
  return readPage(deployment, `webhooks.${environment.id}`, call.query, (rest) => store.listWebhooks(deployment.db, environment.id, rest))
}

export const createWebhook: Handler<Table['createWebhook']> = async (deployment, call) => {
  const { config, db, now, newId, random, secrets } = deployment
  const environment = await environmentOf(deployment, call)
  const { url, events = [], description = null, disabled = false } = call.body
  refuseUrl(deployment, environment.type, url)
  const at = now()
  const id = newId('whk') as Webhook['id'] // as: newId gives exactly this
  const secret = makeWebhookSecret(random(32))
  const fields = { url, events, description, disabled }
  const webhook = {
    id,
    tenant_id: environment.tenant_id,
    project_id: environment.project_id,
    environment_id: environment.id,
    ...fields,
    disabled_reason: null,
    previous_secret_until: null,
    last_success_at: null,
    failing_since: null,
    created_at: at.toISOString(),
    updated_at: at.toISOString(),
    version: 1,
    secret,
  }
  const sealed_secret = secrets.seal(secret, sealed_columns.webhooks.associatedData(environment.id, id))
  const statements = [
    ...haveRoom(holdTenant(environment.tenant_id), store.roomForWebhook(environment.tenant_id, environment.id, config.limits)),
    store.insertWebhook(environment.id, id, fields, sealed_secret, at),
  ]
  const created = await call.commit({ statements, before: null, answer: webhook }, at)
  if (!created) throw quotaExceeded(await store.webhookLimitOf(db, environment.id, config.limits), config.limits)
  return webhook
}

export const getWebhook: Handler<Table['getWebhook']> = (deployment, call) => webhookOf(deployment, call)

async function finder(deployment: Deployment, call: WebhookCall) {
  const environment = await environmentOf(deployment, call)
  return () => store.findWebhook(deployment.db, environment.id, call.params.webhook_id ?? '')
}

async function webhookOf(deployment: Deployment, call: WebhookCall): Promise<store.WebhookRow> {
  const webhook = await (await finder(deployment, call))()
  if (!webhook) throw notFound()
  return webhook
}

export const changeWebhook: Handler<Table['changeWebhook']> = async (deployment, call) => {
  const environment = await environmentOf(deployment, call)
  return changeVersioned(call.if_match, await finder(deployment, call), async (current) => {
    const { url = current.url, events = current.events, description = current.description, disabled = current.disabled } = call.body
    const fields = { url, events: events ?? [], description, disabled: disabled ?? false }
    if (url !== current.url) refuseUrl(deployment, environment.type, url)
    if (JSON.stringify(fieldsOf(current)) === JSON.stringify(fields)) return current
    const at = deployment.now()
    const enabled_anew = current.disabled && !fields.disabled ? { disabled_reason: null, failing_since: null } : {}
    const webhook = { ...current, ...fields, ...enabled_anew, version: current.version + 1, updated_at: at.toISOString() }
    const statements = [store.updateWebhook(current, fields, at)]
    const changed = await call.commit({ statements, before: current, answer: webhook }, at)
    return changed ? webhook : null
  })
}

const fieldsOf = ({ url, events, description, disabled }: store.WebhookFields): store.WebhookFields => ({
  url,
  events,
  description,
  disabled,
})

export const deleteWebhook: Handler<Table['deleteWebhook']> = async (deployment, call) => {
  await changeVersioned(call.if_match, await finder(deployment, call), async (current) => {
    const deleted = await call.commit({ statements: store.deleteWebhook(current), before: current, answer: null }, deployment.now())
    return deleted || null
  })
  return null
}

export const rotateWebhookSecret: Handler<Table['rotateWebhookSecret']> = async (deployment, call) => {
  const { now, random, secrets } = deployment
  const secret = makeWebhookSecret(random(32))
  return changeVersioned(call.if_match, await finder(deployment, call), async (current) => {
    const at = now()
    const until = new Date(at.getTime() + overlap_ms)
    const sealed = secrets.seal(secret, sealed_columns.webhooks.associatedData(current.environment_id, current.id))
    const webhook = {
      ...current,
      previous_secret_until: until.toISOString(),
      version: current.version + 1,
      updated_at: at.toISOString(),
      secret,
    }
    const statements = [store.replaceSecret(current, sealed, until, at)]
    const changed = await call.commit({ statements, before: current, answer: webhook }, at)
    return changed ? webhook : null
  })
}

/** A test event for this webhook alone, numbered and delivered like any other. */
export const testWebhook: Handler<Table['testWebhook']> = async (deployment, call) => {
  const webhook = await webhookOf(deployment, call)
  const at = deployment.now()
  const { environment_id, id } = webhook
  const event_id = deployment.newId('evt') as Event['id'] // as: newId gives exactly this
  const event = { id: event_id, environment_id, type: 'test.ping', data: { webhook_id: id } } as const
  const sent = await call.commit(
    {
      statements: [store.holdWebhook(webhook)],
      before: webhook,
      answer: { event_id },
      object: { type: 'webhook', id },
      event,
    },
    at,
  )
  if (!sent) throw notFound()
  return { event_id }
}

export const listDeliveries: Handler<Table['listDeliveries']> = async (deployment, call) => {
  const { environment_id, id } = await webhookOf(deployment, call)
  const { status, event_id, ...page } = call.query
  const list = `deliveries.${id}.${JSON.stringify({ status, event_id })}`
  return readPage(deployment, list, page, (rest) => store.listDeliveries(deployment.db, environment_id, id, { status, event_id }, rest))
}

export const resendDelivery: Handler<Table['resendDelivery']> = async (deployment, call): Promise<Delivery> => {
  const webhook = await webhookOf(deployment, call)
  const delivery = await store.findDelivery(deployment.db, webhook.environment_id, webhook.id, call.params.message_id ?? '')
  if (!delivery) throw notFound()
  const at = deployment.now()
  const answer = { ...delivery, status: 'waiting' as const, next_attempt_at: at.toISOString(), updated_at: at.toISOString() }
  const resent = await call.commit(
    {
      statements: [store.holdWebhook(webhook), ...again(webhook, delivery.id, call.request_id, at)],
      before: delivery,
      answer,
    },
    at,
  )
  if (!resent) throw notFound()
  return answer
}

const most_resent = 10_000

/** Everything since then once more, delivered or not: for a receiver that lost what it had got. */
export const resendSince: Handler<Table['resendSince']> = async (deployment, call) => {
  const webhook = await webhookOf(deployment, call)
  const at = deployment.now()
  const ids = await store.findMessagesSince(deployment.db, webhook.environment_id, webhook.id, new Date(call.body.since), most_resent)
  const answer = { messages: ids.length }
  const object = { type: 'webhook', id: webhook.id }
  const messages = ids.flatMap((id) => again(webhook, id, call.request_id, at))
  const statements = ids.length === 0 ? [] : [store.holdWebhook(webhook), ...messages]
  const resent = await call.commit({ statements, before: { since: call.body.since }, answer, object }, at)
  if (!resent) throw notFound()
  return answer
}

function again({ environment_id, id: webhook_id }: store.WebhookRow, message_id: string, request_id: string, now: Date) {
  const job = {
    id: `${message_id}.${request_id}`,
    kind: 'webhook_retry',
    lane: webhook_id,
    environment_id,
    payload: { webhook_id, message_id },
  } as const
  return [store.markWaiting(environment_id, message_id, now), enqueue(job, now)]
}

/** Contract §3: a private address spelt out is refused at once; a name is judged when it is connected to. */
function refuseUrl({ config }: Deployment, type: 'test' | 'live', url: string): void {
  const parsed = new URL(url)
  if (type === 'live' && parsed.protocol !== 'https:' && parsed.origin !== config.base_url)
    throw badField(['url'], 'Live takes https only.')
  if (isPrivateLiteral(parsed, config.webhook_allowed_networks))
    throw badField(['url'], 'This address is private. Use one that can be reached from the internet.')
}
