/** The access tokens of admitted requests, kept for as long as their requests. */
import type { AccessToken } from './verify.ts'

const tokens = new WeakMap<object, AccessToken>()

export const keepToken = (request: object, token: AccessToken): unknown => tokens.set(request, token)

/** The access token of a request that `protect` admitted. */
export function tokenOf(request: object): AccessToken {
  const token = tokens.get(request)
  if (!token) throw new TypeError('The request did not pass protect.')
  return token
}
