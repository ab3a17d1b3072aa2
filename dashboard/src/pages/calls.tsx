/** Refused calls of an environment. */

import { refusedCalls, StatisticsCharts } from '../parts/statistics.tsx'
import { callsOfEnvironment } from '../queries/calls.ts'
import { useEnvironment } from '../scope.tsx'
import { CallList } from './calls/list.tsx'

export default function Calls() {
  return (
    <CallList
      lead="Every call that this environment refused in the last seven days, with the reason. Paste a request id into the search to find one."
      chart={<StatisticsCharts title="Refusals" kinds={[refusedCalls]} />}
      source={callsOfEnvironment(useEnvironment())}
    />
  )
}
