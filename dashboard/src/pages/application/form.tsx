/** The form of a tab of an application. A save sends only what changed, for the version that was read, and asks before what it ends. */

import type { Application, ApplicationChange } from '@ostiary/sdk'
import { type FormEvent, type ReactNode, useEffect, useState } from 'react'
import { Confirm } from '../../parts/confirm.tsx'
import { Problem } from '../../parts/problem.tsx'
import { useSave as useSaved, type Version } from '../../parts/save.tsx'
import { EnvironmentTag } from '../../parts/tag.tsx'
import { applications } from '../../queries/applications.ts'
import { useEnvironment } from '../../scope.tsx'
import { questionOf } from './questions.ts'

export interface TabProps {
  base: Version<Application>
  report: (is_edited: boolean) => void
}

export function useApplicationSave({ base, report }: TabProps) {
  const { client, at } = useEnvironment()
  const application_id = base.data.id
  return useSaved({
    base,
    of: applications.one({ client, at }, application_id),
    write: (change: ApplicationChange, options) => client.responses.changeApplication({ ...at, application_id }, change, options),
    changes: [applications.all({ at })],
    done: () => report(false),
  })
}

interface FormProps {
  application: Application
  save: ReturnType<typeof useApplicationSave>
  change: ApplicationChange
  report: TabProps['report']
  /** False while a field cannot be read. */
  is_complete?: boolean
  children: ReactNode
}

export function Form({ application, save, change, report, is_complete = true, children }: FormProps) {
  const { can, environment } = useEnvironment()
  const [is_asking, setAsking] = useState(false)
  const question = questionOf(application, change)
  const is_changed = Object.keys(change).length > 0
  useEffect(() => {
    report(is_changed)
  }, [is_changed, report])
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (question) setAsking(true)
    else save.run(change)
  }
  const confirm = () => {
    setAsking(false)
    save.run(change)
  }
  return (
    <form className="form" onSubmit={submit}>
      <fieldset disabled={!can('developer') || save.busy} className="form">
        {children}
      </fieldset>
      {save.error ? <Problem error={save.error} focus /> : null}
      {is_asking && question ? (
        <Confirm
          {...question}
          lead={<EnvironmentTag type={environment.type} />}
          typed={environment.type === 'live' ? application.name : undefined}
          busy={save.busy}
          error={null}
          onConfirm={confirm}
          onClose={() => setAsking(false)}
        />
      ) : null}
      {save.dialog}
      <div className="acts">
        <button type="submit" className="btn pri" disabled={!is_changed || !is_complete || save.busy || !can('developer')}>
          Save
        </button>
        {can('developer') ? null : <span className="muted">Needs the role developer.</span>}
      </div>
    </form>
  )
}

/** The members of `next` that differ from the record. */
export function changed(application: Application, next: ApplicationChange): ApplicationChange {
  const before = application as unknown as Record<string, unknown> // as: read by name
  return Object.fromEntries(Object.entries(next).filter(([name, value]) => JSON.stringify(before[name]) !== JSON.stringify(value)))
}
