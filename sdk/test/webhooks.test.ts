/** Webhooks: those of the service and of another library verify, and changed or old ones do not. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createClient } from '@ostiary/sdk'
import { verifyWebhook } from '@ostiary/sdk/webhooks'
import { startReceiver, until } from '../../server/test/support/receiver.ts'
import { world } from '../../server/test/support/world.ts'
import { webhookCases } from './portable/webhook-cases.ts'

const w = await world({ env: { OSTIARY_WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' } })

test('a webhook of the service verifies, with the secret before and after a rotation', async () => {
  const receiver = await startReceiver()
  const client = createClient({ base_url: w.reach(w.base_url), api_key: w.key })
  const environment = { project_id: w.project.id, environment_id: w.test.id }
  const created = await client.createWebhook(environment, { url: receiver.url, events: ['test.ping'] })
  const path = { ...environment, webhook_id: created.id }
  const rotated = await client.rotateWebhookSecret(path)
  await client.testWebhook(path)
  const { headers, body } = await until('the test event', () => receiver.received[0] ?? false)
  for (const secret of [created.secret, rotated.secret]) {
    const { message_id, event } = await verifyWebhook({ headers, body }, { secret: secret ?? '', now: w.now })
    assert.equal(message_id, headers['webhook-id'])
    assert.equal(event.type, 'test.ping')
    assert.equal(event.environment.id, w.test.id)
  }
})

for (const { title, run } of webhookCases()) test(title, run)
