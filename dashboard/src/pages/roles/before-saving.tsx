/** Says who gains and loses which scopes by a change of a role, before it is made. */
import type { RoleChange, RolePreview } from '@ostiary/sdk'
import { Note } from '../../parts/note.tsx'
import { useRead } from '../../parts/reading.tsx'
import { useRested } from '../../parts/rested.ts'
import { roles } from '../../queries/roles.ts'
import { useEnvironment } from '../../scope.tsx'
import { effectLines } from './effects.ts'

/** Only these fields give or take something. */
const affecting = ({ permissions, default: is_default }: RoleChange): RoleChange => ({
  ...(permissions === undefined ? {} : { permissions }),
  ...(is_default === undefined ? {} : { default: is_default }),
})

export function BeforeSaving({ role_id, change }: { role_id: string; change: RoleChange }) {
  const asked = JSON.stringify(affecting(change))
  const rested = useRested(asked)
  const is_asked = asked !== '{}'
  const preview = useRead(roles.preview(useEnvironment(), role_id, JSON.parse(rested)), {
    enabled: is_asked && rested !== '{}',
    keeps_previous: true,
    refetchOnWindowFocus: false,
  })
  // A refused change is explained at its field, when it is saved.
  const shown = is_asked && !preview.error ? preview.data : undefined
  return (
    <output className="before-saving" aria-busy={is_asked && (asked !== rested || preview.isFetching)}>
      {shown ? <Effects of={shown} /> : null}
    </output>
  )
}

function Effects({ of: { users, members, effects } }: { of: RolePreview }) {
  const lines = effectLines(effects)
  if (lines.length === 0)
    return (
      <Note>
        {users + members === 0
          ? 'Nobody was given this role, so nobody gains or loses anything now.'
          : 'Nobody gains or loses anything by this.'}
      </Note>
    )
  return (
    <Note tone={lines.some(({ change }) => change === 'lost') ? 'warn' : 'acc'}>
      <b>After saving, from the next request on</b>
      <EffectList of={effects} />
    </Note>
  )
}

/** More scopes of a line are counted. */
const most_named = 12

export const EffectList = ({ of }: { of: RolePreview['effects'] }) => (
  <ul className="effects">
    {effectLines(of).map(({ words, scopes }) => (
      <li key={words}>
        {words}{' '}
        {scopes.slice(0, most_named).map(({ resource_server, scope }, place) => (
          <span key={`${resource_server} ${scope}`}>
            {place > 0 ? ', ' : ''}
            <code title={`Of ${resource_server}`}>{scope}</code>
          </span>
        ))}
        {scopes.length > most_named ? ` and ${scopes.length - most_named} more` : ''}
      </li>
    ))}
  </ul>
)
