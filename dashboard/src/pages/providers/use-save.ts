import type { Provider, ProviderChange } from '@ostiary/sdk'
import { useSave, type Version } from '../../parts/save.tsx'
import { providers } from '../../queries/providers.ts'
import { useEnvironment } from '../../scope.tsx'

/** Saves a change of a provider, for the version that the form or the question began with. */
export function useProviderSave(base: Version<Provider>, done: () => void) {
  const { client, at } = useEnvironment()
  const provider_id = base.data.id
  return useSave({
    base,
    of: providers.one({ client, at }, provider_id),
    write: (change: ProviderChange, options) => client.responses.changeProvider({ ...at, provider_id }, change, options),
    changes: [providers.all({ at })],
    done,
  })
}
