/** Judges an authorization request by the roles of a person (decision 0176). */
import { oneOf, type Reason, reason } from '../../../base/reason.ts'
import type { GrantRow } from '../../../domain/sessions/grants.ts'
import { leavesNone, scopeGiven } from '../../../protocol/roles.ts'
import { scopeNames } from '../../../protocol/scope.ts'
import type { OidcCall } from '../../call.ts'
import { rolesAt } from '../../person-roles.ts'
import type { Authorization } from './begin.ts'

interface RequestAccess {
  /** The part of the scope that the person gets now. */
  readonly given: readonly string[]
  /** Why the roles leave nothing of the request; `null` where they leave something. */
  readonly no_access: Reason | null
}

export async function accessOf(
  { issuer }: OidcCall,
  { request, client, audiences }: Pick<Authorization, 'request' | 'client' | 'audiences'>,
  person: Pick<GrantRow, 'role_ids' | 'organization_id'>,
): Promise<RequestAccess> {
  const { access, held, keptOut } = await rolesAt(issuer, person, client.client_id)
  const asked = scopeNames(request.scope)
  const given = scopeGiven(asked, request.resource, access, held)
  const of_servers = new Set(audiences.flatMap(({ scopes }) => scopes.map(({ name }) => name)))
  const missing = leavesNone(asked, given, of_servers) ? asked.find((name) => of_servers.has(name)) : undefined
  const no_scope =
    missing === undefined
      ? null
      : reason`The roles of the person give none of the scopes of resource servers, such as ${oneOf(of_servers, missing, '…')}.`
  return { given, no_access: keptOut(request.resource) ?? no_scope }
}
