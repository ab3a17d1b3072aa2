/** Refused calls of an environment. */
import { refusedCalls, StatisticsCharts } from '../parts/statistics.tsx'
import { useEnvironment } from '../scope.tsx'
import { CallList } from './calls/list.tsx'

export default function Calls() {
  const { client, at, environment, base } = useEnvironment()
  return (
    <CallList
      lead="Every call that this environment refused in the last seven days, with the reason. Paste a request id into the search to find one."
      chart={<StatisticsCharts title="Refusals" kinds={[refusedCalls]} />}
      source={{
        key: environment.id,
        base,
        list: (filter, cursor) => client.listRefusedCalls({ ...at, ...filter, cursor }).page(),
        summary: (signal) => client.summariseRefusedCalls(at, { signal }),
        read: (request_id, signal) => client.getRefusedCall({ ...at, request_id }, { signal }),
        events: (request_id, signal) => client.listEvents({ ...at, request_id }, { signal }).page(),
      }}
    />
  )
}
