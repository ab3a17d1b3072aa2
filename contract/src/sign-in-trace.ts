/** Why a person did not get in, or how: what the service knows of the last seven days about one address or user. */
import { z } from 'zod'
import { EventKind } from './event.ts'
import { UserId } from './ids.ts'
import { ApprovalState } from './user.ts'
import { characters, Time } from './values.ts'

/** Records of refused calls are kept for so long. */
export const traced_days = 7
/** Steps of one answer. */
export const most_steps = 200

export const SignInTraceQuery = z.object({
  person: z
    .string()
    .max(320)
    .register(characters, { allowed: 'any' })
    .optional()
    .describe('The email address, the id or the `sub` of a user. An address need not have an account. Without it the answer is empty.'),
})

export const Decision = z.strictObject({
  object: z.enum(['settings', 'application', 'provider', 'user']).describe('The kind of the object that has the field.'),
  id: z.string().nullable().describe('The id of that object; `null` for the settings of the environment.'),
  pointer: z.string().describe('The field as a JSON pointer, such as `/mfa/mode`.'),
  value: z.unknown().describe('Its value now. At the time of the step it may have had another.'),
})
export type Decision = z.infer<typeof Decision>

const decided_by = Decision.nullable().describe('The field that decided it; `null` where a field has nothing to do with it.')
const text = z.string().nullable()

/** Why a person cannot sign in now. */
export const obstacles = [
  'no_account',
  'sign_up_closed',
  'sign_up_domain',
  'no_way_in',
  'blocked',
  'deleted',
  'waits_for_approval',
  'refused',
  'locked_everywhere',
  'locked_in_known_browsers',
  'locked_from_one_place',
  'locked_second_factor',
] as const

export const Obstacle = z.strictObject({
  what: z.enum(obstacles).describe('What stands in the way.'),
  until: Time.nullable().describe('When it ends by itself; `null` if it does not.'),
  decided_by,
})
export type Obstacle = z.infer<typeof Obstacle>

export const TraceStep = z.strictObject({
  at: Time.describe('When it happened.'),
  what: z
    .enum([...EventKind.options, 'refused_call', 'code_asked'])
    .describe(
      'The kind of the event; `refused_call` without an event; `code_asked` for a code or link that was asked for in the last hour.',
    ),
  method: text.describe('The first factor, as events have it, or what a code is for.'),
  second_factor: text.describe('The second factor that was used.'),
  provider_id: text.describe('The provider that answered, or was asked.'),
  application_id: text.describe('The application that the person was on the way to.'),
  code: text.describe(
    'Why it was refused: the code of the refused call, or the `reason` of the event. Of a code that was asked for: `mailed` or `not_mailed`.',
  ),
  reason: text.describe('The same in a sentence, from the record of the refused call.'),
  decided_by,
  event_id: text.describe('The event.'),
  request_id: text.describe('The request id, by which a refused call is read.'),
  ip: text.describe('The address of the network.'),
  user_agent: text.describe('The User-Agent, of refused calls alone.'),
})
export type TraceStep = z.infer<typeof TraceStep>

export const SignInTrace = z.strictObject({
  user: z
    .strictObject({
      id: UserId,
      email: z.string().nullable().describe('The email.'),
      blocked_at: Time.nullable().describe('When the user was blocked; `null` if not.'),
      approval: ApprovalState.nullable().describe('Whether the account waits for an approval; `null` if it never did.'),
      deletes_at: Time.nullable().describe('When the account is erased; `null` if it is not to be.'),
      last_sign_in_at: Time.nullable().describe('When the user last signed in; `null` if never.'),
    })
    .nullable()
    .describe('The account; `null` where no account of the environment has the address or id.'),
  from: Time.describe('The beginning of the seven days.'),
  to: Time.describe('The time of the answer.'),
  settings_changed_at: Time.describe('When the settings of the environment were last changed: what a step shows of them is of now.'),
  obstacles: z
    .array(Obstacle)
    .describe('What keeps the person from signing in now, as far as the service knows. Empty where nothing does.'),
  steps: z.array(TraceStep).describe(`What happened, newest first, at most ${most_steps}.`),
  has_more: z.boolean().describe('Whether there were more steps in these days. The events and the refused calls have them all.'),
})
export type SignInTrace = z.infer<typeof SignInTrace>
