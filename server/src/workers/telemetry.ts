/**
 * Sends what OSTIARY_OTLP_URL asks for, beside everything else: log lines and request spans of this process from their buffers, and the events of
 * all environments by their cursors, in the process that has the lease of the sequencer. A failure is tried again, at first after a second and at
 * most after a minute. Nothing waits for the collector.
 */
import type { Event } from '@ostiary/contract/event.ts'
import type { EnvironmentId } from '@ostiary/contract/ids.ts'
import { sql } from '../db/db.ts'
import type { Deployment } from '../deployment/deployment.ts'
import type { Bounded } from '../deployment/telemetry/bounded.ts'
import type { Otlp } from '../deployment/telemetry/otlp.ts'
import type { Signal, Telemetry } from '../deployment/telemetry/telemetry.ts'
import { beginningOf, findCursor, moveCursor, noteBeginning, walkCursors } from '../domain/events/export-cursors.ts'
import { listEvents } from '../domain/events/store.ts'

const items_at_once = 512
const environments_at_once = 10
const events_of_one = 100
const walk_page = 500
/** More environments are found by the walk, later. */
const most_waiting = 10_000
const first_wait_ms = 1_000
const longest_wait_ms = 60_000
const report_interval_ms = 60_000

interface Sending {
  readonly otlp: Otlp
  readonly telemetry: Pick<Telemetry, 'lines' | 'spans' | 'failed'>
  /** Whether this process sends the events. */
  readonly holdsLease: () => Promise<boolean>
  readonly isStopping: () => boolean
}

export function createTelemetryJobs(
  deployment: Pick<Deployment, 'db' | 'log' | 'now'>,
  { otlp, telemetry, holdsLease, isStopping }: Sending,
) {
  const reports: Record<Signal, Report> = {
    events: createReport(deployment),
    logs: createReport(deployment),
    traces: createReport(deployment),
  }
  const { sendEvents, sendLines, sendSpans } = otlp
  const events = createEventExport(deployment, heard('events', sendEvents))
  const lines = heard('logs', sendLines)
  const spans = heard('traces', sendSpans)
  const { promise: given_up, reject: endSending } = Promise.withResolvers<never>()
  given_up.catch(() => {}) // it ends what is being sent, if anything is
  let has_given_up = false

  /** Each sends what waits, and returns after a failure. */
  const works: Record<Signal, () => Promise<void>> = {
    events: retried('events', async () => {
      if (!(await holdsLease())) return
      await events.walk()
      while ((await events.sendSome()) && !isStopping() && (await holdsLease()));
    }),
    logs: retried('logs', async () => {
      while ((await sendFirst(telemetry.lines, lines)) && !isStopping());
    }),
    traces: retried('traces', async () => {
      while ((await sendFirst(telemetry.spans, spans)) && !isStopping());
    }),
  }

  function retried(signal: Signal, send: () => Promise<void>): () => Promise<void> {
    const { now } = deployment
    let failed = 0
    let next_at_ms = 0
    return async () => {
      const at_ms = now().getTime()
      const waits = at_ms < next_at_ms && next_at_ms - at_ms <= longest_wait_ms
      if (has_given_up || waits) return
      try {
        await Promise.race([send(), given_up])
        failed = 0
      } catch (error) {
        if (has_given_up) return
        telemetry.failed(signal)
        next_at_ms = now().getTime() + Math.min(longest_wait_ms, first_wait_ms * 2 ** failed)
        failed += 1
        reports[signal]('The collector of telemetry takes nothing. It is tried again.', { signal }, error)
      }
    }
  }

  /** A success with a remark is one: what was refused for good is not sent again (OTLP 1.7, "Partial Success"). */
  function heard<T>(signal: Signal, send: (items: readonly T[]) => Promise<string | null>): (items: readonly T[]) => Promise<void> {
    return async (items) => {
      const remark = await send(items)
      if (remark !== null) reports[signal]('The collector of telemetry answers, but not that it took everything.', { signal, remark })
    }
  }

  return {
    works,
    /** An environment has events that were just numbered. */
    note: events.note,
    /** Ends what is being sent, and sends nothing more. Events that were not taken stay, for the next process. */
    giveUp(): void {
      has_given_up = true
      otlp.close()
      endSending(new Error('The service stops.'))
    },
  }
}

type Report = Deployment['log']['warn']

/** Logs at most once a minute. */
function createReport({ now, log }: Pick<Deployment, 'log' | 'now'>): Report {
  let reported_at_ms = Number.NEGATIVE_INFINITY
  return (...report) => {
    const at_ms = now().getTime()
    if (Math.abs(at_ms - reported_at_ms) < report_interval_ms) return
    reported_at_ms = at_ms
    log.warn(...report)
  }
}

async function sendFirst<T>(buffer: Bounded<T>, send: (items: readonly T[]) => Promise<void>): Promise<boolean> {
  const items = buffer.first(items_at_once)
  if (items.length === 0) return false
  await send(items)
  buffer.remove(items.length)
  return items.length === items_at_once
}

function createEventExport({ db, now }: Pick<Deployment, 'db' | 'now'>, sendEvents: (events: readonly Event[]) => Promise<void>) {
  /** Environments that may have events to send, in turn. */
  const waiting = new Set<EnvironmentId>()
  let begun: Date | null = null
  let walked_to = ''

  const note = (environment_id: EnvironmentId) => {
    if (waiting.size < most_waiting) waiting.add(environment_id)
  }

  /** Finds what other processes numbered, and what a process left that ended. */
  async function walk(): Promise<void> {
    const places = await walkCursors(db, walked_to, walk_page)
    for (const { environment_id, last, sent } of places) if (last > (sent ?? 0)) note(environment_id)
    walked_to = places.length < walk_page ? '' : (places.at(-1)?.environment_id ?? '')
  }

  /** Sends the next events of some environments. Returns whether there may be more. */
  async function sendSome(): Promise<boolean> {
    const turn = [...waiting].slice(0, environments_at_once)
    if (turn.length === 0) return false
    for (const environment_id of turn) waiting.delete(environment_id)
    try {
      begun ??= await noteBeginning(db, now())
      const since = begun
      const pages = await Promise.all(turn.map((environment_id) => readNext(environment_id, since)))
      const events = pages.flatMap((page) => page.events)
      if (events.length > 0) await sendEvents(events)
      for (const { environment_id, last } of pages) if (last !== null) await moveCursor(db, environment_id, last)
      for (const page of pages) if (page.events.length === events_of_one) note(page.environment_id)
    } catch (error) {
      for (const environment_id of turn) note(environment_id)
      throw error
    }
    return waiting.size > 0
  }

  /** `last` is where the cursor belongs after these events; `null` where it stands there. */
  async function readNext(environment_id: EnvironmentId, since: Date) {
    const cursor = await findCursor(db, environment_id)
    const after = cursor ?? (await beginningOf(db, environment_id, since))
    const events = await listEvents(db, environment_id, { after }, sql`order by v.sequence limit ${events_of_one}`)
    return { environment_id, events, last: events.at(-1)?.sequence ?? (cursor === null ? after : null) }
  }

  return { note, walk, sendSome }
}
