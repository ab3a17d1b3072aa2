/**
 * Does the jobs of the queue: takes what is due, tenants in turn and each within its share (`share.ts`), and settles each
 * job by its outcome. Starts at once for what this process queues, and looks once a second for what others queued or left.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Statement } from '../db/db.ts'
import type { Deployment } from '../deployment.ts'
import {
  type Candidate,
  claim,
  claimNext,
  findCandidates,
  isAnyDue,
  type Job,
  type JobKindName,
  postpone,
  remove,
  takenIn,
  tenantsInTurn,
} from './queue.ts'
import { retryDelay } from './schedule.ts'
import { chooseInTurn, createShares, type Limits, type Place, receiverOf } from './share.ts'

/**
 * A job that is to be tried again is, while its schedule has a further time; `retry_after_seconds` is the least wait. What
 * follows from one that is done is written in the batch that removes it.
 */
export type Outcome = 'done' | { done: readonly Statement[] } | 'give_up' | 'retry' | { retry_after_seconds: number }

/** Its limits are those of one process. */
export interface JobKind extends Readonly<Limits> {
  readonly name: JobKindName
  /** The URL that a job calls, as SQL: a query over a row `job` of `jobs`. */
  readonly url: Statement
  /** How long after each failed attempt the next one is made. One more attempt than entries, then it is given up. */
  readonly retry_after_seconds: readonly number[]
  /** Jobs of a lane are done one after the other, by their ids, in the whole deployment. */
  readonly in_order?: boolean
  /** Longer than any attempt takes. What a dead process leaves behind is taken up after that. */
  readonly lease_seconds: number
  /** What follows from a job that is given up. */
  givenUp?(job: Job, now: Date): readonly Statement[]
  /** One attempt. Throwing is a fault of ours, logged and tried again. The signal says that nobody waits any more. */
  run(job: Job, signal: AbortSignal): Promise<Outcome>
}

export interface Runner {
  /** Looks for due jobs now. */
  wake(): void
  /** Takes nothing more, lets what is in flight finish within the limit, and hands the rest back. */
  stop(limit_ms: number): Promise<void>
}

type Needs = Pick<Deployment, 'db' | 'log' | 'now' | 'random'>

const look_interval_ms = 1_000
/** Tenants whose jobs are taken together. */
const tenants_per_claim = 8
/** Candidates of one tenant that are read together. */
const most_candidates = 250
/** Lanes that are left out of a query. A tenant that has more of them waits for its next turn. */
const most_lanes_left_out = 500
/** A receiver that keeps a call for longer is slow, until it answers a call faster. */
const slow_ms = 2_000
const most_slow_known = 10_000
/** How often the log tells of a fault that stays. */
const same_failure_again_ms = 60_000

export function startRunner(deployment: Needs, kinds: readonly JobKind[]): Runner {
  const lines = kinds.map((kind) => createLine(deployment, kind))
  const wake = () => {
    for (const line of lines) line.take()
  }
  const timer = setInterval(wake, look_interval_ms).unref()
  deployment.db.onWork('queue', wake)
  wake()

  return {
    wake,
    async stop(limit_ms) {
      clearInterval(timer)
      await Promise.all(lines.map((line) => line.stop(limit_ms)))
    },
  }
}

/** The jobs of one kind in this process. */
function createLine({ db, log, now, random }: Needs, kind: JobKind) {
  const leased_by = random(12).toString('base64url')
  const in_flight = new Map<Job, Promise<void>>()
  const abort = new AbortController()
  const slow = new Set<string>()
  const isSlow = (place: Place) => slow.has(receiverOf(place))
  const shares = createShares(kind, isSlow)
  let taking: Promise<void> | null = null
  let take_again = false
  let stopping = false
  let reported_at_ms = Number.NEGATIVE_INFINITY
  /** The tenant whose turn was last. */
  let turn: string | null = null

  const report = (error: unknown) => {
    if (Math.abs(now().getTime() - reported_at_ms) < same_failure_again_ms) return
    reported_at_ms = now().getTime()
    log.error('The queue could not be read. It will be tried again.', { kind: kind.name }, error)
  }

  /** Takes what is due. Called while it runs already, it runs once more afterwards: what came meanwhile may have been missed. */
  function take(): void {
    take_again = taking !== null
    if (taking || stopping) return
    taking = takeWhileFree()
      .catch(report)
      .finally(() => {
        taking = null
        if (take_again) take()
      })
  }

  /** Asks first whether anything is due, since most wakes find nothing. */
  async function takeWhileFree(): Promise<void> {
    const left_out = new Set<string>()
    while (!stopping && shares.hasRoom() && (await isAnyDue(db, kind.name, now()))) if (!(await goRound(left_out))) return
  }

  /** Gives every tenant its turn. Answers whether another round may find more. */
  async function goRound(left_out: Set<string>): Promise<boolean> {
    let may_be_more = false
    let group: string[] = []
    const takeFromGroup = async () => {
      may_be_more = (await takeFrom(group, left_out)) || may_be_more
      group = []
    }
    for await (const tenant_id of tenantsInTurn(db, kind.name, turn, now())) {
      if (!shares.mayTake(tenant_id)) continue
      group.push(tenant_id)
      if (group.length === tenants_per_claim) await takeFromGroup()
      if (stopping || !shares.hasRoom()) return false
    }
    if (group.length > 0) await takeFromGroup()
    return may_be_more
  }

  /** Takes what these tenants may have done now. Answers whether they have due jobs that were not looked at. */
  async function takeFrom(tenants: readonly string[], left_out: Set<string>): Promise<boolean> {
    const { name, in_order = false, url } = kind
    const wanted = { kind: name, tenants, most: most_candidates, in_order, without_lanes: [...left_out], url }
    const found = (await findCandidates(db, wanted, now())).map((candidate) => ({ ...candidate, receiver: hostAndPort(candidate) }))
    if (stopping) return false
    const chosen = chooseInTurn(shares, found, isSlow)
    turn = (shares.hasRoom() ? tenants.at(-1) : chosen.at(-1)?.tenant_id) ?? turn
    const places = new Map(chosen.map((place) => [place.id, place]))
    try {
      for (const job of await claim(db, [...places.keys()], lease(), now())) {
        const place = places.get(job.id)
        if (place) start(job, place)
        places.delete(job.id)
      }
    } finally {
      for (const place of places.values()) shares.release(place) // another process was first
    }
    // Only where a page was full does more wait behind it: the lanes that have to wait are left out of the next one.
    const is_full = tenants.some((tenant_id) => found.filter((place) => place.tenant_id === tenant_id).length === most_candidates)
    for (const { lane } of is_full ? found : []) if (!chosen.some((place) => place.lane === lane)) left_out.add(lane)
    return is_full && left_out.size < most_lanes_left_out
  }

  function start(job: Job, place: Place): void {
    const done = attempt(job, place).then((next) => {
      in_flight.delete(job)
      shares.release(place)
      if (!next) return take()
      const again = { ...place }
      shares.take(again)
      start(next, again)
    })
    in_flight.set(job, done)
  }

  function learn(place: Place, took_ms: number): void {
    const name = receiverOf(place)
    slow.delete(name)
    if (took_ms < slow_ms) return
    const [oldest] = slow
    if (slow.size >= most_slow_known && oldest !== undefined) slow.delete(oldest)
    slow.add(name)
  }

  /** Returns the next job of the lane, where it was taken with the end of this one. */
  async function attempt(job: Job, place: Place): Promise<Job | null> {
    const about = { kind: kind.name, job_id: job.id, attempt: job.attempts }
    let outcome: Outcome = 'retry'
    const began_ms = now().getTime()
    try {
      // What ended its process every time is not tried for ever.
      outcome = job.attempts > kind.retry_after_seconds.length + 1 ? 'give_up' : await kind.run(job, abort.signal)
    } catch (error) {
      if (!abort.signal.aborted) log.error('An attempt at a job failed on our side.', about, error)
    }
    if (abort.signal.aborted) return null // handed back already
    learn(place, now().getTime() - began_ms)
    try {
      return await settle(job, place, outcome)
    } catch (error) {
      log.error('The outcome of a job could not be stored; it will be repeated.', about, error)
      return settle(job, place, 'retry').catch(() => null) // else its lease ends
    }
  }

  async function settle(job: Job, place: Place, outcome: Outcome): Promise<Job | null> {
    if (outcome === 'done') return finish(job, place, [])
    if (typeof outcome === 'object' && 'done' in outcome) return finish(job, place, outcome.done)
    const wanted = typeof outcome === 'object' ? outcome.retry_after_seconds : 0
    const delay_ms = outcome === 'give_up' ? null : retryDelay(kind.retry_after_seconds, job.attempts, random(1).readUInt8() / 255, wanted)
    if (delay_ms === null) {
      log.warn('A job was given up.', { kind: kind.name, job_id: job.id, attempt: job.attempts, environment_id: job.environment_id })
      return finish(job, place, kind.givenUp?.(job, now()) ?? [])
    }
    await db.run(postpone(leased_by, job, new Date(now().getTime() + delay_ms)))
    return null
  }

  /** In order, one commit both ends a job and takes the next of its lane, unless others may wait for the place. */
  async function finish(job: Job, place: Place, consequences: readonly Statement[]): Promise<Job | null> {
    const ending = [...consequences, remove(leased_by, job)]
    if (!kind.in_order || stopping || !shares.isWithinShares(place)) {
      await db.batch(ending)
      return null
    }
    const [next] = takenIn((await db.batch([...ending, claimNext(kind.name, job, lease(), now())]))?.at(-1))
    if (next && stopping) await db.run(postpone(leased_by, next, now()))
    return next && !stopping ? next : null
  }

  const lease = () => ({ leased_by, leased_until: new Date(now().getTime() + kind.lease_seconds * 1000) })

  return {
    take,

    async stop(limit_ms: number): Promise<void> {
      stopping = true
      await taking
      const limit = new AbortController()
      await Promise.race([Promise.all(in_flight.values()), sleep(limit_ms, null, { signal: limit.signal }).catch(() => {})])
      limit.abort()
      const rest = [...in_flight.keys()]
      abort.abort()
      if (rest.length > 0) await db.batch(rest.map((job) => postpone(leased_by, job, now()))).catch(report) // else their leases end
    },
  }
}

function hostAndPort({ url }: Candidate): string {
  const { protocol, hostname, port } = URL.parse(url ?? '') ?? { protocol: '', hostname: '', port: '' }
  return `${hostname}:${port || (protocol === 'https:' ? 443 : 80)}`
}
