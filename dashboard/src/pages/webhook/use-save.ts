import type { Webhook, WebhookChange } from '@ostiary/sdk'
import { useSave, type Version } from '../../parts/save.tsx'
import { useEnvironment } from '../../scope.tsx'

/** Saves a change of a webhook, for the version that the form began with or the page shows. */
export function useWebhookSave(base: Version<Webhook>, report?: (is_edited: boolean) => void) {
  const { client, at, environment } = useEnvironment()
  const here = { ...at, webhook_id: base.data.id }
  return useSave({
    base,
    key: ['webhook', environment.id, base.data.id],
    read: () => client.responses.getWebhook(here),
    write: (change: WebhookChange, options) => client.responses.changeWebhook(here, change, options),
    changes: [['webhooks', environment.id]],
    done: () => report?.(false),
    label: (pointer) => ({ '/url': 'Address', '/events': 'Event kinds', '/disabled': 'Switched off' })[pointer],
  })
}
