/** Asks before a provider is switched off. It is switched off in the version that was current when the question opened. */

import type { Provider } from '@ostiary/sdk'
import { Confirm } from '../../parts/confirm.tsx'
import { Hurt } from '../../parts/hurt.tsx'
import { useRead } from '../../parts/reading.tsx'
import { useSave } from '../../parts/save.tsx'
import { impact } from '../../queries/impact.ts'
import { providers } from '../../queries/providers.ts'
import { useEnvironment } from '../../scope.tsx'
import { savingProvider } from './saving.ts'

/** @param name as in the list */
export function SwitchOff({ provider, name, close }: { provider: Provider; name: string; close: () => void }) {
  const here = useEnvironment()
  const { data, error } = useRead(providers.one(here, provider.id))
  const save = useSave({ ...savingProvider(here, data ?? { data: provider, etag: null }), done: close })
  return (
    <>
      <Confirm
        title={`Switch off ${name}?`}
        consequence="Its button leaves the sign-in page at once, for everybody. People who have no other way to sign in are locked out until you switch it on again."
        keep="Keep it on"
        act="Switch off now"
        typed={here.environment.type === 'live' ? name : undefined}
        busy={data === undefined || save.busy}
        error={save.error ?? error}
        onConfirm={() => save.run({ enabled: false })}
        onClose={close}
      >
        <Hurt of={impact.ofProvider(here, provider.id)} />
      </Confirm>
      {save.dialog}
    </>
  )
}
