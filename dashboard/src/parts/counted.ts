/** Numbers with a bound, in words. */
import type { Counted } from '@ostiary/sdk'

/** `1 person`, `12 people`, `1,000 or more people`. */
export const countedWords = ({ count, or_more }: Counted, one: string, many: string): string =>
  `${count.toLocaleString('en')}${or_more ? ' or more' : ''} ${count === 1 && !or_more ? one : many}`
