/** The events of an environment, in one order for all readers. Webhooks deliver the same bodies. */
import { z } from 'zod'
import { eventKinds } from './event-kinds.ts'
import { EnvironmentId, EventId, ProjectId, TenantId } from './ids.ts'
import { EnvironmentType } from './tenancy.ts'
import { PageQuery, Time, TimeRange, wholeNumber } from './values.ts'

export const EventKind = z.enum(eventKinds)
export type EventKind = z.infer<typeof EventKind>

export const Event = z.strictObject({
  id: EventId,
  type: EventKind.describe('The kind of the event.'),
  timestamp: Time.describe('When the change happened.'),
  /** 1, 2, 3 … within the environment, without gaps. */
  sequence: z.int().min(1).describe('1, 2, 3 … within the environment, without gaps.'),
  tenant_id: TenantId,
  project_id: ProjectId,
  environment: z.strictObject({ id: EnvironmentId, type: EnvironmentType }).describe('The environment of the event.'),
  request_id: z.string().nullable().describe('The X-Request-Id of the call that caused the event; `null` if no call did.'),
  actor: z
    .strictObject({ type: z.enum(['user', 'api_key', 'application', 'system']), id: z.string().nullable() })
    .describe('Who caused the event.'),
  user_id: z.string().nullable().describe('The user that the event is about; `null` if there is none.'),
  application_id: z.string().nullable().describe('The application that the event is about; `null` if there is none.'),
  data: z
    .record(z.string(), z.unknown())
    .describe(
      'The object of the event, without secrets. Its members depend on `type`. `sub` is that of the user in `user_id`, as tokens have it. That of `session.ended` has a `reason`, such as `signed_out`, or `replaced` where a user has too many sessions.',
    ),
})
export type Event = z.infer<typeof Event>

/** `after` is a sequence: the list has the later events, oldest first. Without it the list is newest first. */
export const EventQuery = PageQuery.extend({
  ...TimeRange,
  type: EventKind.optional().describe('The kind of the event.'),
  user_id: z.string().max(100).optional().describe('The user that the event is about; `null` if there is none.'),
  application_id: z.string().max(100).optional().describe('The application that the event is about; `null` if there is none.'),
  request_id: z.string().max(100).optional().describe('The X-Request-Id of the call that caused the event; `null` if no call did.'),
  after: wholeNumber(0, Number.MAX_SAFE_INTEGER).optional().describe('A sequence. The list has the later events, oldest first.'),
})
export type EventQuery = z.infer<typeof EventQuery>
