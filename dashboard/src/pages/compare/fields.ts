/**
 * The configuration of an environment in plain words: what each field is called, whether it travels from Test to Live, and whom a change
 * affects. The classes are those of the contract; a test compares both.
 */

/** How a value is shown. */
export type Look = 'switch' | 'seconds' | 'count' | 'text' | 'list' | 'events' | 'scopes' | Readonly<Record<string, string>>

export interface Travelling {
  path: string
  label: string
  look: Look
  /** Who notices the change in Live, and when. */
  affects: string
}

/** A setting that belongs to its environment. */
export interface Owned {
  path: string
  label: string
  look: Look
  /** What to do in Live where only Test has a value. */
  advice: string
}

const travels = (path: string, label: string, look: Look, affects: string): Travelling => ({ path, label, look, affects })
const owned = (path: string, label: string, look: Look, advice: string): Owned => ({ path, label, look, advice })

const next_tokens = 'Tokens that are issued from then on. Those already issued keep their time.'
const next_refresh = 'Each grant, from its next refresh.'
const each_visitor = 'Every person who opens a sign-in page.'
const new_passwords = 'People who set a new password. Those they have stay valid.'
const sign_in_page = 'Every person who signs in: the page offers it, or no longer does. Nobody is signed out.'
const formats = { jwt: 'JWT', opaque: 'Opaque' }

export interface SettingsGroup {
  title: string
  /** The page of the dashboard that changes them. */
  page: string
  fields: readonly (Travelling | Owned)[]
}

// biome-ignore format: this table is read by column
export const settingsGroups: readonly SettingsGroup[] = [
  { title: 'Sign-in', page: '/settings', fields: [
    travels('sign_in.password',   'Password sign-in',   'switch', sign_in_page),
    travels('sign_in.email_code', 'Emailed code',       'switch', sign_in_page),
    travels('sign_in.passkey',    'Passkeys',           'switch', sign_in_page),
    owned('sign_in.passkey_shared_host', 'Passkeys on the shared host', 'switch', 'Live only'),
    travels('sign_up.mode',       'New accounts',       { open: 'Anyone may sign up', closed: 'Closed' }, 'People without an account.'),
    travels('mfa.mode',           'Second factor',      { off: 'Off', optional: 'Optional', required: 'Required' }, 'Every person, at the next sign-in. “Required” asks those without one to enrol.'),
    travels('mfa.totp',           'Authenticator app',  'switch', 'People who want to enrol one. Enrolled ones stay.'),
  ] },
  { title: 'Passwords and lockout', page: '/settings', fields: [
    travels('password.min_length',      'Shortest password',           'count',   new_passwords),
    travels('password.reject_common',   'Common passwords refused',    'switch',  new_passwords),
    travels('lockout.max_attempts',     'Wrong passwords until lockout', 'count', 'People who mistype, from the next attempt.'),
    travels('lockout.duration_seconds', 'Lockout lasts',               'seconds', 'Accounts that are locked from then on.'),
  ] },
  { title: 'Tokens and sessions', page: '/settings', fields: [
    travels('tokens.access_token_ttl_seconds',           'Access token lives',            'seconds', next_tokens),
    travels('tokens.id_token_ttl_seconds',               'ID token lives',                'seconds', next_tokens),
    travels('tokens.authorization_code_ttl_seconds',     'Authorization code lives',      'seconds', 'Sign-ins from then on.'),
    travels('tokens.refresh_token_idle_ttl_seconds',     'Refresh ends after idle',       'seconds', next_refresh),
    travels('tokens.refresh_token_absolute_ttl_seconds', 'Refresh ends in all',           'seconds', next_refresh),
    travels('tokens.refresh_retry_window_seconds',       'Retry window of refresh',       'seconds', 'Applications that repeat a refresh after a lost answer.'),
    travels('tokens.access_token_format',                'Access token format',           formats,   'Every program that reads access tokens, from the next token on.'),
    travels('tokens.id_token_claims',                    'Claims in the ID token',        { full: 'Full', minimal: 'Minimal' }, 'Every application that reads claims from ID tokens, from the next one on.'),
    travels('sessions.idle_ttl_seconds',                 'Session ends after idle',       'seconds', 'People who are signed in, from their next visit.'),
    travels('sessions.absolute_ttl_seconds',             'Session ends in all',           'seconds', 'Sessions that begin from then on.'),
    travels('scopes.disabled',                           'Scopes switched off',           'list',    'Applications that request these scopes: they are refused at once.'),
  ] },
  { title: 'Mail', page: '/settings', fields: [
    owned('email.delivery',      'Delivery',            { none: 'None', smtp: 'Mail server', capture: 'Captured' }, 'Set a mail server in Live'),
    owned('email.from',          'Sender',              'text',  'Needed before mail can leave'),
    owned('email.smtp.host',     'Mail server',         'text',  'Set a mail server in Live'),
    owned('email.smtp.port',     'Port',                'text',  'Part of the mail server'),
    owned('email.smtp.username', 'User name at the mail server', 'text', 'Part of the mail server'),
    owned('email.smtp.tls',      'TLS to the mail server', { starttls: 'STARTTLS', implicit: 'Implicit', none: 'None' }, 'Part of the mail server'),
  ] },
  { title: 'Look and links', page: '/settings', fields: [
    travels('branding.display_name',  'Name on the pages', 'text', each_visitor),
    travels('branding.primary_color', 'Colour',            'text', each_visitor),
    owned('branding.logo_url',  'Logo',    'text', 'Add the address of the logo in Live'),
    owned('links.terms_url',    'Terms',   'text', 'Add the address of the terms in Live'),
    owned('links.privacy_url',  'Privacy', 'text', 'Add the address of the privacy policy in Live'),
    owned('links.support_url',  'Support', 'text', 'Add the address of your support in Live'),
  ] },
  { title: 'Calls from browsers', page: '/settings', fields: [
    owned('cors.allowed_origins', 'Further origins', 'list', 'Add the origins of Live'),
  ] },
]

export type ObjectKind = 'application' | 'resource_server' | 'provider' | 'webhook'

export interface ObjectFields {
  title: string
  page: string
  travels: readonly Travelling[]
  /** The fields that each environment has for itself. They are named together, never copied. */
  owned: Readonly<Record<string, string>>
  /** What to do where only Test has the object. */
  advice: string
}

const signs_in = 'People who sign in through this application.'

// biome-ignore format: this table is read by column
export const objectFields: Readonly<Record<ObjectKind, ObjectFields>> = {
  resource_server: {
    title: 'Resource servers', page: '/resource-servers', advice: 'Create it in Live, with its own identifier',
    travels: [
      travels('name',                     'Name',                'text',    'People who see it on the consent page.'),
      travels('scopes',                   'Scopes',              'scopes',  'Applications that request these scopes. A scope that goes away is refused at once.'),
      travels('access_token_ttl_seconds', 'Access token lives',  'seconds', next_tokens),
      travels('access_token_format',      'Access token format', formats,   'This resource server, from the next token on.'),
    ],
    owned: { identifier: 'identifier' },
  },
  provider: {
    title: 'Providers', page: '/providers', advice: 'Add it in Live, with its own client id and secret',
    travels: [
      travels('display_name',           'Name',                     'text',   each_visitor),
      travels('scopes',                 'Scopes',                   'list',   'People who sign in with it. The provider can ask them to consent again.'),
      travels('link_by_verified_email', 'Links by verified address', 'switch', 'People with an account who sign in with it for the first time.'),
    ],
    owned: { issuer: 'issuer', client_id: 'client id', team_id: 'team id', key_id: 'key id', enabled: 'on or off' },
  },
  application: {
    title: 'Applications', page: '/applications', advice: 'Create it in Live, with its own return address',
    travels: [
      travels('name',                       'Name',                'text', 'People who see it on the consent page.'),
      travels('token_endpoint_auth_method', 'Authentication',      'text', 'The application itself: with its present configuration it gets no more tokens until it authenticates this way.'),
      travels('allowed_scopes',             'Scopes',              'list', `${signs_in} A scope that goes away is refused at once.`),
      travels('require_pkce',               'PKCE required',       'switch', `${signs_in} Without PKCE the application is refused once it is required.`),
      travels('consent',                    'Consent page',        { skip: 'Skipped', ask: 'Shown' }, signs_in),
      travels('allow_loopback_port',        'Any loopback port',   'switch', 'Installed copies of the application.'),
    ],
    owned: {
      redirect_uris: 'return addresses', post_logout_redirect_uris: 'addresses after sign-out', jwks: 'keys', jwks_uri: 'address of keys',
      backchannel_logout_uri: 'address of sign-out notices', initiate_login_uri: 'address that begins a sign-in', logo_uri: 'logo', disabled: 'on or off',
    },
  },
  webhook: {
    title: 'Webhooks', page: '/webhooks', advice: 'Add it in Live, with its own address',
    travels: [
      travels('events',      'Kinds of events', 'events', 'The server that receives it, from the next event on.'),
      travels('description', 'Description',     'text',   'Only the readers of this dashboard.'),
    ],
    owned: { url: 'address', disabled: 'on or off' },
  },
}
