/** The session as the scripts of the dashboard read it. The tokens stay in the service. */
import { Me } from './tenancy.ts'
import { Time } from './values.ts'

export const DashboardSession = Me.extend({
  auth_time: Time.describe('When the person last proved who they are.'),
  fresh_until: Time.describe(
    'Until when calls of a tenant that need a fresh sign-in are accepted. Later they answer `reauthentication_required`. A project can set other times for its own.',
  ),
  expires_at: Time.describe('When the session ends if it is not used.'),
})
