/**
 * Runs the jobs of the queue. Claims due jobs, tenants in turn and each within its share (`share.ts`), and settles each job by its
 * outcome. Runs at once after this process enqueues a job, and polls once a second for jobs of other processes.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { EnvironmentId } from '@ostiary/contract/ids.ts'
import { DatabaseUnavailable, type Statement } from '../../db/db.ts'
import type { Deployment } from '../../deployment/deployment.ts'
import {
  beginAgain,
  type Candidate,
  claim,
  claimedJobs,
  claimNext,
  findCandidates,
  giveUp,
  isAnyDue,
  type Job,
  type JobKindName,
  postpone,
  remove,
  tenantsInTurn,
} from './queue.ts'
import { retryDelay } from './schedule.ts'
import { type Call, chooseInTurn, createShares, type Limits, receiverOf } from './share.ts'

/** `done` is written in the batch that removes the job. `next` follows the removal, so it can enqueue a job with the same id. */
interface Done {
  done: readonly Statement[]
  next?: Statement
}

/**
 * The outcome of an attempt. `retry` runs the job again while its schedule has another delay; `retry_after_seconds` is the minimum delay.
 * A job that was enqueued again during the attempt is not given up, but begins again.
 */
export type Outcome = 'done' | Done | 'give_up' | 'retry' | { retry_after_seconds: number }

/** How to run one kind of job. The limits apply per process. */
export interface JobKind extends Readonly<Limits> {
  readonly name: JobKindName
  /** The delay after each failed attempt. After one more attempt than entries the job is given up. */
  readonly retry_after_seconds: readonly number[]
  /** Runs the jobs of a lane one at a time, in the order of their ids, across the deployment. */
  readonly in_order?: boolean
  /** Must be longer than any attempt. Other processes take over the jobs of a dead process after that time. */
  readonly lease_seconds: number
  /** Finds the URL that the jobs of a lane call; `null` if the object that had it was deleted. */
  urlOf(environment_id: EnvironmentId | null, lane: string): Promise<string | null>
  /** Makes the statements that follow from giving up a job. */
  givenUp?(job: Job, now: Date): readonly Statement[]
  /** Makes one attempt. A thrown error is a fault of this service: it is logged and retried. `signal` aborts when the runner stops. */
  run(job: Job, signal: AbortSignal): Promise<Outcome>
}

export interface Runner {
  /** Claims due jobs now. */
  wake(): void
  /** Claims no more jobs, waits up to `limit_ms` for the attempts in flight, and returns the rest to the queue. */
  stop(limit_ms: number): Promise<void>
}

type RunnerDeployment = Pick<Deployment, 'db' | 'log' | 'now' | 'random'>

const poll_interval_ms = 1_000
/** How many tenants one query covers. */
const tenants_per_claim = 8
/** How many candidates of one tenant one query reads. */
const most_candidates = 250
/** How many lanes a query may exclude. A tenant with more waiting lanes continues at its next turn. */
const most_excluded_lanes = 500
/** A receiver is slow after a call took this long, until a call is faster. */
const slow_ms = 2_000
const most_slow_known = 10_000
/** The shortest time between two reports of a persistent fault. */
const report_interval_ms = 60_000

export function startRunner(deployment: RunnerDeployment, kinds: readonly JobKind[]): Runner {
  const workers = kinds.map((kind) => createWorker(deployment, kind))
  const wake = () => {
    for (const worker of workers) worker.claimDue()
  }
  const timer = setInterval(wake, poll_interval_ms).unref()
  deployment.db.onWork('queue', wake)
  wake()

  return {
    wake,
    async stop(limit_ms) {
      clearInterval(timer)
      await Promise.all(workers.map((worker) => worker.stop(limit_ms)))
    },
  }
}

/** Runs the jobs of one kind in this process. */
function createWorker({ db, log, now, random }: RunnerDeployment, kind: JobKind) {
  const leased_by = random(12).toString('base64url')
  const in_flight = new Map<Job, Promise<void>>()
  const abort = new AbortController()
  const slow = new Set<string>()
  const isSlow = (call: Call) => slow.has(receiverOf(call))
  const shares = createShares(kind, isSlow)
  let claiming: Promise<void> | null = null
  let claim_again = false
  let stopping = false
  let reported_at_ms = Number.NEGATIVE_INFINITY
  /** The tenant that had the last turn. */
  let last_tenant: string | null = null

  const report = (error: unknown) => {
    if (Math.abs(now().getTime() - reported_at_ms) < report_interval_ms) return
    reported_at_ms = now().getTime()
    log.error('The queue could not be read. The runner tries again.', { kind: kind.name }, error)
  }

  /** Claims due jobs. A call during a running claim makes it run once more, since it may have missed newer jobs. */
  function claimDue(): void {
    claim_again = claiming !== null
    if (claiming || stopping) return
    claiming = claimWhileFree()
      .catch(report)
      .finally(() => {
        claiming = null
        if (claim_again) claimDue()
      })
  }

  /** Checks first whether any job is due, since most polls find none. */
  async function claimWhileFree(): Promise<void> {
    const excluded_lanes = new Set<string>()
    while (!stopping && shares.hasRoom() && (await isAnyDue(db, kind.name, now()))) if (!(await claimRound(excluded_lanes))) return
  }

  /** Gives every tenant one turn. Returns whether another round may find more jobs. */
  async function claimRound(excluded_lanes: Set<string>): Promise<boolean> {
    let may_be_more = false
    let group: string[] = []
    const claimForGroup = async () => {
      may_be_more = (await claimFor(group, excluded_lanes)) || may_be_more
      group = []
    }
    for await (const tenant_id of tenantsInTurn(db, kind.name, last_tenant, now())) {
      if (!shares.mayTake(tenant_id)) continue
      group.push(tenant_id)
      if (group.length === tenants_per_claim) await claimForGroup()
      if (stopping || !shares.hasRoom()) return false
    }
    if (group.length > 0) await claimForGroup()
    return may_be_more
  }

  /** Claims jobs of these tenants within their shares. Returns whether they may have due jobs that were not read. */
  async function claimFor(tenants: readonly string[], excluded_lanes: Set<string>): Promise<boolean> {
    const { name, in_order = false } = kind
    const wanted = { kind: name, tenants, most: most_candidates, in_order, without_lanes: [...excluded_lanes] }
    const candidates = await findCandidates(db, wanted, now())
    const found = await withReceivers(candidates)
    if (stopping) return false
    const chosen = chooseInTurn(shares, found, isSlow)
    last_tenant = (shares.hasRoom() ? tenants.at(-1) : chosen.at(-1)?.tenant_id) ?? last_tenant
    const calls = new Map(chosen.map((call) => [call.id, call]))
    try {
      for (const job of await claim(db, [...calls.keys()], lease(), now())) {
        const call = calls.get(job.id)
        if (call) start(job, call)
        calls.delete(job.id)
      }
    } finally {
      for (const call of calls.values()) shares.release(call) // another process claimed these jobs
    }
    // A full page may hide further jobs. The next query excludes the lanes that have to wait, to reach the jobs behind them.
    const is_full = tenants.some((tenant_id) => candidates.filter((call) => call.tenant_id === tenant_id).length === most_candidates)
    for (const { lane } of is_full ? candidates : []) if (!chosen.some((call) => call.lane === lane)) excluded_lanes.add(lane)
    return is_full && excluded_lanes.size < most_excluded_lanes
  }

  /**
   * Finds what each job calls, once for each lane. The look-ups of one turn are one batch. A job whose lane is out of reach stays due: of a
   * distributed database one node may be, and the jobs of other environments go on.
   */
  async function withReceivers(candidates: readonly Candidate[]): Promise<(Candidate & Call)[]> {
    const known = new Map<string, Promise<string | null | undefined>>()
    const urlOf = ({ environment_id, lane }: Candidate) => {
      const name = `${environment_id} ${lane}`
      const url = known.get(name) ?? kind.urlOf(environment_id, lane).catch(outOfReach)
      known.set(name, url)
      return url
    }
    const urls = await Promise.all(candidates.map(urlOf))
    return candidates.flatMap((candidate, index) => {
      const url = urls[index]
      return url === undefined ? [] : [{ ...candidate, receiver: hostAndPort(url) }]
    })
  }

  function start(job: Job, call: Call): void {
    const done = attempt(job, call).then((next) => {
      in_flight.delete(job)
      shares.release(call)
      if (!next) return claimDue()
      const next_call = { ...call }
      shares.take(next_call)
      start(next, next_call)
    })
    in_flight.set(job, done)
  }

  /** Remembers whether a receiver is slow. */
  function recordLatency(call: Call, took_ms: number): void {
    const name = receiverOf(call)
    slow.delete(name)
    if (took_ms < slow_ms) return
    const [oldest] = slow
    if (slow.size >= most_slow_known && oldest !== undefined) slow.delete(oldest)
    slow.add(name)
  }

  /** Makes one attempt. Returns the next job of the lane if settling this one claimed it. */
  async function attempt(job: Job, call: Call): Promise<Job | null> {
    const about = { kind: kind.name, job_id: job.id, attempt: job.attempts }
    let outcome: Outcome = 'retry'
    const began_ms = now().getTime()
    try {
      // A job that crashed its process at every attempt is given up too.
      outcome = job.attempts > kind.retry_after_seconds.length + 1 ? 'give_up' : await kind.run(job, abort.signal)
    } catch (error) {
      if (!abort.signal.aborted) log.error('An attempt at a job failed with an internal error.', about, error)
    }
    if (abort.signal.aborted) return null // `stop` has returned the job to the queue
    recordLatency(call, now().getTime() - began_ms)
    try {
      return await settle(job, call, outcome)
    } catch (error) {
      log.error('The outcome of a job could not be stored. The job runs again.', about, error)
      return settle(job, call, 'retry').catch(() => null) // on failure the job is due when its lease ends
    }
  }

  /** A job of an environment writes its rows too. */
  const ownOf = ({ environment_id }: Job) => (environment_id === null ? db : db.of(environment_id))

  async function settle(job: Job, call: Call, outcome: Outcome): Promise<Job | null> {
    if (outcome === 'done') return finish(job, call, { done: [] })
    if (typeof outcome === 'object' && 'done' in outcome) return finish(job, call, outcome)
    const at_least_seconds = typeof outcome === 'object' ? outcome.retry_after_seconds : 0
    const chance = random(1).readUInt8() / 255
    const delay_ms = outcome === 'give_up' ? null : retryDelay(kind.retry_after_seconds, job.attempts, chance, at_least_seconds)
    if (delay_ms !== null) await db.run(postpone(leased_by, job, new Date(now().getTime() + delay_ms)))
    else if (await ownOf(job).batch([...(kind.givenUp?.(job, now()) ?? []), giveUp(leased_by, job)]))
      log.warn('A job was given up.', { kind: kind.name, job_id: job.id, attempt: job.attempts, environment_id: job.environment_id })
    else await db.run(beginAgain(leased_by, job, now()))
    return null
  }

  /** Removes a job. For jobs in order the same batch claims the next of the lane, unless the call slot is needed for others. */
  async function finish(job: Job, call: Call, { done, next: follower }: Done): Promise<Job | null> {
    const removal = [...done, remove(leased_by, job), ...(follower ? [follower] : [])]
    if (!kind.in_order || stopping || !shares.isWithinShares(call)) {
      await ownOf(job).batch(removal)
      return null
    }
    const [next] = claimedJobs((await ownOf(job).batch([...removal, claimNext(kind.name, job, lease(), now())]))?.at(-1))
    if (next && stopping) await db.run(postpone(leased_by, next, now()))
    return next && !stopping ? next : null
  }

  const lease = () => ({ leased_by, leased_until: new Date(now().getTime() + kind.lease_seconds * 1000) })

  return {
    claimDue,

    async stop(limit_ms: number): Promise<void> {
      stopping = true
      await claiming
      const limit = new AbortController()
      await Promise.race([Promise.all(in_flight.values()), sleep(limit_ms, null, { signal: limit.signal }).catch(() => {})])
      limit.abort()
      const rest = [...in_flight.keys()]
      abort.abort()
      if (rest.length > 0) await db.batch(rest.map((job) => postpone(leased_by, job, now()))).catch(report) // on failure they are due when their leases end
    },
  }
}

function outOfReach(error: unknown): undefined {
  if (!(error instanceof DatabaseUnavailable)) throw error
}

function hostAndPort(url: string | null): string {
  const { protocol, hostname, port } = URL.parse(url ?? '') ?? { protocol: '', hostname: '', port: '' }
  return `${hostname}:${port || (protocol === 'https:' ? 443 : 80)}`
}
