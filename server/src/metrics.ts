/** Prometheus metrics, served on a separate port. Labels are methods, route patterns and statuses, so their number is bounded. */
import cluster from 'node:cluster'
import { AggregatorRegistry, collectDefaultMetrics, Histogram, Registry } from 'prom-client'

export type Metrics = ReturnType<typeof createMetrics>

export function createMetrics() {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const requests = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Duration of requests in seconds, by method, route and status',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
    registers: [registry],
  })
  if (cluster.isWorker) {
    AggregatorRegistry.setRegistries(registry)
    new AggregatorRegistry() // answers the requests of the process that started this one
  }
  return {
    observe(method: string, route: string, status: number, duration_ms: number): void {
      requests.observe({ method, route, status }, duration_ms / 1000)
    },
    async expose(): Promise<{ type: string; text: string }> {
      return { type: registry.contentType, text: await registry.metrics() }
    },
  }
}

/** The sum of the metrics of all workers, for the process that started them. */
export function createMetricsOfWorkers(): Pick<Metrics, 'expose'> {
  const all = new AggregatorRegistry()
  return { expose: async () => ({ type: all.contentType, text: await all.clusterMetrics() }) }
}
