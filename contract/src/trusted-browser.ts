/** Browsers in which a person is not asked for the second factor for some days. */
import { z } from 'zod'
import { TrustedBrowserId, UserId } from './ids.ts'
import { Time } from './values.ts'

export const TrustedBrowser = z.strictObject({
  id: TrustedBrowserId,
  user_id: UserId,
  created_at: Time.describe('When the person used a second factor there, and chose not to be asked again.'),
  last_used_at: Time.describe('The last sign-in there that asked for no second factor; at first, when it began.'),
  expires_at: Time.describe('When the second factor is asked for again. A lower `mfa.remember_days` counts at once.'),
  ip: z.string().nullable().describe('The address from which it began.'),
  user_agent: z.string().nullable().describe('The User-Agent of the browser.'),
})
export type TrustedBrowser = z.infer<typeof TrustedBrowser>
