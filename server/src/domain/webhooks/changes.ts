/** How a webhook is created, changed and deleted: the statements, and the records before and after. Its changes raise no event. */
import type { Webhook, WebhookFields } from '@ostiary/contract/objects/webhook.ts'
import { sealed_columns } from '../../deployment/secrets/sealed-columns.ts'
import type { Secrets } from '../../deployment/secrets/secrets.ts'
import { begun, type Edit, moved, type ObjectChange, type ObjectPlace } from '../tenancy/objects.ts'
import { makeWebhookSecret } from './sign.ts'
import { deleteWebhook, insertWebhook, updateWebhook, type WebhookRow } from './store.ts'

interface Makes {
  readonly random: (bytes: number) => Buffer
  readonly secrets: Pick<Secrets, 'seal'>
}

/** @returns also the secret that signs, which is shown once */
export function created(
  { random, secrets }: Makes,
  place: ObjectPlace,
  { id, slug }: Pick<Webhook, 'id' | 'slug'>,
  fields: WebhookFields,
): ObjectChange<WebhookRow> & { readonly secret: string } {
  const { environment_id, at } = place
  const secret = makeWebhookSecret(random(32))
  const sealed_secret = secrets.seal(secret, sealed_columns.webhooks.associatedData(environment_id, id))
  return {
    statements: [insertWebhook(environment_id, { id, slug, sealed_secret }, fields, at)],
    before: null,
    after: {
      ...begun(place, { id, slug }),
      ...fields,
      disabled_reason: null,
      previous_secret_until: null,
      last_success_at: null,
      failing_since: null,
    },
    event: null,
    secret,
  }
}

/** Enabling a webhook forgets its failures. */
export const changed = (current: WebhookRow, { fields, at }: Omit<Edit<WebhookFields>, 'changed'>): ObjectChange<WebhookRow> => ({
  statements: [updateWebhook(current, fields, at)],
  before: current,
  after: {
    ...current,
    ...fields,
    ...(current.disabled && !fields.disabled ? { disabled_reason: null, failing_since: null } : {}),
    ...moved(current, at),
  },
  event: null,
})

/** Its messages follow (`history.ts`). */
export const deleted = (current: WebhookRow): ObjectChange<null> => ({
  statements: [deleteWebhook(current)],
  before: current,
  after: null,
  event: null,
})
