/**
 * The form of an object that exists: what it changes, whether that is unsaved, the save with both versions after a 412, and the errors.
 *
 *   const edit = useEdit({ base, report, change, of, write })              what all of these forms share
 *   <EditForm edit={edit}>fields</EditForm>                                a form on a page
 *   <FormDialog action={edit} onSubmit={edit.submit}>fields</FormDialog>   a form in a dialog
 */
import { type FormEvent, type ReactNode, useEffect, useState } from 'react'
import { useEnvironment } from '../scope.tsx'
import { Confirm } from './confirm.tsx'
import { Problem } from './problem.tsx'
import type { Question } from './question.ts'
import { type SaveOptions, useSave } from './save.tsx'

/** The props that `Editing` passes to a form. */
export interface Edited<T> {
  base: SaveOptions<T, object>['base']
  report: (is_edited: boolean) => void
}

interface EditOptions<T, C> extends Omit<SaveOptions<T, C>, 'done'> {
  /** The values of the form that differ from the version that it began with. */
  change: C
  report: Edited<T>['report']
  done?: () => void
}

export function useEdit<T extends object, C extends object>({ change, report, done, ...options }: EditOptions<T, C>) {
  const is_edited = Object.keys(change).length > 0
  useEffect(() => {
    report(is_edited)
  }, [is_edited, report])
  const save = useSave({
    ...options,
    done: () => {
      report(false)
      done?.()
    },
  })
  return { ...save, is_edited, submit: () => save.run(change) }
}

type Edit = Pick<ReturnType<typeof useEdit>, 'is_edited' | 'busy' | 'error' | 'dialog' | 'submit'>

/** The members of `next` that differ from the record. */
export function changedMembers<C extends object>(record: object, next: C): Partial<C> {
  const before = record as Record<string, unknown> // as: read by name
  const changed = Object.entries(next).filter(([name, value]) => JSON.stringify(before[name]) !== JSON.stringify(value))
  return Object.fromEntries(changed) as Partial<C> // as: some of its members
}

interface EditFormProps {
  edit: Edit
  /** The object of the question, typed in Live. */
  name?: string
  question?: Question | null
  /** Why it cannot be saved yet, or `true` where a field says so. */
  incomplete?: ReactNode
  /** Whether the fields are in cards of their own. */
  in_cards?: boolean
  children: ReactNode
}

export function EditForm({ edit, name, question = null, incomplete = false, in_cards = false, children }: EditFormProps) {
  const { can, environment } = useEnvironment()
  const [is_asking, setAsking] = useState(false)
  const may = can('developer')
  const look = in_cards ? 'stack' : 'form'
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (question) setAsking(true)
    else edit.submit()
  }
  const confirm = () => {
    setAsking(false)
    edit.submit()
  }
  return (
    <form className={look} onSubmit={submit}>
      <fieldset disabled={!may || edit.busy} className={look}>
        {children}
      </fieldset>
      <Problem error={edit.error} focus />
      {is_asking && question ? (
        <Confirm
          {...question}
          typed={environment.type === 'live' ? name : undefined}
          busy={edit.busy}
          error={null}
          onConfirm={confirm}
          onClose={() => setAsking(false)}
        />
      ) : null}
      {edit.dialog}
      <div className={in_cards ? 'toolbar' : 'acts'}>
        <button type="submit" className="btn pri" disabled={!edit.is_edited || Boolean(incomplete) || edit.busy || !may}>
          Save
        </button>
        {typeof incomplete === 'string' ? <span className="muted">{incomplete}</span> : null}
        {may ? null : <span className="muted">Needs the role developer.</span>}
      </div>
    </form>
  )
}
