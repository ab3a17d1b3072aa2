/** The fields of the settings, in plain words, with the ranges of the contract. */

export type Value = string | number | boolean | null | readonly string[]

export interface Field {
  group: string
  name: string
  label: string
  help: string
  kind: 'seconds' | 'number' | 'switch' | 'choice' | 'text' | 'set' | 'lines'
  default: Value
  min?: number
  max?: number
  choices?: string[]
  only?: 'test' | 'live'
  /** What a lower value ends, and when. */
  lowered?: string
}

type Range = [min: number, max: number, by_default: number]
const inRange = (help: string, min: number, max: number) => `${help} ${min.toLocaleString('en')} to ${max.toLocaleString('en')}.`

const seconds = (group: string, name: string, label: string, [min, max, by_default]: Range, help: string, lowered: string): Field => ({
  group,
  name,
  label: `${label}, in seconds`,
  help: inRange(help, min, max),
  kind: 'seconds',
  default: by_default,
  min,
  max,
  lowered,
})
const number = (group: string, name: string, label: string, [min, max, by_default]: Range, help: string): Field => ({
  group,
  name,
  label,
  help: inRange(help, min, max),
  kind: 'number',
  default: by_default,
  min,
  max,
})
const toggle = (group: string, name: string, label: string, by_default: boolean, help: string): Field => ({
  group,
  name,
  label,
  help,
  kind: 'switch',
  default: by_default,
})
/** The first choice is the default. */
const choice = (group: string, name: string, label: string, choices: [string, ...string[]], help: string): Field => ({
  group,
  name,
  label,
  help,
  kind: 'choice',
  default: choices[0],
  choices,
})
const text = (group: string, name: string, label: string, help: string): Field => ({
  group,
  name,
  label,
  help,
  kind: 'text',
  default: null,
})

const keep_their_time = (issued: string) => `It ends nothing now: ${issued} keep their time.`

// biome-ignore format: this table is read by column
export const groups: { title: string; fields: Field[] }[] = [
  { title: 'Sign-in', fields: [
    toggle('sign_in', 'password', 'Password', true, 'People can sign in with a password.'),
    toggle('sign_in', 'email_code', 'Emailed code', false, 'People can sign in with a code by mail. Needs mail.'),
    toggle('sign_in', 'passkey', 'Passkey', false, 'People can sign in with a passkey.'),
    { ...toggle('sign_in', 'passkey_shared_host', 'Passkeys of the shared host', false, 'For an issuer without a host of its own. Passkeys never move to another host.'), only: 'live' },
    choice('sign_up', 'mode', 'New accounts', ['open', 'closed'], 'Open: anyone may sign up. Closed: only the API creates accounts.'),
    choice('mfa', 'mode', 'Second factor', ['off', 'optional', 'required'], 'What a person enrolled is asked for in every mode.'),
    toggle('mfa', 'totp', 'Authenticator app', true, 'People can enrol an authenticator app.'),
  ] },
  { title: 'Passwords and lockout', fields: [
    number('password', 'min_length', 'Minimum length', [8, 128, 12], 'Characters of a new password.'),
    toggle('password', 'reject_common', 'Refuse common passwords', true, 'Also names and addresses of the person.'),
    number('lockout', 'max_attempts', 'Wrong attempts until lockout', [3, 100, 10], 'In a row.'),
    seconds('lockout', 'duration_seconds', 'Lockout', [30, 86_400, 900], 'How long the account stays locked.', keep_their_time('accounts that are locked')),
  ] },
  { title: 'Tokens', fields: [
    seconds('tokens', 'access_token_ttl_seconds', 'Access token', [60, 86_400, 3_600], 'Lifetime.', keep_their_time('tokens that are issued')),
    seconds('tokens', 'id_token_ttl_seconds', 'ID token', [60, 86_400, 3_600], 'Lifetime.', keep_their_time('tokens that are issued')),
    seconds('tokens', 'authorization_code_ttl_seconds', 'Authorization code', [10, 600, 60], 'Lifetime.', keep_their_time('codes that are issued')),
    seconds('tokens', 'refresh_token_idle_ttl_seconds', 'Refresh token unused', [3_600, 31_536_000, 1_209_600], 'It ends after this time without use.', 'Refresh tokens keep their time until their next use. Those that follow end sooner when they are unused.'),
    seconds('tokens', 'refresh_token_absolute_ttl_seconds', 'Refresh in all', [3_600, 63_072_000, 7_776_000], 'Not below the time without use.', 'Grants that are older than this end at their next refresh, and the person signs in again.'),
    seconds('tokens', 'refresh_retry_window_seconds', 'Retry window of refresh', [0, 60, 0], 'A repeat within this time gets the same answer.', 'A repeat that comes later than this ends the grant, since it could be a stolen token.'),
    choice('tokens', 'access_token_format', 'Format of access tokens', ['jwt', 'opaque'], 'For tokens without a resource server.'),
    choice('tokens', 'id_token_claims', 'Claims in the ID token', ['full', 'minimal'], 'Minimal leaves them to UserInfo.'),
  ] },
  { title: 'Sessions', fields: [
    seconds('sessions', 'idle_ttl_seconds', 'Session unused', [300, 2_592_000, 86_400], 'It ends after this time without use.', 'Sessions keep their time until the next visit. After that they end sooner when they are unused.'),
    seconds('sessions', 'absolute_ttl_seconds', 'Session in all', [3_600, 31_536_000, 2_592_000], 'Not below the time without use.', keep_their_time('sessions that have begun')),
  ] },
  { title: 'Look and links', fields: [
    text('branding', 'display_name', 'Name on the pages', 'Empty: the name of the project.'),
    text('branding', 'logo_url', 'Logo', 'An https address of an image.'),
    text('branding', 'primary_color', 'Colour', 'As #rrggbb. Empty: the default.'),
    text('links', 'terms_url', 'Terms', 'An address, linked on the pages.'),
    text('links', 'privacy_url', 'Privacy', 'An address, linked on the pages.'),
    text('links', 'support_url', 'Support', 'An address, linked on the pages.'),
  ] },
  { title: 'Scopes and browsers', fields: [
    { group: 'scopes', name: 'disabled', label: 'Scopes that no application can request', help: 'Of OpenID Connect.', kind: 'set', default: [],
      choices: ['profile', 'email', 'phone', 'offline_access'] },
    { group: 'cors', name: 'allowed_origins', label: 'Origins that may call the token endpoints, one per line', kind: 'lines', default: [],
      help: 'Besides those of spa applications. At most 100, such as https://app.example.com.' },
  ] },
  { title: 'Test only', fields: [
    { ...text('test', 'fixed_code', 'Fixed code', 'Six digits that replace emailed codes.'), only: 'test' },
  ] },
]

/** Mail has a form of its own, because its fields change together. */
// biome-ignore format: this table is read by column
export const mail_fields = {
  '/email/delivery':      'Delivery',
  '/email/from':          'Sender',
  '/email/smtp/host':     'Mail server',
  '/email/smtp/port':     'Port',
  '/email/smtp/tls':      'Encryption',
  '/email/smtp/username': 'User name',
  '/email/smtp/password': 'Password',
}
