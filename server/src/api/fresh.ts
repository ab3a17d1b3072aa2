/**
 * Fresh sign-in. Calls that give others a way in, send data elsewhere or weaken a check need an administrator who signed in within
 * the last 600 s, whatever the client: a stolen session or token can then do none of it. The column `fresh` of the route table says which
 * (`contract/src/fresh.ts`). API keys are not concerned.
 */
import type { Route } from '@ostiary/contract/route.ts'
import type { EnvironmentType } from '@ostiary/contract/tenancy.ts'
import { reason } from '../base/reason.ts'
import { ApiError } from '../http/problem.ts'
import type { Caller, Gate } from './authenticate.ts'
import { whereChanged, whereSent } from './fresh-fields.ts'

export const fresh_seconds = 600

export interface FreshSignIn {
  /** For an authenticated caller, after the body was judged. */
  atCall(): Promise<void>
  /** For the parsed body, before the handler runs. */
  forBody(body: unknown): Promise<void>
  /** For a change of an object, before it is written. */
  forChange(before: object, after: object): Promise<void>
  /** For the changes of a promotion, whose target is not in the path. */
  forPromotion(target: EnvironmentType, where: 'always' | 'in_live' | null): void
}

/** The checks of one call. Each refuses a stale sign-in where the row asks for a fresh one. */
export function createFreshSignIn(
  gate: Pick<Gate, 'administrators' | 'now'>,
  { fresh }: Pick<Route, 'fresh'>,
  caller: Caller,
  params: Readonly<Record<string, string>>,
): FreshSignIn {
  const check = async (where: 'always' | 'in_live' | null) => {
    if (where === null || !isStale(gate, caller)) return
    if (where === 'always' || (await isLive(gate, caller, params))) throw staleSignIn()
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
    forPromotion(target, where) {
      if ((target === 'live' || where === 'always') && isStale(gate, caller)) throw staleSignIn()
    },
  }
}

/** A pending invitation is not a member yet. */
const isOtherMember = ({ administrator }: Caller, { member_id = '' }: Readonly<Record<string, string>>): boolean =>
  member_id.startsWith('usr_') && member_id !== administrator?.user_id

async function isLive({ administrators }: Pick<Gate, 'administrators'>, caller: Caller, { environment_id = '' }): Promise<boolean> {
  const type = caller.environment?.type ?? (await administrators.environmentType(caller.tenant_id, environment_id))
  return type === 'live'
}

const staleSignIn = () =>
  new ApiError('reauthentication_required', 'This needs a sign-in within the last 10 minutes. Sign in again, then repeat the call.', {
    max_age: fresh_seconds,
    reason: reason`The sign-in of the administrator is older than ${fresh_seconds} s.`,
  })

function isStale({ now }: Pick<Gate, 'now'>, { administrator }: Caller): boolean {
  return administrator !== null && now().getTime() - administrator.auth_time.getTime() > fresh_seconds * 1000
}
