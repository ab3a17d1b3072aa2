/** The edit of a tab of an application. It asks before what a change ends. */
import type { Application, ApplicationChange } from '@ostiary/sdk'
import { type Edited, useEdit } from '../../parts/edit.tsx'
import { labelsOf } from '../../parts/object-fields.tsx'
import { applications } from '../../queries/applications.ts'
import { useEnvironment } from '../../scope.tsx'
import { questionOf } from './questions.ts'

/** Returns the props of `EditForm`: the edit, and the question that it asks first. */
export function useApplicationEdit({ base, report }: Edited<Application>, change: ApplicationChange) {
  const { client, at } = useEnvironment()
  const { id: application_id, name } = base.data
  const edit = useEdit({
    base,
    report,
    change,
    of: applications.one({ client, at }, application_id),
    write: (change: ApplicationChange, options) => client.responses.changeApplication({ ...at, application_id }, change, options),
    changes: [applications.all({ at })],
    label: labelsOf('application'),
  })
  return { edit, name, question: questionOf(base.data, change) }
}
