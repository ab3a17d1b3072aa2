/** The alert before something that cannot be undone. It says what breaks; focus starts on the harmless button. */
import { TextInput } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import type { Key } from '../queries/query.ts'
import { useScope } from '../scope.tsx'
import { useAction } from './action.ts'
import { Buttons, Dialog } from './dialog.tsx'
import { entered } from './fields.tsx'
import { Note } from './note.tsx'
import { Problem } from './problem.tsx'
import type { Question } from './question.ts'
import { ThisEnvironment } from './tag.tsx'

interface ConfirmProps extends Omit<Question, 'consequence'> {
  /** Says who can do no longer what. */
  consequence: ReactNode
  /** Where it happens, if that is not the environment of the page. */
  lead?: ReactNode
  children?: ReactNode
  /** The text to type first, where the thing is in use or in Live. */
  typed?: string | undefined
  busy: boolean
  error: unknown
  onConfirm: () => void
  onClose: () => void
}

/** A name can begin or end with a space, or have two in a row. The page does not show them, so they need not be typed. */
const asShown = (text: string) => text.trim().replace(/\s+/g, ' ')

export function Confirm({ title, lead, consequence, children, keep, act, typed, busy, error, onConfirm, onClose }: ConfirmProps) {
  const { environment } = useScope()
  const [text, setText] = useState('')
  const is_typed = typed === undefined || asShown(text) === asShown(typed)
  return (
    <Dialog
      alert
      busy={busy}
      onClose={onClose}
      title={title}
      lead={lead ?? (environment ? <ThisEnvironment /> : null)}
      width={540}
      footer={<Buttons keep={keep} onClose={onClose} act={act} onAct={onConfirm} look="danger" disabled={!is_typed} busy={busy} />}
    >
      <Note tone="bad">{consequence}</Note>
      {children}
      {typed === undefined ? null : (
        <TextInput
          label={
            <>
              Type <code>{typed}</code> to go on
            </>
          }
          autoComplete="off"
          spellCheck={false}
          {...entered(text, setText)}
        />
      )}
      <Problem error={error} />
    </Dialog>
  )
}

interface ConfirmCallProps<T> extends Omit<ConfirmProps, 'busy' | 'error' | 'onConfirm'> {
  call: () => Promise<T>
  changes: readonly Key[]
  /** Whether the answer has a secret. */
  secret?: boolean
  done?: (answer: T) => void
}

/** The alert before one call. It closes after a success, and each time it opens, the last failure is forgotten. */
export function ConfirmCall<T>({ call, changes, secret = false, done, ...question }: ConfirmCallProps<T>) {
  const action = useAction(call, { changes, secret, done: done ?? question.onClose })
  return <Confirm {...question} busy={action.busy} error={action.error} onConfirm={() => action.run()} />
}
