/** A process that calls a shared limiter: `fork(…, [url, key, limit])`, then any message. Sends back how many calls were admitted. */
import { createLog } from '../../src/base/log.ts'
import { createSharedRateLimiter } from '../../src/http/rate-limit-redis.ts'

const [url = '', key = '', limit = ''] = process.argv.slice(2)
const now = () => new Date()
const limiter = createSharedRateLimiter(url, { now, log: createLog('silent', now, () => {}) })
const policy = { limit: Number(limit), window_seconds: 3_600 }
await limiter.take(`${key} warms up`, policy)
process.once('message', async () => {
  const results = await Promise.all(Array.from({ length: policy.limit }, () => limiter.take(key, policy)))
  process.send?.(results.filter(({ allowed }) => allowed).length)
})
process.on('disconnect', () => process.exit(0))
process.send?.('ready')
