/** Words for the values of records: sign-in methods and the reasons of failures. An unknown value is shown as it is. */

// biome-ignore format: these tables are read by column
const methods: Record<string, string> = {
  password:       'password',
  pwd:            'password',
  email_code:     'emailed code',
  email:          'emailed code',
  otp:            'one-time code',
  passkey:        'passkey',
  swk:            'passkey',
  hwk:            'passkey',
  pop:            'passkey',
  provider:       'identity provider',
  fed:            'identity provider',
  totp:           'authenticator app',
  recovery_code:  'recovery code',
  recovery_codes: 'recovery codes',
  mfa:            'second factor',
  api:            'the API',
  bootstrap:      'the set-up',
  invitation:     'an invitation',
}

// biome-ignore format: these tables are read by column
const reasons: Record<string, string> = {
  wrong_password:       'Wrong password',
  unknown_account:      'No user has this address',
  user_blocked:         'The user is blocked',
  not_approved:         'The account is not approved',
  locked_out:           'Too many attempts',
  form_expired:         'The form was not accepted',
  provider_unreachable: 'The provider did not answer',
  wrong_code:           'Wrong code',
  unknown_passkey:      'Unknown passkey',
  passkey_refused:      'The passkey was refused',
  passkey_counter_back: 'The passkey may be a copy',
  passkey_backup_changed: 'The passkey may be a copy',
  invalid_redirect_uri: 'No registered redirect URI',
  unknown_client:       'Unknown application',
  application_disabled: 'The application is disabled',
  metadata_client_unlisted:    'A program by address is not approved',
  metadata_client_unavailable: 'The document of a program cannot be read',
  metadata_client_invalid:     'The document of a program is not valid',
  metadata_client_busy:        'Too many programs by address',
  no_access:            'No role that gives access',
  not_a_member:         'Not a member of the organization',
  access_denied:        'The person refused',
}

/** A method that a setting switches on and off. */
export type SwitchedMethod = 'password' | 'email_code' | 'passkey'

/** Whether a code is the reason of a failed sign-in. */
export const isSignInReason = (code: string): boolean => Object.hasOwn(reasons, code)

export const methodWords = (method: string): string => methods[method] ?? method.replaceAll('_', ' ')

/**
 * How a session was signed in to: `password and one-time code`. The first factor is known by its name. Of the second one `amr` says only that it
 * was a one-time code, of an app or a recovery code, or a passkey.
 */
export const signInWords = ({ method, amr }: { method: string | null; amr: readonly string[] }): string => {
  const second = amr.includes('mfa') ? (amr.find((one) => one === 'hwk' || one === 'swk') ?? amr.find((one) => one === 'otp')) : undefined
  const words = [
    ...(method === null ? amr.filter((one) => one !== 'mfa' && one !== 'user') : [method]),
    ...(second === undefined ? [] : [second]),
  ]
  return [...new Set(words.map(methodWords))].join(' and ') || 'an unknown method'
}

/** A reason or a code of an error: `insufficient_scope` is "Insufficient scope". */
export const reasonWords = (reason: string): string => {
  const words = reason.replaceAll('_', ' ')
  return reasons[reason] ?? words.charAt(0).toUpperCase() + words.slice(1)
}
