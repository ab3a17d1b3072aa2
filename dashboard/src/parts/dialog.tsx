/** A dialog: a sheet on small screens. Focus stays inside and returns afterwards. */
import { Modal } from '@mantine/core'
import type { ReactNode } from 'react'
import { useEscape } from './escape.ts'
import { Icon } from './icon.tsx'

interface DialogProps {
  opened?: boolean
  onClose: () => void
  title: string
  lead?: ReactNode
  children?: ReactNode
  footer: ReactNode
  width?: number
  /** An alert needs an answer: a press outside does not close it. */
  alert?: boolean
  /** Whether its call is on the way. Nothing closes it before the answer, which can have a secret or refuse what was entered. */
  busy?: boolean
  /** Whether it is above another dialog. */
  above?: boolean
}

interface ButtonsProps {
  /** The harmless button, which closes the dialog. */
  keep: string
  onClose: () => void
  /** The button that goes on. */
  act: ReactNode
  onAct: () => void
  look?: 'pri' | 'danger'
  /** Whether it cannot be pressed yet. */
  disabled?: boolean
  busy?: boolean
}

/** The two buttons of most dialogs. That of an alert gives the focus to the harmless one. */
export const Buttons = ({ keep, onClose, act, onAct, look = 'pri', disabled = false, busy = false }: ButtonsProps) => (
  <>
    <button type="button" className="btn" data-autofocus={look === 'danger' || undefined} disabled={busy} onClick={onClose}>
      {keep}
    </button>
    <button type="button" className={`btn ${look}`} disabled={disabled || busy} onClick={onAct}>
      {act}
    </button>
  </>
)

/** Mantine's dialogs always have the role `dialog`. */
const markAlert = (element: HTMLElement | null) => {
  element?.setAttribute('role', 'alertdialog')
}

export function Dialog({
  opened = true,
  onClose,
  title,
  lead,
  children,
  footer,
  width = 600,
  alert = false,
  busy = false,
  above = false,
}: DialogProps) {
  useEscape(opened, busy ? null : onClose)
  return (
    <Modal.Root
      opened={opened}
      onClose={onClose}
      size={width}
      centered
      closeOnClickOutside={!alert && !busy}
      zIndex={above ? 300 : 200}
      classNames={{ content: 'dlg', inner: 'dlg-inner' }}
    >
      <Modal.Overlay />
      <Modal.Content ref={alert ? markAlert : undefined}>
        <div className="dlg-head">
          <div>
            <Modal.Title component="h2" className="dlg-title">
              {title}
            </Modal.Title>
            {lead ? <p>{lead}</p> : null}
          </div>
        </div>
        <div className="in-b">{children}</div>
        <div className="dlg-foot">{footer}</div>
        {alert ? null : (
          // The last one, so that the focus begins in the first field.
          <button type="button" className="btn quiet icon dlg-close" aria-label="Close" disabled={busy} onClick={onClose}>
            <Icon name="cross" />
          </button>
        )}
      </Modal.Content>
    </Modal.Root>
  )
}
