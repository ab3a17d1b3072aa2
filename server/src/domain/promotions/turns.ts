/**
 * Turns of plans: a process computes one plan at a time, and tenants take turns. Few wait, and not for long: where more are asked for,
 * those of the tenant that asks most are refused. Decision 0159.
 */
import { rateLimited } from '../../http/problem.ts'

/** Of all tenants. */
const most_waiting = 10
const longest_wait_ms = 1_000

export interface PlanTurns {
  run<T>(tenant_id: string, work: () => Promise<T>): Promise<T>
}

interface Waiting {
  readonly begin: () => void
  readonly refuse: () => void
}

/** @param after calls a function after so many milliseconds; what it returns calls that off */
export function createPlanTurns(after: (ms: number, then: () => void) => () => void): PlanTurns {
  /** Those that wait, of each tenant in their order. The tenants are in the order of their turns. */
  const queues = new Map<string, Waiting[]>()
  let is_busy = false

  const count = () => [...queues.values()].reduce((sum, queue) => sum + queue.length, 0)

  function leave(tenant_id: string, waiting: Waiting): void {
    const queue = queues.get(tenant_id)
    queue?.splice(queue.indexOf(waiting), 1)
    if (queue?.length === 0) queues.delete(tenant_id)
  }

  /** Whether there is a place for one more of the tenant. Its place can be that of the newest of a tenant with more. */
  function hasPlace(tenant_id: string): boolean {
    if (count() < most_waiting) return true
    const own = queues.get(tenant_id)?.length ?? 0
    const longest = [...queues.values()].reduce((most, queue) => (queue.length > most.length ? queue : most))
    if (longest.length <= own + 1) return false
    longest.at(-1)?.refuse()
    return true
  }

  function place(tenant_id: string): Promise<void> {
    if (!hasPlace(tenant_id)) return Promise.reject(tooMany())
    return new Promise((resolve, reject) => {
      const refuse = () => {
        callOff()
        leave(tenant_id, waiting)
        reject(tooMany())
      }
      const begin = () => {
        callOff()
        resolve()
      }
      const callOff = after(longest_wait_ms, refuse)
      const waiting = { begin, refuse }
      const queue = queues.get(tenant_id)
      if (queue) queue.push(waiting)
      else queues.set(tenant_id, [waiting])
    })
  }

  function giveTurn(): void {
    for (const [tenant_id, queue] of queues) {
      const [first] = queue
      if (!first) continue
      leave(tenant_id, first)
      // The others of the tenant wait until every other tenant had its turn.
      if (queues.delete(tenant_id)) queues.set(tenant_id, queue)
      first.begin()
      return
    }
    is_busy = false
  }

  return {
    async run(tenant_id, work) {
      if (is_busy) await place(tenant_id)
      is_busy = true
      try {
        return await work()
      } finally {
        giveTurn()
      }
    },
  }
}

const tooMany = () => rateLimited('Many plans of promotions are being computed. Try again in 1 s.', 1)
