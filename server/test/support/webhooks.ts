/** Webhooks in the store, without the quota, and the numbers of the events that they get. */
import type { EventKind } from '@ostiary/contract/event.ts'
import { z } from 'zod'
import { sql } from '../../src/db/db.ts'
import { sealed_columns } from '../../src/deployment/secrets/sealed-columns.ts'
import { makeWebhookSecret } from '../../src/domain/webhooks/sign.ts'
import { insertWebhook } from '../../src/domain/webhooks/store.ts'
import type { TestEnvironment, World } from './world.ts'

export async function insertWebhooks(
  { deployment, now }: World,
  { id: environment_id }: Pick<TestEnvironment, 'id'>,
  urls: readonly string[],
  events: readonly EventKind[] = ['test.ping'],
) {
  const { db, newId, random, secrets } = deployment
  const webhooks = urls.map((url) => ({ id: newId('whk'), url }))
  const fields = { events: [...events], description: null, disabled: false }
  await db.batch(
    webhooks.map(({ id, url }) => {
      const secret = secrets.seal(makeWebhookSecret(random(32)), sealed_columns.webhooks.associatedData(environment_id, id))
      return insertWebhook(environment_id, { id, slug: id.replace('_', '-'), sealed_secret: secret }, { ...fields, url }, now())
    }),
  )
  return webhooks
}

const Id = z.object({ id: z.string() })

/** Whether each event of the database has its `sequence`, and with it its messages. */
export async function areNumbered({ deployment }: World): Promise<boolean> {
  return (await deployment.db.many.all(Id, sql`select id from events where sequence is null limit 1`)).length === 0
}
