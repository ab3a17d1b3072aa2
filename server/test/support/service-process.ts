/**
 * The service in a process for tests to kill. The parent moves its clock: `fork(…, [data_dir, port])`, then `{ ahead_seconds }`. With
 * `dies_before` it kills itself before it sends a statement that begins so.
 */
import { channel } from 'node:diagnostics_channel'
import { readConfig } from '../../src/base/config/config.ts'
import { startService } from '../../src/main.ts'

const [data_dir = '', port = ''] = process.argv.slice(2)
const config = readConfig({
  OSTIARY_DATA_DIR: data_dir,
  OSTIARY_PORT: port,
  OSTIARY_LOG_LEVEL: 'silent',
  OSTIARY_WEBHOOK_ALLOWED_NETWORKS: '127.0.0.1/32',
})
if (Array.isArray(config)) throw new Error(JSON.stringify(config))

let ahead_seconds = 0
let dies_before: string | undefined
process.on('message', (message: { ahead_seconds: number; dies_before?: string }) => {
  ahead_seconds = message.ahead_seconds
  dies_before = message.dies_before
  if (dies_before !== undefined) process.send?.('heard')
})
channel('ostiary.statements').subscribe((message) => {
  const { statements } = message as { statements: readonly { parts: readonly string[] }[] } // as: `db.ts` reports them
  const begins = ({ parts: [start = ''] }: { parts: readonly string[] }) => dies_before !== undefined && start.startsWith(dies_before)
  if (statements.some(begins)) process.kill(process.pid, 'SIGKILL')
})
process.on('disconnect', () => process.exit(1))
await startService(config, { now: () => new Date(Date.now() + ahead_seconds * 1000) })
process.send?.('ready')
