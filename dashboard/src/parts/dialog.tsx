/** A dialog: a sheet on small screens. Focus stays inside and returns afterwards. */
import { Modal } from '@mantine/core'
import type { ReactNode } from 'react'
import { useEscape } from './escape.ts'
import { Icon } from './icon.tsx'

interface DialogProps {
  opened: boolean
  onClose: () => void
  title: string
  lead?: ReactNode
  children?: ReactNode
  footer: ReactNode
  width?: number
  /** An alert needs an answer: a press outside does not close it. */
  alert?: boolean
  /** Whether Escape and the cross close it. */
  closable?: boolean
  /** Whether it stands above another dialog. */
  above?: boolean
}

export function Dialog({
  opened,
  onClose,
  title,
  lead,
  children,
  footer,
  width = 600,
  alert = false,
  closable = true,
  above = false,
}: DialogProps) {
  useEscape(opened, closable ? onClose : null)
  return (
    <Modal.Root
      opened={opened}
      onClose={onClose}
      size={width}
      centered
      padding={0}
      radius={14}
      closeOnClickOutside={!alert && closable}
      closeOnEscape={false}
      zIndex={above ? 300 : 200}
      transitionProps={{ duration: 0 }}
      classNames={{ content: 'dlg' }}
    >
      <Modal.Overlay className="dim" />
      <Modal.Content {...(alert ? { role: 'alertdialog' } : {})}>
        <div className="dlg-head">
          <div>
            <Modal.Title component="h2" className="dlg-title">
              {title}
            </Modal.Title>
            {lead ? <p>{lead}</p> : null}
          </div>
          {closable && !alert ? (
            <button type="button" className="btn quiet icon" aria-label="Close" onClick={onClose}>
              <Icon name="cross" />
            </button>
          ) : null}
        </div>
        <div className="in-b">{children}</div>
        <div className="dlg-foot">{footer}</div>
      </Modal.Content>
    </Modal.Root>
  )
}
