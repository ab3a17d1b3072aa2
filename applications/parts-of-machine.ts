/** What some products need beside themselves: an empty PostgreSQL database, and an empty Redis. */
import { execFile } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { promisify } from 'node:util'
import { freePort } from '../server/test/support/free-port.ts'
import { noPostgres, startPostgres } from '../server/test/support/postgres.ts'
import { Missing } from './install.ts'
import { eventually, start } from './processes.ts'
import type { Product } from './product.ts'
import type { Values } from './setup.ts'

const uses = (product: Product, place: string) =>
  JSON.stringify([product.files, product.environment, product.start, product.prepare]).includes(place)

/** Starts what the texts of a product name. */
export async function provide(product: Product, folder: string): Promise<{ values: Values; stop(): Promise<void> }> {
  const values: Record<string, string | number> = {}
  const stops: (() => Promise<void>)[] = []
  if (uses(product, '{database_')) {
    if (noPostgres) throw new Missing(noPostgres)
    const postgres = await startPostgres()
    stops.push(() => postgres.stop())
    const database = new URL(await postgres.freshDatabase())
    Object.assign(values, {
      database_url: database.href,
      database_host: database.hostname,
      database_port: database.port,
      database_user: decodeURIComponent(database.username),
      database_password: decodeURIComponent(database.password),
      database_name: database.pathname.slice(1),
    })
  }
  if (uses(product, '{redis_')) {
    const version = await promisify(execFile)('redis-server', ['--version']).catch(() => null)
    if (version === null) throw new Missing('there is no redis-server')
    const port = await freePort()
    mkdirSync(folder, { recursive: true })
    const command: [string, ...string[]] = ['redis-server', '--port', String(port), '--bind', '127.0.0.1', '--save', '', '--dir', folder]
    const redis = start(command, { cwd: folder, env: { PATH: process.env.PATH }, log: `${folder}/redis.log` })
    stops.push(redis.stop)
    await eventually('Redis did not start', 20, async () =>
      (await promisify(execFile)('redis-cli', ['-p', String(port), 'ping'])).stdout.includes('PONG'),
    )
    Object.assign(values, { redis_url: `redis://127.0.0.1:${port}`, redis_port: port })
  }
  return {
    values,
    async stop() {
      for (const stop of stops) await stop()
    },
  }
}
