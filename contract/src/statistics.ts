/** How much happened in an environment, per hour or day. Intervals in which nothing happened are left out. */
import { z } from 'zod'
import { EnvironmentId, KeyId } from './ids.ts'
import { Time } from './values.ts'

const count = z.int().min(0)

const day = z.iso.datetime({ offset: true })

/** At most 31 days by the hour and 400 by the day; without `from`, the last day or month. */
export const StatisticsQuery = z.object({ from: day.optional(), to: day.optional(), interval: z.enum(['hour', 'day']).default('hour') })

export const Statistics = z.strictObject({
  environment_id: EnvironmentId,
  interval: z.enum(['hour', 'day']),
  from: Time,
  to: Time,
  data: z.array(
    z.strictObject({
      start: Time,
      sign_ins: z.array(z.strictObject({ method: z.string(), outcome: z.string(), count })),
      tokens: z.array(z.strictObject({ grant_type: z.string(), count })),
      webhook_attempts: z.array(z.strictObject({ outcome: z.string(), count })),
      key_uses: z.array(z.strictObject({ key_id: KeyId, count })),
    }),
  ),
})
export type Statistics = z.infer<typeof Statistics>
