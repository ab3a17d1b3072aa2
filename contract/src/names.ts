/** The names of objects, for pages and programs that show ids to people. */
import { z } from 'zod'

export const NamesQuery = z.object({
  ids: z
    .string()
    .max(3200)
    .regex(/^[a-z]{2,3}_[0-7][0-9a-hjkmnp-tv-z]{25}(?:,[a-z]{2,3}_[0-7][0-9a-hjkmnp-tv-z]{25}){0,99}$/, {
      error: 'Use 1 to 100 ids, separated by commas.',
    })
    .optional()
    .describe('Up to 100 ids, separated by commas. Without it the answer is empty.'),
})

export const ObjectName = z.strictObject({
  id: z.string().describe('The id that was asked for.'),
  object: z
    .enum([
      'user',
      'member',
      'application',
      'metadata_client',
      'key',
      'resource_server',
      'role',
      'organization',
      'provider',
      'webhook',
      'environment',
      'project',
    ])
    .describe('What it is. A `member` is an administrator of the tenant.'),
  name: z
    .string()
    .describe(
      'What people call it: the email or the name of a user, the label or the first characters of a key, the slug of a webhook, else the name.',
    ),
})

export const Names = z.strictObject({
  data: z.array(ObjectName).describe('The objects that exist and that the caller may read, in no order.'),
})
export type ObjectName = z.infer<typeof ObjectName>
