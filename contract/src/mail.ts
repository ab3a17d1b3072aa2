/** Captured mail: what a Test environment would have sent, for its developers and their automated tests. */
import { z } from 'zod'
import { MailId } from './ids.ts'
import { PageQuery, Time } from './values.ts'

/** Every kind that is sent. A kind is never renamed. */
export const MailKind = z.enum(['password_changed'])
export type MailKind = z.infer<typeof MailKind>

export const Mail = z.strictObject({
  id: MailId,
  to: z.string(),
  kind: MailKind,
  subject: z.string(),
  text: z.string(),
  html: z.string(),
  /** `null` where the kind has none. */
  code: z.string().nullable(),
  link: z.string().nullable(),
  created_at: Time,
})
export type Mail = z.infer<typeof Mail>

/** `to` is a whole address, compared without regard to case. */
export const InboxQuery = PageQuery.extend({ to: z.string().max(320).optional() })
