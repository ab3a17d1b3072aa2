/** Captured mail: a Test environment stores its mail instead of sending it, for developers and automated tests. */
import { z } from 'zod'
import { MailId } from './ids.ts'
import { PageQuery, Time } from './values.ts'

/** All kinds of mail. The name of a kind never changes. */
export const MailKind = z.enum(['password_changed', 'method_removed'])
export type MailKind = z.infer<typeof MailKind>

export const Mail = z.strictObject({
  id: MailId,
  to: z.string().describe('The complete email address of the recipient. A filter ignores case.'),
  kind: MailKind.describe('Why the mail was sent.'),
  subject: z.string().describe('The subject.'),
  text: z.string().describe('The body as plain text.'),
  html: z.string().describe('The body as HTML.'),
  /** `null` in kinds without a code. */
  code: z.string().nullable().describe('The code in the mail; `null` in kinds without a code.'),
  link: z.string().nullable().describe('The link in the mail; `null` in kinds without a link.'),
  created_at: Time,
})
export type Mail = z.infer<typeof Mail>

/** `to` is a complete email. The comparison ignores case. */
export const InboxQuery = PageQuery.extend({
  to: z.string().max(320).optional().describe('Only mail to this complete email, in any case.'),
})
