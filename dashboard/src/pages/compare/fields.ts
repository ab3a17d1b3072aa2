/**
 * The configuration of an environment in plain words: what each field is called, whether it travels from Test to Live, and whom a change
 * affects. The settings are generated from the contract; the classes of the other objects are compared with it by a test.
 */

import { type Setting, settings_groups } from '../../generated/settings.ts'

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

const next_tokens = 'Tokens that are issued from then on. Those already issued keep their time.'
const each_visitor = 'Every person who opens a sign-in page.'
const formats = { jwt: 'JWT', opaque: 'Opaque' }

export interface SettingsGroup {
  title: string
  /** The page of the dashboard that changes them. */
  page: string
  fields: readonly (Travelling | Owned)[]
}

const looks = { switch: 'switch', seconds: 'seconds', number: 'count', text: 'text', lines: 'list' } as const

const lookOf = ({ kind, choices }: Setting): Look =>
  kind === 'choice' || kind === 'set' ? Object.fromEntries((choices ?? []).map(({ value, label }) => [value, label])) : looks[kind]

/** A secret, and what exists in Test only, is not compared. */
function compared(field: Setting): (Travelling | Owned)[] {
  const { path, label, affects, advice } = field
  if (field.only === 'test') return []
  if (field.class === 'travels') return [travels(path, label, lookOf(field), affects)]
  return field.class === 'owned' ? [{ path, label, look: lookOf(field), advice: advice ?? 'Set it in Live' }] : []
}

export const settingsGroups: readonly SettingsGroup[] = settings_groups.map(({ title, fields }) => ({
  title,
  page: '/settings',
  fields: fields.flatMap(compared),
}))

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
      travels('accept_preferred_username', 'Takes user names',      'switch', 'People who sign in with it for the first time.'),
      travels('sign_out',               'Sign-out',                 { none: 'Here alone', rp_initiated: 'At the provider too' }, 'People who sign out after a sign-in with it.'),
    ],
    owned: { issuer: 'issuer', client_id: 'client id', team_id: 'team id', key_id: 'key id', enabled: 'on or off' },
  },
  application: {
    title: 'Applications', page: '/applications', advice: 'Create it in Live, with its own redirect URI',
    travels: [
      travels('name',                       'Name',                'text', 'People who see it on the consent page.'),
      travels('token_endpoint_auth_method', 'Authentication',      'text', 'The application itself: with its present configuration it gets no more tokens until it authenticates this way.'),
      travels('allowed_scopes',             'Scopes',              'list', `${signs_in} A scope that goes away is refused at once.`),
      travels('unknown_scopes',             'Unknown scopes',      { reject: 'Refused', ignore: 'Left out' }, `${signs_in} A request with an unknown scope is refused, or goes on without it.`),
      travels('require_pkce',               'PKCE required',       'switch', `${signs_in} Without PKCE the application is refused once it is required.`),
      travels('nonce_replaces_pkce',        'A nonce in place of PKCE', 'switch', `${signs_in} Where it is off, a request with a nonce but without PKCE is refused.`),
      travels('consent',                    'Consent page',        { skip: 'Skipped', ask: 'Shown' }, signs_in),
      travels('allow_loopback_port',        'Any loopback port',   'switch', 'Installed copies of the application.'),
    ],
    owned: {
      redirect_uris: 'redirect URIs', post_logout_redirect_uris: 'addresses after sign-out', jwks: 'keys', jwks_uri: 'address of keys',
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
