/**
 * Saving what a form changed, for the version that the form began with. Where another person or tab saved first, a dialog shows both
 * versions field by field. The person chooses, and the choice is saved for the new version. Nothing is lost on either side.
 *
 *   <Editing latest={read.data}>{(base, report) => <Form key={base.etag} … />}</Editing>   keeps the version while the form has changes
 *   const save = useSave({ base, read, write })                                            save.run(change), save.dialog
 */
import '../styles/conflict.css'
import { OstiaryError } from '@ostiary/sdk'
import { type QueryKey, useQueryClient } from '@tanstack/react-query'
import { useBlocker } from '@tanstack/react-router'
import { type ReactNode, useEffect, useId, useState } from 'react'
import { useScope } from '../scope.tsx'
import { useAction } from './action.ts'
import { Conflict } from './conflict.tsx'
import { type Choice, differences, withChoices } from './differences.ts'

/** An object with its version: an answer of the client. */
export interface Version<T> {
  data: T
  etag: string | null
}

interface SaveOptions<T, C, R> {
  base: Version<T>
  read: () => Promise<Version<T>>
  write: (change: C, options: { if_match: string | undefined }) => Promise<R>
  /** The keys of what is read again after a success. */
  changes?: QueryKey[]
  done?: (result: R | null) => void
  /** The name of a field, by its JSON pointer. Without one the pointer itself is put into words. */
  label?: (pointer: string) => string | undefined
}

export function useSave<T extends object, C extends object, R>({ base, read, write, changes = [], done, label }: SaveOptions<T, C, R>) {
  const queries = useQueryClient()
  const [conflict, setConflict] = useState<{ change: C; current: Version<T> } | null>(null)
  const finish = (result: R | null) => {
    setConflict(null)
    done?.(result)
  }
  const send = async ({ change, if_match }: { change: C; if_match: string | null }) => {
    try {
      return { saved: await write(change, { if_match: if_match ?? undefined }) }
    } catch (error) {
      if (!(error instanceof OstiaryError && error.code === 'stale_version')) throw error
      return { stale: { change, current: await read() } }
    }
  }
  const action = useAction(send, { changes, done: (outcome) => (outcome.stale ? setConflict(outcome.stale) : finish(outcome.saved)) })
  const resolve = (choices: ReadonlyMap<string, Choice>) => {
    if (!conflict) return
    const change = withChoices(conflict.change, choices)
    if (Object.keys(change).length === 0) {
      for (const queryKey of changes) void queries.invalidateQueries({ queryKey })
      finish(null)
    } else action.run({ change, if_match: conflict.current.etag })
  }
  const dialog: ReactNode = conflict ? (
    <Conflict
      key={conflict.current.etag}
      {...differences(conflict.change, base.data, conflict.current.data)}
      label={label}
      busy={action.busy}
      error={action.error}
      onResolve={resolve}
      onClose={() => setConflict(null)}
    />
  ) : null
  return {
    run: (change: C) => action.run({ change, if_match: base.etag }),
    busy: action.busy,
    error: conflict ? null : action.error,
    reset: action.reset,
    dialog,
  }
}

interface EditingProps<T> {
  latest: Version<T>
  children: (base: Version<T>, report: (is_edited: boolean) => void) => ReactNode
}

/**
 * Keeps the version that a form began with while it has unsaved changes, so that reading again does not replace them. Leaving the page
 * asks first. A version belongs to one object: a form of another one begins from nothing, because both can have the same number.
 */
export function Editing<T extends object>({ latest, children }: EditingProps<T>) {
  const { environment } = useScope() // `null` on a page of the tenant
  const { id = environment?.id } = latest.data as { id?: string } // as: only the settings have no id, and each environment has one of them
  return (
    <Edited key={id} latest={latest}>
      {children}
    </Edited>
  )
}

function Edited<T>({ latest, children }: EditingProps<T>) {
  const [base, setBase] = useState(latest)
  const [is_edited, setEdited] = useState(false)
  if (!is_edited && base !== latest) setBase(latest)
  useAskBeforeLeaving(is_edited)
  return <>{children(base, setEdited)}</>
}

/** The forms with unsaved changes, in the order of their first change. The first one asks for all of them. */
const unsaved = new Set<string>()

function useAskBeforeLeaving(is_edited: boolean) {
  const id = useId()
  useEffect(() => {
    if (!is_edited) return
    unsaved.add(id)
    return () => void unsaved.delete(id)
  }, [id, is_edited])
  useBlocker({
    disabled: !is_edited,
    shouldBlockFn: ({ current, next }) =>
      [...unsaved][0] === id &&
      (current.pathname !== next.pathname || tabOf(current) !== tabOf(next)) &&
      !confirm('The changes on this page are not saved. Leave it and lose them?'),
  })
}

/** A page has its forms in tabs. What else is in the query leaves them as they are. */
const tabOf = ({ search }: { search: unknown }) => (search as { tab?: string }).tab // as: `validateSearch` of the routes makes all values text
