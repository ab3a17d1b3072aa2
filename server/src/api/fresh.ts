/**
 * Fresh sign-in. Calls that give others a way in, send data elsewhere or weaken a check need an administrator who signed in a short time
 * ago, whatever the client: a stolen session or token can then do none of it. The column `fresh` of the route table says which
 * (`contract/src/fresh.ts`), and the project how short (decision 0194). API keys are not concerned.
 */
import type { Route } from '@ostiary/contract/route.ts'
import { type EnvironmentType, fresh_sign_in_seconds, shortest_fresh_sign_in_seconds } from '@ostiary/contract/tenancy.ts'
import { reason } from '../base/reason.ts'
import { ApiError } from '../http/problem.ts'
import type { Caller, Gate } from './authenticate.ts'
import { whereChanged, whereSent } from './fresh-fields.ts'

export interface FreshSignIn {
  /** For an authenticated caller, after the body was judged. */
  atCall(): Promise<void>
  /** For the parsed body, before the handler runs. */
  forBody(body: unknown): Promise<void>
  /** For a change of an object, before it is written. */
  forChange(before: object, after: object): Promise<void>
  /** For the changes of a promotion, whose target is not in the path but is of its project. */
  forPromotion(target: EnvironmentType, where: 'always' | 'in_live' | null): Promise<void>
}

/** The checks of one call. Each refuses a stale sign-in where the row asks for a fresh one. */
export function createFreshSignIn(
  gate: Pick<Gate, 'administrators' | 'now'>,
  { fresh }: Pick<Route, 'fresh'>,
  caller: Caller,
  params: Readonly<Record<string, string>>,
): FreshSignIn {
  const check = async (where: 'always' | 'in_live' | null, target?: EnvironmentType) => {
    if (where === null || isYounger(gate, caller, shortest_fresh_sign_in_seconds)) return
    const { type, seconds } = await placeOf(gate, caller, params, target)
    if (where === 'in_live' && type !== 'live') return
    if (!isYounger(gate, caller, seconds)) throw staleSignIn(seconds)
  }
  return {
    async atCall() {
      if (fresh === 'always' || fresh === 'in_live') await check(fresh)
      if (fresh === 'other_members' && isOtherMember(caller, params)) await check('always')
    },
    async forBody(body) {
      if (typeof fresh !== 'object') return
      if ('bodies' in fresh) for (const [where, schema] of fresh.bodies) if (schema.safeParse(body).success) await check(where)
      if ('fields' in fresh) await check(whereSent(fresh.fields, body))
    },
    async forChange(before, after) {
      if (typeof fresh === 'object' && 'fields' in fresh) await check(whereChanged(fresh.fields, before, after))
    },
    async forPromotion(target, where) {
      await check(target === 'live' ? 'in_live' : where, target)
    },
  }
}

/** A pending invitation is not a member yet. */
const isOtherMember = ({ administrator }: Caller, { member_id = '' }: Readonly<Record<string, string>>): boolean =>
  member_id.startsWith('usr_') && member_id !== administrator?.user_id

interface Place {
  /** `null` outside an environment. */
  readonly type: EnvironmentType | null
  /** How old the sign-in may be. */
  readonly seconds: number
}

/**
 * The rule of the project for the environment of a call. Calls of the project itself are judged as those of Live: a sign-in that is too old
 * for Live could otherwise first make Live accept it. Calls of the tenant have the default, and so has a place that the tenant does not have.
 */
async function placeOf(
  { administrators }: Pick<Gate, 'administrators'>,
  caller: Caller,
  { project_id, environment_id = caller.environment?.id }: Readonly<Record<string, string>>,
  target: EnvironmentType | undefined,
): Promise<Place> {
  const found = await administrators.freshSignInOf(caller.tenant_id, { project_id, environment_id })
  if (!found) return { type: null, seconds: fresh_sign_in_seconds }
  const type = target ?? found.type
  const { test_seconds, live_seconds } = found.fresh_sign_in
  return { type, seconds: type === 'test' ? test_seconds : live_seconds }
}

const staleSignIn = (seconds: number) =>
  new ApiError('reauthentication_required', `This needs a sign-in within the last ${seconds} s. Sign in again, then repeat the call.`, {
    max_age: seconds,
    reason: reason`The sign-in of the administrator is older than ${seconds} s.`,
  })

function isYounger({ now }: Pick<Gate, 'now'>, { administrator }: Caller, seconds: number): boolean {
  return administrator === null || now().getTime() - administrator.auth_time.getTime() <= seconds * 1000
}
