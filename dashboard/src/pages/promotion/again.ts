/** Plans the same again, for the environments as they are now. What no longer exists there is left out. */
import { type Client, type NewPromotion, OstiaryError, type Planned, type Promotion } from '@ostiary/sdk'
import { fieldAt } from '../compare/fields.ts'
import { keyOf, type Place } from './words.ts'

/** Nothing that the plan had is left to change. */
const nothing_left = 'Nothing of this plan is left to change: both environments have it already.'

/** The call that made a plan; `null` for one from a document, which the service does not keep. */
export function callOf({ from_environment_id, to_environment_id, values, only, note }: Promotion): NewPromotion | null {
  if (from_environment_id === null) return null
  return { from_environment_id, to_environment_id, values, note, ...(only.length > 0 ? { only } : {}) }
}

const entriesOf = ({ changes }: Pick<Promotion, 'changes'>): Place[] =>
  changes.flatMap(({ object, slug, action, fields }): Place[] =>
    action === 'update' ? fields.map(({ pointer }) => ({ object, slug, pointer })) : [{ object, slug }],
  )

/** What of a plan is at a place: a field, or a created object as a whole. `null` for what the plan does not change. */
export function entryAt(promotion: Promotion, { object, slug, pointer }: Place): Place | null {
  const keys = [keyOf({ object, slug }), ...(pointer ? [keyOf({ object, slug, pointer: fieldAt(object, pointer).pointer })] : [])]
  return entriesOf(promotion).find((entry) => keys.includes(keyOf(entry))) ?? null
}

/** The call that made a plan, without what is at a place; `null` where nothing would be left, or the plan is from a document. */
export function callWithout(promotion: Promotion, place: Place): NewPromotion | null {
  const call = callOf(promotion)
  const entries = entriesOf(promotion)
  const left = entries.filter((entry) => keyOf(entry) !== keyOf(place))
  if (call === null || left.length === 0 || left.length === entries.length) return null
  const only = left.map(
    ({ object, slug, pointer }): Planned => ({ object, ...(slug === null ? {} : { slug }), ...(pointer ? { pointer } : {}) }),
  )
  return { ...call, only }
}

export async function planAgain(client: Client, project_id: string, call: NewPromotion): Promise<Promotion> {
  try {
    return await client.createPromotion({ project_id }, call)
  } catch (error) {
    const next = error instanceof OstiaryError ? withoutGone(call, error) : null
    if (next === null) throw error
    if (call.only && next.only?.length === 0) throw new Error(nothing_left)
    return planAgain(client, project_id, next)
  }
}

/** Without the entries that match nothing any more; `null` where something else was refused. */
export function withoutGone(call: NewPromotion, { code, errors }: Pick<OstiaryError, 'code' | 'errors'>): NewPromotion | null {
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
