/**
 * The sequencer numbers events and links audit entries. One process of the deployment does it at a time, under a lease. It
 * runs after this process writes, and polls twice a second for what other processes wrote. A poll that finds nothing reads an
 * empty index: an idle deployment of any size costs two look-ups per half second.
 */
import { chainEntries, findUnchained } from '../audit/chaining.ts'
import type { Deployment } from '../deployment.ts'
import { takeLease } from './lease.ts'
import { type FanOut, findUnnumbered, numberEvents } from './numbering.ts'

const poll_interval_ms = 500
/** How long to wait for further writes before numbering. */
const gather_ms = 50
/** How long until another process takes over from one that stopped. */
const lease_ms = 1_000
/** The shortest time between two reports of a persistent fault. */
const report_interval_ms = 60_000

export type Sequencer = ReturnType<typeof createSequencer>

export function createSequencer(deployment: Deployment, fan_outs: readonly FanOut[] = []) {
  const { db, secrets, now, random } = deployment
  const holder = random(16).toString('base64url')
  const report = createReporter(deployment)
  let held_until_ms = 0

  async function holdsLease(): Promise<boolean> {
    const at = now()
    if (held_until_ms - at.getTime() > lease_ms / 2 && held_until_ms - at.getTime() <= lease_ms) return true
    const has = await takeLease(db, 'sequencer', holder, lease_ms, at)
    held_until_ms = has ? at.getTime() + lease_ms : 0
    return has
  }

  /** Processes one page of events and entries. Returns how many it processed. */
  async function runOnce(): Promise<number> {
    const [events, entries] = await Promise.all([findUnnumbered(db), findUnchained(db)])
    if (events.length + entries.length === 0 || !(await holdsLease())) return 0
    const by_environment = [...Map.groupBy(events, ({ environment_id }) => environment_id).values()]
    const by_tenant = [...Map.groupBy(entries, ({ tenant_id }) => tenant_id).values()]
    const outcomes = await Promise.allSettled([
      ...by_environment.map((group) => numberEvents(db, group, fan_outs)),
      ...by_tenant.map((group) => chainEntries(db, secrets, group)),
    ])
    for (const outcome of outcomes) if (outcome.status === 'rejected') report(outcome.reason)
    return outcomes.reduce((sum, outcome) => sum + (outcome.status === 'fulfilled' ? outcome.value : 0), 0)
  }

  /** Processes everything that is pending. */
  async function run(): Promise<void> {
    try {
      while ((await runOnce()) > 0);
    } catch (error) {
      report(error)
    }
  }

  return { run, runOnce }
}

/** Logs a persistent fault once a minute, not at every poll. */
function createReporter({ log, now }: Pick<Deployment, 'log' | 'now'>) {
  let reported_at_ms = Number.NEGATIVE_INFINITY
  return (error: unknown) => {
    if (Math.abs(now().getTime() - reported_at_ms) < report_interval_ms) return
    reported_at_ms = now().getTime()
    log.error('Events and audit entries could not be numbered. The sequencer tries again.', {}, error)
  }
}

/** Starts the sequencer. `stop` processes what is still pending. */
export function startSequencer({ db }: Pick<Deployment, 'db'>, { run }: Sequencer): { stop(): Promise<void> } {
  let running: Promise<void> | null = null
  let run_again = false
  let gathering: NodeJS.Timeout | null = null

  function begin(): void {
    run_again = running !== null
    running ??= run().finally(() => {
      running = null
      if (run_again) begin()
    })
  }
  const poll = setInterval(begin, poll_interval_ms).unref()
  db.onWork('sequencer', () => {
    gathering ??= setTimeout(() => {
      gathering = null
      begin()
    }, gather_ms).unref()
  })

  return {
    async stop() {
      clearInterval(poll)
      db.onWork('sequencer', () => {})
      if (gathering) clearTimeout(gathering)
      while (running) await running
      await run()
    },
  }
}
