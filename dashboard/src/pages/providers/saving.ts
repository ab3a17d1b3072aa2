import type { Provider, ProviderChange } from '@ostiary/sdk'
import { labelsOf } from '../../parts/object-fields.tsx'
import type { Version } from '../../parts/save.tsx'
import { providers } from '../../queries/providers.ts'
import type { Here } from '../../queries/query.ts'

/** How a provider is saved, for the version that the form or the question began with. */
export function savingProvider({ client, at }: Here, base: Version<Provider>) {
  const provider_id = base.data.id
  return {
    base,
    of: providers.one({ client, at }, provider_id),
    write: (change: ProviderChange, options: { if_match: string | undefined }) =>
      client.responses.changeProvider({ ...at, provider_id }, change, options),
    changes: [providers.all({ at })],
    label: labelsOf('provider'),
  }
}
