/** The question before a revert: what goes back, what is deleted, and what has changed since, which can be left as it is now. */
import {
  type Left,
  type MadeSecret,
  OstiaryError,
  type PlannedChange,
  type PromotionCheck,
  type RevertConflict,
  type RevertPreview,
} from '@ostiary/sdk'
import { useEffect, useState } from 'react'
import { useAction } from '../../parts/action.ts'
import { useAnnounce } from '../../parts/announce.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Note } from '../../parts/note.tsx'
import { Problem } from '../../parts/problem.tsx'
import { Loaded, not_by_itself, useRead } from '../../parts/reading.tsx'
import { Heads, useFirst } from '../../parts/table.tsx'
import { EnvironmentTag } from '../../parts/tag.tsx'
import { changedBySteps, promotions } from '../../queries/promotions.ts'
import { readAgain } from '../../queries/query.ts'
import { useProject } from '../../scope.tsx'
import { fieldAt, inWords } from '../compare/fields.ts'
import { useAbout } from './about.tsx'
import { useMoved } from './apply.tsx'
import { changedIn } from './changed.ts'
import { CheckLines } from './checks.tsx'
import { BeforeAfter, Lines, ObjectList } from './objects.tsx'
import { conflictPlace, inPlural, keyOf, kindWords, placeWords } from './words.ts'

export interface RevertProps {
  close: () => void
  /** Gets the secrets that the revert made, `null` for a repeated answer, and what the preview found. */
  secretsOf: (secrets: readonly MadeSecret[] | null, checks: readonly PromotionCheck[]) => void
}

/** After such a refusal the preview is not what the service would do. */
const has_changed: readonly string[] = ['promotion_conflict', 'promotion_blocked']

export function Revert({ close, secretsOf }: RevertProps) {
  const here = useProject()
  const { client, project } = here
  const { promotion, target } = useAbout()
  const announce = useAnnounce()
  const promotion_id = promotion.id ?? ''
  const [left, setLeft] = useState<readonly string[]>([])
  const leave = left.flatMap((pointer): Left[] => {
    const place = conflictPlace(pointer)
    return place ? [{ object: place.object, slug: place.slug, ...(place.pointer === null ? {} : { pointer: place.pointer }) }] : []
  })
  const revert = useAction((_: RevertPreview['checks']) => client.revertPromotion({ project_id: project.id, promotion_id }, { leave }), {
    secret: true,
    changes: [...changedBySteps(here), ...changedIn(project.id, target.id)],
    done: (answer, checks) => {
      announce('Reverted.')
      close()
      if ('secrets' in answer) secretsOf(answer.secrets, checks)
    },
  })
  const reads = revert.busy ? { keeps_previous: true, ...not_by_itself } : { keeps_previous: true }
  const first = useRead(promotions.preview(here, promotion_id, []), reads)
  const now = useRead(promotions.preview(here, promotion_id, leave), reads)
  useMoved(revert.error)
  const is_outdated = revert.error instanceof OstiaryError && has_changed.includes(revert.error.code)
  useEffect(() => {
    if (is_outdated) readAgain([promotions.previews({ project: { id: project.id } }, promotion_id)])
  }, [is_outdated, project.id, promotion_id])
  const conflicts = conflictsOf(first.data, now.data)
  const shown = useFirst(conflicts, 'what changed since')
  const is_read = now.data !== undefined && !now.isPlaceholderData && !(is_outdated && now.isFetching)
  const open = now.data && is_read ? now.data.conflicts.length : null
  const errors = now.data?.checks.filter(({ level }) => level === 'error') ?? []
  const why =
    open === null
      ? 'Reading what a revert would do'
      : open > 0
        ? `${inPlural(open, 'thing has', 'things have')} changed since: leave each as it is now, or change it back first`
        : errors.length > 0
          ? `${inPlural(errors.length, 'error stands', 'errors stand')} in the way`
          : null
  return (
    <Dialog
      alert
      busy={revert.busy}
      onClose={close}
      width={760}
      title="Revert this promotion?"
      lead={
        <>
          <EnvironmentTag type={target.type} /> Every changed field gets the value that it had, and what was created is deleted.
        </>
      }
      footer={
        <>
          {why === null ? null : (
            <span id="why-no-revert" className="muted small tick">
              {why}.
            </span>
          )}
          <button type="button" className="btn" data-autofocus disabled={revert.busy} onClick={close}>
            Keep it
          </button>
          <button
            type="button"
            className="btn danger"
            disabled={why !== null || revert.busy}
            aria-describedby={why === null ? undefined : 'why-no-revert'}
            onClick={() => revert.run(now.data?.checks ?? [])}
          >
            Revert
          </button>
        </>
      }
    >
      <Loaded of={now}>
        {(preview) => (
          <div className="stack">
            {conflicts.length > 0 ? (
              <section>
                <h3>Changed since</h3>
                <ul className="conflicts">
                  {shown.first.map((conflict) => (
                    <ConflictLine
                      key={conflict.pointer}
                      conflict={conflict}
                      found={first.data}
                      is_left={left.includes(conflict.pointer)}
                      leave={(is_left) =>
                        setLeft(is_left ? [...left, conflict.pointer] : left.filter((pointer) => pointer !== conflict.pointer))
                      }
                    />
                  ))}
                </ul>
                {shown.more}
              </section>
            ) : null}
            {errors.map(({ code, detail }) => (
              <Note key={`${code} ${detail}`} tone="bad">
                {inWords(detail)}
              </Note>
            ))}
            <GoesBack changes={preview.changes.filter(({ action }) => action === 'update')} />
            <IsDeleted changes={preview.changes.filter(({ action }) => action === 'delete')} />
            {preview.changes.length === 0 ? <p className="muted">Nothing changes in {target.name}.</p> : null}
            <CheckLines className="checks inset" checks={preview.checks.filter(({ level }) => level === 'warning')} />
          </div>
        )}
      </Loaded>
      {is_outdated ? (
        <div className="note warn" role="alert">
          <Icon name="warn" size={16} />
          <span>Nothing is reverted: {target.name} has changed since this was read. What changed is here now.</span>
        </div>
      ) : revert.error ? (
        <Problem error={revert.error} focus />
      ) : null}
    </Dialog>
  )
}

/** Those of the first reading stay, so that the person can take a choice back. */
function conflictsOf(first: RevertPreview | undefined, now: RevertPreview | undefined): RevertConflict[] {
  const all = [...(first?.conflicts ?? []), ...(now?.conflicts ?? [])]
  return [...new Map(all.map((conflict) => [conflict.pointer, conflict])).values()]
}

interface ConflictLineProps {
  conflict: RevertConflict
  found: RevertPreview | undefined
  is_left: boolean
  leave: (is_left: boolean) => void
}

function ConflictLine({ conflict, found, is_left, leave }: ConflictLineProps) {
  const { promotion, names, target } = useAbout()
  const place = conflictPlace(conflict.pointer)
  if (place === null) return <li>{conflict.detail}</li>
  const { object, slug, pointer } = place
  const words = placeWords(place, names)
  const fieldIn = (changes: readonly PlannedChange[] | undefined) =>
    changes?.find((change) => change.object === object && change.slug === slug)?.fields.find((field) => field.pointer === pointer)
  const set = fieldIn(promotion.changes)
  // A field that a revert would not change has its former value already.
  const value = (fieldIn(found?.changes) ?? set)?.from
  return (
    <li>
      <p>
        <b>{words}</b> {object === 'settings' ? null : <span className="muted">{kindWords(object)}</span>}
      </p>
      {pointer !== null && set ? (
        <dl className="facts">
          <dt>The promotion set</dt>
          <dd className="value">
            <Lines look={fieldAt(object, pointer).look} value={set.to} />
          </dd>
          <dt>{target.name} now</dt>
          <dd className="value strong">
            <Lines look={fieldAt(object, pointer).look} value={value} />
          </dd>
        </dl>
      ) : (
        <p className="muted">{conflict.detail}</p>
      )}
      <label className="tick">
        <input type="checkbox" checked={is_left} onChange={(event) => leave(event.target.checked)} /> Leave it as it is now
        <span className="vh">: {words}</span>
      </label>
    </li>
  )
}

function GoesBack({ changes }: { changes: readonly PlannedChange[] }) {
  const { names, target } = useAbout()
  const rows = changes.flatMap(({ object, slug, fields }) => fields.map((field) => ({ object, slug, ...field })))
  const { first, more } = useFirst(rows, 'what goes back')
  if (rows.length === 0) return null
  return (
    <section className="card plan">
      <header>
        <h3>Goes back</h3>
      </header>
      <table className="rows" aria-label="Goes back">
        <Heads of={['Setting', `${target.name} now`, 'Then']} />
        <tbody>
          {first.map(({ from, to, ...place }) => {
            const { look } = fieldAt(place.object, place.pointer)
            return (
              <tr key={keyOf(place)}>
                <td className="kn">{placeWords(place, names)}</td>
                <BeforeAfter look={look} from={from} to={to} heads={[`${target.name} now`, 'Then']} />
              </tr>
            )
          })}
        </tbody>
      </table>
      {more}
    </section>
  )
}

function IsDeleted({ changes }: { changes: readonly PlannedChange[] }) {
  if (changes.length === 0) return null
  return (
    <section className="card plan">
      <header>
        <h3>Is deleted</h3>
      </header>
      <ObjectList changes={changes} />
    </section>
  )
}
