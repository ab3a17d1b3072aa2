import type { Statistics } from '@ostiary/sdk'
import { totalOf } from '../../parts/chart-data.ts'
import { failedSignIns, StatisticsCharts, signInMethods } from '../../parts/statistics.tsx'

const number = (count: number, one: string, many: string) => `${count.toLocaleString('en')} ${count === 1 ? one : many}`

/** The numbers in words, which screen readers say as well. */
const sentence = (counted: Statistics) => {
  const people = counted.active_users === null ? '' : `${number(counted.active_users, 'active person', 'active people')}, `
  const [signed_in, failed] = [signInMethods, failedSignIns].map(({ countsOf }) => totalOf(counted.data, countsOf))
  return `${people}${number(signed_in ?? 0, 'sign-in', 'sign-ins')}, ${number(failed ?? 0, 'failure', 'failures')}.`
}

/** The charts of the overview, a chunk of their own: the numbers and the steps come first. */
export default function Activity() {
  return <StatisticsCharts title="Activity" kinds={[signInMethods, failedSignIns]} sentence={sentence} />
}
