// pure
/** The rules of the settings group `email` that its schema cannot express: they compare fields, earlier values and allowed networks. */
import { settingsSchemas } from '@ostiary/contract/settings.ts'
import type { z } from 'zod'
import { isPrivateLiteral, literalAddress } from '../../base/addresses.ts'
import { type EmailSettings, hostUrl, mail_ports } from '../../base/mail-settings.ts'
import { isWithin, type Network } from '../../base/networks.ts'

type Document = Record<string, unknown>
type Smtp = NonNullable<EmailSettings['smtp']>

/** Finds what a change of this group may not do. Changes of other groups are not judged by it. */
export function emailProblems(stored: Document, merged: Document, change: Document, allowed: readonly Network[]): z.core.$ZodIssue[] {
  if (change.email === undefined) return []
  const [before, after] = [stored.email, merged.email].map((group) => settingsSchemas.test.shape.email.parse(group))
  if (!before || !after) return []
  return [
    ...(after.delivery === 'smtp' ? missing(after) : []),
    ...(after.smtp ? unreachable(after.smtp, allowed) : []),
    ...(passwordOf(change) === undefined && sendsPasswordElsewhere(before.smtp, after.smtp)
      ? [
          problem(
            ['smtp', 'password'],
            'A change of the mail server, or a change to a connection without TLS, needs the password. Send it in the same request.',
          ),
        ]
      : []),
  ]
}

function missing({ from, smtp }: EmailSettings): z.core.$ZodIssue[] {
  return [
    ...(from === null ? [problem(['from'], 'email.delivery smtp needs the sender. Set it in the same request.')] : []),
    ...(smtp === null ? [problem(['smtp'], 'email.delivery smtp needs a mail server. Set it in the same request.')] : []),
    ...(smtp && smtp.username !== null && smtp.password === undefined
      ? [problem(['smtp', 'password'], 'A username needs a password. Send it in the same request.')]
      : []),
  ]
}

/** Judges addresses only: the addresses of a name are judged when it is called. */
function unreachable({ host, port, tls }: Smtp, allowed: readonly Network[]): z.core.$ZodIssue[] {
  const url = hostUrl(host)
  const address = literalAddress(url)
  const is_allowed = address !== null && isWithin(address, allowed)
  if (isPrivateLiteral(url, allowed)) return [problem(['smtp', 'host'], 'The service may not call this address.')]
  return [
    ...(address && !is_allowed && tls === 'none'
      ? [problem(['smtp', 'tls'], 'Without TLS, the mail server must be in an allowed private network.')]
      : []),
    ...(address && !is_allowed && !mail_ports.includes(port)
      ? [problem(['smtp', 'port'], `Use one of the ports ${mail_ports.join(', ')}. Others only reach an allowed private network.`)]
      : []),
  ]
}

/** The change would send the stored password to another host or port, or without TLS. */
export function sendsPasswordElsewhere(before: Smtp | null, after: Smtp | null): boolean {
  if (!before?.password || !after?.password) return false
  const is_weaker = before.tls !== 'none' && after.tls === 'none'
  return after.host.toLowerCase() !== before.host.toLowerCase() || after.port !== before.port || is_weaker
}

/** Limits the password as sent. The schema limits the sealed text, which is longer. */
const longest_password = 1_000

/** Finds a password that is too long. */
export function passwordProblems(change: Document): z.core.$ZodIssue[] {
  if ((passwordOf(change) ?? '').length <= longest_password) return []
  const message = `At most ${longest_password} characters.`
  return [{ code: 'too_big', origin: 'string', maximum: longest_password, path: ['email', 'smtp', 'password'], message, input: undefined }]
}

/** Returns the password that a change sets. It is validated as sent and stored sealed. */
export function passwordOf(change: Document): string | undefined {
  const { email } = change as { email?: { smtp?: { password?: unknown } | null } | null } // as: every member is optional
  const password = email?.smtp?.password
  return typeof password === 'string' ? password : undefined
}

const problem = (path: string[], message: string): z.core.$ZodIssue => ({
  code: 'custom',
  path: ['email', ...path],
  message,
  input: undefined,
})
