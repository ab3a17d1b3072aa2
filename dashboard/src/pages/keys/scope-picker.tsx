/** The scopes of a platform key, in pairs of read and write. */
import { Checkbox } from '@mantine/core'
import type { ApiKey } from '@ostiary/sdk'

const subjects = [
  'projects',
  'environments',
  'env.settings',
  'applications',
  'resource_servers',
  'providers',
  'webhooks',
  'auth_keys',
  'users',
] as const
export type KeyScope = ApiKey['scopes'][number]

export function ScopePicker({ value, onChange }: { value: KeyScope[]; onChange: (scopes: KeyScope[]) => void }) {
  const has_all = value.includes('*')
  const toggle = (scope: KeyScope) => onChange(value.includes(scope) ? value.filter((each) => each !== scope) : [...value, scope])
  return (
    <fieldset>
      <legend className="lab">Scopes, at least one</legend>
      <div className="choices-column">
        <Checkbox label="Everything, also future (*)" checked={has_all} onChange={() => onChange(has_all ? [] : ['*'])} />
        <div className="scope-grid">
          {subjects.map((subject) => {
            return (
              <div key={subject} className="scope-row">
                <code>{subject}</code>
                {(['read', 'write'] as const).map((right) => {
                  if (subject === 'users' && right === 'write') return null // only the other subjects have it
                  const scope: KeyScope = `${subject}:${right}` as KeyScope // as: one of them
                  return (
                    <Checkbox
                      key={right}
                      size="xs"
                      label={right}
                      aria-label={scope}
                      disabled={has_all}
                      checked={value.includes(scope)}
                      onChange={() => toggle(scope)}
                    />
                  )
                })}
              </div>
            )
          })}
        </div>
      </div>
    </fieldset>
  )
}
