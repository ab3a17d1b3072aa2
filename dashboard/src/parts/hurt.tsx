/** Who would be hurt by a press in Live, counted when its alert opens. */
import type { Impact } from '@ostiary/sdk'
import type { One } from '../queries/query.ts'
import { useScope } from '../scope.tsx'
import { impactLines } from './counted.ts'
import { Note } from './note.tsx'
import { Problem } from './problem.tsx'
import { not_by_itself, useRead } from './reading.tsx'

interface HurtProps {
  of: One<Impact>
  /** The name of its object, where an alert has several. */
  name?: string
}

/** In Test nobody real is hurt, so nothing is counted. */
export function Hurt({ of, name }: HurtProps) {
  const is_live = useScope().environment?.type === 'live'
  const read = useRead(of, { enabled: is_live, ...not_by_itself })
  if (!is_live) return null
  if (read.error) return <Problem error={read.error} retry={() => read.refetch()} />
  return (
    <output className="hurt" aria-busy={read.data === undefined}>
      <Note tone={read.data && isHarmless(read.data) ? 'acc' : 'warn'}>
        <b>Who would be hurt{name === undefined ? '' : `: ${name}`}</b>
        {read.data ? (
          <ul>
            {impactLines(read.data).map((line) => (
              <li key={line}>{line}</li>
            ))}
          </ul>
        ) : (
          <p>Counting…</p>
        )}
      </Note>
    </output>
  )
}

const isHarmless = ({ grants, people, locked_out, calls_30_days }: Impact): boolean =>
  [grants, people, locked_out].every((one) => (one?.count ?? 0) === 0) && (calls_30_days ?? 0) === 0
