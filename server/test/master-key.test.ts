/** Secrets are sealed with the master key, and sealed again under a new one. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { z } from 'zod'
import { type Config, readConfig } from '../src/base/config/config.ts'
import { sql } from '../src/db/db.ts'
import { sealed_columns } from '../src/deployment/secrets/sealed-columns.ts'
import { WrongMasterKey } from '../src/deployment/secrets/secrets.ts'
import { createPasswords } from '../src/domain/users/password.ts'
import { openDeployment, startService } from '../src/main.ts'
import { createDemo, findDemo } from '../src/setup/demo.ts'
import { freePort } from './support/free-port.ts'
import { spareKeys } from './support/spare-keys.ts'

const [old_key, new_key] = [randomBytes(32), randomBytes(32)].map((key) => key.toString('base64')) as [string, string]
const data_dir = mkdtempSync(join(tmpdir(), 'ostiary-master-'))
process.on('exit', () => rmSync(data_dir, { recursive: true, force: true }))

function configured(keys: string): Config {
  const config = readConfig({ OSTIARY_DATA_DIR: data_dir, OSTIARY_MASTER_KEY: keys, OSTIARY_LOG_LEVEL: 'silent' })
  assert.ok(!Array.isArray(config))
  return config
}

const open = (keys: string) => openDeployment(configured(keys))

/** Starts and stops the service on a free port. */
async function start(keys: string): Promise<void> {
  const service = await startService({ ...configured(keys), port: await freePort() }, { key_pool: spareKeys() })
  await service.stop()
}

test('the start of the service seals secrets again under a new master key, and then the old key is no longer needed', async () => {
  const first = await open(old_key)
  await createDemo(first, createPasswords())
  const { password } = (await findDemo(first)) ?? {}
  assert.ok(password)
  const [environment] = await first.db.all(z.object({ id: z.string() }), sql`select id from environments where type = 'test'`)
  const mail_password = first.secrets.seal('mail password', sealed_columns.smtp_password.associatedData(environment?.id ?? ''))
  await first.db.run(
    sql`update environments set settings = ${{ email: { smtp: { host: 'mail', password: mail_password } } }} where id = ${environment?.id ?? ''}`,
  )
  const tag = first.secrets.mac('refresh-token', 'of a chain')
  await first.db.close()

  await start(`${new_key},${old_key}`)

  const later = await open(new_key)
  assert.equal((await findDemo(later))?.password, password)
  assert.deepEqual(later.secrets.mac('refresh-token', 'of a chain'), tag) // a chain goes on
  const [row] = await later.db.all(
    z.object({ settings: z.object({ email: z.object({ smtp: z.object({ password: z.string() }) }) }) }),
    sql`select settings from environments where type = 'test'`,
  )
  assert.equal(
    later.secrets.unseal(row?.settings.email.smtp.password ?? '', sealed_columns.smtp_password.associatedData(environment?.id ?? '')),
    'mail password',
  )
  await later.db.close()
  await assert.rejects(open(old_key), WrongMasterKey)
})

test('a wrong master key is refused as WrongMasterKey, and nothing is changed', async () => {
  await assert.rejects(open(randomBytes(32).toString('base64')), WrongMasterKey)
  const later = await open(new_key)
  assert.ok(await findDemo(later))
  await later.db.close()
})
