/** The applications that a person has connected, as the account page shows them. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { findOrganizations } from '../../../domain/organizations/store.ts'
import { namesOfResources } from '../../../domain/resource-servers/store.ts'
import { listConnected, listGrantedScopes } from '../../../domain/sessions/account-lists.ts'
import { findMemberConsents } from '../../../domain/sessions/consents.ts'
import type { AccountView, AppGain } from '../../../pages/account.ts'
import { wordIn } from '../../../protocol/consent.ts'
import { scopeNames } from '../../../protocol/scope.ts'
import type { OidcCall, OidcServices } from '../../call.ts'

const standard_gains = ['profile', 'email', 'phone'] as const

type Shown = AccountView['applications'][number]

/**
 * Returns the access of each application, for no organization and for each one: by the consent where there is one, otherwise by its active
 * grants. Gives other requests a turn before and after the long read: with the embedded engine a person with many rows would otherwise block the
 * thread for 20 ms.
 */
export async function applicationsOf({ db }: OidcServices, call: OidcCall, user_id: string): Promise<Shown[]> {
  const { environment_id } = call.issuer
  await nextTurn()
  const connected = await listConnected(db, environment_id, user_id, call.now)
  await nextTurn()
  const consents = await findMemberConsents(db, environment_id, user_id, connected.map(({ id }) => id).sort())
  const used = await Promise.all(
    connected.map(async ({ id, scope, since, ...application }) => {
      const granted = await listGrantedScopes(db, environment_id, { user_id, application_id: id }, call.now)
      const own = scope === null ? [] : [{ organization_id: null, since, words: wordsOf(scope) }]
      const of_member = consents.flatMap((one) => (one.application_id === id ? [{ ...one, words: wordsOf(one.scope) }] : []))
      const consented = [...own, ...of_member]
      const by_grants = granted.flatMap((grant) =>
        consented.some(({ organization_id }) => organization_id === grant.organization_id)
          ? []
          : [{ ...grant, words: [...scopeNames(grant.scope), ...grant.resource] }],
      )
      return [...Map.groupBy([...consented, ...by_grants], ({ organization_id }) => organization_id)].map(([organization_id, uses]) => ({
        ...application,
        id,
        organization_id,
        since: new Date(Math.min(...uses.map((use) => use.since.getTime()))),
        words: [...new Set(uses.flatMap(({ words }) => words))],
      }))
    }),
  )
  const entries = used.flat()
  const resources = new Set(entries.flatMap(({ words }) => words).filter((word) => word.includes(':')))
  const [names, organizations] = await Promise.all([
    namesOfResources(db, environment_id, [...resources]),
    findOrganizations(db, environment_id, [...new Set(entries.flatMap(({ organization_id }) => organization_id ?? []))].sort()),
  ])
  return entries.map(({ id, name, logo_uri, since, words, organization_id }) => {
    const of_apis = [...new Set(words.flatMap((word) => names.get(word) ?? []))].map((resource_server): AppGain => ({ resource_server }))
    const own = standard_gains.filter((gain) => words.includes(gain))
    const gets: AppGain[] = [...own, ...of_apis, ...(words.includes('offline_access') ? (['offline_access'] as const) : [])]
    const organization = organizations.find((one) => one.id === organization_id) ?? null
    return { id, name, logo_url: logo_uri, since, gets, organization: organization && { id: organization.id, name: organization.name } }
  })
}

/** A word is a scope, or a resource server with one of its scopes; of a metadata client with the mark that it is stored with. */
const wordsOf = (scope: string): string[] => scope.split(' ').map((word) => wordIn(word).split('#', 1)[0] ?? '')
