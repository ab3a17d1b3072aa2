/**
 * Removes the messages of deleted webhooks. A deletion that is refused leaves them, so they go after it; there can be any number of them,
 * so they go after its answer too, a slice at a time. After an interruption the rest is out of reach, and expires with the other messages.
 */
import { outsideRequests } from '../../base/database-time.ts'
import { changeAllButLast } from '../../db/slices.ts'
import type { Deployment } from '../../deployment/deployment.ts'
import { deleteMessages, findMessages, type WebhookRow } from './store.ts'

/** Messages that are deleted in one batch, with their attempts. */
const messages_at_once = 200

export interface WebhookHistories {
  /** Begins to remove the messages of a webhook that is gone, after those of webhooks that went before. */
  remove(gone: WebhookRow): void
  /** Waits for the slice that runs, and removes no more. */
  stop(): Promise<void>
}

export function createWebhookHistories({ db, log }: Pick<Deployment, 'db' | 'log'>): WebhookHistories {
  const waiting: WebhookRow[] = []
  let running: Promise<void> | null = null
  let stopping = false

  async function removeOne(gone: WebhookRow): Promise<void> {
    const find = (limit: number, after: string | undefined) => findMessages(db, gone, limit, after)
    const write = async (ids: readonly string[]) => (stopping ? null : db.of(gone.environment_id).batch(deleteMessages(gone, ids)))
    try {
      const last = await changeAllButLast(messages_at_once, find, write)
      if (last && last.length > 0) await write(last)
    } catch (error) {
      log.error('The messages of a deleted webhook could not be deleted, and go when they expire.', { webhook_id: gone.id }, error)
    }
  }

  async function removeAll(): Promise<void> {
    for (let gone = waiting.shift(); gone && !stopping; gone = waiting.shift()) await removeOne(gone)
    running = null
  }

  return {
    remove(gone) {
      waiting.push(gone)
      running ??= outsideRequests(removeAll)
    },
    async stop() {
      stopping = true
      await running
    },
  }
}
