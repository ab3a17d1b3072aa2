/** The alert before a role is deleted: it says who loses what. */
import type { EnvironmentRole } from '@ostiary/sdk'
import { ConfirmCall } from '../../parts/confirm.tsx'
import { useRead } from '../../parts/reading.tsx'
import { useQueryState } from '../../parts/search.ts'
import { roles } from '../../queries/roles.ts'
import { users } from '../../queries/users.ts'
import { useEnvironment } from '../../scope.tsx'
import { EffectList } from './before-saving.tsx'
import { peopleWords, verbOf } from './effects.ts'

/** A deletion takes what this change takes. */
const deletion = { permissions: [], default: false }

export function DeleteRole({ role, close }: { role: EnvironmentRole; close: () => void }) {
  const here = useEnvironment()
  const { client, at, environment } = here
  const { show } = useQueryState()
  const preview = useRead(roles.preview(here, role.id, deletion), { refetchOnWindowFocus: false })
  const { id: role_id, name, kind, default: is_default } = role
  const who = is_default
    ? `Every ${kind === 'user' ? 'user' : 'member of an organization'} loses it at once.`
    : preview.data
      ? preview.data.users + preview.data.members === 0
        ? 'Nobody was given it.'
        : `${peopleWords(preview.data)} ${verbOf(preview.data, 'lost')} it at once.`
      : 'Everyone who has it loses it at once.'
  return (
    <ConfirmCall
      title={`Delete ${name}?`}
      consequence={`${who} An application that lets in only people with this role lets in nobody by it. A later role with the same slug is another role.`}
      keep="Keep the role"
      act="Delete now"
      typed={environment.type === 'live' ? name : undefined}
      call={() => client.deleteRole({ ...at, role_id })}
      changes={[roles.list(here).queryKey, roles.every(here).queryKey, users.all({ at })]} // the role itself is gone
      done={() => {
        close()
        show({ chosen: undefined })
      }}
      onClose={close}
    >
      {preview.data && preview.data.effects.length > 0 ? (
        <>
          <p className="lab">{kind === 'user' ? 'What people can do no longer' : 'What members can do no longer'}</p>
          <EffectList of={preview.data.effects} />
        </>
      ) : null}
    </ConfirmCall>
  )
}
