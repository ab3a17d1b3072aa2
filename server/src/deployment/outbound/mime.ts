/** Encodes a mail as a MIME message (RFC 5322, RFC 2045): only 7-bit lines, so that every mail server can take it. */
import { asciiDomain } from '../../base/mail-address.ts'

export interface Message {
  /** The Message-ID (RFC 5322 §3.6.4) without brackets. It is the same at every attempt, so that receivers recognise a repeated mail. */
  message_id: string
  from: { name: string; address: string }
  to: string
  date: Date
  subject: string
  text: string
  html: string
  /** BCP 47. */
  language: string
  /** The code and the link. Nothing may repeat them. */
  secrets: readonly string[]
}

/** RFC 3834 §5: `auto-generated`, so that no vacation notice answers. */
const headers = { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' }

export async function mimeOf({ message_id, from, to, date, subject, text, html, language }: Message) {
  const { default: MailComposer } = await import('nodemailer/lib/mail-composer')
  const sender = { name: from.name, address: asciiDomain(from.address) }
  const recipient = asciiDomain(to)
  const composed = new MailComposer({
    from: sender,
    to: { name: '', address: recipient },
    subject,
    text,
    html,
    date,
    messageId: `<${message_id}>`,
    headers: { ...headers, 'Content-Language': language },
    textEncoding: 'base64',
    disableFileAccess: true,
    disableUrlAccess: true,
  }).compile()
  return { envelope: { from: sender.address, to: [recipient] }, content: await composed.build() }
}
