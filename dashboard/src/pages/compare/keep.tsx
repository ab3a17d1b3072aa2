/** Marks what is meant to differ between Test and Live, with the reason. `keeps` of Live has the list. */
import { TextInput } from '@mantine/core'
import { type Environment, type Kept, OstiaryError } from '@ostiary/sdk'
import { useState } from 'react'
import { useAction } from '../../parts/action.ts'
import { useAnnounce } from '../../parts/announce.tsx'
import { FormDialog } from '../../parts/form-dialog.tsx'
import { fieldsOf } from '../../parts/problem.tsx'
import { EnvironmentTag } from '../../parts/tag.tsx'
import { configurations } from '../../queries/configurations.ts'
import { promotions } from '../../queries/promotions.ts'
import { projects } from '../../queries/tenancy.ts'
import { useEnvironment } from '../../scope.tsx'
import type { Place, Row } from './compare.ts'

type Keeps = Environment['keeps']

/** Another person can change the list meanwhile, so the change is made to the list as it is then. */
const most_tries = 5

function useKeeps(live: Environment, done: () => void) {
  const { client, project, tenant } = useEnvironment()
  const at = { project_id: project.id, environment_id: live.id }
  return useAction(
    async (change: (keeps: Keeps) => Keeps) => {
      for (let tries = 1; ; tries++) {
        const { data, etag } = await client.responses.getEnvironment(at)
        try {
          return await client.changeEnvironment(at, { keeps: change(data.keeps) }, { if_match: etag ?? undefined })
        } catch (error) {
          if (!(error instanceof OstiaryError && error.code === 'stale_version') || tries === most_tries) throw error
        }
      }
    },
    { changes: [configurations.all({ project }), promotions.all({ project }), projects.place({ tenant }, project.slug)], done },
  )
}

const isAt = (place: Place) => (kept: Kept) => kept.object === place.object && kept.slug === place.slug && kept.pointer === place.pointer

export function useUnkeep(live: Environment) {
  const announce = useAnnounce()
  const { run, busy, error } = useKeeps(live, () => announce('Promotions bring it again.'))
  return { run: (place: Place) => run((keeps) => keeps.filter((kept) => !isAt(place)(kept))), busy, error }
}

export function Keep({ row, live, close }: { row: Row; live: Environment; close: () => void }) {
  const { project } = useEnvironment()
  const [reason, setReason] = useState('')
  const announce = useAnnounce()
  const keep = useKeeps(live, () => {
    announce('Marked as meant to differ.')
    close()
  })
  const { place, label, state } = row
  if (place === null) return null
  const submit = () => keep.run((keeps) => [...keeps.filter((kept) => !isAt(place)(kept)), { ...place, reason: reason.trim() }])
  return (
    <FormDialog
      title={`${label} is meant to differ`}
      lead={
        <>
          For <EnvironmentTag type={live.type} /> of {project.name}.{' '}
          {state === 'missing' ? 'Promotions do not create it.' : 'Promotions leave it as it is.'}
        </>
      }
      submit="Mark"
      action={keep}
      disabled={reason.trim() === ''}
      onSubmit={submit}
      onClose={close}
    >
      <TextInput
        label="Reason"
        description="For the next person who compares, such as “Codes only in Test”."
        required
        maxLength={200}
        value={reason}
        error={fieldsOf(keep.error) > 0 && keep.error instanceof OstiaryError ? keep.error.errors[0]?.detail : undefined}
        onChange={(event) => setReason(event.currentTarget.value)}
      />
    </FormDialog>
  )
}
