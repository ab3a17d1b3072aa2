/**
 * Ends the rows of endings in the background (`domain/sessions/endings.ts`): sessions with their events and back-channel logouts, grants, half
 * sign-ins, consents, members of organizations. It runs after a commit of this process that leaves rows, and looks once a second for what
 * other processes left, or a process that died. Endings take turns, and each slice is short, so neither a person with a million rows nor
 * their tenant holds up others.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { withinTrace } from '../base/trace.ts'
import type { Db } from '../db/db.ts'
import type { Deployment } from '../deployment/deployment.ts'
import { findEndings, nextSlice, putBack, removeEnding, settledAt, takeSlice } from '../domain/sessions/ending-slices.ts'
import type { Ending } from '../domain/sessions/ending-step.ts'

/** Endings that are read at once. Each gets one slice before any gets another. */
const endings_at_once = 20
const poll_interval_ms = 1_000
/** After a long slice the worker rests for as long as the slice took, at most this. */
const longest_rest_ms = 50
const long_ms = 2

/** Ends one slice. `false` means that another worker was faster. */
async function endSlice(db: Db, ending: Ending, now: Date): Promise<boolean> {
  return withinTrace(ending.cause.trace, async () => {
    const slice = await nextSlice(db, ending, now)
    if (slice) {
      const { first = [], statements, position } = slice
      return (await db.of(ending.environment_id).batch([...first, takeSlice(ending, position, now), ...statements])) !== null
    }
    if (now >= settledAt(ending)) return (await db.of(ending.environment_id).run(removeEnding(ending))) > 0
    await db.of(ending.environment_id).run(putBack(ending, settledAt(ending)))
    return false
  })
}

/** Gives each of the next endings one slice. Returns how many of them went on. */
async function endSlices({ db, now, log }: Pick<Deployment, 'db' | 'now' | 'log'>, rest = async (_ms: number) => {}): Promise<number> {
  let went_on = 0
  for (const ending of await findEndings(db, endings_at_once, now())) {
    const begun = performance.now()
    try {
      if (await endSlice(db, ending, now())) went_on += 1
    } catch (error) {
      log.error('The rows of an ending could not be ended, and will be tried again.', { ending: ending.kind }, error)
      await db
        .of(ending.environment_id)
        .run(putBack(ending, now()))
        .catch(() => {}) // the database is out of reach: the order does not matter
    }
    await rest(Math.min(longest_rest_ms, performance.now() - begun))
  }
  return went_on
}

/** Starts the worker. `stop` waits for the slice that runs. The remaining slices run when a process starts. */
export function startEndings(deployment: Pick<Deployment, 'db' | 'now' | 'log'>): { stop(): Promise<void> } {
  const { db, log } = deployment
  let running: Promise<void> | null = null
  let is_wanted = false
  let stopping = false
  const rest = async (ms: number) => {
    if (ms > long_ms) await sleep(ms)
  }

  async function run(): Promise<void> {
    do {
      is_wanted = false
      while (!stopping && (await endSlices(deployment, rest)) > 0);
    } while (is_wanted && !stopping)
  }
  function begin(): void {
    is_wanted = true
    running ??= run()
      .catch((error) => log.error('Endings could not be read, and will be tried again.', {}, error))
      .finally(() => {
        running = null
      })
  }
  const poll = setInterval(begin, poll_interval_ms).unref()
  db.onWork('endings', begin)
  begin()

  return {
    async stop() {
      stopping = true
      clearInterval(poll)
      db.onWork('endings', () => {})
      await running
    },
  }
}
