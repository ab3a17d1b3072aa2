/** A service without a tenant, for tests of the first start. It stops with the test file. */
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import { z } from 'zod'
import { readConfig } from '../../src/base/config/config.ts'
import { sql } from '../../src/db/db.ts'
import { startService } from '../../src/main.ts'
import { freePort } from './free-port.ts'
import { dropDatabase, freshDatabase } from './postgres.ts'
import { patient } from './world.ts'

export async function emptyService() {
  const data_dir = mkdtempSync(join(tmpdir(), 'ostiary-setup-'))
  const database_url = process.env.OSTIARY_TEST_ENGINE === 'postgres' ? await freshDatabase() : null
  const port = await freePort()
  const config = readConfig({
    OSTIARY_PORT: String(port),
    OSTIARY_BASE_URL: `http://localhost:${port}`,
    OSTIARY_DATA_DIR: data_dir,
    OSTIARY_TRUSTED_PROXIES: '127.0.0.1,::1',
    ...(database_url ? { OSTIARY_DATABASE_URL: database_url, OSTIARY_MASTER_KEY: randomBytes(32).toString('base64') } : {}),
  })
  if (Array.isArray(config)) throw new Error(JSON.stringify(config))
  const log: string[] = []
  let ahead_ms = 0
  const options = {
    now: () => new Date(Date.now() + ahead_ms),
    write: (line: string) => log.push(line),
    check_answers: true,
    postgres: { limits: patient },
  }
  const start = () => startService(config, options)
  let service = await start()
  after(async () => {
    await service.stop()
    if (database_url) await dropDatabase(database_url)
    rmSync(data_dir, { recursive: true, force: true })
  })
  return {
    base_url: config.base_url,
    log,
    /** Moves the service's clock. */
    advance(seconds: number) {
      ahead_ms += seconds * 1000
    },
    get service() {
      return service
    },
    async restart() {
      await service.stop()
      service = await start()
    },
    tenants: async () =>
      (await service.deployment.db.all(z.object({ slug: z.string() }), sql`select slug from tenants order by slug`)).map(
        ({ slug }) => slug,
      ),
  }
}
