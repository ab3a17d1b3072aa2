/**
 * The configuration of an environment in plain words: what each field is called, how its value is shown, and whom a change affects. The
 * settings are generated from the contract; the fields of the other objects are compared with it by a test.
 */
import { type Setting, settings_groups } from '../../generated/settings.ts'

/** How a value is shown. */
export type Look = 'switch' | 'seconds' | 'count' | 'text' | 'list' | 'events' | 'scopes' | 'json' | Readonly<Record<string, string>>

export interface Field {
  /** The JSON pointer of the field within its object. */
  pointer: string
  label: string
  look: Look
  /** `travels`: a promotion copies it. `owned`: each environment has its own. `fixed`: set at creation. `secret`: appears by name. */
  class: 'travels' | 'owned' | 'fixed' | 'secret'
  /** Who notices a change, and when; empty for what never changes. */
  affects: string
  /** What to do in Live where only Test has a value; `null` where each object says it itself. */
  advice: string | null
}

const next_tokens = 'Tokens that are issued from then on. Those already issued keep their time.'
const each_visitor = 'Every person who opens a sign-in page.'
const signs_in = 'People who sign in through this application.'
const formats = { jwt: 'JWT', opaque: 'Opaque' }

const field =
  (kind: Field['class']) =>
  (name: string, label: string, look: Look, affects = ''): Field => ({
    pointer: `/${name}`,
    label,
    look,
    class: kind,
    affects,
    advice: null,
  })
const travels = field('travels')
const owned = field('owned')
const fixed = field('fixed')
const secret = field('secret')

const looks = { switch: 'switch', seconds: 'seconds', number: 'count', text: 'text', lines: 'list' } as const

const lookOf = ({ kind, choices }: Setting): Look =>
  kind === 'choice' || kind === 'set' ? Object.fromEntries((choices ?? []).map(({ value, label }) => [value, label])) : looks[kind]

const settingOf = (setting: Setting): Field => ({
  pointer: `/${setting.path.replaceAll('.', '/')}`,
  label: setting.label,
  look: lookOf(setting),
  class: setting.class === 'never' ? 'secret' : setting.class,
  affects: setting.affects,
  advice: setting.advice,
})

export interface SettingsGroup {
  title: string
  fields: readonly Field[]
}

export const settingsGroups: readonly SettingsGroup[] = settings_groups.map(({ title, fields }) => ({
  title,
  fields: fields.map(settingOf),
}))

/** Fields that one type of environment alone has, which are not compared. */
export const of_one_type: ReadonlySet<string> = new Set(
  settings_groups.flatMap(({ fields }) => fields.filter(({ only }) => only === 'test').map((setting) => settingOf(setting).pointer)),
)

export type ObjectKind = 'application' | 'resource_server' | 'provider' | 'webhook'

/** In the order of the document. */
export const kinds: readonly ObjectKind[] = ['resource_server', 'application', 'provider', 'webhook']

export interface Kind {
  one: string
  many: string
  /** The member of the document that has such objects. */
  section: 'resource_servers' | 'applications' | 'providers' | 'webhooks'
  /** The page of an environment that lists them. */
  page: '/resource-servers' | '/applications' | '/providers' | '/webhooks'
  fields: readonly Field[]
  /** What to do where only Test has the object. */
  advice: string
}

// biome-ignore format: this table is read by column
export const objectKinds: Readonly<Record<ObjectKind, Kind>> = {
  resource_server: {
    one: 'Resource server', many: 'Resource servers', section: 'resource_servers', page: '/resource-servers', advice: 'Live needs its own identifier',
    fields: [
      travels('name',                     'Name',                'text',    'People who see it on the consent page.'),
      owned  ('identifier',               'Identifier',          'text'),
      travels('scopes',                   'Scopes',              'scopes',  'Applications that request these scopes. A scope that goes away is refused at once.'),
      travels('access_token_ttl_seconds', 'Access token lives',  'seconds', next_tokens),
      travels('access_token_format',      'Access token format', formats,   'This resource server, from the next token on.'),
    ],
  },
  application: {
    one: 'Application', many: 'Applications', section: 'applications', page: '/applications', advice: 'Live needs its own redirect URI',
    fields: [
      fixed  ('application_type',           'Kind',                { web: 'Web', spa: 'Browser', native: 'Device' }),
      fixed  ('template',                   'Template',            'text'),
      travels('name',                       'Name',                'text', 'People who see it on the consent page.'),
      owned  ('redirect_uris',              'Redirect URIs',       'list', `${signs_in} Sign-in returns to these addresses alone.`),
      owned  ('post_logout_redirect_uris',  'Addresses after sign-out', 'list', 'People who sign out of this application.'),
      travels('token_endpoint_auth_method', 'Authentication',      'text', 'The application itself: with its present configuration it gets no more tokens until it authenticates this way.'),
      owned  ('jwks',                       'Keys',                'json', 'The application itself: it signs by these keys.'),
      owned  ('jwks_uri',                   'Address of keys',     'text', 'The application itself: it signs by the keys at this address.'),
      travels('allowed_scopes',             'Scopes',              'list', `${signs_in} A scope that goes away is refused at once.`),
      travels('unknown_scopes',             'Unknown scopes',      { reject: 'Refused', ignore: 'Left out' }, `${signs_in} A request with an unknown scope is refused, or goes on without it.`),
      travels('require_pkce',               'PKCE required',       'switch', `${signs_in} Without PKCE the application is refused once it is required.`),
      travels('nonce_replaces_pkce',        'A nonce in place of PKCE', 'switch', `${signs_in} Where it is off, a request with a nonce but without PKCE is refused.`),
      travels('consent',                    'Consent page',        { skip: 'Skipped', ask: 'Shown' }, signs_in),
      owned  ('backchannel_logout_uri',     'Back-channel logout URI', 'text', 'The application itself: it gets a logout token there when a session ends.'),
      owned  ('initiate_login_uri',         'Address that begins a sign-in', 'text', 'People who begin at the account page.'),
      owned  ('logo_uri',                   'Logo',                'text', 'People who see it on the consent page.'),
      travels('allow_loopback_port',        'Any loopback port',   'switch', 'Installed copies of the application.'),
      owned  ('disabled',                   'Switched off',        'switch', signs_in),
    ],
  },
  provider: {
    one: 'Provider', many: 'Providers', section: 'providers', page: '/providers', advice: 'Live needs its own client id and secret',
    fields: [
      fixed  ('type',                      'Kind',                     'text'),
      travels('display_name',              'Name',                     'text',   each_visitor),
      owned  ('issuer',                    'Issuer',                   'text',   'People who sign in with it.'),
      owned  ('client_id',                 'Client id',                'text',   'People who sign in with it.'),
      travels('scopes',                    'Scopes',                   'list',   'People who sign in with it. The provider can ask them to consent again.'),
      owned  ('enabled',                   'Switched on',              'switch', each_visitor),
      travels('link_by_verified_email',    'Links by verified address', 'switch', 'People with an account who sign in with it for the first time.'),
      travels('accept_preferred_username', 'Takes user names',         'switch', 'People who sign in with it for the first time.'),
      travels('sign_out',                  'Sign-out',                 { none: 'Here alone', rp_initiated: 'At the provider too' }, 'People who sign out after a sign-in with it.'),
      owned  ('team_id',                   'Team id',                  'text',   'People who sign in with it.'),
      owned  ('key_id',                    'Key id',                   'text',   'People who sign in with it.'),
      secret ('client_secret',             'Client secret',            'text',   'People who sign in with it.'),
      secret ('private_key',               'Private key',              'text',   'People who sign in with it.'),
    ],
  },
  webhook: {
    one: 'Webhook', many: 'Webhooks', section: 'webhooks', page: '/webhooks', advice: 'Live needs its own address',
    fields: [
      owned  ('url',         'Address',         'text',   'The server that receives it.'),
      travels('events',      'Kinds of events', 'events', 'The server that receives it, from the next event on.'),
      travels('description', 'Description',     'text',   'Only the readers of this dashboard.'),
      owned  ('disabled',    'Switched off',    'switch', 'The server that receives it.'),
    ],
  },
}

const fields_of_settings: readonly Field[] = settingsGroups.flatMap(({ fields }) => fields)

/** A sentence of the service with the settings that it names as this dashboard calls them. */
export const inWords = (detail: string): string =>
  detail.replace(/\b[a-z_]+(?:\.[a-z_]+)+\b/g, (path) => {
    const known = fields_of_settings.find(({ pointer }) => pointer === `/${path.replaceAll('.', '/')}`)
    return known ? `“${known.label}”` : path
  })

export type Subject = ObjectKind | 'settings'
export const fieldsOf = (object: Subject): readonly Field[] => (object === 'settings' ? fields_of_settings : objectKinds[object].fields)

/** The field at a pointer, or the one that a longer pointer is in. A field of a newer service has its pointer for a label. */
export function fieldAt(object: Subject, pointer: string): Field {
  const known = fieldsOf(object).find((each) => pointer === each.pointer || pointer.startsWith(`${each.pointer}/`))
  const label = pointer.slice(1).replaceAll('/', ', ').replaceAll('_', ' ')
  return known ?? { ...travels(pointer.slice(1), label, 'text') }
}
