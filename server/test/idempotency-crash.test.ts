/** A process dies while it answers requests with an Idempotency-Key. Repeating them with the same keys has each effect once. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { serve } from './support/cli-process.ts'
import { expectStatus, type Reply, world } from './support/world.ts'

const data_dir = mkdtempSync(join(tmpdir(), 'ostiary-repeats-'))
after(() => rmSync(data_dir, { recursive: true, force: true }))

// This process creates the tenant; then child processes serve the same data directory.
const w = await world({ data_dir })
await w.close()
// More projects than the default quota.
const env = { OSTIARY_PORT: new URL(w.base_url).port, OSTIARY_DATA_DIR: data_dir, OSTIARY_LIMITS: '{"projects_per_tenant":100000}' }

const create = (n: number): Promise<Reply> =>
  w.call('POST', '/v1/platform/projects', { body: { slug: `made-${n}`, name: 'Made' }, headers: { 'idempotency-key': `make ${n}` } })

test('after kill -9 a repeated request has its effect once, because a change and its record are stored together', async () => {
  const acknowledged = new Map<number, string>()
  let next = 0
  for (let kills = 0; kills < 3; kills++) {
    const child = await serve(env)
    const from = acknowledged.size
    const ask = async () => {
      try {
        for (;;) {
          const n = next++
          acknowledged.set(n, expectStatus(201, await create(n)).id)
          if (acknowledged.size - from === 60) child.process.kill('SIGKILL')
        }
      } catch (error) {
        if (!(error instanceof TypeError)) throw error // as fetch calls a connection that broke
      }
    }
    await Promise.all(Array.from({ length: 8 }, ask))
    await child.ended
  }

  const child = await serve(env)
  let repeated = 0
  for (let n = 0; n < next; n++) {
    const reply = await create(n)
    const { id } = expectStatus(201, reply)
    if (acknowledged.has(n)) assert.equal(id, acknowledged.get(n))
    if (reply.headers.get('idempotent-replayed') === 'true') repeated++
    const environments = expectStatus(200, await w.call('GET', `/v1/platform/projects/${id}/environments`))
    assert.equal(environments.data.length, 2)
  }
  assert.ok(repeated >= acknowledged.size && acknowledged.size >= 180, `${repeated} of ${acknowledged.size}`)
  child.process.kill('SIGTERM')
  assert.equal((await child.ended).code, 0)
})
