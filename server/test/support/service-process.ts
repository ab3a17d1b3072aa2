/** The service in a process for tests to kill. The parent moves its clock: `fork(…, [data_dir, port])`, then `{ ahead_seconds }`. */
import { readConfig } from '../../src/config/config.ts'
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
process.on('message', (message: { ahead_seconds: number }) => {
  ahead_seconds = message.ahead_seconds
})
process.on('disconnect', () => process.exit(1))
await startService(config, { now: () => new Date(Date.now() + ahead_seconds * 1000) })
process.send?.('ready')
