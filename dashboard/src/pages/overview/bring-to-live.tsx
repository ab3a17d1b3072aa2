/** The last step of Test. A chunk of its own: the comparison knows every field of the settings, and the overview does not wait for it. */
import type { Environment } from '@ostiary/sdk'
import { Link } from '@tanstack/react-router'
import { useRead } from '../../parts/reading.tsx'
import { Time } from '../../parts/time.tsx'
import { configurations } from '../../queries/configurations.ts'
import { promotions } from '../../queries/promotions.ts'
import { toPage, toPromotion, useEnvironment } from '../../scope.tsx'
import { compare, isDifference } from '../compare/compare.ts'
import { inPlural } from '../promotion/words.ts'
import { StepLine } from './step-line.tsx'

/** The newest plan that waits, else what Test and Live differ in. */
export default function BringToLive() {
  const { environments } = useEnvironment()
  const live = environments.find(({ type }) => type === 'live')
  return live ? <Step live={live} /> : null
}

function Step({ live }: { live: Environment }) {
  const here = useEnvironment()
  const { environment } = here
  const waiting = useRead(promotions.latest(here, live.id, 'planned')).data
  const plan = waiting && !waiting.stale && waiting.from_environment_id === environment.id ? waiting : null
  const { data } = useRead(configurations.pair(here, { test: environment.id, live: live.id }), { enabled: waiting !== undefined && !plan })
  if (plan)
    return (
      <StepLine
        title="Bring it to Live"
        state="open"
        detail={
          <>
            A plan by {plan.created_by?.label ?? plan.created_by?.id} waits, <Time at={plan.created_at} />.
          </>
        }
      >
        <Link className="btn s" {...toPromotion(plan.id)}>
          Open the plan
        </Link>
      </StepLine>
    )
  if (!data) return null
  const rows = compare(data).flatMap((group) => group.rows)
  const [missing, differing] = [rows.filter(({ state }) => state === 'missing').length, rows.filter(isDifference).length]
  const words = `${inPlural(differing - missing, 'setting differs', 'settings differ')}, ${inPlural(missing, 'thing is', 'things are')} missing in Live.`
  return (
    <StepLine title="Bring it to Live" state={differing === 0 ? 'done' : 'open'} detail={words}>
      {differing === 0 ? null : (
        <Link className="btn s" {...toPage('/test-and-live')}>
          Compare
        </Link>
      )}
    </StepLine>
  )
}
