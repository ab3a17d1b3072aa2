/** The range of time in the query of an address. */
import type { Search } from './search.ts'

const MINUTE_MS = 60_000
export const lasts: Readonly<Record<string, { words: string; minutes: number }>> = {
  '1h': { words: 'Last hour', minutes: 60 },
  '24h': { words: 'Last 24 hours', minutes: 1_440 },
  '7d': { words: 'Last 7 days', minutes: 10_080 },
}

/** `from` and `to` of the query: of its `last`, counted from this minute, else its own where they are times. */
export function rangeOf({ from, to, last }: Search): { from: string | undefined; to: string | undefined } {
  const minutes = lasts[last ?? '']?.minutes
  if (minutes === undefined) return { from: asTime(from), to: asTime(to) }
  const begin = Math.floor(Date.now() / MINUTE_MS) - minutes
  return { from: new Date(begin * MINUTE_MS).toISOString(), to: undefined }
}
const asTime = (text: string | undefined) =>
  text !== undefined && !Number.isNaN(Date.parse(text)) ? new Date(text).toISOString() : undefined
