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
            const read = `${subject}:read` as KeyScope // as: each subject has this scope
            const write = subject === 'users' ? null : (`${subject}:write` as KeyScope) // as: each other subject has it
            return (
              <div key={subject} className="scope-row">
                <code>{subject}</code>
                <Checkbox
                  size="xs"
                  label="read"
                  aria-label={read}
                  disabled={has_all}
                  checked={value.includes(read)}
                  onChange={() => toggle(read)}
                />
                {write ? (
                  <Checkbox
                    size="xs"
                    label="write"
                    aria-label={write}
                    disabled={has_all}
                    checked={value.includes(write)}
                    onChange={() => toggle(write)}
                  />
                ) : null}
              </div>
            )
          })}
        </div>
      </div>
    </fieldset>
  )
}
