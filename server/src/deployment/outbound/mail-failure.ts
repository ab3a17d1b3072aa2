/** Why a mail was not delivered, in one word, for `reason` of `mail.failed`. */
import type { MailFailure } from '@ostiary/contract/mail.ts'
import type { Delivered } from './smtp.ts'

/** The exchange did not end in time. */
export class MailTimeout extends Error {}

/** The settings or the rules of outgoing calls do not allow the address. */
export class MailForbidden extends Error {}

/** RFC 6531 §3.2: a server without the extension gets no such address. nodemailer would send it nevertheless. */
export class SmtpUtf8Missing extends Error {
  readonly permanent = true
  constructor() {
    super('The mail server does not offer SMTPUTF8, which an address needs.')
  }
}

export function reasonOfFailure({ stage, cause }: Pick<Delivered, 'stage' | 'cause'>): MailFailure {
  if (cause instanceof SmtpUtf8Missing) return 'no_smtputf8'
  if (cause instanceof MailTimeout) return 'timeout'
  if (cause instanceof MailForbidden) return 'forbidden'
  const { code, response } = Object(cause) as { code?: unknown; response?: unknown } // as: errors of Node and of nodemailer have them
  if (stage === 'dns' || stage === 'tls' || stage === 'auth') return stage
  if (stage === 'connect') {
    if (code === 'ECONNREFUSED') return 'refused'
    return code === 'ETIMEDOUT' ? 'timeout' : 'unreachable'
  }
  return typeof response === 'string' ? 'rejected' : 'closed'
}
