/** Captured mail: a Test environment stores its mail instead of sending it, for developers and automated tests. */
import { z } from 'zod'
import { MailId } from './ids.ts'
import { PageQuery, Time } from './values.ts'

/** All kinds of mail. The name of a kind never changes. */
export const MailKind = z.enum(['password_changed', 'method_removed'])
export type MailKind = z.infer<typeof MailKind>

export const Mail = z.strictObject({
  id: MailId,
  to: z.string(),
  kind: MailKind,
  subject: z.string(),
  text: z.string(),
  html: z.string(),
  /** `null` in kinds without a code. */
  code: z.string().nullable(),
  link: z.string().nullable(),
  created_at: Time,
})
export type Mail = z.infer<typeof Mail>

/** `to` is a complete email. The comparison ignores case. */
export const InboxQuery = PageQuery.extend({ to: z.string().max(320).optional() })
