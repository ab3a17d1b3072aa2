/** The columns of a list of events after its first one. */
import type { Event } from '@ostiary/sdk'
import type { Column } from '../../parts/table.tsx'
import { Time } from '../../parts/time.tsx'

export const aboutEvent: Column<Event>[] = [
  {
    head: 'About',
    className: 'any',
    cell: ({ data, user_id, application_id }) => String(data.email ?? data.name ?? user_id ?? application_id ?? ''),
  },
  { head: 'By', className: 'muted', cell: ({ actor }) => actor.type.replace('_', ' ') },
  { head: 'No.', className: 'mono faint', cell: ({ sequence }) => sequence.toLocaleString('en') },
  { head: 'When', className: 'muted nowrap', cell: ({ timestamp }) => <Time at={timestamp} /> },
]
