/** Creates a message for every webhook that subscribes to a newly numbered event, in the batch that numbers it. */
import { insertInto } from '../../db/rows.ts'
import type { Deployment } from '../../deployment/deployment.ts'
import type { FanOut } from '../events/numbering.ts'
import { findEventData } from '../events/store.ts'
import { enqueue } from '../queue/queue.ts'
import { findSubscribers } from './store.ts'

export function createWebhookFanOut({ db, now, newId }: Pick<Deployment, 'db' | 'now' | 'newId'>): FanOut {
  return async (environment_id) => {
    const subscribers = await findSubscribers(db, environment_id)
    return async (event) => {
      if (subscribers.length === 0) return []
      // A test event goes to one webhook, regardless of its subscriptions. If it is disabled, `deliver.ts` gives the message up, which says so.
      const only = event.type === 'test.ping' ? (await findEventData(db, environment_id, event.id))?.webhook_id : undefined
      const wanted = subscribers.filter(({ id, events: kinds, disabled }) =>
        only === undefined ? !disabled && (kinds.length === 0 || kinds.includes(event.type)) : id === only,
      )
      return wanted.flatMap(({ id: webhook_id }) => {
        const message_id = newId('msg')
        const at = now()
        const id = jobIdInSequence(webhook_id, event.sequence)
        return [
          insertInto('webhook_messages', {
            environment_id,
            id: message_id,
            webhook_id,
            event_id: event.id,
            event_type: event.type,
            status: 'waiting',
            next_attempt_at: at,
            created_at: at,
            updated_at: at,
          }),
          enqueue({ id, kind: 'webhook', lane: webhook_id, environment_id, payload: { webhook_id, message_id } }, at),
        ]
      })
    }
  }
}

/** A job id that sorts by the sequence of the event: jobs of a lane run in the order of their ids. */
const jobIdInSequence = (webhook_id: string, sequence: number) => `${webhook_id}.${String(sequence).padStart(16, '0')}`
