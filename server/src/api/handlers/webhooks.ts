import type { Delivery } from '@ostiary/contract/delivery.ts'
import { webhook } from '@ostiary/contract/objects/webhook.ts'
import { quotaDetail } from '../../base/config/limits.ts'
import { day_ms } from '../../base/durations.ts'
import { patched } from '../../base/patched.ts'
import { hostOf } from '../../base/slug.ts'
import { untilWritten } from '../../base/until-written.ts'
import { sealed_columns } from '../../deployment/secrets/sealed-columns.ts'
import { readPage } from '../../domain/lists/lists.ts'
import { changeVersioned } from '../../domain/lists/versions.ts'
import { placeIn } from '../../domain/tenancy/objects.ts'
import { holdTenant } from '../../domain/tenancy/store.ts'
import * as changes from '../../domain/webhooks/changes.ts'
import { findMissed, makeMissed } from '../../domain/webhooks/missed.ts'
import { webhookUrlProblem } from '../../domain/webhooks/rules.ts'
import { makeWebhookSecret, previousAfterRotation } from '../../domain/webhooks/sign.ts'
import * as store from '../../domain/webhooks/store.ts'
import { badField, found, notFound, tooBusy } from '../../http/problem.ts'
import { environmentOf, finderOf } from '../environment.ts'
import type { Call, Handler } from '../handler.ts'
import { changeObject, createObject, deleteObject, listObjects } from '../objects.ts'
import type { Services } from '../services.ts'

type WebhookCall = Pick<Call<'getWebhook'>, 'caller' | 'params'>

/** A replaced secret signs for 24 more hours, so that receivers have time to change theirs. */
const overlap_ms = day_ms

const table = 'webhooks'

export const listWebhooks: Handler<'listWebhooks'> = (services, call) => listObjects(services, call, 'webhooks', store.listWebhooks)

export const createWebhook: Handler<'createWebhook'> = async (services, call) => {
  const { config, db, now, newId } = services
  const environment = await environmentOf(services, call)
  const { tenant_id, id: environment_id } = environment
  const { slug, url } = call.body
  refuseUrl(services, environment.type, url)
  const id = newId('whk')
  const fields = patched(webhook, undefined, {}, call.body)
  return createObject(services, call, {
    scope: { table, environment_id },
    slug,
    name: hostOf(url),
    first: [holdTenant(tenant_id)],
    room: store.roomForWebhook(tenant_id, environment_id, config.limits),
    created: (slug) => {
      const { secret, ...created } = changes.created(services, placeIn(environment, now()), { id, slug }, fields)
      return { ...created, after: { ...created.after, secret } }
    },
    refuseWithoutRoom: async () =>
      call.fail('quota_exceeded', quotaDetail(await store.webhookLimitOf(db, environment_id, config.limits), config.limits)),
  })
}

export const getWebhook: Handler<'getWebhook'> = (services, call) => webhookOf(services, call)

const finder = (services: Services, call: WebhookCall) => finderOf(services, call, store.findWebhook, call.params.webhook_id)

async function webhookOf(services: Services, call: WebhookCall): Promise<store.WebhookRow> {
  return found((await finder(services, call))())
}

export const changeWebhook: Handler<'changeWebhook'> = async (services, call) => {
  const environment = await environmentOf(services, call)
  return changeObject(services, call, {
    find: await finder(services, call),
    next: (current) => {
      const fields = patched(webhook, undefined, current, call.body)
      if (fields.url !== current.url) refuseUrl(services, environment.type, fields.url)
      return fields
    },
    changed: changes.changed,
  })
}

export const deleteWebhook: Handler<'deleteWebhook'> = async (services, call) => {
  services.webhook_histories.remove(await deleteObject(services, call, await finder(services, call), changes.deleted))
  return null
}

export const rotateWebhookSecret: Handler<'rotateWebhookSecret'> = async (services, call) => {
  const { db, now, random, secrets } = services
  const secret = makeWebhookSecret(random(32))
  return changeVersioned(call.if_match, await finder(services, call), async (current) => {
    const replaced = await store.findSecrets(db, current)
    if (!replaced) return null
    const at = now()
    const until = new Date(at.getTime() + overlap_ms)
    const context = sealed_columns.webhooks.associatedData(current.environment_id, current.id)
    const previous = previousAfterRotation(replaced, (text) => secrets.unseal(text, context), at)
    const webhook = {
      ...current,
      previous_secret_until: until.toISOString(),
      version: current.version + 1,
      updated_at: at.toISOString(),
      secret,
    }
    const sealed = { secret: secrets.seal(secret, context), previous_secret: secrets.seal(previous, context), previous_secret_until: until }
    const statements = [store.replaceSecret(current, sealed, at)]
    const changed = await call.commit({ statements, before: current, answer: webhook }, at)
    return changed ? webhook : null
  })
}

/** Sends a test event to this webhook only. It has a sequence and is delivered like any other event. */
export const testWebhook: Handler<'testWebhook'> = async (services, call) => {
  const webhook = await webhookOf(services, call)
  const at = services.now()
  const { environment_id, id } = webhook
  const event_id = services.newId('evt')
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

export const listDeliveries: Handler<'listDeliveries'> = async (services, call) => {
  const { environment_id, id } = await webhookOf(services, call)
  const { status, event_id } = call.query
  const list = `deliveries.${id}.${JSON.stringify({ status, event_id })}`
  return readPage(services, call, list, (rest) => store.listDeliveries(services.db, { environment_id, id }, { status, event_id }, rest))
}

export const getDelivery: Handler<'getDelivery'> = async (services, call) => {
  const { environment_id, id } = await webhookOf(services, call)
  const delivery = await found(store.findDelivery(services.db, environment_id, id, call.params.message_id ?? ''))
  return { ...delivery, version: new Date(delivery.updated_at).getTime() }
}

export const resendDelivery: Handler<'resendDelivery'> = async (services, call): Promise<Delivery> => {
  const webhook = await webhookOf(services, call)
  const delivery = await found(store.findDelivery(services.db, webhook.environment_id, webhook.id, call.params.message_id ?? ''))
  const at = services.now()
  const answer = { ...delivery, status: 'waiting' as const, next_attempt_at: at.toISOString(), updated_at: at.toISOString() }
  const resent = await call.commit(
    {
      statements: [store.holdWebhook(webhook), ...store.sendOneAgain(webhook.environment_id, delivery.id, at)],
      before: delivery,
      answer,
    },
    at,
  )
  if (!resent) throw notFound()
  return answer
}

const most_resent = 10_000

/** Each try counts again. Only deliveries that settle in between change the number. */
const most_tries = 20

/** Sends messages since a time again, for a receiver that was down or lost them, or makes those that were missed: the oldest ones. */
export const resendSince: Handler<'resendSince'> = async (services, call) => {
  const { db, now } = services
  const { environment_id, id } = await webhookOf(services, call)
  const { since, until, status = 'all', dry_run = false } = call.body
  const before = { since, ...(until === undefined ? {} : { until }), status }
  return untilWritten(
    most_tries,
    async () => {
      const at = now()
      const { messages, statements } = status === 'missed' ? await missed(at) : await sentBefore(status, at)
      const answer = { messages }
      const sent = dry_run || messages === 0 ? [] : statements
      if (await call.commit({ statements: sent, before, answer, object: { type: 'webhook', id } }, at)) return answer
      await webhookOf(services, call) // 404 if it was deleted meanwhile
      return null
    },
    tooBusy('webhook'),
  )

  async function sentBefore(status: 'given_up' | 'all', at: Date) {
    const which = { since: new Date(since), until: until === undefined ? null : new Date(until), status }
    const counted = await store.countToResend(db, { environment_id, id }, which, most_resent)
    const again = store.sendAllAgain(environment_id, id, { ...which, ...counted }, at)
    return { messages: counted.messages, statements: [store.holdWebhook({ environment_id, id }), ...again] }
  }

  async function missed(at: Date) {
    const webhook = await webhookOf(services, call)
    const events = await findMissed(db, webhook, { since, until }, { messages: most_resent, visited: most_visited })
    if (events === null) throw badField(['since'], too_many_events)
    const messages = events.reduce((sum, each) => sum + each.messages, 0)
    // With the version: the kinds that it asks for have not changed since.
    return { messages, statements: [store.holdWebhook(webhook, webhook.version), ...makeMissed(webhook, events, services, at)] }
  }
}

const most_visited = 1_000_000
const too_many_events = 'None of the first 1,000,000 events since then was missed. Give a later time.'

function refuseUrl({ config }: Services, type: 'test' | 'live', url: string): void {
  const problem = webhookUrlProblem(url, { environment_type: type, base_url: config.base_url, allowed: config.webhook_allowed_networks })
  if (problem !== null) throw badField(['url'], problem)
}
