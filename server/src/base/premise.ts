/**
 * Work on a premise: a request begins with what this process remembers, while the database is asked whether that is still current. Until the
 * premise is confirmed, the work gets nothing from the database and changes nothing there (`db/postgres/premised.ts`), makes no outgoing call,
 * and its result is kept back. Where the premise proves false, the result is dropped, so the work may begin again. The premise reaches the
 * engine by an `AsyncLocalStorage`, so that no path can forget it. See docs/decisions/0173.
 */
import { AsyncLocalStorage } from 'node:async_hooks'

/** Ends work whose premise is false. */
class Outdated extends Error {
  override readonly name = 'Outdated'
}

/** Asks once. `null` after the premise is confirmed. */
type Confirm = () => Promise<void> | null

const running = new AsyncLocalStorage<Confirm | null>()

/**
 * Runs work, and asks for its premise at the first call of the database, else after the work. Returns `null` where the premise is false.
 * Rejects where it cannot be asked, and with an error of the work only after the premise is confirmed.
 */
export async function onPremise<T>(isCurrent: () => Promise<boolean>, work: () => Promise<T>): Promise<{ result: T } | null> {
  let is_confirmed = false
  let asked: Promise<void> | null = null
  async function ask(): Promise<void> {
    if (!(await withoutPremise(isCurrent))) throw new Outdated()
    is_confirmed = true
  }
  const confirm: Confirm = () => {
    if (is_confirmed) return null
    asked ??= ask()
    return asked
  }
  const [worked] = await Promise.allSettled([running.run(confirm, work)])
  try {
    await confirm()
  } catch (error) {
    if (error instanceof Outdated) return null
    throw error
  }
  if (worked.status === 'rejected') throw worked.reason
  return { result: worked.value }
}

/** Resolves when the premise of the running work is confirmed. `null` where there is nothing to wait for. */
export const confirmation = (): Promise<void> | null => running.getStore()?.() ?? null

/** Runs what other requests share, and so must not fail with this one. */
export const withoutPremise = <T>(work: () => T): T => running.run(null, work)
