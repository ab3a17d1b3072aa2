import { StatisticsCharts, signInMethods, signIns, tokens } from '../../parts/statistics.tsx'

/** The charts of the overview, a chunk of their own: the numbers and the steps come first. */
export default function Activity() {
  return <StatisticsCharts title="Activity" kinds={[signIns, signInMethods, tokens]} />
}
