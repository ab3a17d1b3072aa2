// pure
/**
 * How many outgoing calls of one process each tenant, environment and receiver may have in flight. A peer that never
 * answers holds its place until its deadline, so places that are taken do not come back soon. Therefore the share of a
 * tenant is a part of what is still free: some places are always left for tenants that have none. Every tenant may have
 * one. See docs/decisions/0027-fair-deliveries.md.
 */

/** What a call takes a place for. */
export interface Place {
  tenant_id: string
  environment_id: string | null
  lane: string
  /** Host and port that are called. */
  receiver: string
}

export interface Limits {
  /** Calls in flight, of all tenants. */
  concurrency: number
  per_lane: number
  /** Of one tenant to one host and port. Counted by tenant, so that no tenant uses up a host that others call too. */
  per_receiver: number
}

/** A tenant may have this part of the free places, its environment this part of that, its slow receivers this part again. */
const tenant_part = 1 / 3
const environment_part = 1 / 2
const slow_part = 1 / 2

export type Shares = ReturnType<typeof createShares>

/** The places of one kind of job in one process. */
export function createShares(limits: Limits, isSlow: (place: Place) => boolean) {
  const held = new Map<string, number>()
  /** What each place counts for, as it was when it was taken. */
  const taken = new Map<Place, readonly string[]>()
  const count = (name: string) => held.get(name) ?? 0
  const free = () => limits.concurrency - taken.size
  const ofTenant = () => Math.max(1, Math.floor(free() * tenant_part))
  const ofEnvironment = () => Math.ceil(ofTenant() * environment_part)
  const ofSlow = () => Math.ceil(ofEnvironment() * slow_part)

  /** Whether one more call is within every share. Says nothing of the lane. */
  function isWithinShares(place: Place): boolean {
    const { tenant, environment, slow, receiver } = namesOf(place)
    return (
      free() > 0 &&
      count(tenant) < ofTenant() &&
      count(environment) < ofEnvironment() &&
      (!isSlow(place) || count(slow) < ofSlow()) &&
      count(receiver) < limits.per_receiver
    )
  }

  return {
    hasRoom: () => free() > 0,
    mayTake: (tenant_id: string) => free() > 0 && count(namesOf({ tenant_id }).tenant) < ofTenant(),
    isWithinShares,
    fits: (place: Place) => isWithinShares(place) && count(namesOf(place).lane) < limits.per_lane,

    take(place: Place): void {
      const { slow, ...others } = namesOf(place)
      const names = [...Object.values(others), ...(isSlow(place) ? [slow] : [])]
      taken.set(place, names)
      for (const name of names) held.set(name, count(name) + 1)
    },

    release(place: Place): void {
      for (const name of taken.get(place) ?? []) {
        if (count(name) > 1) held.set(name, count(name) - 1)
        else held.delete(name)
      }
      taken.delete(place)
    },
  }
}

function namesOf({ tenant_id, environment_id = null, lane = '', receiver = '' }: Partial<Place> & Pick<Place, 'tenant_id'>) {
  return {
    tenant: `tenant ${tenant_id}`,
    environment: `environment ${tenant_id} ${environment_id}`,
    slow: `slow ${tenant_id} ${environment_id}`,
    receiver: `receiver ${receiverOf({ tenant_id, receiver })}`,
    lane: `lane ${lane}`,
  }
}

/** A receiver as one tenant sees it. */
export const receiverOf = ({ tenant_id, receiver }: Pick<Place, 'tenant_id' | 'receiver'>): string => `${tenant_id} ${receiver}`

/**
 * Chooses candidates and takes places for them: one of each tenant, then the next of each, while any fits. Candidates of a
 * tenant keep their order, except that slow receivers come last.
 */
export function chooseInTurn<P extends Place>(shares: Shares, candidates: readonly P[], isSlow: (place: Place) => boolean): P[] {
  const queues = [...Map.groupBy(candidates, ({ tenant_id }) => tenant_id).values()].map((own) => [
    ...own.filter((place) => !isSlow(place)),
    ...own.filter(isSlow),
  ])
  const chosen: P[] = []
  for (let before = -1; before !== chosen.length; ) {
    before = chosen.length
    for (const queue of queues) {
      const next = queue.findIndex((place) => shares.fits(place))
      if (next === -1) continue
      for (const place of queue.splice(next, 1)) {
        shares.take(place)
        chosen.push(place)
      }
    }
  }
  return chosen
}
