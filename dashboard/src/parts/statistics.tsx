/** The charts of an environment, from its hourly counters. The range is in the query of the address. */

import type { Statistics } from '@ostiary/sdk'
import type { ReactNode } from 'react'
import { statistics } from '../queries/environment.ts'
import { useEnvironment } from '../scope.tsx'
import { Chart, type Look } from './chart.tsx'
import { type Counted, everyInterval, type Interval, stack } from './chart-data.ts'
import { Loaded, useRead } from './reading.tsx'
import { useQueryState } from './search.ts'

/** A chart of one kind of counts. */
export interface Kind {
  title: string
  unit: string
  countsOf: (interval: Interval) => readonly Counted[]
  /** Names that come first, also without counts. */
  first?: readonly string[]
  looks?: readonly Look[]
}

const byName = (counts: Iterable<Counted>): Counted[] => {
  const sums = new Map<string, number>()
  for (const [name, count] of counts) sums.set(name, (sums.get(name) ?? 0) + count)
  return [...sums]
}
const inWords = (name: string) => name.replaceAll('_', ' ')

const outcomes: Readonly<Record<string, string>> = { succeeded: 'succeeded', failed: 'failed', limited: 'refused after too many' }
const grants: Readonly<Record<string, string>> = { authorization_code: 'for a code', refresh_token: 'by refresh' }

export const signIns: Kind = {
  title: 'Sign-ins by outcome',
  unit: 'sign-ins',
  countsOf: ({ sign_ins }) => byName(sign_ins.map(({ outcome, count }) => [outcomes[outcome] ?? outcome, count])),
  first: ['succeeded', 'failed', 'refused after too many'],
}
export const signInMethods: Kind = {
  title: 'Sign-ins that succeeded, by method',
  unit: 'sign-ins',
  countsOf: ({ sign_ins }) =>
    byName(sign_ins.filter(({ outcome }) => outcome === 'succeeded').map(({ method, count }) => [inWords(method), count])),
}
export const tokens: Kind = {
  title: 'Token answers by grant',
  unit: 'token answers',
  countsOf: ({ tokens }) => byName(tokens.map(({ grant_type, count }) => [grants[grant_type] ?? inWords(grant_type), count])),
}
export const webhookAttempts: Kind = {
  title: 'Webhook attempts by outcome',
  unit: 'attempts',
  countsOf: ({ webhook_attempts }) => byName(webhook_attempts.map(({ outcome, count }) => [outcome, count])),
  first: ['succeeded', 'failed'],
}
export const refusedCalls: Kind = {
  title: 'Refused calls by code',
  unit: 'refused calls',
  countsOf: ({ refused_calls }) => byName(refused_calls.map(({ code, count }) => [code, count])),
  looks: ['hatched', 'dotted', 'plain', 'outlined'],
}

/** The uses of keys by the names that the page gives them. */
export const keyUses = (nameOf: (key_id: string) => string): Kind => ({
  title: 'Calls by key',
  unit: 'calls',
  countsOf: ({ key_uses }) => byName(key_uses.map(({ key_id, count }) => [key_id === null ? 'others' : nameOf(key_id), count])),
})

const ranges = [
  ['24h', '24 hours', 'hour'],
  ['30d', '30 days', 'day'],
] as const

export function StatisticsCharts({ title, kinds, note }: { title: string; kinds: readonly Kind[]; note?: ReactNode }) {
  const here = useEnvironment()
  const { search, show } = useQueryState()
  const [range, , interval] = ranges.find(([range]) => range === search.range) ?? ranges[0]
  const read = useRead(statistics.range(here, interval), { refetchInterval: 30_000, keeps_previous: true })
  return (
    <section className="card charts" aria-label={title}>
      <header>
        <h2>{title}</h2>
        <fieldset className="r seg" aria-label={`Range of ${title}`}>
          {ranges.map(([each, name]) => (
            <button
              key={each}
              type="button"
              aria-pressed={each === range}
              onClick={() => show({ range: each === '24h' ? undefined : each })}
            >
              {name}
            </button>
          ))}
        </fieldset>
      </header>
      <Loaded of={read}>
        {(counted: Statistics) => (
          <div className="of-charts">
            {kinds.map((kind) => (
              <Chart key={kind.title} {...kind} interval={counted.interval} {...stack(everyInterval(counted), kind.countsOf, kind.first)} />
            ))}
          </div>
        )}
      </Loaded>
      {note}
    </section>
  )
}
