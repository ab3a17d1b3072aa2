import { webhook_defaults } from '@ostiary/contract/object-defaults.ts'
import type { Delivery } from '@ostiary/contract/webhook.ts'
import { hostOf } from '../../base/slug.ts'
import { quotaDetail } from '../../config/limits.ts'
import { changedWebhook, newWebhook } from '../../configuration/shown.ts'
import { badField, notFound, tooBusy } from '../../http/problem.ts'
import { readPage } from '../../lists/lists.ts'
import { readNamedPage } from '../../lists/search.ts'
import { changeVersioned } from '../../lists/versions.ts'
import { sealed_columns } from '../../secrets/sealed-columns.ts'
import { createWithSlug, slugStatements } from '../../slugs/choose.ts'
import { haveRoom, holdTenant, isThereRoom } from '../../tenancy/store.ts'
import { webhookUrlProblem } from '../../webhooks/rules.ts'
import { makeWebhookSecret, previousAfterRotation } from '../../webhooks/sign.ts'
import * as store from '../../webhooks/store.ts'
import { environmentOf } from '../environment.ts'
import type { Call, Handler } from '../handler.ts'
import type { Services } from '../services.ts'

type WebhookCall = Pick<Call<'getWebhook'>, 'caller' | 'params'>

/** A replaced secret signs for 24 more hours, so that receivers have time to change theirs. */
const overlap_ms = 86_400_000

const table = 'webhooks'

export const listWebhooks: Handler<'listWebhooks'> = async (services, call) => {
  const environment = await environmentOf(services, call)
  return readNamedPage(services, call, `webhooks.${environment.id}`, (rest) => store.listWebhooks(services.db, environment.id, rest))
}

export const createWebhook: Handler<'createWebhook'> = async (services, call) => {
  const { config, db, now, newId, random, secrets } = services
  const environment = await environmentOf(services, call)
  const { slug, url } = call.body
  const { events = webhook_defaults.events, description = webhook_defaults.description, disabled = webhook_defaults.disabled } = call.body
  refuseUrl(services, environment.type, url)
  const at = now()
  const id = newId('whk')
  const secret = makeWebhookSecret(random(32))
  const fields = { url, events, description, disabled }
  const { tenant_id, project_id, issuer } = environment
  const place = { tenant_id, project_id, environment_id: environment.id, issuer, at }
  const webhook = (slug: string) => ({ ...newWebhook(place, { id, slug }, fields), secret })
  const sealed_secret = secrets.seal(secret, sealed_columns.webhooks.associatedData(environment.id, id))
  const room = store.roomForWebhook(environment.tenant_id, environment.id, config.limits)
  const create = async (slug: string) => {
    const first = haveRoom(holdTenant(environment.tenant_id), room)
    const statements = [store.insertWebhook(environment.id, { id, slug, sealed_secret }, fields, at)]
    const answer = webhook(slug)
    return (await call.commit({ first, statements, before: null, answer }, at)) ? answer : null
  }
  const scope = { table, environment_id: environment.id } as const
  return createWithSlug(services, scope, {
    slug,
    name: hostOf(url),
    create,
    refuse: async () => {
      if (await isThereRoom(db, room)) return
      call.fail('quota_exceeded', quotaDetail(await store.webhookLimitOf(db, environment.id, config.limits), config.limits))
    },
    fail: call.fail,
  })
}

export const getWebhook: Handler<'getWebhook'> = (services, call) => webhookOf(services, call)

async function finder(services: Services, call: WebhookCall) {
  const environment = await environmentOf(services, call)
  return () => store.findWebhook(services.db, environment.id, call.params.webhook_id ?? '')
}

async function webhookOf(services: Services, call: WebhookCall): Promise<store.WebhookRow> {
  const webhook = await (await finder(services, call))()
  if (!webhook) throw notFound()
  return webhook
}

export const changeWebhook: Handler<'changeWebhook'> = async (services, call) => {
  const environment = await environmentOf(services, call)
  return changeVersioned(call.if_match, await finder(services, call), async (current) => {
    const {
      slug = current.slug,
      url = current.url,
      events = current.events,
      description = current.description,
      disabled = current.disabled,
    } = call.body
    const fields = { url, events: events ?? webhook_defaults.events, description, disabled: disabled ?? webhook_defaults.disabled }
    if (url !== current.url) refuseUrl(services, environment.type, url)
    const given_slug = await slugStatements(
      services.db,
      { table, environment_id: environment.id },
      { current, sent: call.body.slug },
      call.fail,
    )
    if (JSON.stringify(fieldsOf(current)) === JSON.stringify(fields) && given_slug.length === 0) return current
    const at = services.now()
    const webhook = changedWebhook({ ...current, slug }, fields, at)
    const statements = [store.updateWebhook(current, fields, at), ...given_slug]
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

export const deleteWebhook: Handler<'deleteWebhook'> = async (services, call) => {
  const gone = await changeVersioned(call.if_match, await finder(services, call), async (current) => {
    const deleted = await call.commit({ statements: [store.deleteWebhook(current)], before: current, answer: null }, services.now())
    return deleted ? current : null
  })
  services.webhook_histories.remove(gone)
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
  const delivery = await store.findDelivery(services.db, environment_id, id, call.params.message_id ?? '')
  if (!delivery) throw notFound()
  return { ...delivery, version: new Date(delivery.updated_at).getTime() }
}

export const resendDelivery: Handler<'resendDelivery'> = async (services, call): Promise<Delivery> => {
  const webhook = await webhookOf(services, call)
  const delivery = await store.findDelivery(services.db, webhook.environment_id, webhook.id, call.params.message_id ?? '')
  if (!delivery) throw notFound()
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

/** Sends messages since a time again, for a receiver that was down or lost them: the oldest ones, as many as one batch can have. */
export const resendSince: Handler<'resendSince'> = async (services, call) => {
  const { db, now } = services
  const { environment_id, id } = await webhookOf(services, call)
  const { since, status = 'all', dry_run = false } = call.body
  const which = { since: new Date(since), status }
  for (let tries = 0; tries < most_tries; tries++) {
    const at = now()
    const counted = await store.countToResend(db, { environment_id, id }, which, most_resent)
    const answer = { messages: counted.messages }
    const statements =
      dry_run || counted.messages === 0
        ? []
        : [store.holdWebhook({ environment_id, id }), ...store.sendAllAgain(environment_id, id, { ...which, ...counted }, at)]
    const resent = await call.commit({ statements, before: { since, status }, answer, object: { type: 'webhook', id } }, at)
    if (resent) return answer
    await webhookOf(services, call) // 404 if it was deleted meanwhile
  }
  throw tooBusy('webhook')
}

function refuseUrl({ config }: Services, type: 'test' | 'live', url: string): void {
  const problem = webhookUrlProblem(url, { environment_type: type, base_url: config.base_url, allowed: config.webhook_allowed_networks })
  if (problem !== null) throw badField(['url'], problem)
}
