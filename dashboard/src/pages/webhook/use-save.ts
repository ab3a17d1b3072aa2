import type { Webhook, WebhookChange } from '@ostiary/sdk'
import { useSave, type Version } from '../../parts/save.tsx'
import { webhooks } from '../../queries/webhooks.ts'
import { useEnvironment } from '../../scope.tsx'

/** Saves a change of a webhook, for the version that the form began with or the page shows. */
export function useWebhookSave(base: Version<Webhook>, report?: (is_edited: boolean) => void) {
  const { client, at } = useEnvironment()
  const webhook_id = base.data.id
  return useSave({
    base,
    of: webhooks.one({ client, at }, webhook_id),
    write: (change: WebhookChange, options) => client.responses.changeWebhook({ ...at, webhook_id }, change, options),
    changes: [webhooks.all({ at })],
    done: () => report?.(false),
    label: (pointer) => ({ '/url': 'Address', '/events': 'Event kinds', '/disabled': 'Switched off' })[pointer],
  })
}
