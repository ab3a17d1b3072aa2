/** `ostiary migrate`: migrates the schema, as `serve` does at its start. Safe to run again. */
import type { Config } from '@ostiary/server/base/config/config.ts'
import { openDeployment } from '@ostiary/server/main.ts'

export async function migrateCommand(config: Config): Promise<number> {
  const { db } = await openDeployment(config)
  await db.close()
  process.stdout.write('The schema is up to date.\n')
  return 0
}
