/** The last step of Test. A chunk of its own: the comparison knows every field of the settings, and the overview does not wait for it. */
import type { Environment } from '@ostiary/sdk'
import { Link } from '@tanstack/react-router'
import { Icon } from '../../parts/icon.tsx'
import { useRead } from '../../parts/reading.tsx'
import { Time } from '../../parts/time.tsx'
import { configurations } from '../../queries/configurations.ts'
import { promotions } from '../../queries/promotions.ts'
import { project_route, toPage, useEnvironment } from '../../scope.tsx'
import { compare, isDifference } from '../compare/compare.ts'

/** The newest plan that waits, else what Test and Live differ in. */
export default function BringToLive() {
  const { environments } = useEnvironment()
  const live = environments.find(({ type }) => type === 'live')
  return live ? <Step live={live} /> : null
}

function Step({ live }: { live: Environment }) {
  const here = useEnvironment()
  const { environment, tenant, project } = here
  const waiting = useRead(promotions.latest(here, live.id, 'planned')).data
  const plan = waiting && !waiting.stale && waiting.from_environment_id === environment.id ? waiting : null
  const { data } = useRead(configurations.pair(here, { test: environment.id, live: live.id }), { enabled: waiting !== undefined && !plan })
  if (plan)
    return (
      <li>
        <span className="d o">
          <Icon name="dots" size={13} />
        </span>
        <div className="t">
          <b>Bring it to Live</b>
          <span className="vh">Open.</span>
          <span>
            A plan by {plan.created_by?.label ?? plan.created_by?.id} waits, <Time at={plan.created_at} />.
          </span>
        </div>
        <Link
          className="btn s"
          to={`${project_route}/promotions/$promotion_id`}
          params={{ tenant: tenant.slug, project: project.slug, promotion_id: plan.id ?? '' }}
        >
          Open the plan
        </Link>
      </li>
    )
  if (!data) return null
  const rows = compare(data).flatMap((group) => group.rows)
  const [missing, differing] = [rows.filter(({ state }) => state === 'missing').length, rows.filter(isDifference).length]
  const is_done = differing === 0
  return (
    <li className={is_done ? 'done' : ''}>
      <span className={is_done ? 'd' : 'd o'}>
        <Icon name={is_done ? 'check' : 'dots'} size={13} />
      </span>
      <div className="t">
        <b>Bring it to Live</b>
        <span className="vh">{is_done ? 'Done.' : 'Open.'}</span>
        {is_done ? null : (
          <span>
            {inPlural(differing - missing, 'setting differs', 'settings differ')}, {inPlural(missing, 'thing is', 'things are')} missing in
            Live.
          </span>
        )}
      </div>
      {is_done ? null : (
        <Link className="btn s" {...toPage('/test-and-live')}>
          Compare
        </Link>
      )}
    </li>
  )
}

const inPlural = (count: number, one: string, many: string) => `${count} ${count === 1 ? one : many}`
