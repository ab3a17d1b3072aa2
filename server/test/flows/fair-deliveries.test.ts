/**
 * Receivers that never answer hold up nobody else: not another tenant, not another project or environment of the tenant.
 * Every answer of the silent receivers is held back for the whole test, so what arrives arrived beside them.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { z } from 'zod'
import { sql } from '../../src/db/db.ts'
import { enqueue } from '../../src/outbound/queue.ts'
import { insertEnvironment, insertProject, insertTenant } from '../../src/tenancy/store.ts'
import { startReceiver, until } from '../receiver.ts'
import { insertWebhooks } from '../webhooks.ts'
import { type Place, world } from '../world.ts'

const silent_receivers = 300

const w = await world({ env: { OSTIARY_WEBHOOK_ALLOWED_NETWORKS: '127.0.0.1/32' }, resolve: async () => ['127.0.0.1'] })
const { db, newId } = w.deployment

/** A name of its own for each receiver, all of them at one server. */
const under = (url: string, name: string) => url.replace('127.0.0.1', `${name}.test`)

async function makeTenant(slug: string) {
  const tenant_id = newId('ten') as `ten_${string}` // as: newId gives exactly this
  const project_id = newId('prj')
  const at = w.now()
  await db.batch([insertTenant(tenant_id, { slug, name: slug }, at), insertProject(tenant_id, project_id, { slug, name: slug }, at)])
  return async (name: string): Promise<Pick<Place, 'id'>> => {
    const id = newId('env') as Place['id'] // as: newId gives exactly this
    const fields = { slug: name, name, type: 'test' } as const
    await db.run(insertEnvironment(tenant_id, project_id, id, fields, `${w.base_url}/e/${id}`, at))
    return { id }
  }
}
