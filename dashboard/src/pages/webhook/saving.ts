import type { Webhook, WebhookChange } from '@ostiary/sdk'
import { labelsOf } from '../../parts/object-fields.tsx'
import type { Version } from '../../parts/save.tsx'
import type { Here } from '../../queries/query.ts'
import { webhooks } from '../../queries/webhooks.ts'

/** How a webhook is saved, for the version that the form began with or the page shows. */
export function savingWebhook({ client, at }: Here, base: Version<Webhook>) {
  const webhook_id = base.data.id
  return {
    base,
    of: webhooks.one({ client, at }, webhook_id),
    write: (change: WebhookChange, options: { if_match: string | undefined }) =>
      client.responses.changeWebhook({ ...at, webhook_id }, change, options),
    changes: [webhooks.all({ at })],
    label: labelsOf('webhook'),
  }
}
