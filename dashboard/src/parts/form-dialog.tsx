/** A dialog with a form, for a new object or an edit: its fields, the problem of the last attempt, Cancel, and one button that saves. */
import { type FormEvent, type ReactNode, type RefObject, useEffect, useId, useLayoutEffect, useRef, useState } from 'react'
import { useEnvironment } from '../scope.tsx'
import { Dialog } from './dialog.tsx'
import { fieldsOf, Problem } from './problem.tsx'
import { ThisEnvironment } from './tag.tsx'

interface FormDialogProps {
  title: string
  /** Where the object is, if that is not the environment of the page. */
  lead?: ReactNode
  /** The button that saves. */
  submit: string
  action: { busy: boolean; error: unknown }
  disabled?: boolean
  onSubmit: () => void
  onClose: () => void
  children: ReactNode
}

export function FormDialog({
  title,
  lead = <InEnvironment />,
  submit,
  action,
  disabled = false,
  onSubmit,
  onClose,
  children,
}: FormDialogProps) {
  const id = useId()
  const form = useRef<HTMLFormElement>(null)
  const is_at_fields = useMarks(form, action.error)
  const send = (event: FormEvent) => {
    event.preventDefault()
    onSubmit()
  }
  return (
    <Dialog
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
      <form id={id} ref={form} onSubmit={send}>
        {children}
        <Problem error={action.error} focus={!is_at_fields} is_at_fields={is_at_fields} />
      </form>
    </Dialog>
  )
}

/** Reports whether every field of a refused call is marked in the form, and then leads to the first one. */
function useMarks(form: RefObject<HTMLFormElement | null>, error: unknown): boolean {
  const [are_all_marked, setAllMarked] = useState(false)
  const marks = () => [...(form.current?.querySelectorAll<HTMLElement>('[aria-invalid="true"]') ?? [])]
  // biome-ignore lint/correctness/useExhaustiveDependencies: the marks are those that this error made
  useLayoutEffect(() => {
    const count = fieldsOf(error)
    setAllMarked(count > 0 && marks().length >= count)
  }, [error])
  // biome-ignore lint/correctness/useExhaustiveDependencies: likewise
  useEffect(() => {
    if (are_all_marked) marks()[0]?.focus()
  }, [are_all_marked, error])
  return are_all_marked
}

/** The lead of a dialog about an object of the environment. `children` follow. */
export function InEnvironment({ children }: { children?: ReactNode }) {
  const { project } = useEnvironment()
  return (
    <>
      For <ThisEnvironment /> of {project.name}. {children}
    </>
  )
}
