/** The values of an entry of the audit log: before and after of a change, else the values with which the object began or ended. */
import type { AuditEntry } from '@ostiary/sdk'
import { Link } from '@tanstack/react-router'
import { Fragment } from 'react'
import { type Change, foundOf, tellingChanges } from './sentences.ts'

type NameOf = (id: string | null | undefined) => { name: string } | undefined

const id_pattern = /^[a-z]{2,3}_[0-7][0-9a-hjkmnp-tv-z]{25}$/

/** The ids among the values, for their names. */
export const idsIn = (entry: AuditEntry): string[] =>
  tellingChanges(entry)
    .flatMap(({ before, after }) => `${before}\n${after}`.split('\n'))
    .filter((line) => id_pattern.test(line))

export function EntryChanges({ entry, nameOf }: { entry: AuditEntry; nameOf: NameOf }) {
  const found = foundOf(entry)
  if (found !== null)
    return (
      <section>
        <h3>What it found</h3>
        <p>{found}</p>
      </section>
    )
  const changes = tellingChanges(entry)
  const is_change = entry.before !== null && entry.after !== null
  if (changes.length === 0) return is_change ? <p className="muted">The entry holds no values.</p> : null
  return (
    <section>
      <h3>{is_change ? 'What changed' : entry.before === null ? 'Created with' : 'Was'}</h3>
      <dl className="changes">
        {changes.map((change) => (
          <div key={change.path}>
            <dt>{change.field}</dt>
            <dd>
              {is_change ? <BothSides {...change} nameOf={nameOf} /> : <Value of={change.after ?? change.before ?? ''} nameOf={nameOf} />}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  )
}

/** The old value is struck out, and an arrow leads to the new one. */
const BothSides = ({ before, after, nameOf }: Change & { nameOf: NameOf }) => (
  <span className="sides">
    {before === null ? null : (
      <del>
        <span className="vh">before: </span>
        <Value of={before} nameOf={nameOf} />
      </del>
    )}
    {before === null || after === null ? null : <span aria-hidden>→</span>}
    {after === null ? null : (
      <ins>
        <span className="vh">after: </span>
        <Value of={after} nameOf={nameOf} />
      </ins>
    )}
  </span>
)

/** A value, one line for each entry of a list. An id with a name is a link to its object. */
const Value = ({ of, nameOf }: { of: string; nameOf: NameOf }) =>
  of.split('\n').map((line, index) => {
    const name = id_pattern.test(line) ? nameOf(line)?.name : undefined
    return (
      // biome-ignore lint/suspicious/noArrayIndexKey: lines can be equal, and never move
      <Fragment key={index}>
        {index > 0 ? '\n' : null}
        {name === undefined ? (
          line
        ) : (
          <Link className="u" to="/go/$id" params={{ id: line }} title={line}>
            {name}
          </Link>
        )}
      </Fragment>
    )
  })
