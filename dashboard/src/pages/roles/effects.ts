/** The effects of a change of a role, in words. Pure functions. */
import type { RolePreview } from '@ostiary/sdk'

type Effect = RolePreview['effects'][number]

export interface EffectLine {
  change: Effect['change']
  /** `12 members and 3 users lose` */
  words: string
  scopes: { resource_server: string; scope: string }[]
}

/** More are not counted. */
const most_counted = 1_000
const numbers = new Intl.NumberFormat('en')

type People = Pick<Effect, 'users' | 'members'>

function countWords(people: number, one: string): string {
  if (people === 1) return `1 ${one}`
  return `${numbers.format(people)}${people < most_counted ? '' : ' or more'} ${one}s`
}

/** `12 members and 3 users`, without those of whom there are none. */
export function peopleWords({ users, members }: { users: number; members: number }): string {
  const parts = [...(members > 0 ? [countWords(members, 'member')] : []), ...(users > 0 ? [countWords(users, 'user')] : [])]
  return parts.join(' and ')
}

/** Everyone of a kind stands apart: no count is known of them. */
function whoWords({ users, members }: People): string {
  const every = [...(members === null ? ['member'] : []), ...(users === null ? ['user'] : [])]
  const counted = peopleWords({ users: users ?? 0, members: members ?? 0 })
  if (every.length === 0) return counted
  const everyone = `Every ${every.join(' and every ')} without another role for it`
  return counted === '' ? everyone : `${everyone}, and ${counted}`
}

const isOne = ({ users, members }: People): boolean => (users ?? 1) + (members ?? 1) === 1

const verbs = { lost: ['loses', 'lose'], gained: ['gains', 'gain'] } as const

/** `1 user loses`, `12 members lose`. */
export const verbOf = (people: People, change: Effect['change']): string => verbs[change][isOne(people) ? 0 : 1]

/** A line for all scopes that the same people lose or gain. Lost ones come first. */
export function effectLines(effects: readonly Effect[]): EffectLine[] {
  const groups = Map.groupBy(effects, ({ change, users, members }) => `${change} ${users} ${members}`)
  const lines = [...groups.values()].flatMap(([first, ...others]): EffectLine[] => {
    if (!first) return []
    const { change } = first
    const scopes = [first, ...others].map(({ resource_server, scope }) => ({ resource_server, scope }))
    return [{ change, words: `${whoWords(first)} ${verbOf(first, change)}`, scopes }]
  })
  return lines.toSorted((a, b) => Number(b.change === 'lost') - Number(a.change === 'lost'))
}
