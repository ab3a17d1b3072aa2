/** The first operator is the account that bootstrap, or the first start with a demo, creates. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { z } from 'zod'
import { readConfig } from '../../src/base/config/config.ts'
import { sql } from '../../src/db/db.ts'
import { createPasswords } from '../../src/domain/users/password.ts'
import { openDeployment } from '../../src/main.ts'
import { createDemo } from '../../src/setup/demo.ts'
import { createFirstTenant, SetupRefused } from '../../src/setup/first-tenant.ts'
import { ensureRoot } from '../../src/setup/root.ts'
import { dropDatabase, freshDatabase } from '../support/postgres.ts'
import { owner } from '../support/world.ts'

/** A deployment that was never bootstrapped, on the engine of this run. */
async function deploymentOf(t: TestContext) {
  const data_dir = mkdtempSync(join(tmpdir(), 'ostiary-test-'))
  const url = process.env.OSTIARY_TEST_ENGINE === 'postgres' ? await freshDatabase() : null
  const shared = url ? { OSTIARY_DATABASE_URL: url, OSTIARY_MASTER_KEY: randomBytes(32).toString('base64') } : {}
  const config = readConfig({ OSTIARY_DATA_DIR: data_dir, ...shared })
  assert.ok(!Array.isArray(config))
  const deployment = await openDeployment(config)
  t.after(async () => {
    await deployment.db.close()
    if (url) await dropDatabase(url)
    rmSync(data_dir, { recursive: true, force: true })
  })
  const { tenant_id } = await ensureRoot(deployment)
  const operators = () =>
    deployment.db.all(
      z.object({ user_id: z.string(), role: z.string() }),
      sql`select user_id, role from members where tenant_id = ${tenant_id}`,
    )
  const audited = () =>
    deployment.db.all(
      z.object({ action: z.string(), object_type: z.string(), object_id: z.string() }),
      sql`select action, object_type, object_id from audit_log where tenant_id = ${tenant_id} and action = 'bootstrap'`,
    )
  return { deployment, operators, audited }
}

test('of fifty parallel bootstraps one succeeds, and only its account becomes an operator', async (t) => {
  const { deployment, operators, audited } = await deploymentOf(t)
  // One hash for all: computing each would spread the attempts over time.
  const hashed = await createPasswords().hash(owner.password)
  const passwords = { ...createPasswords(), hash: async () => hashed }
  const outcomes = await Promise.allSettled(
    Array.from({ length: 50 }, (_, i) =>
      createFirstTenant(deployment, passwords, { ...owner, email: `owner${i}@example.com`, tenant_name: `T${i}`, slug: `t${i}` }),
    ),
  )
  const created = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value.user_id] : []))
  assert.equal(created.length, 1)
  for (const outcome of outcomes) assert.ok(outcome.status === 'fulfilled' || outcome.reason instanceof SetupRefused)
  assert.deepEqual(await operators(), [{ user_id: created[0], role: 'owner' }])
  assert.deepEqual(await audited(), [{ action: 'bootstrap', object_type: 'member', object_id: created[0] }])
  const left_over = await deployment.db.all(z.object({ id: z.string() }), sql`select id from users`)
  assert.deepEqual(left_over, [{ id: created[0] }])
})

test('a bootstrap with the slug of the service itself creates nothing, and the error says which slug is taken', async (t) => {
  const { deployment, operators } = await deploymentOf(t)
  const first = { ...owner, tenant_name: 'Ostiary', slug: 'ostiary' }
  await assert.rejects(createFirstTenant(deployment, createPasswords(), first), { name: 'SetupRefused', message: /"ostiary".*--slug/ })
  assert.deepEqual(await operators(), [])
})

test('the account of the demo is the first operator', async (t) => {
  const { deployment, operators } = await deploymentOf(t)
  assert.equal((await operators()).length, 0)
  assert.ok(await createDemo(deployment, createPasswords()))
  const [operator, ...others] = await operators()
  const of_demo = await deployment.db.maybeOne(
    z.object({ email: z.string() }),
    sql`select email from users where id = ${operator?.user_id ?? ''}`,
  )
  assert.equal(of_demo?.email, 'demo@example.com')
  assert.deepEqual(others, [])
})

test('a start creates no operator in a deployment that has tenants', async (t) => {
  const { deployment, operators } = await deploymentOf(t)
  await createFirstTenant(deployment, createPasswords(), { ...owner, tenant_name: 'Acme', slug: 'acme' })
  await deployment.db.run(sql`delete from members where tenant_id = ${(await ensureRoot(deployment)).tenant_id}`)
  await ensureRoot(deployment)
  assert.equal(await createDemo(deployment, createPasswords()), null)
  assert.deepEqual(await operators(), [])
})
