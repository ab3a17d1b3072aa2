/** The last step of Test. A chunk of its own: the comparison knows every field of the settings, and the overview does not wait for it. */
import { Link } from '@tanstack/react-router'
import { Icon } from '../../parts/icon.tsx'
import { useEnvironment } from '../../scope.tsx'
import { compare, isDifference } from '../compare/compare.ts'
import { useConfigurations } from '../compare/configurations.ts'

/** The last step of Test: what Test and Live differ in. */
export default function BringToLive() {
  const { environment, environments, base } = useEnvironment()
  const live = environments.find(({ type }) => type === 'live')
  const { data } = useConfigurations(environment, live)
  if (!data) return null
  const rows = compare(...data).flatMap((group) => group.rows)
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
        <Link className="btn s" from={base} to={`${base}/test-and-live`}>
          Compare
        </Link>
      )}
    </li>
  )
}

const inPlural = (count: number, one: string, many: string) => `${count} ${count === 1 ? one : many}`
