/** Plans the same again, for the environments as they are now. Leaves out entries that no longer exist there. */
import { type Client, OstiaryError, type Planned, type Promotion, type PromotionCreation } from '@ostiary/sdk'
import { fieldAt } from '../compare/fields.ts'
import { onlyOf } from '../compare/only.ts'
import { keyOf, type Place, placesOf } from './words.ts'

/** Nothing that the plan had is left to change. */
const nothing_left = 'Nothing of this plan is left to change: both environments have it already.'

/** The call that made a plan; `null` for one from a document, which the service does not keep. */
export function callOf({ from_environment_id, to_environment_id, values, only, note }: Promotion): PromotionCreation | null {
  if (from_environment_id === null) return null
  return { from_environment_id, to_environment_id, values, note, ...(only.length > 0 ? { only } : {}) }
}

/** The places that a plan changes, by their keys: fields, and created objects as a whole. */
export type Entries = ReadonlyMap<string, Place>

export const entriesOf = ({ changes }: Pick<Promotion, 'changes'>): Entries =>
  new Map(changes.flatMap(placesOf).map((entry) => [keyOf(entry), entry]))

/** Returns the entry of a plan for a place: a created object as a whole, or a field. `null` if the plan does not change it. */
export function entryAt(entries: Entries, { object, slug, pointer }: Place): Place | null {
  const whole = entries.get(keyOf({ object, slug }))
  return whole ?? (pointer ? entries.get(keyOf({ object, slug, pointer: fieldAt(object, pointer).pointer })) : undefined) ?? null
}

/** Whether something can be left out of a plan: something else is left, and the plan is not from a document. */
export const canLeaveOut = (promotion: Promotion, entries: Entries): boolean => callOf(promotion) !== null && entries.size > 1

/** Returns the call that made a plan, without an entry. It can have more entries than the service takes. */
export function callWithout(promotion: Promotion, entries: Entries, without: Place): PromotionCreation | null {
  const call = callOf(promotion)
  if (call === null || !canLeaveOut(promotion, entries)) return null
  const left = [...entries.values()].filter((entry) => keyOf(entry) !== keyOf(without))
  const only = left.map(
    ({ object, slug, pointer }): Planned => ({ object, ...(slug === null ? {} : { slug }), ...(pointer ? { pointer } : {}) }),
  )
  return { ...call, only }
}

/**
 * Sends the call for a plan. If entries no longer exist, sends another call without them. `sends` gets each call before it is sent, since
 * a refusal names its entries by their place in the list.
 */
export async function planAgain(
  client: Pick<Client, 'createPromotion'>,
  project_id: string,
  asked: PromotionCreation,
  { changes, sends }: { changes: Promotion['changes']; sends: (call: PromotionCreation) => void },
): Promise<Promotion> {
  const call = asked.only ? { ...asked, only: onlyOf(asked.only, changes) } : asked
  sends(call)
  try {
    return await client.createPromotion({ project_id }, call)
  } catch (error) {
    const next = error instanceof OstiaryError ? withoutGone(call, error) : null
    if (next === null) throw error
    if (call.only && next.only?.length === 0) throw new Error(nothing_left)
    return planAgain(client, project_id, next, { changes, sends })
  }
}

/** Without the entries that match nothing any more; `null` where something else was refused. */
export function withoutGone(call: PromotionCreation, { code, errors }: Pick<OstiaryError, 'code' | 'errors'>): PromotionCreation | null {
  if (code !== 'validation_failed' || errors.length === 0) return null
  const gone = errors.map(({ pointer }) => /^\/(only|values)\/(\d+)(?:\/slug)?$/.exec(pointer))
  if (gone.some((match) => match === null)) return null
  const isGone = (list: string, index: number) => gone.some((match) => match?.[1] === list && Number(match[2]) === index)
  return {
    ...call,
    ...(call.only ? { only: call.only.filter((_, i) => !isGone('only', i)) } : {}),
    ...(call.values ? { values: call.values.filter((_, i) => !isGone('values', i)) } : {}),
  }
}
