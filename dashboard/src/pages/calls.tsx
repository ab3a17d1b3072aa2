/** Refused calls of an environment. */
import { Link } from '@tanstack/react-router'
import { refusedCalls, StatisticsCharts } from '../parts/statistics.tsx'
import { callsOfEnvironment } from '../queries/calls.ts'
import { useEnvironment } from '../scope.tsx'
import { CallList } from './calls/list.tsx'

export default function Calls() {
  const here = useEnvironment()
  return (
    <CallList
      lead="Every call that this environment refused in the last seven days, with the reason. Paste a request id into the search to find one."
      chart={<StatisticsCharts title="Refusals" kinds={[refusedCalls]} />}
      actions={
        here.can('admin') ? (
          <Link className="btn" to="/t/$tenant/calls" params={{ tenant: here.tenant.slug }}>
            Outside of environments
          </Link>
        ) : null
      }
      source={callsOfEnvironment(here)}
    />
  )
}
