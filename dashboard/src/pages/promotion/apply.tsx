/** The last look before a plan is applied: the secrets that it needs, the approval, and the button, which says why it is closed. */
import { PasswordInput } from '@mantine/core'
import { type ClientErrorCode, OstiaryError, type Promotion, type PromotionWithSecrets } from '@ostiary/sdk'
import { useEffect, useState } from 'react'
import { useAction } from '../../parts/action.ts'
import { useAnnounce } from '../../parts/announce.tsx'
import { Card } from '../../parts/card.tsx'
import { Confirm } from '../../parts/confirm.tsx'
import { Icon } from '../../parts/icon.tsx'
import { fieldError, Problem } from '../../parts/problem.tsx'
import { EnvironmentTag, Tag } from '../../parts/tag.tsx'
import { changedBySteps, promotions } from '../../queries/promotions.ts'
import { readAgain } from '../../queries/query.ts'
import { useProject } from '../../scope.tsx'
import { useAbout } from './about.tsx'
import { changedIn } from './changed.ts'
import { DoneBy } from './done-by.tsx'
import { StepButton } from './step-button.tsx'
import { inPlural, placeWords, summaryOf, summaryWords, whyNotApply, whyNotApprove } from './words.ts'

/** After such a refusal the promotion is not what the page shows. */
const has_moved: readonly string[] = ['promotion_stale', 'promotion_state', 'promotion_blocked', 'approval_required']

/** Reads the promotion again after a refusal that says that it has changed. */
export function useMoved(error: unknown): void {
  const { id } = useProject().project
  useEffect(() => {
    if (error instanceof OstiaryError && has_moved.includes(error.code)) readAgain(changedBySteps({ project: { id } }))
  }, [error, id])
}

/** Codes of the client: the service can have done its work, and what it answered is lost. */
const no_answer: readonly string[] = ['network_error', 'timed_out', 'unexpected_answer'] satisfies ClientErrorCode[]

/**
 * The call that applies a plan. The page owns it, not the card with the button: another reading can say that the plan is applied before the
 * answer is there, which closes the card, and the answer has secrets that are shown only once.
 */
export function useApply({ id, to_environment_id }: Promotion, done: (applied: PromotionWithSecrets) => void) {
  const here = useProject()
  const { client, project } = here
  const [is_asking, setAsking] = useState(false)
  const [is_cut_off, setCutOff] = useState(false)
  const apply = useAction(
    async (secrets: Readonly<Record<string, string>>) => {
      try {
        const applied = await client.applyPromotion(
          { project_id: project.id, promotion_id: id ?? '' },
          Object.keys(secrets).length > 0 ? { secrets } : {},
        )
        setCutOff(false)
        return applied
      } catch (error) {
        if (error instanceof OstiaryError && no_answer.includes(error.code)) setCutOff(true)
        throw error
      }
    },
    {
      secret: true,
      changes: [...changedBySteps(here), ...changedIn(project.id, to_environment_id)],
      done: (applied) => {
        setAsking(false)
        done(applied)
      },
    },
  )
  useMoved(apply.error)
  return { ...apply, is_asking, setAsking, is_cut_off }
}

interface ApplyProps {
  unconfirmed: number
  apply: ReturnType<typeof useApply>
}

export function Apply({ unconfirmed, apply }: ApplyProps) {
  const { can } = useProject()
  const { promotion, target, names } = useAbout()
  const { needed_secrets } = promotion
  const summary = summaryOf(promotion)
  const { delete: deletes } = summary
  const [secrets, setSecrets] = useState<ReadonlyMap<string, string>>(new Map())
  const { is_asking, setAsking } = apply
  const entered = [...secrets].filter(([, value]) => value !== '')
  const missing_secrets = needed_secrets.filter(({ name, stored }) => !stored && !secrets.get(name)).length
  const why = whyNotApply({ promotion, target, can, unconfirmed, missing_secrets })
  const send = () => apply.run(Object.fromEntries(entered))
  const errors = apply.error instanceof OstiaryError ? apply.error.errors : []
  const is_at_fields = errors.length > 0 && errors.every(({ pointer }) => needed_secrets.some(({ name }) => pointer === `/secrets/${name}`))
  return (
    <Card id="apply" title="Apply" beside={<EnvironmentTag type={target.type} />}>
      <div className="pad stack">
        <p>
          {summaryWords(summary, 'planned')} in {target.name}.{' '}
          <span className="muted">All of it happens, or nothing. It takes effect at once.</span>
        </p>
        {needed_secrets.map(({ name, stored, ...place }) => (
          <PasswordInput
            key={name}
            label={placeWords(place, names)}
            description={
              <>
                <code>{name}</code> {stored ? `${target.name} has one. Leave it empty to keep it.` : ''}
              </>
            }
            withAsterisk={!stored}
            autoComplete="off"
            value={secrets.get(name) ?? ''}
            error={fieldError(apply.error, `/secrets/${name}`)}
            onChange={(event) => setSecrets(new Map(secrets).set(name, event.currentTarget.value))}
          />
        ))}
        {promotion.approval.required ? <Approval /> : null}
        {apply.error && !is_asking && !promotion.stale ? <Problem error={apply.error} focus is_at_fields={is_at_fields} /> : null}
        <StepButton className="btn pri" why={why} busy={apply.busy} onClick={() => (deletes > 0 ? setAsking(true) : send())}>
          <Icon name="promote" /> Apply to {target.name}
        </StepButton>
      </div>
      {is_asking ? (
        <Confirm
          title={`Apply to ${target.name}?`}
          lead={<EnvironmentTag type={target.type} />}
          consequence={`${inPlural(deletes, 'object is', 'objects are')} deleted, so this promotion cannot be reverted.`}
          keep="Change nothing"
          act="Apply and delete"
          typed={target.type === 'live' ? target.name : undefined}
          busy={apply.busy}
          error={apply.error}
          onConfirm={send}
          onClose={() => setAsking(false)}
        />
      ) : null}
    </Card>
  )
}

function Approval() {
  const here = useProject()
  const { client, project, can, me } = here
  const { promotion } = useAbout()
  const announce = useAnnounce()
  const { approved_at, approved_by } = promotion.approval
  const why = whyNotApprove({ promotion, can }, me.user_id)
  const approve = useAction(() => client.approvePromotion({ project_id: project.id, promotion_id: promotion.id ?? '' }), {
    changes: [promotions.all(here)],
    done: () => announce('Approved.'),
  })
  useMoved(approve.error)
  if (approved_at !== null)
    return (
      <p>
        <Tag tone="ok">Approved</Tag> <DoneBy who={approved_by} at={approved_at} />
      </p>
    )
  return (
    <div className="stack">
      <p className="muted">Plans of this project to Live need the approval of another owner or admin.</p>
      <Problem error={approve.error} focus />
      <StepButton why={why} busy={approve.busy} onClick={() => approve.run()}>
        <Icon name="check" /> Approve
      </StepButton>
    </div>
  )
}
