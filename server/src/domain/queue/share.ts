// pure
/**
 * Limits how many outgoing calls of one process each tenant, environment and receiver may have in flight. A receiver that never
 * answers holds a call slot until the deadline. Therefore the share of a tenant is a fraction of the slots that are still free,
 * which leaves some for other tenants. Every tenant may always use one. See docs/decisions/0027-fair-deliveries.md.
 */

/** An outgoing call, by what it is counted under. */
export interface Call {
  tenant_id: string
  environment_id: string | null
  lane: string
  /** The host and port that are called. */
  receiver: string
}

export interface Limits {
  /** Calls in flight for all tenants together. */
  concurrency: number
  per_lane: number
  /** Calls in flight from one tenant to one host and port. Per tenant, so that no tenant can use up a host that others call too. */
  per_receiver: number
}

/** A tenant may use this part of the free slots, one environment this part of its tenant's, slow receivers this part of that. */
const tenant_part = 1 / 3
const environment_part = 1 / 2
const slow_part = 1 / 2

export type Shares = ReturnType<typeof createShares>

/** The call slots for one kind of job in one process. */
export function createShares(limits: Limits, isSlow: (call: Call) => boolean) {
  const counts = new Map<string, number>()
  /** The names that each call in flight is counted under. Fixed at its start, since a receiver may become slow meanwhile. */
  const in_flight = new Map<Call, readonly string[]>()
  const count = (name: string) => counts.get(name) ?? 0
  const free = () => limits.concurrency - in_flight.size
  const ofTenant = () => Math.max(1, Math.floor(free() * tenant_part))
  const ofEnvironment = () => Math.ceil(ofTenant() * environment_part)
  const ofSlow = () => Math.ceil(ofEnvironment() * slow_part)

  /** Whether one more call stays within every share. Does not check the lane. */
  function isWithinShares(call: Call): boolean {
    const { tenant, environment, slow, receiver } = namesOf(call)
    return (
      free() > 0 &&
      count(tenant) < ofTenant() &&
      count(environment) < ofEnvironment() &&
      (!isSlow(call) || count(slow) < ofSlow()) &&
      count(receiver) < limits.per_receiver
    )
  }

  return {
    hasRoom: () => free() > 0,
    mayTake: (tenant_id: string) => free() > 0 && count(namesOf({ tenant_id }).tenant) < ofTenant(),
    isWithinShares,
    fits: (call: Call) => isWithinShares(call) && count(namesOf(call).lane) < limits.per_lane,

    take(call: Call): void {
      const { slow, ...others } = namesOf(call)
      const names = [...Object.values(others), ...(isSlow(call) ? [slow] : [])]
      in_flight.set(call, names)
      for (const name of names) counts.set(name, count(name) + 1)
    },

    release(call: Call): void {
      for (const name of in_flight.get(call) ?? []) {
        if (count(name) > 1) counts.set(name, count(name) - 1)
        else counts.delete(name)
      }
      in_flight.delete(call)
    },
  }
}

function namesOf({ tenant_id, environment_id = null, lane = '', receiver = '' }: Partial<Call> & Pick<Call, 'tenant_id'>) {
  return {
    tenant: `tenant ${tenant_id}`,
    environment: `environment ${tenant_id} ${environment_id}`,
    slow: `slow ${tenant_id} ${environment_id}`,
    receiver: `receiver ${receiverOf({ tenant_id, receiver })}`,
    lane: `lane ${lane}`,
  }
}

/** Identifies a receiver within its tenant. */
export const receiverOf = ({ tenant_id, receiver }: Pick<Call, 'tenant_id' | 'receiver'>): string => `${tenant_id} ${receiver}`

/**
 * Chooses candidates and takes call slots for them: one candidate of each tenant, then the next of each, while any fits. The
 * candidates of a tenant keep their order, except that slow receivers come last.
 */
export function chooseInTurn<C extends Call>(shares: Shares, candidates: readonly C[], isSlow: (call: Call) => boolean): C[] {
  const queues = [...Map.groupBy(candidates, ({ tenant_id }) => tenant_id).values()].map((own) => [
    ...own.filter((call) => !isSlow(call)),
    ...own.filter(isSlow),
  ])
  const chosen: C[] = []
  for (let before = -1; before !== chosen.length; ) {
    before = chosen.length
    for (const queue of queues) {
      const next = queue.findIndex((call) => shares.fits(call))
      if (next === -1) continue
      for (const call of queue.splice(next, 1)) {
        shares.take(call)
        chosen.push(call)
      }
    }
  }
  return chosen
}
