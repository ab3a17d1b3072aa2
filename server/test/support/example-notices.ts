/** A mail of every kind, for tests of rules that all mails obey. */
import type { MailKind } from '@ostiary/contract/mail.ts'
import type { Notice } from '../../src/domain/mail/texts/notice.ts'

const expires_at = new Date('2026-11-20T16:41:00Z')
const device = { name: 'Firefox on Windows', ip: '203.0.113.7' }
const code = '482913'
const link = 'https://login.example.com/e/env_1/link?token=abc&kind=x'

export const notices: { [Kind in MailKind]: Extract<Notice, { kind: Kind }> } = {
  sign_in_code: { kind: 'sign_in_code', code, expires_at, device },
  verify_email: { kind: 'verify_email', code, link, expires_at, device },
  existing_account: { kind: 'existing_account', asked_for: 'sign_up', ways: ['Password', 'GitHub'], expires_at, device },
  reset_password: { kind: 'reset_password', link, expires_at, device },
  change_email: { kind: 'change_email', code, link, expires_at, device },
  change_email_notice: { kind: 'change_email_notice', new_email: 'new@example.com', link, expires_at, device },
  password_changed: { kind: 'password_changed', device },
  method_added: { kind: 'method_added', method: 'passkey', name: 'Phone', device },
  method_removed: { kind: 'method_removed', method: 'totp', name: null, device },
  recovery_code_used: { kind: 'recovery_code_used', left: 1, device },
  recovery_codes_made: { kind: 'recovery_codes_made', device },
  new_sign_in: { kind: 'new_sign_in', link, application: 'Storefront', browser: 'Firefox, Windows' },
  data_exported: { kind: 'data_exported', device },
  account_deleted: { kind: 'account_deleted', device },
  account_closed: { kind: 'account_closed', deletes_at: expires_at, device },
  account_restored: { kind: 'account_restored', device },
  approved: { kind: 'approved' },
  refused: { kind: 'refused', ends_at: expires_at },
  sign_up_refused: { kind: 'sign_up_refused', expires_at, device },
  organization_invitation: {
    kind: 'organization_invitation',
    link,
    organization_name: 'Acme',
    inviter: 'Ada (ada@example.com)',
    expires_at,
  },
  organization_invitation_code: { kind: 'organization_invitation_code', code, organization_name: 'Acme', expires_at, device },
  invitation: { kind: 'invitation', link, tenant_name: 'Acme', inviter: 'Ada (ada@example.com)', role: 'admin', expires_at },
  expiring: {
    kind: 'expiring',
    tenant_name: 'Acme',
    things: [{ kind: 'client_secret', name: 'Shop', place: 'Store, Live', expires_at }],
    has_more: true,
    link,
  },
  test: { kind: 'test' },
}
