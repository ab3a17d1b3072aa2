// pure
/** The content of a mail: each kind has exactly the values that its text needs. */
import type { ExpiringKind } from '@ostiary/contract/expiry.ts'
import type { MethodKind } from '@ostiary/contract/sign-in-methods.ts'
import type { Role } from '@ostiary/contract/tenancy.ts'
import { day_ms } from '../../../base/durations.ts'

/** Where a request came from, as the person may recognise it. */
export interface Device {
  /** Such as "Firefox on Windows". */
  name: string | null
  ip: string | null
}

interface MethodChange {
  method: MethodKind
  /** The name of a passkey or a provider. */
  name: string | null
  device: Device | null
}

export interface ExpiringThing {
  kind: ExpiringKind
  /** The name of the application, the key, the provider or the host. */
  name: string
  /** The project and the environment; `null` where it belongs to the tenant or the deployment. */
  place: string | null
  expires_at: Date
}

export type Notice =
  | { kind: 'sign_in_code'; code: string; expires_at: Date; device: Device | null }
  /** `makes_account`: of a sign-up, whose account begins with this proof. */
  | { kind: 'verify_email'; code: string; link: string; expires_at: Date; device: Device | null; makes_account?: boolean }
  /** `is_first`: the account has no password yet. */
  | { kind: 'reset_password'; link: string; expires_at: Date; device: Device | null; is_first?: boolean }
  /** To the new address. */
  | { kind: 'change_email'; code: string; link: string; expires_at: Date; device: Device | null }
  /** To the old address: the link confirms or cancels the change. */
  | { kind: 'change_email_notice'; new_email: string; link: string; expires_at: Date; device: Device | null }
  /** An attempt to sign up, to reset a password or to give another account this address found an account, which has these ways in, such as "Password" or "GitHub". */
  | {
      kind: 'existing_account'
      asked_for: 'sign_up' | 'reset' | 'change_email'
      ways: readonly string[]
      expires_at: Date
      device: Device | null
    }
  /** Nobody with an address of this domain can sign up, or give it to an account. */
  | { kind: 'sign_up_refused'; expires_at: Date; device: Device | null }
  /** The decision about an account that waited. */
  | { kind: 'approved' }
  | { kind: 'refused'; ends_at: Date }
  | { kind: 'password_changed'; device: Device | null }
  /** `by_itself`: a passkey that the browser created without a question. */
  | ({ kind: 'method_added'; by_itself?: boolean } & MethodChange)
  | ({ kind: 'method_removed' } & MethodChange)
  | { kind: 'recovery_code_used'; left: number; device: Device | null }
  | { kind: 'recovery_codes_made'; device: Device | null }
  /** A sign-in from a browser that did not sign in to the account before. `application`: where to; `null` for a page of the issuer. `link`: the account page. */
  | { kind: 'new_sign_in'; link: string; application: string | null; browser: string | null }
  | { kind: 'data_exported'; device: Device | null }
  | { kind: 'account_deleted'; device: Device | null }
  | { kind: 'account_closed'; deletes_at: Date; device: Device | null }
  | { kind: 'account_restored'; device: Device | null }
  | { kind: 'invitation'; link: string; tenant_name: string; inviter: string; role: Role; expires_at: Date }
  /** `inviter`: the member who invites; `null` where a backend or an administrator does. */
  | { kind: 'organization_invitation'; link: string; organization_name: string; inviter: string | null; expires_at: Date }
  /** To the invited address, for a person whose account has not proved it. */
  | { kind: 'organization_invitation_code'; code: string; organization_name: string; expires_at: Date; device: Device | null }
  /** To the owners and admins of a tenant: what ends within 30 days, by the warnings of a day. `has_more`: more than the mail has room for. */
  | { kind: 'expiring'; tenant_name: string; things: readonly ExpiringThing[]; has_more: boolean; link: string }
  | { kind: 'test' }

export interface Envelope {
  to: string
  /** The name of the environment for its users. */
  brand: string
  support_url: string | null
  at: Date
}

/** The content of a mail in one language, before it becomes text and HTML. */
export interface Letter {
  subject: string
  /** Comes first, after the code if there is one. */
  lead: string
  /** The words of the link. */
  action?: string
  paragraphs: readonly string[]
}

export interface MailTexts {
  language: string
  /** In front of the subject of a mail from a Test environment. */
  test_mark: string
  letterOf(notice: Notice, envelope: Envelope): Letter
}

/** A notice about something that has happened stays useful for this long. */
export const notice_ms = 3 * day_ms

/** After this time the mail is useless: what it carries has ended. */
export function lifeOf(notice: Notice, now: Date): Date {
  return 'expires_at' in notice ? notice.expires_at : new Date(now.getTime() + notice_ms)
}

/** Makes a name that another tenant chose text for mail programs, which turn what looks like an address into a link. */
export function unlinked(name: string): string {
  return name.replace(/[.@:](?=\S)/gu, '$&\u2060')
}
