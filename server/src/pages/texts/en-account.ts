// pure
/** The texts of the account page in English. */
import type { MethodKind } from '@ostiary/contract/sign-in-methods.ts'
import type { DeviceName } from '../../base/device-name.ts'
import { type Html, html } from '../../base/html.ts'

/** The data of an account that an application gets. */
export interface AppGains {
  profile: boolean
  email: boolean
  phone: boolean
  /** Resource servers, by name. */
  apis: readonly string[]
  while_away: boolean
}

const list = (parts: readonly string[]) => new Intl.ListFormat('en-GB').format(parts)

export const account = {
  /** For dates and names of languages. */
  date_locale: 'en-GB',
  title: 'Your account',
  sections: 'Sections',
  sign_out: 'Sign out',
  other_account: 'Use another account',
  change: 'Change',
  remove: 'Remove',
  save: 'Save',
  back: 'Back to your account',
  not_set: 'Not set',

  notices: {
    'change-name': 'Your profile has been changed.',
    'change-email': 'Your email address has been changed. Every other device has been signed out.',
    'keep-email': 'Your email address stays as it is.',
    'confirm-email': 'Your email address is verified.',
    'change-password': 'Your password has been changed. Every other device has been signed out.',
    'add-provider': 'The account has been connected. You can sign in with it from now on.',
    'remove-provider': 'The sign-in method has been removed.',
    'add-passkey': 'The passkey has been added.',
    'remove-passkey': 'The passkey has been removed. Delete it in your password manager too.',
    'add-totp': 'The authenticator app has been added.',
    'remove-totp': 'The authenticator app has been removed.',
    'new-recovery-codes': 'You have new recovery codes. The old ones no longer work.',
    'end-session': 'The device has been signed out.',
    'end-other-sessions': 'Every other device has been signed out.',
    'remove-trusted-browser': 'The browser has been removed. It asks for the second step again.',
    disconnect: 'The app has been removed. It can no longer use your account.',
    'accept-invitation': 'You are a member now.',
    'decline-invitation': 'You declined the invitation.',
    'leave-organization': 'You left the organization.',
  },
  problems: {
    changed: 'Something changed in the meantime, so nothing was done. Look at the present state, then try again.',
    same_address: 'This is the address that your account has.',
    wrong_mailed_code: 'This code does not work. It may be mistyped, used, too old, or tried too often. Check it, or send a new one.',
    wrong_code: 'That code does not match. Enter the code that the app shows now.',
    too_many_apps: 'Your account has as many authenticator apps as it can have. Remove one first.',
    too_many_changes: 'Your account was changed ten times within an hour, so nothing was done. Try again in an hour.',
    wrong_address: 'This is not the address of your account. Nothing was deleted.',
  },

  profile: 'Profile',
  name: 'Name',
  verified: 'Verified',
  unverified: 'Not verified',
  language_and_zone: 'Language and time zone',
  languageName: (tag: string) => languageName('en-GB', tag),
  no_language: 'Not set',
  profile_title: 'Your profile',
  fields: {
    name: 'Name',
    given_name: 'First name',
    family_name: 'Last name',
    nickname: 'Nickname',
    locale: 'Language',
    zoneinfo: 'Time zone',
  },
  zone_hint: 'By region and city, such as Europe/Vienna.',
  wrong: {
    name: 'Use at most 200 characters, at least one of them visible, without line breaks.',
    given_name: 'Use at most 200 characters, at least one of them visible, without line breaks.',
    family_name: 'Use at most 200 characters, at least one of them visible, without line breaks.',
    nickname: 'Use at most 200 characters, at least one of them visible, without line breaks.',
    locale: 'Choose a language of the list.',
    zoneinfo: 'This time zone is not known. Write it like Europe/Vienna.',
  },

  verify: 'Verify',
  continue: 'Continue',
  to_become: (email: Html) => html`To become ${email}, not confirmed yet`,
  email_title: 'Change your email address',
  email_why: (email: Html, both: boolean) =>
    html`Your address is ${email}. Both addresses get a mail, and the change takes effect when ${both ? 'both have' : 'the new one has'} confirmed it. Then every other device is signed out.`,
  new_email: 'New email address',
  email_submit: 'Send the mails',
  pending_title: 'Confirm the change',
  pending_intro: (from: Html, to: Html, both: boolean) =>
    html`Your address ${from} is to become ${to}. ${both ? 'Both' : 'The new address'} must confirm it within 7 days.`,
  new_end_confirmed: (email: Html) => html`${email} has confirmed the change.`,
  new_end_waits: (email: Html) =>
    html`If ${email} can be used here, a mail with a code and a link is on its way there. Enter the code here, or open the link.`,
  old_end_confirmed: (email: Html) => html`${email} has confirmed the change.`,
  old_end_waits: (email: Html) => html`A mail with a link is on its way to ${email}. Open it and confirm the change there.`,
  email_confirm: 'Confirm the code',
  email_resend: 'Send the mails again',
  email_resend_note: 'No mail? Look in the spam folder. After 30 seconds you can send the mails again.',
  email_cancel: 'Keep the old address',
  verify_title: 'Verify your email address',
  verify_sent: (email: Html) =>
    html`A mail with a code and a link is on its way to ${email}. Enter the code here, or open the link. Both work for 24 hours.`,
  verify_submit: 'Verify',

  signing_in: 'Signing in',
  methods: {
    password: 'Password',
    passkey: 'Passkey',
    totp: 'Authenticator app',
    recovery_codes: 'Recovery codes',
    provider: 'Connected account',
  } satisfies Record<MethodKind, string>,
  password_set: (day: Html) => html`Changed ${day}`,
  no_password: 'You have no password.',
  set_password: 'Set a password',
  new_password: 'New password',
  password_title: 'Change your password',
  first_password_title: 'Set a password',
  password_ends: (is_mailed: boolean) =>
    `A new password signs out every other device and its apps${is_mailed ? ', and you get a mail about it' : ''}.`,
  save_password: 'Save password',
  added: (added: Html, used: Html | null) => (used === null ? html`Added ${added}` : html`Added ${added}, used ${used}`),
  codes_left: (left: number) => (left === 1 ? '1 code left' : `${left} codes left`),
  removal_title: (method: string) => `Remove ${method}?`,
  /** In the row of a method that cannot be removed. */
  stays: {
    last_way_in: 'Your only way to sign in, so it stays',
    last_factor: 'Your account needs a second step, so it stays',
  },
  stays_title: (method: string) => `${method} cannot be removed yet`,
  stays_why: {
    last_way_in: 'It is the only way to sign in to your account.',
    last_factor: 'Your account needs a second step, and this is the only one.',
  },
  stays_until: 'Add another first. Then you can remove this one.',
  removal_ends: (method: string, ends_this: boolean) =>
    `You can no longer sign in with ${method}. Every device and app that signed in with it is signed out${ends_this ? ', this one too' : ''}.`,

  totp_removal: 'Its codes are no longer accepted. With the last authenticator app your recovery codes end too.',
  add_totp: 'Add an authenticator app',
  new_codes: 'Get new codes',
  new_codes_title: 'Get new recovery codes?',
  new_codes_end: 'Your present recovery codes then no longer work. The new ones are shown once.',
  passkey_needs: 'This browser cannot add a passkey. It needs JavaScript and support for passkeys.',

  connect: 'Connect',
  not_connected: 'Not connected',
  connect_title: (provider: string) => `Connect ${provider}`,
  connect_intro: (provider: string, email: Html, is_mailed: boolean) =>
    html`You sign in at ${provider} and come back here. From then on you can sign in to ${email} with ${provider} too${is_mailed ? ', and you get a mail about it' : ''}.`,
  connect_submit: (provider: string) => `Continue to ${provider}`,

  second: 'Second step',
  second_intro: 'Asked after your password. A passkey needs none.',

  devices: 'Devices',
  devices_intro: 'Where you are signed in. If you do not know one, end it and change your password.',
  device: ({ browser, system }: DeviceName) =>
    browser === null ? (system ?? 'Unknown device') : system === null ? browser : `${browser} on ${system}`,
  this_device: 'This device',
  signed_in_at: (moment: Html) => html`signed in ${moment}`,
  active_at: (moment: Html) => html`active ${moment}`,
  end: 'End',
  end_others: 'End all others',

  trusted: 'Trusted browsers',
  trusted_intro: 'They do not ask for the second step. Remove one that you do not use any more.',
  /** The last use, and the last day. */
  trusted_when: (used: Html, until: Html) => html`used ${used}, until ${until}`,

  apps: 'Connected apps',
  apps_intro: 'Apps that can use your account.',
  /** A sentence. */
  in_organization: (application: string, organization: string) => `${application} in ${organization}`,
  gets: ({ profile, email, phone, apis, while_away }: AppGains) => {
    const seen = [...(profile ? ['name', 'picture'] : []), ...(email ? ['email address'] : []), ...(phone ? ['phone number'] : [])]
    const can = [...(seen.length > 0 ? [`see your ${list(seen)}`] : []), ...(apis.length > 0 ? [`use ${list(apis)}`] : [])]
    if (can.length === 0) return while_away ? 'Can sign you in, and stays connected while you are away.' : 'Can sign you in.'
    return `Can ${can.join(' and ')}${while_away ? ', even while you are away' : ''}.`
  },
  since: (day: Html) => html`Since ${day}.`,

  organizations: 'Organizations',
  invited: 'invited',
  roles: (names: string) => `Your roles: ${names}.`,
  leave: 'Leave',
  leave_title: (organization: string) => `Leave ${organization}?`,
  leave_text: (organization: string) =>
    `You lose what you may do there, and every app loses its access for ${organization}. To come back, you have to be invited or added again.`,
  last_administrator: (organization: string) =>
    `You are the only one who administers ${organization}. Give another member such a role first, or ask the people who run the service.`,

  data: 'Your data',
  data_intro: 'What is stored about you, as a file, and the end of your account.',
  export_title: 'Download your data',
  export_detail: 'A JSON file with your profile, devices, sign-in methods, apps and the history of your account.',
  export: 'Download',
  delete_title: 'Delete your account',
  delete_detail: 'At once and for ever.',
  delete_detail_later: (days: number) => `You can undo it for ${days === 1 ? 'one day' : `${days} days`}.`,
  delete: 'Delete account',
  deletion: (email: Html) => html`This deletes the account ${email} at once. It cannot be undone.`,
  deletion_later: (email: Html, at: Html) =>
    html`This closes the account ${email} at once. It is deleted on ${at}. Until then you can restore it: sign in again.`,
  kept_later: [
    'Ended now: your sessions and the access of every app. Nobody can sign in without restoring the account.',
    'Until it is deleted, no other account can use your email address.',
  ],
  kept: [
    'Deleted now: your profile, your sign-in methods, your sessions and the access of every app.',
    'The history of events keeps the id of the account for 90 days, without your data. Records of changes that administrators made keep the id for good.',
    'Records of calls that failed, and mails to you, are kept for up to 7 days.',
    'Apps that you used may have copies of your data. Ask them to delete theirs.',
    'Afterwards a new account can use your email address.',
  ],
  type_address: 'Type your email address to confirm',
  last_owner_title: 'Your account cannot be deleted yet',
  last_owner: 'These tenants have no other owner. Make another member an owner of each first.',
  members_of: (tenant: string) => `Members of ${tenant}`,
  closed_title: 'Your account is closed',
  closed: (at: Html, is_mailed: boolean) =>
    html`It is deleted on ${at}. Until then you can restore it: sign in again. You are signed out everywhere${is_mailed ? ', and a mail confirms it' : ''}.`,
  deleted_title: 'Your account has been deleted',
  deleted: (is_mailed: boolean) => `You are signed out everywhere${is_mailed ? ', and a mail confirms it' : ''}. You can close this page.`,
}

/** The name of a language in another language; the tag where it is unknown. */
export function languageName(locale: string, tag: string): string {
  try {
    return capital(new Intl.DisplayNames(locale, { type: 'language' }).of(tag) ?? tag)
  } catch {
    return tag // RangeError: a backend may have stored text that is not a tag
  }
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)
