/** Describes an event in words: its object, how it happened, who caused it and why it failed. */
import type { Event } from '@ostiary/sdk'
import type { NameOf } from '../../parts/names.tsx'
import { methodWords, reasonWords } from '../../parts/words.ts'
import { reasonOf } from './reason.ts'

const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined)

/** Every id of an event that can have a name. */
export const idsOf = ({ user_id, application_id, actor, data }: Event): unknown[] => [
  user_id,
  application_id,
  actor.id,
  ...Object.values(data),
]

/** The object of the event, beside the person: an application, a key, a provider. */
function objectOf({ application_id, data }: Event, nameOf: NameOf): string | undefined {
  const ids = [data.key_id, data.provider_id, data.resource_server_id, data.role_id, data.organization_id, data.webhook_id, application_id]
  const name = ids.map((id) => nameOf(text(id))?.name).find((found) => found !== undefined)
  return name ?? text(data.label) ?? text(data.name) ?? text(data.slug) ?? text(application_id) ?? text(data.note)
}

const listed = (slugs: unknown) => (Array.isArray(slugs) && slugs.length > 0 ? slugs.map(String).join(', ') : 'none')

/** How it happened: by which method, or what changed. */
function howOf({ type, data }: Event): string | undefined {
  const method = text(data.method) ?? text(data.method_type)
  if (Array.isArray(data.changed)) return `changed: ${data.changed.map((one) => String(one).replaceAll('_', ' ')).join(', ')}`
  if (Array.isArray(data.previous_roles)) return `roles: ${listed(data.previous_roles)} → ${listed(data.roles)}`
  if (method) return `by ${methodWords(method)}${text(data.second_factor) ? ` and ${methodWords(String(data.second_factor))}` : ''}`
  return type === 'session.ended' ? text(data.reason)?.replaceAll('_', ' ') : undefined
}

export interface About {
  /** The first line: the person, else the object. */
  subject: string
  more: string[]
}

export function aboutOf(event: Event, nameOf: NameOf): About {
  const person = nameOf(event.user_id)?.name ?? text(event.data.email) ?? text(event.data.to) ?? text(event.user_id)
  const object = objectOf(event, nameOf)
  const [subject = '', ...rest] = [person, object, howOf(event)].filter((one) => one !== undefined)
  return { subject, more: rest }
}

export function actorOf({ actor, user_id }: Event, nameOf: NameOf): string {
  const name = nameOf(actor.id)?.name
  if (actor.type === 'system') return 'Ostiary'
  if (actor.type === 'api_key') return name ? `key “${name}”` : 'an API key'
  if (actor.type === 'application') return name ?? 'an application'
  if (actor.id === null) return 'a visitor'
  if (actor.id === user_id) return 'the person'
  return name ?? 'an administrator'
}

/** Why it failed, in a few words; `null` for what did not fail. */
export const whyOf = (event: Event): string | null =>
  event.type === 'sign_in.failed' ? reasonWords(String(event.data.reason)) : reasonOf(event)
