/** "Changed meanwhile": what this person entered and what another person saved, field by field, and a choice for each. */
import { useState } from 'react'
import { Dialog } from './dialog.tsx'
import { type Choice, type Difference, isContested, isSecret } from './differences.ts'
import { Problem } from './problem.tsx'

function inWords(pointer: string): string {
  const text = pointer.slice(1).replaceAll('/', ': ').replaceAll('_', ' ')
  return text.slice(0, 1).toUpperCase() + text.slice(1)
}

function Value({ pointer, of }: { pointer: string; of: unknown }) {
  if (isSecret(pointer)) return <span className="faint">hidden</span>
  if (of === null || of === undefined || of === '') return <span className="faint">empty</span>
  if (typeof of === 'boolean') return of ? 'On' : 'Off'
  if (Array.isArray(of)) {
    if (of.length === 0) return <span className="faint">none</span>
    return of.map((each) => {
      const text = typeof each === 'string' ? each : JSON.stringify(each)
      return (
        <code className="line" key={text}>
          {text}
        </code>
      )
    })
  }
  return typeof of === 'object' ? <code>{JSON.stringify(of)}</code> : String(of)
}

interface ConflictProps {
  fields: Difference[]
  others: Difference[]
  label: ((pointer: string) => string | undefined) | undefined
  busy: boolean
  error: unknown
  onResolve: (choices: ReadonlyMap<string, Choice>) => void
  onClose: () => void
}

export function Conflict({ fields, others, label, busy, error, onResolve, onClose }: ConflictProps) {
  const [choices, setChoices] = useState<ReadonlyMap<string, Choice>>(
    new Map(fields.filter((field) => !isContested(field)).map(({ pointer }) => [pointer, 'mine'])),
  )
  const fieldName = (pointer: string) => label?.(pointer) ?? inWords(pointer)
  const choose = (pointer: string, choice: Choice) => setChoices(new Map(choices).set(pointer, choice))
  const is_complete = fields.every(({ pointer }) => choices.has(pointer))
  const contested = fields.filter(isContested).length
  return (
    <Dialog
      alert
      above
      busy={busy}
      width={720}
      onClose={onClose}
      title="Changed meanwhile"
      lead={
        contested === 0
          ? 'Other fields were saved while you were editing. Both fit together.'
          : 'Another person or tab saved first. Choose a value for each of these fields. Nothing is saved until you do.'
      }
      footer={
        <>
          <button type="button" className="btn" data-autofocus disabled={busy} onClick={onClose}>
            Keep editing
          </button>
          <button type="button" className="btn pri" disabled={!is_complete || busy} onClick={() => onResolve(choices)}>
            Save the choice
          </button>
        </>
      }
    >
      <div className="versions">
        {fields.map((field) => (
          <fieldset key={field.pointer}>
            <legend>{fieldName(field.pointer)}</legend>
            {(['mine', 'theirs'] as const).map((which) => (
              <label key={which}>
                <input
                  type="radio"
                  name={field.pointer}
                  checked={choices.get(field.pointer) === which}
                  onChange={() => choose(field.pointer, which)}
                />
                <b>{which === 'mine' ? 'Yours' : isContested(field) ? 'Theirs' : 'As it is saved'}</b>
                <span className="any">
                  <Value pointer={field.pointer} of={field[which]} />
                </span>
              </label>
            ))}
          </fieldset>
        ))}
      </div>
      {others.length > 0 ? (
        <div>
          <h3 className="lab">Also changed, and kept</h3>
          <ul className="kept">
            {others.map(({ pointer, before, theirs }) => (
              <li key={pointer}>
                <b>{fieldName(pointer)}</b>
                <span className="any">
                  <Value pointer={pointer} of={theirs} /> <span className="faint">before:</span> <Value pointer={pointer} of={before} />
                </span>
              </li>
            ))}
          </ul>
        </div>
      ) : null}
      <Problem error={error} />
    </Dialog>
  )
}
