/**
 * Has the jobs of the queue done: takes what is due, so many at a time and so many of one lane, and settles each by its
 * outcome. Starts at once for what this process queues, and looks once a second for what others queued or left behind.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Statement } from '../db/db.ts'
import type { Deployment } from '../deployment.ts'
import { claim, claimNext, isAnyDue, type Job, type JobKindName, postpone, remove, takenIn } from './queue.ts'
import { retryDelay } from './schedule.ts'

/**
 * A job that is to be tried again is, while its schedule has a further time; `retry_after_seconds` is the least wait. What
 * follows from one that is done is written in the batch that removes it.
 */
export type Outcome = 'done' | { done: readonly Statement[] } | 'give_up' | 'retry' | { retry_after_seconds: number }

export interface JobKind {
  readonly name: JobKindName
  /** How long after each failed attempt the next one is made. One more attempt than entries, then it is given up. */
  readonly retry_after_seconds: readonly number[]
  /** Jobs in flight in one process: of all lanes, and of one. */
  readonly concurrency: number
  readonly per_lane: number
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
  let taking: Promise<void> | null = null
  let take_again = false
  let stopping = false
  let reported_at_ms = Number.NEGATIVE_INFINITY

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

  /** Asks first whether there is anything, since taking needs a write. A lane that has a job in flight waits until it has none. */
  async function takeWhileFree(): Promise<void> {
    if (!(await isAnyDue(db, kind.name, now()))) return
    for (;;) {
      const free = kind.concurrency - in_flight.size
      const most = kind.in_order ? free : Math.min(kind.per_lane, free) // in order, a lane has one job to take
      if (most <= 0 || stopping) return
      const busy = [...new Set([...in_flight.keys()].map((job) => job.lane))]
      const jobs = await claim(
        db,
        { kind: kind.name, leased_by, leased_until: leaseEnd(), most, in_order: kind.in_order ?? false, without_lanes: busy },
        now(),
      )
      for (const job of jobs) start(job)
      if (jobs.length < most) return
    }
  }

  function start(job: Job): void {
    const done = attempt(job).then((next) => {
      in_flight.delete(job)
      if (next) start(next)
      else take()
    })
    in_flight.set(job, done)
  }

  /** Returns the next job of the lane, where it was taken with the end of this one. */
  async function attempt(job: Job): Promise<Job | null> {
    const about = { kind: kind.name, job_id: job.id, attempt: job.attempts }
    let outcome: Outcome = 'retry'
    try {
      // What ended its process every time is not tried for ever.
      outcome = job.attempts > kind.retry_after_seconds.length + 1 ? 'give_up' : await kind.run(job, abort.signal)
    } catch (error) {
      if (!abort.signal.aborted) log.error('An attempt at a job failed on our side.', about, error)
    }
    if (abort.signal.aborted) return null // handed back already
    try {
      return await settle(job, outcome)
    } catch (error) {
      log.error('The outcome of a job could not be stored; it will be repeated.', about, error)
      return settle(job, 'retry').catch(() => null) // else its lease ends
    }
  }

  async function settle(job: Job, outcome: Outcome): Promise<Job | null> {
    if (outcome === 'done') return finish(job, [])
    if (typeof outcome === 'object' && 'done' in outcome) return finish(job, outcome.done)
    const wanted = typeof outcome === 'object' ? outcome.retry_after_seconds : 0
    const delay_ms = outcome === 'give_up' ? null : retryDelay(kind.retry_after_seconds, job.attempts, random(1).readUInt8() / 255, wanted)
    if (delay_ms === null) {
      log.warn('A job was given up.', { kind: kind.name, job_id: job.id, attempt: job.attempts, environment_id: job.environment_id })
      return finish(job, kind.givenUp?.(job, now()) ?? [])
    }
    await db.run(postpone(leased_by, job, new Date(now().getTime() + delay_ms)))
    return null
  }

  /** In order, one commit both ends a job and takes the next of its lane, unless that would keep other lanes waiting. */
  async function finish(job: Job, consequences: readonly Statement[]): Promise<Job | null> {
    const ending = [...consequences, remove(leased_by, job)]
    if (!kind.in_order || stopping || in_flight.size >= kind.concurrency) {
      await db.batch(ending)
      return null
    }
    const lease = { kind: kind.name, leased_by, leased_until: leaseEnd() }
    const [next] = takenIn((await db.batch([...ending, claimNext(lease, job.lane, now())]))?.at(-1))
    if (next && stopping) await db.run(postpone(leased_by, next, now()))
    return next && !stopping ? next : null
  }

  const leaseEnd = () => new Date(now().getTime() + kind.lease_seconds * 1000)

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
