/** One promotion on one page: the plan, its errors, the apply, the remaining tasks, and the revert. */
import '../styles/promotions.css'
import type { MadeSecret, Promotion, PromotionCheck, PromotionCreation } from '@ostiary/sdk'
import { useNavigate } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { useAction } from '../parts/action.ts'
import { useAnnounce } from '../parts/announce.tsx'
import { Icon } from '../parts/icon.tsx'
import { Note } from '../parts/note.tsx'
import { ChangeButton, Page } from '../parts/page.tsx'
import { Problem } from '../parts/problem.tsx'
import { Loaded, not_by_itself, useRead } from '../parts/reading.tsx'
import { useQueryState } from '../parts/search.ts'
import { configurations } from '../queries/configurations.ts'
import { ends, promotions } from '../queries/promotions.ts'
import { toPromotion, useProject } from '../scope.tsx'
import { AboutProvider, namesOf, useAbout } from './promotion/about.tsx'
import { callOf, callWithout, canLeaveOut, entriesOf, entryAt, planAgain } from './promotion/again.ts'
import { Applied } from './promotion/applied.tsx'
import { Apply, useApply } from './promotion/apply.tsx'
import { Checks } from './promotion/checks.tsx'
import { DoneBy } from './promotion/done-by.tsx'
import { FromTo } from './promotion/from-to.tsx'
import type { Texts } from './promotion/given.ts'
import { Plan } from './promotion/plan.tsx'
import { SecretsOnce } from './promotion/secrets.tsx'
import { PromotionStatus } from './promotion/status.tsx'
import { type Typed, ValuesForm } from './promotion/values-form.tsx'
import { comparedWith, goneFrom, keyOf, listed, lostIn, madeIn, movedWords, newIn, type Place, placeWords } from './promotion/words.ts'

/** How often an open plan is read again: it can go out of date, be approved, or be applied in another tab. */
const AGAIN_MS = 10_000

export function PromotionPage({ promotion_id }: { promotion_id: string }) {
  const here = useProject()
  // The part inside reads it again, since it knows when that has to wait.
  const read = useRead(promotions.one(here, promotion_id), not_by_itself)
  // Typed values outlive the plan: leaving something out, or planning again, opens another one for the same target.
  const [typed, setTyped] = useState<{ target: string; texts: Texts }>({ target: '', texts: new Map() })
  return (
    <Loaded of={read}>
      {(promotion) => {
        const target = promotion.to_environment_id
        const texts = typed.target === target ? typed.texts : new Map()
        return <Shown key={promotion_id} promotion={promotion} typed={[texts, (texts) => setTyped({ target, texts })]} />
      }}
    </Loaded>
  )
}

const title_of = { planned: 'Plan for', applied: 'Promotion to', reverted: 'Promotion to' } as const

function Shown({ promotion, typed }: { promotion: Promotion; typed: Typed }) {
  const here = useProject()
  const { environments, can, me } = here
  const { from_environment_id, to_environment_id, status, note, created_by, created_at } = promotion
  const source_document = useRead(configurations.one(here, from_environment_id ?? ''), { enabled: from_environment_id !== null }).data
  const target_document = useRead(configurations.one(here, to_environment_id)).data
  const [secrets, setSecrets] = useState<readonly MadeSecret[]>([])
  const [lost, setLost] = useState<readonly Place[]>([])
  const [wanted, setWanted] = useState<{ key: string } | null>(null)
  const secretsOf = (secrets: readonly MadeSecret[] | null, checks: readonly PromotionCheck[]) => {
    setSecrets(secrets ?? [])
    setLost(lostIn(secrets, checks))
  }
  const apply = useApply(promotion, ({ secrets }) => {
    secretsOf(secrets, promotion.checks)
    document.getElementById('page-title')?.focus()
  })
  // While it is applied, nothing else says what became of it before the answer does.
  useRead(
    promotions.one(here, promotion.id ?? ''),
    apply.busy ? not_by_itself : { refetchInterval: status === 'planned' ? AGAIN_MS : false },
  )
  const entries = useMemo(() => entriesOf(promotion), [promotion])
  const [confirmed, setConfirmed] = useState<ReadonlySet<string>>(new Set())
  const { plan, earlier } = usePlanAgain(promotion)
  const target = environments.find(({ id }) => id === to_environment_id)
  if (!target) return <Page title="Promotion">The environment of this promotion is gone.</Page>
  const source = environments.find(({ id }) => id === from_environment_id) ?? null
  const documents = { source: source_document, target: target_document }
  const is_planned = status === 'planned'
  const leaveOut = (place: Place) => {
    const is_open = is_planned && can('developer') && !plan.busy && canLeaveOut(promotion, entries)
    const entry = is_open ? entryAt(entries, place) : null
    return entry && (() => plan.send(callWithout(promotion, entries, entry)))
  }
  const give = (key: string) => setWanted({ key })
  const about = { promotion, source, target, documents, names: namesOf(documents, promotion), leaveOut, give }
  const is_mine = promotion.applied_by?.id === me.user_id
  const nobody_has = lost.length > 0 ? lost : apply.is_cut_off && status === 'applied' && is_mine ? madeIn(promotion.checks) : []
  const edits = promotion.checks.filter(({ code }) => code === 'edited_there')
  const confirm = (place: string, is_confirmed: boolean) => {
    const next = new Set(confirmed)
    if (is_confirmed) next.add(place)
    else next.delete(place)
    setConfirmed(next)
  }
  return (
    <AboutProvider value={about}>
      <Page
        title={`${title_of[status]} ${target.name}`}
        lead={
          <>
            <PromotionStatus of={promotion} /> <FromTo of={promotion} /> planned <DoneBy who={created_by} at={created_at} />
            {note ? <span className="note-of any">{note}</span> : null}
          </>
        }
        actions={
          is_planned ? (
            <ChangeButton
              disabled={plan.busy}
              why={callOf(promotion) === null ? 'It was planned from a file. Plan it again from there.' : undefined}
              onClick={() => plan.again()}
            >
              <Icon name="again" /> Plan again
            </ChangeButton>
          ) : undefined
        }
      >
        <Stages of={promotion} />
        <div className="stack">
          {plan.error && !plan.has_values ? <Problem error={plan.error} focus /> : null}
          {promotion.stale ? <OutOfDate busy={plan.busy} again={plan.again} /> : null}
          {earlier ? <Since earlier={earlier} /> : null}
          {nobody_has.length > 0 ? <Lost of={nobody_has} /> : null}
          {!is_planned && apply.error ? <Problem error={apply.error} focus /> : null}
          {is_planned ? null : <Applied secretsOf={secretsOf} />}
          {is_planned && from_environment_id !== null ? (
            <ValuesForm
              plan={{ run: plan.withValues, busy: plan.busy, error: plan.has_values ? plan.error : null, sent: plan.sent }}
              wanted={wanted}
              typed={typed}
            />
          ) : null}
          {is_planned ? <Checks /> : null}
          <Plan confirmed={confirmed} confirm={confirm} news={earlier ? newIn(promotion, earlier) : new Set()} />
          {is_planned ? <Apply unconfirmed={edits.filter((check) => !confirmed.has(keyOf(check))).length} apply={apply} /> : null}
        </div>
      </Page>
      {secrets.length > 0 ? <SecretsOnce secrets={secrets} close={() => setSecrets([])} /> : null}
    </AboutProvider>
  )
}

/** Plans the same again, or with other values, and opens the new plan. It marks what the one before did not have. */
function usePlanAgain(promotion: Promotion) {
  const here = useProject()
  const { client, project } = here
  const navigate = useNavigate()
  const announce = useAnnounce()
  const { search } = useQueryState()
  const earlier_id = search.earlier
  const earlier = useRead(promotions.one(here, earlier_id ?? ''), { enabled: earlier_id !== undefined }).data
  const [has_values, setHasValues] = useState(false)
  const [sent, setSent] = useState<readonly Place[]>([])
  const sends = ({ values }: PromotionCreation) => setSent((values ?? []).map(({ slug = null, ...place }) => ({ ...place, slug })))
  const planOf = ({ call }: { call: PromotionCreation; has_values: boolean }) =>
    planAgain(client, project.id, call, { changes: promotion.changes, sends })
  const action = useAction(planOf, {
    changes: [promotions.all({ project })],
    done: ({ id }, sent) => {
      announce('Planned again.')
      void navigate({ ...toPromotion(id, sent.has_values ? {} : { earlier: promotion.id ?? undefined }), replace: true })
    },
  })
  const send = (call: PromotionCreation | null, has_values: boolean) => {
    setHasValues(has_values)
    if (call) action.run({ call, has_values })
  }
  return {
    earlier: comparedWith(promotion, earlier),
    plan: {
      again: () => send(callOf(promotion), false),
      send: (call: PromotionCreation | null) => send(call, false),
      withValues: (call: PromotionCreation) => send(call, true),
      busy: action.busy,
      error: action.error,
      has_values,
      sent,
    },
  }
}

const stages = ['Plan', 'Checks', 'Apply', 'Applied', 'Reverted'] as const

/** Where the promotion is on its way. */
function Stages({ of: { status, checks } }: { of: Promotion }) {
  const has_errors = checks.some(({ level }) => level === 'error')
  const current = status === 'reverted' ? 4 : status === 'applied' ? 3 : has_errors ? 1 : 2
  return (
    <ol className="stages" aria-label="Stages">
      {stages
        .filter((stage) => stage !== 'Reverted' || status === 'reverted')
        .map((stage, index) => (
          <li key={stage} className={index < current ? 'done' : ''} aria-current={index === current ? 'step' : undefined}>
            {index < current ? <Icon name="check" size={13} /> : null}
            {stage}
            {index < current ? <span className="vh">: done</span> : null}
          </li>
        ))}
    </ol>
  )
}

function OutOfDate({ busy, again }: { busy: boolean; again: () => void }) {
  const here = useProject()
  const { promotion, source, target } = useAbout()
  const now = useRead(ends(here, [...(source ? [source.id] : []), target.id])).data
  const [new_source, new_target] = source ? [now?.[0] ?? null, now?.[1]] : [null, now?.[0]]
  const words = new_target ? movedWords(promotion, [new_source, new_target]) : 'An environment has changed since this plan'
  const call = callOf(promotion)
  return (
    <div className="note warn out-of-date" aria-live="polite">
      <Icon name="warn" size={16} />
      <div>
        <p className="strong">{words}</p>
        <p>
          It cannot be applied any more.{' '}
          {call === null ? 'Apply the file again: that makes a new plan.' : 'Plan again: the new plan marks what this one did not have.'}
        </p>
        {call === null ? (
          <code>
            ostiary apply --project {here.project.slug} --env {target.slug} --file FILE
          </code>
        ) : (
          <ChangeButton className="btn s" disabled={busy} onClick={again}>
            Plan again
          </ChangeButton>
        )}
      </div>
    </div>
  )
}

/** Shows the differences from the previous plan. */
function Since({ earlier }: { earlier: Promotion }) {
  const { promotion, names } = useAbout()
  const news = newIn(promotion, earlier).size
  const gone = goneFrom(promotion, earlier)
  return (
    <div className="note acc" aria-live="polite">
      <Icon name="again" size={16} />
      <div>
        <p>
          {news === 0 ? 'Nothing is new since the plan before.' : 'What the plan before did not have is marked “New in this plan”.'}
          {gone.length > 0 ? ` No longer in it: ${listed(gone.map((place) => placeWords(place, names)))}.` : ''}
        </p>
      </div>
    </div>
  )
}

/** The service did its work, and nobody has the secrets that it made. */
function Lost({ of: places }: { of: readonly Place[] }) {
  const { names } = useAbout()
  return (
    <Note tone="warn">
      The service did its work, but the answer with its new secrets was lost on the way. Nobody has them: rotate the secret of{' '}
      {listed(places.map((place) => placeWords(place, names)))}.
    </Note>
  )
}
