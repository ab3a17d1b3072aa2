/**
 * What operators may do. Operators are the members of the root tenant, whose environment holds the accounts of all
 * administrators. They keep it running and must not be able to act as one of them (decision 0026), so the table says for
 * each row what it allows there, and a row that says nothing is read-only. The pipeline asks twice: before the body is
 * read, and about the body.
 */
import type { Route } from '@ostiary/contract/route.ts'
import { ApiError, fieldErrors, notFound, validationFailed } from '../http/problem.ts'

/** For a call in the root tenant, once the role is known to be enough. */
export function refuseOperator({ method, operators }: Pick<Route, 'method' | 'operators'>): void {
  if (operators === 'hidden') throw notFound()
  if (operators === undefined && method !== 'GET')
    throw new ApiError('insufficient_role', 'No role allows this in the root tenant: it would change what every administrator depends on.')
}

/** The same for the body, which the schema of the row accepts. */
export function refuseOperatorBody({ operators }: Pick<Route, 'operators'>, body: unknown): void {
  if (typeof operators !== 'object') return
  const parsed = operators.safeParse(body)
  if (!parsed.success) throw validationFailed(fieldErrors(parsed.error))
}
