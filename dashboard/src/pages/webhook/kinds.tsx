/** Which kinds of events a webhook gets: all, also future ones, or those that are chosen. */
import { Checkbox, Radio } from '@mantine/core'
import type { EventKind, Webhook } from '@ostiary/sdk'
import { useEffect, useState } from 'react'
import { kindGroups } from '../../parts/event-kinds.ts'
import { Problem } from '../../parts/problem.tsx'
import type { Version } from '../../parts/save.tsx'
import { useEnvironment } from '../../scope.tsx'
import { useWebhookSave } from './use-save.ts'

interface TabProps {
  base: Version<Webhook>
  report: (is_edited: boolean) => void
}

export function Kinds({ base, report }: TabProps) {
  const { can } = useEnvironment()
  const [is_all, setAll] = useState(base.data.events.length === 0)
  const [chosen, setChosen] = useState<readonly EventKind[]>(base.data.events)
  const save = useWebhookSave(base, report)
  const next = is_all ? [] : chosen
  const is_edited = JSON.stringify(next.toSorted()) !== JSON.stringify(base.data.events.toSorted())
  useEffect(() => {
    report(is_edited)
  }, [is_edited, report])
  const toggle = (kind: EventKind) => setChosen(chosen.includes(kind) ? chosen.filter((each) => each !== kind) : [...chosen, kind])
  const is_empty = !is_all && chosen.length === 0
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault()
        save.run({ events: [...next] })
      }}
    >
      <fieldset disabled={!can('developer') || save.busy} className="stack">
        <Radio.Group label="This webhook gets" value={is_all ? 'all' : 'some'} onChange={(value) => setAll(value === 'all')}>
          <div className="choices-column">
            <Radio value="all" label="All kinds, also those of later versions" />
            <Radio value="some" label="Only the kinds below" />
          </div>
        </Radio.Group>
        {is_all ? null : (
          <div className="kind-groups">
            {kindGroups.map(([group, kinds]) => (
              <fieldset className="card pad" key={group}>
                <legend className="lab mono">{group}</legend>
                <div className="choices-column">
                  {kinds.map(({ kind, text }) => (
                    <Checkbox
                      key={kind}
                      label={<code>{kind}</code>}
                      description={text}
                      checked={chosen.includes(kind)}
                      onChange={() => toggle(kind)}
                    />
                  ))}
                </div>
              </fieldset>
            ))}
          </div>
        )}
      </fieldset>
      {save.error ? <Problem error={save.error} focus /> : null}
      {save.dialog}
      <div className="toolbar">
        <button type="submit" className="btn pri" disabled={!is_edited || is_empty || save.busy || !can('developer')}>
          Save
        </button>
        {is_empty ? <span className="muted">Choose at least one kind.</span> : null}
        {can('developer') ? null : <span className="muted">Needs the role developer.</span>}
      </div>
    </form>
  )
}
