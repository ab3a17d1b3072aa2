import type { Provider, ProviderChange } from '@ostiary/sdk'
import { useRead } from '../../parts/reading.tsx'
import { useSave, type Version } from '../../parts/save.tsx'
import { useEnvironment } from '../../scope.tsx'

const keyOf = (environment_id: string, provider_id: string) => ['providers', environment_id, 'one', provider_id]

/** A provider with its version, which the rows of the list do not have. */
export function useProvider(provider_id: string) {
  const { client, at, environment } = useEnvironment()
  return useRead(keyOf(environment.id, provider_id), (signal) => client.responses.getProvider({ ...at, provider_id }, { signal }))
}

/** Saves a change of a provider, for the version that the form or the question began with. */
export function useProviderSave(base: Version<Provider>, done: () => void) {
  const { client, at, environment } = useEnvironment()
  const here = { ...at, provider_id: base.data.id }
  return useSave({
    base,
    key: keyOf(environment.id, base.data.id),
    read: () => client.responses.getProvider(here),
    write: (change: ProviderChange, options) => client.responses.changeProvider(here, change, options),
    changes: [['providers', environment.id]],
    done,
  })
}
