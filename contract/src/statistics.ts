/** Counters of an environment per hour or day. Empty intervals are omitted. */
import { z } from 'zod'
import { EnvironmentId, KeyId } from './ids.ts'
import { Moment, Time } from './values.ts'

const count = z.int().min(0)

/** The range is at most 31 days by the hour and 400 days by the day. `from` defaults to 24 hours or 30 days before `to`. */
export const StatisticsQuery = z.object({
  from: Moment.optional().describe('The first moment. It defaults to 24 hours (hour) or 30 days (day) before `to`.'),
  to: Moment.optional().describe('The last moment. It defaults to now. The range is at most 31 days by the hour and 400 days by the day.'),
  interval: z.enum(['hour', 'day']).default('hour').describe('The length of an interval. The default is `hour`.'),
})

export const Statistics = z.strictObject({
  environment_id: EnvironmentId,
  interval: z.enum(['hour', 'day']).describe('The length of an interval. The default is `hour`.'),
  from: Time.describe('The first moment. It defaults to 24 hours (hour) or 30 days (day) before `to`.'),
  to: Time.describe('The last moment. It defaults to now. The range is at most 31 days by the hour and 400 days by the day.'),
  data: z
    .array(
      z.strictObject({
        start: Time.describe('The beginning of the interval.'),
        sign_ins: z
          .array(z.strictObject({ method: z.string(), outcome: z.string(), count }))
          .describe('Sign-ins by method and outcome: `succeeded`, `failed`, or `limited` after too many attempts.'),
        tokens: z.array(z.strictObject({ grant_type: z.string(), count })).describe('Token responses by grant type.'),
        webhook_attempts: z.array(z.strictObject({ outcome: z.string(), count })).describe('Webhook attempts by outcome.'),
        refused_calls: z
          .array(z.strictObject({ code: z.string().describe('The code of the error.'), count }))
          .describe('Recorded refused calls by code.'),
        mails: z
          .array(z.strictObject({ outcome: z.string(), count }))
          .describe('Mails by outcome: `limited` were not sent, because their address got too many that day.'),
        key_uses: z
          .array(
            z.strictObject({
              key_id: KeyId.nullable().describe('The id of the key; `null` for all keys but the 100 with the most uses in this interval.'),
              count,
            }),
          )
          .describe('Uses of API keys, those with the most uses first.'),
      }),
    )
    .describe('The intervals with at least one count, in order of time.'),
  active_users: count
    .nullable()
    .describe(
      'The people who signed in since the beginning of the interval of `from`. `null` for a range with a `to`, and for an environment with more than 200,000 users.',
    ),
})
export type Statistics = z.infer<typeof Statistics>
