/** A dialog with a form, for a new object or an edit: its fields, the problem of the last attempt, Cancel, and one button that saves. */
import { type FormEvent, type ReactNode, useId } from 'react'
import { useEnvironment } from '../scope.tsx'
import { Dialog } from './dialog.tsx'
import { Problem } from './problem.tsx'
import { EnvironmentTag } from './tag.tsx'

interface FormDialogProps {
  title: string
  lead?: ReactNode
  /** The button that saves. */
  submit: string
  action: { busy: boolean; error: unknown }
  disabled?: boolean
  onSubmit: () => void
  onClose: () => void
  children: ReactNode
}

export function FormDialog({ title, lead, submit, action, disabled = false, onSubmit, onClose, children }: FormDialogProps) {
  const id = useId()
  const send = (event: FormEvent) => {
    event.preventDefault()
    onSubmit()
  }
  return (
    <Dialog
      opened
      onClose={onClose}
      busy={action.busy}
      title={title}
      lead={lead}
      footer={
        <>
          <button type="button" className="btn" disabled={action.busy} onClick={onClose}>
            Cancel
          </button>
          <button type="submit" form={id} className="btn pri" disabled={disabled || action.busy}>
            {submit}
          </button>
        </>
      }
    >
      <form id={id} onSubmit={send}>
        {children}
        {action.error ? <Problem error={action.error} focus /> : null}
      </form>
    </Dialog>
  )
}

/** The lead of a dialog about an object of the environment. `children` follow. */
export function InEnvironment({ children }: { children?: ReactNode }) {
  const { environment, project } = useEnvironment()
  return (
    <>
      For <EnvironmentTag type={environment.type} /> of {project.name}. {children}
    </>
  )
}
