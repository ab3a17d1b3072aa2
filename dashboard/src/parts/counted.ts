/** Numbers with a bound, in words. */
import type { Counted, Impact } from '@ostiary/sdk'

/** `1 person`, `12 people`, `1,000 or more people`. */
export const countedWords = ({ count, or_more }: Counted, one: string, many: string): string =>
  `${count.toLocaleString('en')}${or_more ? ' or more' : ''} ${count === 1 && !or_more ? one : many}`

/** Who would be hurt, a line for each count. */
export const impactLines = ({ grants, people, locked_out, calls_30_days }: Impact): string[] => [
  ...(locked_out === null ? [] : [`${countedWords(locked_out, 'person has', 'people have')} no other way to sign in`]),
  ...(people === null ? [] : [countedWords(people, 'person', 'people')]),
  ...(grants === null ? [] : [countedWords(grants, 'live grant', 'live grants')]),
  ...(calls_30_days === null ? [] : [`${countedWords({ count: calls_30_days, or_more: false }, 'use', 'uses')} in the last 30 days`]),
]
