/**
 * Limits the calls of operators. Operators are the members of the root tenant, whose environment has the users of all administrators.
 * They maintain it and must not be able to act as another administrator (decision 0026). `operators` of a row says whether they can
 * write; by default they can only read. The pipeline checks before the body is read, and then checks the body.
 */
import type { Route } from '@ostiary/contract/route.ts'
import { ApiError, fieldErrors, notFound, validationFailed } from '../http/problem.ts'

/** For a call in the root tenant, after the role has been checked. */
export function refuseOperator({ method, operators }: Pick<Route, 'method' | 'operators'>): void {
  if (operators === 'hidden') throw notFound()
  if (operators === 'refused')
    throw new ApiError('insufficient_role', 'The root environment has none of this: operators manage it by hand.')
  if (operators === undefined && method !== 'GET')
    throw new ApiError('insufficient_role', 'No role allows this in the root tenant, because it affects every administrator.')
}

/** For the parsed body of such a call. */
export function refuseOperatorBody({ operators }: Pick<Route, 'operators'>, body: unknown): void {
  if (typeof operators !== 'object') return
  const parsed = operators.safeParse(body)
  if (!parsed.success) throw validationFailed(fieldErrors(parsed.error))
}
