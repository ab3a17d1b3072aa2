/** The charts of an environment, from its hourly counters. The range is in the query of the address. */

import type { Statistics } from '@ostiary/sdk'
import type { ReactNode } from 'react'
import { type Range, rangeNamed, statistics } from '../queries/environment.ts'
import { useEnvironment } from '../scope.tsx'
import { Chart, type Look } from './chart.tsx'
import { type Counted, everyInterval, type Interval, stack } from './chart-data.ts'
import { Loaded, useRead } from './reading.tsx'
import { useQueryState } from './search.ts'
import { isSignInReason, methodWords, reasonWords } from './words.ts'

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
export const signInMethods: Kind = {
  title: 'Sign-ins by method',
  unit: 'sign-ins',
  countsOf: ({ sign_ins }) =>
    byName(sign_ins.filter(({ outcome }) => outcome === 'succeeded').map(({ method, count }) => [methodWords(method), count])),
}
/** A failed sign-in is a refused call, whose code is the reason. */
export const failedSignIns: Kind = {
  title: 'Failures by reason',
  unit: 'failures',
  countsOf: ({ refused_calls }) =>
    byName(refused_calls.filter(({ code }) => isSignInReason(code)).map(({ code, count }) => [reasonWords(code), count])),
  looks: ['hatched', 'dotted', 'plain', 'outlined'],
}
export const webhookAttempts: Kind = {
  title: 'Webhook attempts by outcome',
  unit: 'attempts',
  countsOf: ({ webhook_attempts }) => byName(webhook_attempts.map(({ outcome, count }) => [outcome, count])),
  first: ['succeeded', 'failed'],
}
export const refusedCalls: Kind = {
  title: 'Refused calls by reason',
  unit: 'refused calls',
  countsOf: ({ refused_calls }) => byName(refused_calls.map(({ code, count }) => [reasonWords(code), count])),
  looks: ['hatched', 'dotted', 'plain', 'outlined'],
}

/** The uses of keys by the names that the page gives them. */
export const keyUses = (nameOf: (key_id: string) => string): Kind => ({
  title: 'Calls by key',
  unit: 'calls',
  countsOf: ({ key_uses }) => byName(key_uses.map(({ key_id, count }) => [key_id === null ? 'others' : nameOf(key_id), count])),
})

const names: readonly [Range, string][] = [
  ['24h', '24 hours'],
  ['7d', '7 days'],
  ['30d', '30 days'],
]

interface StatisticsChartsProps {
  title: string
  kinds: readonly Kind[]
  note?: ReactNode
  /** The numbers of the range in a sentence, which is read aloud when the range changes. */
  sentence?: (counted: Statistics) => string
}

export function StatisticsCharts({ title, kinds, note, sentence }: StatisticsChartsProps) {
  const { search, show } = useQueryState()
  const range = rangeNamed(search.range)
  const read = useRead(statistics.range(useEnvironment(), range), { refetchInterval: 30_000, keeps_previous: true })
  return (
    <section className="card charts" aria-label={title}>
      <header>
        <h2>{title}</h2>
        <fieldset className="r seg" aria-label={`Range of ${title}`}>
          {names.map(([each, name]) => (
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
            {sentence ? <output className="sentence">{sentence(counted)}</output> : null}
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
