/** The effects of a change of a role, in words. Pure functions. */
import type { RolePreview } from '@ostiary/sdk'

type Effect = RolePreview['effects'][number]

export interface EffectLine {
  change: Effect['change']
  /** `12 users lose` */
  words: string
  scopes: { resource_server: string; scope: string }[]
}

/** More are not counted. */
const most_counted = 1_000
const numbers = new Intl.NumberFormat('en')

export function peopleWords(users: number): string {
  if (users === 1) return '1 user'
  return `${numbers.format(users)}${users < most_counted ? '' : ' or more'} users`
}

const verbs = { lost: ['loses', 'lose'], gained: ['gains', 'gain'] } as const

/** A line for all scopes that the same number of people lose or gain. Lost ones come first. */
export function effectLines(effects: readonly Effect[]): EffectLine[] {
  const groups = Map.groupBy(effects, ({ change, users }) => `${change} ${users}`)
  const lines = [...groups.values()].flatMap(([first, ...others]): EffectLine[] => {
    if (!first) return []
    const { change, users } = first
    const [one, several] = verbs[change]
    const who = users === null ? `Everyone without another role for it ${one}` : `${peopleWords(users)} ${users === 1 ? one : several}`
    return [{ change, words: who, scopes: [first, ...others].map(({ resource_server, scope }) => ({ resource_server, scope })) }]
  })
  return lines.toSorted((a, b) => Number(b.change === 'lost') - Number(a.change === 'lost'))
}
