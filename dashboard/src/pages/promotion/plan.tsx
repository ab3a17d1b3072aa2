/** Shows the changes of a promotion, object by object and field by field, and what it leaves as it is. */
import type { FieldChange, LeftAlone, PlannedChange } from '@ostiary/sdk'
import { Icon } from '../../parts/icon.tsx'
import { useRead } from '../../parts/reading.tsx'
import { Heads, useFirst } from '../../parts/table.tsx'
import { Tag } from '../../parts/tag.tsx'
import { Time } from '../../parts/time.tsx'
import { promotions } from '../../queries/promotions.ts'
import { useProject } from '../../scope.tsx'
import { switches } from '../compare/compare.ts'
import { fieldAt } from '../compare/fields.ts'
import { isSet } from '../compare/values.ts'
import { LeaveOut, useAbout } from './about.tsx'
import { Details } from './details.tsx'
import { BeforeAfter, Lines, New, ObjectList, ObjectName } from './objects.tsx'
import { keyOf, kindWords, madeIn, type Place, placeWords } from './words.ts'

interface Ticks {
  /** The places whose edit in the target the person lets the plan replace. */
  confirmed: ReadonlySet<string>
  confirm: (place: string, is_confirmed: boolean) => void
}

interface PlanProps extends Ticks {
  /** The changes that an earlier plan did not have; empty without one. */
  news: ReadonlySet<string>
}

export function Plan({ confirmed, confirm, news }: PlanProps) {
  const { promotion, target } = useAbout()
  const { changes, left_alone, status } = promotion
  const of = (action: PlannedChange['action']) => changes.filter((change) => change.action === action)
  const deleted = of('delete')
  return (
    <>
      {changes.length === 0 ? (
        <section className="card empty">
          <p>Nothing changes in {target.name}: it has all of this already.</p>
        </section>
      ) : null}
      <Creates changes={of('create')} news={news} />
      <Updates changes={of('update')} news={news} confirmed={confirmed} confirm={confirm} />
      {deleted.length > 0 ? (
        <section className="card plan" aria-labelledby="deletes">
          <header>
            <h2 id="deletes">{status === 'planned' ? 'Deletes' : 'Deleted'}</h2>
          </header>
          <ObjectList changes={deleted} news={news} />
        </section>
      ) : null}
      {left_alone.length > 0 ? <Stays entries={left_alone} /> : null}
    </>
  )
}

interface ChangesProps {
  changes: readonly PlannedChange[]
  news: ReadonlySet<string>
}

function Creates({ changes, news }: ChangesProps) {
  const { promotion } = useAbout()
  const { first, more } = useFirst(changes, 'new objects')
  const makes_secrets = new Set(madeIn(promotion.checks).map(keyOf))
  if (changes.length === 0) return null
  return (
    <section className="stack" aria-labelledby="creates">
      <h2 id="creates">{promotion.status === 'planned' ? 'Creates' : 'Created'}</h2>
      {first.map((change) => (
        <Created key={keyOf(change)} change={change} is_new={news.has(keyOf(change))} makes_secret={makes_secrets.has(keyOf(change))} />
      ))}
      {more}
    </section>
  )
}

/** First what was changed in the target too: the person has to confirm each of those. */
function Updates({ changes, news, ...ticks }: ChangesProps & Ticks) {
  const { promotion } = useAbout()
  const edits = promotion.checks.filter(({ code }) => code === 'edited_there')
  const objects = new Set(edits.map(({ object, slug }) => keyOf({ object, slug })))
  const isEdited = ({ object, slug }: PlannedChange) => objects.has(keyOf({ object, slug }))
  const { first, more } = useFirst([...changes.filter(isEdited), ...changes.filter((change) => !isEdited(change))], 'changed objects')
  if (changes.length === 0) return null
  const edited = new Set(edits.map(keyOf))
  return (
    <section className="stack" aria-labelledby="changes">
      <h2 id="changes">{promotion.status === 'planned' ? 'Changes' : 'Changed'}</h2>
      {first.map((change) => (
        <Updated key={keyOf(change)} change={change} news={news} edited={edited} {...ticks} />
      ))}
      {more}
    </section>
  )
}

function Created({ change, is_new, makes_secret }: { change: PlannedChange; is_new: boolean; makes_secret: boolean }) {
  const { object, fields } = change
  const { promotion } = useAbout()
  const is_done = promotion.status !== 'planned'
  const begins_off = fields.some(({ pointer, to }) => (pointer === '/disabled' && to === true) || (pointer === '/enabled' && to === false))
  const own = fields.filter(({ pointer, to }) => fieldAt(object, pointer).class === 'owned' && !switches.includes(pointer) && isSet(to))
  return (
    <section className="card plan">
      <header>
        <h3>
          <ObjectName of={change} />
        </h3>
        <div className="r">
          {is_new ? <New /> : null}
          {makes_secret && !is_done ? <Tag icon="key">New secret</Tag> : null}
          {begins_off && !is_done ? <Tag>Begins switched off</Tag> : null}
        </div>
      </header>
      {own.length > 0 ? <Values of={object} fields={own} /> : null}
      <Details className="pad" summary="All values">
        {() => <Values of={object} fields={fields.filter((field) => !own.includes(field))} />}
      </Details>
    </section>
  )
}

const Values = ({ of: object, fields }: { of: PlannedChange['object']; fields: readonly FieldChange[] }) => (
  <dl className="facts values">
    {fields.map(({ pointer, to }) => {
      const { label, look } = fieldAt(object, pointer)
      return (
        <div key={pointer} className="fact-row">
          <dt>{label}</dt>
          <dd>
            <Lines look={look} value={to} />
          </dd>
        </div>
      )
    })}
  </dl>
)

interface UpdatedProps extends Ticks {
  change: PlannedChange
  news: ReadonlySet<string>
  /** The places that were changed in the target since the last promotion to it. */
  edited: ReadonlySet<string>
}

function Updated({ change, news, edited, ...ticks }: UpdatedProps) {
  const { promotion, target, names } = useAbout()
  const { object, slug, fields } = change
  const is_done = promotion.status !== 'planned'
  const heads = is_done ? (['Before', 'After'] as const) : ([`${target.name} now`, 'Then'] as const)
  const label = placeWords({ object, slug }, names)
  return (
    <section className="card plan">
      <header>
        <h3>
          <ObjectName of={change} />
        </h3>
      </header>
      <table className="rows" aria-label={label}>
        <Heads of={['Setting', ...heads, 'Who is affected']} />
        <tbody>
          {fields.map(({ pointer, from, to }) => {
            const { label: name, look, affects } = fieldAt(object, pointer)
            const key = keyOf({ object, slug, pointer })
            return (
              <tr key={pointer}>
                <td className="kn">
                  {name} {news.has(key) ? <New /> : null}
                </td>
                <BeforeAfter look={look} from={from} to={to} heads={heads}>
                  {edited.has(key) && !is_done ? <Edited of={{ object, slug, pointer }} words={`${label}: ${name}`} {...ticks} /> : null}
                </BeforeAfter>
                <td className="muted small" data-l="Who is affected">
                  {affects}
                </td>
              </tr>
            )
          })}
        </tbody>
      </table>
    </section>
  )
}

/** A value that was changed in the target since the last promotion to it. */
function Edited({ of, words, confirmed, confirm }: Ticks & { of: Place; words: string }) {
  const place = keyOf(of)
  const { target } = useAbout()
  const here = useProject()
  const last = useRead(promotions.latest(here, target.id, 'applied')).data
  return (
    <span className="edited">
      <small className="tone-warn">
        <Icon name="warn" size={13} /> Changed in {target.name} since the last promotion
        {last?.applied_at ? (
          <>
            , <Time at={last.applied_at} />
          </>
        ) : null}
      </small>
      <label className="tick small">
        <input type="checkbox" checked={confirmed.has(place)} onChange={(event) => confirm(place, event.target.checked)} /> Replace it
        <span className="vh">: {words}</span>
      </label>
      <span className="small">
        <LeaveOut of={of} words={words} />
      </span>
    </span>
  )
}

function Stays({ entries }: { entries: readonly LeftAlone[] }) {
  const { target, names } = useAbout()
  const { first, more } = useFirst(entries, 'what stays')
  return (
    <section className="card plan" aria-labelledby="stays">
      <header>
        <h2 id="stays">Stays</h2>
      </header>
      <table className="rows" aria-labelledby="stays">
        <Heads of={['What', 'Why']} />
        <tbody>
          {first.map((entry) => (
            <tr key={keyOf(entry)}>
              <td className="kn">
                {placeWords(entry, names)} {entry.object === 'settings' ? null : <span className="muted">{kindWords(entry.object)}</span>}
              </td>
              <td className="any" data-l="Why">
                <span>
                  {entry.why === 'kept' ? <Tag>Meant to differ</Tag> : <Tag>Only in {target.name}</Tag>}{' '}
                  <span className="muted">{entry.reason ?? ''}</span>
                </span>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {more}
    </section>
  )
}
