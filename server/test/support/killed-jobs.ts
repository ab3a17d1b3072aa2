/** The test of a job over users whose process is killed: few users in `user-jobs-killed.test.ts`, many in `user-jobs-killed.long.test.ts`. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { z } from 'zod'
import { sql } from '../../src/db/db.ts'
import { insertUser } from '../../src/domain/users/store.ts'
import { openDeployment } from '../../src/main.ts'
import { serve } from './cli-process.ts'
import { createAuthKey } from './tenants.ts'
import { expectStatus, world } from './world.ts'

const Count = z.object({ rows: z.int(), objects: z.int() })

export async function testKilledJobs(users: number): Promise<void> {
  const data_dir = mkdtempSync(join(tmpdir(), 'ostiary-jobs-'))
  after(() => rmSync(data_dir, { recursive: true, force: true }))

  // This process creates the tenant and the users; then child processes serve the same data directory.
  const w = await world({ data_dir, engine: 'sqlite' })
  const { key } = await createAuthKey(w, w.test, 'auth_secret')
  const ids = Array.from({ length: users }, () => w.deployment.newId('usr'))
  for (let from = 0; from < users; from += 500)
    await w.deployment.db.batch(
      ids
        .slice(from, from + 500)
        .flatMap((id, n) => insertUser({ environment_id: w.test.id, id }, { email: `killed${from + n}@example.com` }, null, w.now())),
    )
  const { config } = w.deployment
  await w.close()
  const env = { OSTIARY_PORT: new URL(w.base_url).port, OSTIARY_DATA_DIR: data_dir }

  test(`a job over ${users} users whose process is killed at three moments does each user once, and ends once`, async () => {
    let job: { id: string; status: string; done: number; failed: number; skipped: number } | null = null
    for (const until of [1, users / 3, (2 * users) / 3, users]) {
      const child = await serve(env)
      job ??= expectStatus(202, await w.call('POST', '/v1/auth/users/jobs', { key, body: { action: 'block', user_ids: ids } }))
      for (; job !== null && job.done < until; await new Promise((resolve) => setTimeout(resolve, 20)))
        job = expectStatus(200, await w.call('GET', `/v1/auth/users/jobs/${job.id}`, { key }))
      child.process.kill(until === users ? 'SIGTERM' : 'SIGKILL')
      await child.ended
      const { db } = await openDeployment(config)
      await db.run(sql`delete from leases`) // instead of waiting for that of the process that was killed
      await db.close()
    }
    assert.deepEqual([job?.status, job?.done, job?.failed, job?.skipped], ['done', users, 0, 0])
    const { db } = await openDeployment(config)
    const counts = [
      sql`select count(*) as rows, count(distinct object_id) as objects from audit_log where action = 'blockUser'`,
      sql`select count(*) as rows, count(distinct user_id) as objects from events where type = 'user.blocked'`,
      sql`select count(*) as rows, count(*) as objects from users where environment_id = ${w.test.id} and blocked_at is not null`,
    ]
    for (const count of counts) assert.deepEqual(await db.all(Count, count), [{ rows: users, objects: users }])
    assert.deepEqual(await db.all(Count, sql`select count(*) as rows, 0 as objects from user_job_parts`), [{ rows: 0, objects: 0 }])
    await db.close()
  })
}
