/** How much something is used: numbers from what is stored anyway, each with a bound. */
import { z } from 'zod'
import { thousands } from './thousands.ts'

/** Rows that one count reads at most. */
export const most_counted = 1_000

export const Counted = z.strictObject({
  count: z.int().min(0).describe('How many were counted.'),
  or_more: z.boolean().describe(`Whether there can be more: a count reads at most ${thousands(most_counted)} rows of each kind.`),
})
export type Counted = z.infer<typeof Counted>
