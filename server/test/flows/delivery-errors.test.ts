/** A failed delivery says at which step it failed, and nothing of what answered (decision 0017). */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { after, test } from 'node:test'
import type { Delivery } from '@ostiary/contract/delivery.ts'
import { freePort } from '../support/free-port.ts'
import { startReceiver, until } from '../support/receiver.ts'
import { expectStatus, world } from '../support/world.ts'

const names: Record<string, string[]> = { 'here.example': ['127.0.0.1'], 'inside.example': ['10.0.0.1'], 'nowhere.example': [] }
const w = await world({
  env: { OSTIARY_WEBHOOK_ALLOWED_NETWORKS: '127.0.0.1/32' },
  resolve: async (name) => names[name] ?? [],
})
const receiver = await startReceiver(() => ({ status: 500, body: 'busy' }))
const plain_port = new URL(receiver.url).port
const closing = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1')
await once(closing, 'listening')
after(() => closing.close())
const closing_port = (closing.address() as { port: number }).port // as: a server on TCP has one

// biome-ignore format: this table is read by column
const deliveries: [string, string, { status: number | null; response: string | null; error: string | null }][] = [
  ['the name has no address',          'http://nowhere.example/',                { status: null, response: null,   error: 'dns' }],
  ['the address may not be reached',   'http://inside.example/',                 { status: null, response: null,   error: 'address_not_allowed' }],
  ['nothing listens',                  `http://here.example:${await freePort()}/`, { status: null, response: null, error: 'refused' }],
  ['the receiver does not speak TLS',  `https://here.example:${plain_port}/`,    { status: null, response: null,   error: 'tls' }],
  ['the receiver closes',              `http://here.example:${closing_port}/`,   { status: null, response: null,   error: null }],
  ['the receiver answers 500',         `http://here.example:${plain_port}/hook`, { status: 500,  response: 'busy', error: null }],
]
for (const [why, url, expected] of deliveries)
  test(`a delivery has the error ${expected.error} when ${why}`, async () => {
    const webhooks = `${w.test.path}/webhooks`
    const { id } = expectStatus(201, await w.call('POST', webhooks, { body: { url, events: ['test.ping'] } }))
    expectStatus(202, await w.call('POST', `${webhooks}/${id}/test`))
    const attempt = await until('an attempt', async () => {
      const { data }: { data: Delivery[] } = expectStatus(200, await w.call('GET', `${webhooks}/${id}/deliveries`))
      return data[0]?.attempts[0] ?? false
    })
    const { status, response, error } = attempt
    assert.deepEqual({ status, response, error }, expected)
  })
