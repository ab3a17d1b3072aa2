/** Who may change how old a sign-in may be for calls of a project that need a fresh one. */
import { roles } from '@ostiary/contract/tenancy.ts'
import { reason } from '../base/reason.ts'
import { ApiError } from '../http/problem.ts'
import type { Caller } from './authenticate.ts'

/** A key has no sign-in, so it decides nothing about the age of one. */
export function refuseFreshSignIn({ key, role }: Caller): void {
  if (key)
    throw new ApiError('wrong_key_type', 'Only an administrator with the role admin changes how old a sign-in may be. You sent a key.')
  if (role !== null && roles.indexOf(role) < roles.indexOf('admin'))
    throw new ApiError('insufficient_role', reason`To change how old a sign-in may be needs the role admin; yours is ${role}.`)
}
