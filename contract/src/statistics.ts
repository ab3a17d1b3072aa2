/** Counters of an environment per hour or day. Empty intervals are omitted. */
import { z } from 'zod'
import { EnvironmentId, KeyId } from './ids.ts'
import { Time } from './values.ts'

const count = z.int().min(0)

const moment = z.iso.datetime({ offset: true })

/** The range is at most 31 days by the hour and 400 days by the day. `from` defaults to 24 hours or 30 days before `to`. */
export const StatisticsQuery = z.object({
  from: moment.optional(),
  to: moment.optional(),
  interval: z.enum(['hour', 'day']).default('hour'),
})

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
