/** The messages of a deleted webhook. A deletion that is refused leaves them, so they go after it, a slice at a time. */
import { changeAllButLast } from '../db/slices.ts'
import type { Deployment } from '../deployment/deployment.ts'
import { deleteMessages, findMessages, type WebhookRow } from './store.ts'

/** Messages that are deleted in one batch, with their attempts. */
const messages_at_once = 200

/** The webhook is gone, whatever comes of its messages: they are out of reach, and those that stay expire. */
export async function removeHistory({ db, log }: Pick<Deployment, 'db' | 'log'>, gone: WebhookRow): Promise<void> {
  const find = (limit: number, after: string | undefined) => findMessages(db, gone, limit, after)
  try {
    const last = await changeAllButLast(messages_at_once, find, (ids) => db.batch(deleteMessages(gone, ids)))
    if (last && last.length > 0) await db.batch(deleteMessages(gone, last))
  } catch (error) {
    log.error('The messages of a deleted webhook could not be deleted, and go when they expire.', { webhook_id: gone.id }, error)
  }
}
