/**
 * Two `ostiary serve` processes on one PostgreSQL database: a client secret is deleted at one of them, and no call that begins after the answer is
 * accepted with it at either. `two-processes.test.ts` has fewer rounds of it. Callers with the other secret are never refused.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../src/db/db.ts'
import { serve } from './support/cli-process.ts'
import { type Client, postAsClient } from './support/cookie-browser.ts'
import { freePort } from './support/free-port.ts'
import { freshDatabase, noPostgres } from './support/postgres.ts'
import { expectStatus, world } from './support/world.ts'

const rounds = 18
const calls_of_round = 560

test('of 10,080 calls with deleted client secrets at two processes none is accepted', { skip: noPostgres }, async () => {
  const env = { OSTIARY_DATABASE_URL: await freshDatabase(), OSTIARY_MASTER_KEY: Buffer.alloc(32, 1).toString('base64') }
  const w = await world({ env })
  await w.deployment.db.run(sql`update api_keys set rate_limit = ${{ limit: 100_000, window_seconds: 1 }} where id = ${w.key_id}`)
  await w.service.stop()
  const ports = [new URL(w.base_url).port, String(await freePort())]
  await Promise.all(ports.map((port) => serve({ ...env, OSTIARY_BASE_URL: w.base_url, OSTIARY_PORT: port })))
  const at = (side: number, path: string) => `http://localhost:${ports[side % 2]}${path}`
  const token_path = `${new URL(w.test.issuer).pathname}/v1/oauth/token`
  /** A client that the endpoint knows learns that its code is wrong. */
  const ask = async (side: number, client: Client, client_secret: string): Promise<string> => {
    const form = { grant_type: 'authorization_code', code: 'x', redirect_uri: 'x' }
    return (await postAsClient(w, at(side, token_path), { ...client, client_secret }, form)).body.error
  }

  let [refused, others] = [0, 0]
  for (let round = 0; round < rounds; round++) {
    const client = await w.createApplication(w.test)
    const secrets = `${w.test.path}/applications/${client.id}/secrets`
    const first = expectStatus(200, await w.call('GET', at(0, secrets))).data[0]
    const added = expectStatus(201, await w.call('POST', at(round, secrets)))
    for (const side of [0, 1])
      for (const secret of [client.client_secret, added.client_secret]) assert.equal(await ask(side, client, secret), 'invalid_grant')
    const meanwhile = Array.from({ length: 40 }, (_, i) => ask(i, client, added.client_secret))
    expectStatus(204, await w.call('DELETE', at(round, `${secrets}/${first.id}`)))
    const asked = Array.from({ length: calls_of_round }, (_, i) => ask(i, client, client.client_secret ?? ''))
    for (const error of await Promise.all(asked)) assert.equal(error, 'invalid_client')
    for (const error of await Promise.all(meanwhile)) assert.equal(error, 'invalid_grant')
    refused += asked.length
    others += meanwhile.length
  }
  assert.deepEqual([refused, others], [10_080, 720])
})
