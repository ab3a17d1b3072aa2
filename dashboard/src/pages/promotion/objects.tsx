/** Objects and values of a plan as the plan itself and its revert show them. */
import type { PlannedChange } from '@ostiary/sdk'
import type { ReactNode } from 'react'
import { useFirst } from '../../parts/table.tsx'
import { Tag } from '../../parts/tag.tsx'
import type { Field } from '../compare/fields.ts'
import { linesOf, sharedLines } from '../compare/values.ts'
import { useAbout } from './about.tsx'
import { keyOf, kindWords, type Place } from './words.ts'

export const New = () => <Tag tone="acc">New in this plan</Tag>

/** Shows the name of an object, its kind and its slug. */
export function ObjectName({ of: { object, slug } }: { of: Place }) {
  const { names } = useAbout()
  if (object === 'settings' || slug === null) return <b>Settings</b>
  const name = names(object, slug)
  return (
    <>
      <b>{name}</b> <span className="muted">{kindWords(object)}</span> {name === slug ? null : <code className="xs faint">{slug}</code>}
    </>
  )
}

/** @param news what an earlier plan did not have */
export function ObjectList({ changes, news }: { changes: readonly PlannedChange[]; news?: ReadonlySet<string> }) {
  const { first, more } = useFirst(changes, 'objects')
  return (
    <>
      <ul className="lines">
        {first.map((change) => (
          <li key={keyOf(change)}>
            <ObjectName of={change} /> {news?.has(keyOf(change)) ? <New /> : null}
          </li>
        ))}
      </ul>
      {more}
    </>
  )
}

interface BeforeAfterProps {
  look: Field['look']
  from: unknown
  to: unknown
  /** The names of both columns. */
  heads: readonly [before: string, after: string]
  /** Further content beside the old value. */
  children?: ReactNode
}

/** The two cells of a changed value. Of two lists, what the other one lacks is marked. */
export const BeforeAfter = ({ look, from, to, heads: [before, after], children }: BeforeAfterProps) => (
  <>
    <td className="any muted value" data-l={before}>
      <span>
        <Lines look={look} value={from} other={to} mark="del" />
        {children}
      </span>
    </td>
    <td className="any strong value" data-l={after}>
      <span>
        <Lines look={look} value={to} other={from} mark="ins" />
      </span>
    </td>
  </>
)

/** One line for each entry of a list. */
export function Lines({ look, value, other, mark }: { look: Field['look']; value: unknown; other?: unknown; mark?: 'ins' | 'del' }) {
  const lines = linesOf(look, value)
  const shared = mark && lines.length > 0 && Array.isArray(value) && Array.isArray(other) ? sharedLines(look, other, value) : null
  return lines.map((line) => {
    if (!shared || shared.has(line)) return <span key={line}>{line}</span>
    return mark === 'ins' ? <ins key={line}>{line}</ins> : <del key={line}>{line}</del>
  })
}
