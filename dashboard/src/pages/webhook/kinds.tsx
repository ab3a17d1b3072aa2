/** Which kinds of events a webhook gets: all, also future ones, or those that are chosen. */

import { Checkbox, Radio } from '@mantine/core'
import type { EventKind, Webhook } from '@ostiary/sdk'
import { useState } from 'react'
import { type Edited, EditForm, useEdit } from '../../parts/edit.tsx'
import { kindGroups } from '../../parts/event-kinds.ts'
import { useEnvironment } from '../../scope.tsx'
import { savingWebhook } from './saving.ts'

export function Kinds({ base, report }: Edited<Webhook>) {
  const here = useEnvironment()
  const [is_all, setAll] = useState(base.data.events.length === 0)
  const [chosen, setChosen] = useState<readonly EventKind[]>(base.data.events)
  const next = is_all ? [] : chosen
  const is_other = JSON.stringify(next.toSorted()) !== JSON.stringify(base.data.events.toSorted())
  const edit = useEdit({ ...savingWebhook(here, base), report, change: is_other ? { events: [...next] } : {} })
  const toggle = (kind: EventKind) => setChosen(chosen.includes(kind) ? chosen.filter((each) => each !== kind) : [...chosen, kind])
  const is_empty = !is_all && chosen.length === 0
  return (
    <EditForm edit={edit} in_cards incomplete={is_empty && 'Choose at least one kind.'}>
      <Radio.Group label="This webhook gets" value={is_all ? 'all' : 'some'} onChange={(value) => setAll(value === 'all')}>
        <div className="choices-column">
          <Radio value="all" label="All kinds, also those of later versions" />
          <Radio value="some" label="Only the kinds that you choose" />
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
    </EditForm>
  )
}
