/** The table of grant types. A type outside the closed list of `grantTypeNames` is off, although it has a line here. */
import { grantTypeNames } from '../../protocol/grant-types.ts'
import { codeGrant } from './authorization-code.ts'
import type { GrantType } from './grant-type.ts'
import { refreshGrant } from './refresh.ts'

const table: Readonly<Record<string, GrantType>> = {
  authorization_code: codeGrant,
  refresh_token: refreshGrant,
}

/** The grant type of this name; `undefined` where there is none or it is off. */
export function findGrantType(name: string | undefined, types = table): GrantType | undefined {
  const known = grantTypeNames.find((candidate) => candidate === name)
  return known && types[known]
}
