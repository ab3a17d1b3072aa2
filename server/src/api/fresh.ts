/**
 * Fresh sign-in. A row with `fresh` needs an administrator who signed in within the last 600 s, whatever the client: a stolen session or
 * token can then not create credentials, remove what Live depends on, or let others in. API keys are not concerned.
 */
import type { Route } from '@ostiary/contract/route.ts'
import { reason } from '../base/reason.ts'
import { ApiError } from '../http/problem.ts'
import type { Caller, Gate } from './authenticate.ts'

export const fresh_seconds = 600

/** For an authenticated caller, before the body is read. */
export async function refuseStaleSignIn(
  gate: Pick<Gate, 'administrators' | 'now'>,
  { fresh }: Pick<Route, 'fresh'>,
  caller: Caller,
  environment_id: string | undefined,
): Promise<void> {
  if (fresh === 'always') refuse(gate, caller)
  else if (fresh === 'in_live' && isStale(gate, caller)) {
    const id = caller.environment?.id ?? environment_id ?? ''
    const type = caller.environment?.type ?? (await gate.administrators.environmentType(caller.tenant_id, id))
    if (type === 'live') refuse(gate, caller)
  }
}

/** For the parsed body of such a call. */
export function refuseStaleSignInFor(gate: Pick<Gate, 'now'>, { fresh }: Pick<Route, 'fresh'>, caller: Caller, body: unknown): void {
  if (typeof fresh === 'object' && fresh.safeParse(body).success) refuse(gate, caller)
}

function refuse(gate: Pick<Gate, 'now'>, caller: Caller): void {
  if (!isStale(gate, caller)) return
  throw new ApiError('reauthentication_required', 'This needs a sign-in within the last 10 minutes. Sign in again, then repeat the call.', {
    max_age: fresh_seconds,
    reason: reason`The sign-in of the administrator is older than ${fresh_seconds} s.`,
  })
}

function isStale({ now }: Pick<Gate, 'now'>, { administrator }: Caller): boolean {
  return administrator !== null && now().getTime() - administrator.auth_time.getTime() > fresh_seconds * 1000
}
