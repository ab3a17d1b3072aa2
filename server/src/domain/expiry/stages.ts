// pure
/** The stages at which the service warns before something ends. */
import { day_ms } from '../../base/durations.ts'

/** Days before the end, the last stage first. */
export const stages = [1, 7, 30] as const
export type Stage = (typeof stages)[number]

/** The time at which the first warning comes. */
export const first_warning_ms = 30 * day_ms

/**
 * The stage that something is in; `null` where it has ended, or its end is far. Something that begins inside a stage is in the nearest alone, so the
 * stages before it are never made up for.
 */
export function stageOf(expires_at: Date, now: Date): Stage | null {
  const left_ms = expires_at.getTime() - now.getTime()
  if (left_ms <= 0) return null
  return stages.find((days) => left_ms <= days * day_ms) ?? null
}
