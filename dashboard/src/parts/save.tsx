/**
 * Saving what a form changed, for the version that the form began with. Where another person or tab saved first, a dialog shows both
 * versions field by field. The person chooses, and the choice is saved for the new version. Nothing is lost on either side.
 *
 *   <Editing latest={read.data}>{(edited) => <Form {...edited} />}</Editing>   keeps the version while the form has changes
 *   const save = useSave({ base, of, write })                              save.run(change), save.dialog; see also `edit.tsx`
 */
import '../styles/conflict.css'
import { OstiaryError } from '@ostiary/sdk'
import { useBlocker } from '@tanstack/react-router'
import { Fragment, type ReactNode, useEffect, useId, useState } from 'react'
import { type Key, remember, type Signal } from '../queries/query.ts'
import { useScope } from '../scope.tsx'
import { useAction } from './action.ts'
import { useAnnounce } from './announce.tsx'
import { Conflict } from './conflict.tsx'
import { type Choice, differences, isContested, withChoices } from './differences.ts'

/** An object with its version: an answer of the client. */
export interface Version<T> {
  data: T
  etag: string | null
  /** The version that this page replaced by it. Only what the page saved differs between both. */
  replaces?: string | null
}

export interface SaveOptions<T, C> {
  base: Version<T>
  /** The object that the page reads. The saved version replaces it, so that the form continues with that. */
  of: { queryKey: Key; read: (options: Signal) => Promise<Version<T>> }
  write: (change: C, options: { if_match: string | undefined }) => Promise<Version<T>>
  /** The keys of other reads to repeat after a success. */
  changes?: readonly Key[]
  done?: () => void
  /** The name of a field, by its JSON pointer. Without one the pointer itself is put into words. */
  label?: (pointer: string) => string | undefined
}

export function useSave<T extends object, C extends object>({ base, of, write, changes = [], done, label }: SaveOptions<T, C>) {
  const announce = useAnnounce()
  /** The change was made for `before`. The page itself can have a newer version by now. */
  const [conflict, setConflict] = useState<{ change: C; before: T; current: Version<T> } | null>(null)
  const send = async ({ change, before, etag }: { change: C; before: T; etag: string | null }): Promise<typeof conflict> => {
    try {
      const saved = await write(change, { if_match: etag ?? undefined })
      remember(of.queryKey, { ...saved, replaces: etag })
      return null
    } catch (error) {
      if (!(error instanceof OstiaryError && error.code === 'stale_version')) throw error
    }
    const current = await of.read({})
    remember(of.queryKey, current)
    const { fields, others } = differences(change, before, current.data)
    // Only the service set something, for example at a rotation of the secret, so there is nothing to choose.
    const is_alike = others.length === 0 && !fields.some(isContested) && current.etag !== etag
    return is_alike ? send({ change, before, etag: current.etag }) : { change, before, current }
  }
  const action = useAction(send, {
    changes: [of.queryKey, ...changes],
    done: (stale) => {
      setConflict(stale)
      if (stale) return
      announce('Saved.')
      done?.()
    },
  })
  const resolve = (choices: ReadonlyMap<string, Choice>) => {
    if (!conflict) return
    const { before, current } = conflict
    const change = withChoices(conflict.change, choices)
    if (Object.keys(change).length > 0) return action.run({ change, before, etag: current.etag })
    setConflict(null)
    done?.()
  }
  const dialog: ReactNode = conflict ? (
    <Conflict
      key={conflict.current.etag}
      {...differences(conflict.change, conflict.before, conflict.current.data)}
      label={label}
      busy={action.busy}
      error={action.error}
      onResolve={resolve}
      onClose={() => setConflict(null)}
    />
  ) : null
  return {
    run: (change: C) => action.run({ change, before: base.data, etag: base.etag }),
    busy: action.busy,
    error: conflict ? null : action.error,
    reset: action.reset,
    dialog,
  }
}

interface EditingProps<T> {
  latest: Version<T>
  children: (edited: { base: Version<T>; report: (is_edited: boolean) => void }) => ReactNode
}

/**
 * Keeps the version that a form began with while it has unsaved changes, so that reading again does not replace them. Leaving the page
 * asks first. Saving another form of the page moves the version and leaves the changes: two forms of a page have no field in common.
 * Without unsaved changes, a new version begins the form again. A version belongs to one object: a form of another one begins from
 * nothing, because both can have the same number.
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
  const [began, setBegan] = useState(latest.etag)
  const [base, setBase] = useState(latest)
  const [is_edited, setEdited] = useState(false)
  if (!is_edited && began !== latest.etag) setBegan(latest.etag)
  if (base !== latest && (!is_edited || latest.replaces === base.etag)) setBase(latest)
  useAskBeforeLeaving(is_edited)
  return <Fragment key={began}>{children({ base, report: setEdited })}</Fragment>
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

/** A page has its forms in tabs. Other parameters of the query leave them as they are. */
const tabOf = ({ search }: { search: { tab?: string | undefined } }) => search.tab
