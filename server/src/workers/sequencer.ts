/**
 * The sequencer numbers events and links audit entries. One process of the deployment does it at a time, under a lease. It
 * runs after this process writes, and polls twice a second for what other processes wrote. A poll that finds nothing reads an
 * empty index: an idle deployment of any size costs two look-ups per half second.
 */
import type { EnvironmentId } from '@ostiary/contract/ids.ts'
import type { Deployment } from '../deployment/deployment.ts'
import { chainEntries, findUnchained } from '../domain/audit/chaining.ts'
import { createLease } from '../domain/events/lease.ts'
import { type FanOut, findUnnumbered, numberEvents } from '../domain/events/numbering.ts'
import { findWaitingOwners, type Outbox, outboxes, owners_per_page } from '../domain/events/outbox.ts'

const poll_interval_ms = 500
/** How long to wait for further writes before numbering. */
const gather_ms = 50
/** How long until another process takes over from one that stopped. */
const lease_ms = 1_000
/** The shortest time between two reports of a persistent fault. */
const report_interval_ms = 60_000

export type Sequencer = ReturnType<typeof createSequencer>

/** @param onNumbered is called for each environment whose events got numbers */
export function createSequencer(
  deployment: Deployment,
  fan_outs: readonly FanOut[] = [],
  onNumbered: (environment_id: EnvironmentId) => void = () => {},
) {
  const { db, secrets } = deployment
  const holdsLease = createLease(deployment, 'sequencer', lease_ms)
  const report = createReporter(deployment)

  /** Gives each owner of waiting rows one batch. The owners of a page share its size. Returns how many rows got their place. */
  async function serveEach<Id extends string>(outbox: Outbox<Id>, serve: (id: Id, most: number) => Promise<number>): Promise<number> {
    let count = 0
    let page: Id[] = []
    try {
      do {
        page = await findWaitingOwners(db, outbox, page.at(-1))
        if (page.length === 0 || !(await holdsLease())) break
        const most = Math.ceil(outbox.at_once / page.length)
        for (const outcome of await Promise.allSettled(page.map((id) => serve(id, most)))) {
          if (outcome.status === 'fulfilled') count += outcome.value
          else report(outcome.reason)
        }
      } while (page.length === owners_per_page)
    } catch (error) {
      report(error)
    }
    return count
  }

  async function number(environment_id: EnvironmentId, most: number): Promise<number> {
    const count = await numberEvents(db, await findUnnumbered(db, environment_id, most), fan_outs)
    if (count > 0) onNumbered(environment_id)
    return count
  }

  /** Serves every environment and tenant once, whatever the others have waiting. Returns how many events and entries it processed. */
  async function runOnce(): Promise<number> {
    const [events, entries] = await Promise.all([
      serveEach(outboxes.events, number),
      serveEach(outboxes.audit_log, async (id, most) => chainEntries(db, secrets, await findUnchained(db, id, most))),
    ])
    return events + entries
  }

  /** Processes everything that is pending. */
  async function run(): Promise<void> {
    while ((await runOnce()) > 0);
  }

  return { run, runOnce, holdsLease }
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
