/** The applications that a person has connected, as the account page shows them. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { namesOfResources } from '../../../domain/resource-servers/store.ts'
import { listConnected, listGrantedScopes } from '../../../domain/sessions/account-lists.ts'
import type { AccountView, AppGain } from '../../../pages/account.ts'
import type { OidcCall, OidcServices } from '../../call.ts'

const standard_gains = ['profile', 'email', 'phone'] as const

/**
 * Returns the access of each application: by the consent where there is one, otherwise by its active grants. Gives other requests a turn
 * before and after the long read: with the embedded engine a person with many rows would otherwise block the thread for 20 ms.
 */
export async function applicationsOf({ db }: OidcServices, call: OidcCall, user_id: string): Promise<AccountView['applications']> {
  const { environment_id } = call.issuer
  await nextTurn()
  const connected = await listConnected(db, environment_id, user_id, call.now)
  await nextTurn()
  const words = new Map(
    await Promise.all(
      connected.map(async ({ id, scope }): Promise<[string, string[]]> => {
        if (scope !== null) return [id, scope.split(' ').map((word) => word.split('#', 1)[0] ?? '')]
        const granted = await listGrantedScopes(db, environment_id, { user_id, application_id: id }, call.now)
        return [id, granted.flatMap((grant) => [...grant.scope.split(' '), ...grant.resource])]
      }),
    ),
  )
  const resources = new Set([...words.values()].flat().filter((word) => word.includes(':')))
  const names = await namesOfResources(db, environment_id, [...resources])
  return connected.map(({ id, name, logo_uri, since }) => {
    const all = words.get(id) ?? []
    const of_apis = [...new Set(all.flatMap((word) => names.get(word) ?? []))].map((resource_server): AppGain => ({ resource_server }))
    const own = standard_gains.filter((gain) => all.includes(gain))
    const gets: AppGain[] = [...own, ...of_apis, ...(all.includes('offline_access') ? (['offline_access'] as const) : [])]
    return { id, name, logo_url: logo_uri, since, gets }
  })
}
