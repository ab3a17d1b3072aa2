/** Mail to users: its kinds, the inbox of captured mail in Test environments, and the test of a mail server. */
import { z } from 'zod'
import { MailId } from './ids.ts'
import { MailAddress, PageQuery, Time } from './values.ts'

/** All kinds of mail. The name of a kind never changes. */
export const MailKind = z.enum([
  'sign_in_code',
  'verify_email',
  'existing_account',
  'reset_password',
  'change_email',
  'change_email_notice',
  'password_changed',
  'method_added',
  'method_removed',
  'recovery_code_used',
  'recovery_codes_made',
  'new_sign_in',
  'data_exported',
  'account_deleted',
  'account_closed',
  'account_restored',
  'approved',
  'refused',
  'sign_up_refused',
  'invitation',
  'organization_invitation',
  'organization_invitation_code',
  'expiring',
  'test',
])
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

/** The steps of the delivery of a mail, in their order. A failure names the step that did not succeed. */
export const MailStage = z.enum(['dns', 'connect', 'tls', 'greeting', 'auth', 'recipient', 'data'])
export type MailStage = z.infer<typeof MailStage>

/** Why a mail was not delivered, for `reason` of `mail.failed`. The name and the meaning of a word never change. */
export const mailFailures = [
  'dns',
  'forbidden',
  'refused',
  'unreachable',
  'timeout',
  'tls',
  'auth',
  'no_smtputf8',
  'rejected',
  'closed',
  'outlived',
  'not_set_up',
] as const
export type MailFailure = (typeof mailFailures)[number]

export const MailTest = z.strictObject({ to: MailAddress.describe('The address that gets the test mail.') })

/** A server that lacks an extension, or is out of reach, sends no reply, so `reason` and `detail` say why. */
export const MailTested = z.strictObject({
  accepted: z.boolean().describe('Whether the mail server accepted the mail.'),
  stage: MailStage.describe('The last step, which failed unless the mail was accepted.'),
  reply: z.string().nullable().describe('The last reply of the mail server; `null` if it sent none after a correct greeting.'),
  reason: z.enum(mailFailures).nullable().describe('Why the mail was not accepted, as in `mail.failed`; `null` if it was.'),
  detail: z.string().nullable().describe('What the reason means and what to do; `null` if the mail was accepted.'),
})

/** The answer is the same whether a mail is sent or not: limits apply. */
export const MailAsked = z.strictObject({}).describe('An empty object.')
