/** Logout requests to the applications of an ended session (OpenID Connect Back-Channel Logout 1.0), with their attempts. */
import { z } from 'zod'
import { Attempt } from './delivery.ts'
import { ApplicationId, EnvironmentId, MessageId, SessionId, UserId } from './ids.ts'
import { Time } from './values.ts'

export const BackchannelLogout = z.strictObject({
  id: MessageId.describe('The id of the message.'),
  message_id: MessageId.describe('The same id, named as in deliveries of webhooks.'),
  environment_id: EnvironmentId.describe('The environment of the session.'),
  application_id: ApplicationId.describe('The application that is called.'),
  session_id: SessionId.describe('The session that ended: the claim `sid` of the logout token.'),
  user_id: UserId.describe('The user of the session.'),
  sub: z.string().describe('The claim `sub` of the logout token.'),
  status: z
    .enum(['waiting', 'delivered', 'given_up'])
    .describe('Whether an attempt is still due, the application confirmed the logout, or no attempt will follow.'),
  next_attempt_at: Time.nullable().describe('When the next attempt is due; null if none is.'),
  attempts: z.array(Attempt).describe('The attempts so far, oldest first.'),
  created_at: Time.describe('When the session ended.'),
  updated_at: Time.describe('When the state of the message changed last.'),
})
export type BackchannelLogout = z.infer<typeof BackchannelLogout>
