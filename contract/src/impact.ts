/** Who would be hurt if something were deleted, revoked or switched off: counted before a person presses. */
import { z } from 'zod'
import { Counted } from './activity.ts'
import { switched_methods } from './sign-in-methods.ts'

export const Impact = z.strictObject({
  grants: Counted.nullable().describe(
    'Live grants that it would end or take something from; `null` where it touches none. A grant is one person with one application. For a resource server and a scope the newest 5,000 grants of the environment are looked at.',
  ),
  people: Counted.nullable().describe(
    'The people of these grants; of a provider everyone who is linked with it. `null` where no person is known.',
  ),
  locked_out: Counted.nullable().describe(
    'Of the newest 20,000 users, those who have no other way to sign in; `null` for what nobody signs in by.',
  ),
  calls_30_days: z
    .int()
    .min(0)
    .nullable()
    .describe(
      'Uses in the last 30 days: of an application its token requests, of a resource server the access tokens for it, of a provider or a method the sign-ins, of a key its calls. `null` for a scope, whose uses are not counted. Uses before the upgrade to a version that counts them are missing.',
    ),
})
export type Impact = z.infer<typeof Impact>

export const ScopeImpactQuery = z.object({
  scope: z.string().max(200).optional().describe('One scope of the resource server. Without it the whole resource server is meant.'),
})

export const MethodImpactQuery = z.object({
  method: z
    .enum([...switched_methods] as [(typeof switched_methods)[number], ...typeof switched_methods]) // as: the table has a row
    .default('password')
    .describe('The method of the settings `sign_in`. The default is `password`.'),
})
