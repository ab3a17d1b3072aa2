/** The alert before something that cannot be undone. It says what breaks; focus starts on the harmless button. */
import { TextInput } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { Dialog } from './dialog.tsx'
import { Icon } from './icon.tsx'
import { Problem } from './problem.tsx'

interface ConfirmProps {
  title: string
  lead?: ReactNode
  /** The consequence: what stops working, and for whom. */
  consequence: ReactNode
  children?: ReactNode
  keep: string
  act: string
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
  const [text, setText] = useState('')
  const is_typed = typed === undefined || asShown(text) === asShown(typed)
  return (
    <Dialog
      opened
      alert
      busy={busy}
      onClose={onClose}
      title={title}
      lead={lead}
      width={540}
      footer={
        <>
          <button type="button" className="btn" data-autofocus disabled={busy} onClick={onClose}>
            {keep}
          </button>
          <button type="button" className="btn danger" disabled={!is_typed || busy} onClick={onConfirm}>
            {act}
          </button>
        </>
      }
    >
      <div className="note bad">
        <Icon name="warn" size={16} />
        <span>{consequence}</span>
      </div>
      {children}
      {typed === undefined ? null : (
        <TextInput
          label={
            <>
              Type <code>{typed}</code> to go on
            </>
          }
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          autoComplete="off"
          spellCheck={false}
        />
      )}
      {error ? <Problem error={error} /> : null}
    </Dialog>
  )
}
