/**
 * When a call of an administrator needs a fresh sign-in (403 `reauthentication_required`): if it gives others a way in, sends data
 * elsewhere or weakens a check, in Live or for a whole tenant. Keys, secrets, mail and members need one in Test too. A call that closes a
 * way in is never delayed (decision 0074). Calls by API key need none. Each row of the route table that changes something has an entry
 * here, or says why it needs none; the server applies it (`api/fresh.ts`).
 */
import { z } from 'zod'
import { application } from './objects/application.ts'
import { type FreshField, freshFieldsOf, type When, type Where } from './objects/field.ts'
import { provider } from './objects/provider.ts'
import { role } from './objects/role.ts'
import { webhook } from './objects/webhook.ts'

/** The fields of a PATCH by their path, such as `email.smtp.password`. */
export type FreshFields = Readonly<Record<string, FreshField>>

export type Fresh =
  /** Every call. */
  | Where
  /** A promotion: in Live always, elsewhere where one of its changes needs it by its own row. */
  | 'promotion'
  /** The member of the path is another person. Leaving and withdrawing an invitation need none. */
  | 'other_members'
  /** A body that one of the schemas accepts. Its description says what such a body does. */
  | { readonly bodies: readonly (readonly [Where, z.ZodType])[] }
  | { readonly fields: FreshFields }
  /** Why the row needs none. */
  | { readonly not: string }

const fields = (where: Where, when: When, ...names: string[]): FreshFields =>
  Object.fromEntries(names.map((name) => [name, { where, when }]))

export const freshFields = {
  application: freshFieldsOf(application),
  provider: freshFieldsOf(provider),
  webhook: freshFieldsOf(webhook),
  role: freshFieldsOf(role),
  project: fields('always', 'changed', 'promotion.require_approval', 'fresh_sign_in.test_seconds', 'fresh_sign_in.live_seconds'),
  key: fields('always', 'widened', 'scopes', 'ip_allowlist', 'allowed_origins', 'rate_limit', 'expires_at'),
  user: {
    ...fields('in_live', 'sent', 'password'),
    ...fields('in_live', 'changed', 'email', 'email_verified', 'phone_number', 'phone_number_verified'),
    ...fields('in_live', 'added_to', 'roles'),
    ...fields('in_live', 'changed', 'claims'), // APIs decide by them, and only they know which value gives more
  },
  organization: {
    ...fields('in_live', 'turned_off', 'disabled'),
    ...fields('in_live', 'changed', 'claims'),
  },
  metadata_client: { listed: { where: 'in_live', when: 'turned_on' }, disabled: { where: 'in_live', when: 'turned_off' } },
  organization_member: fields('in_live', 'added_to', 'roles'),
  settings: {
    ...fields('always', 'changed', 'email'),
    ...fields('always', 'sent', 'email.smtp.password'),
    ...fields('in_live', 'changed', 'sign_in', 'sign_up', 'mfa', 'lockout', 'password', 'sessions', 'cors', 'scopes', 'claims'),
    ...fields('in_live', 'widened', 'oauth.metadata_clients'),
    ...fields('always', 'turned_on', 'passkeys.automatic'),
    ...fields('in_live', 'turned_off', 'notices.new_sign_in'), // the mail is how people notice a stranger
    ...fields('in_live', 'changed', 'tokens.access_token_ttl_seconds', 'tokens.id_token_ttl_seconds'),
    ...fields('in_live', 'changed', 'tokens.authorization_code_ttl_seconds', 'tokens.refresh_token_idle_ttl_seconds'),
    ...fields('in_live', 'changed', 'tokens.refresh_token_absolute_ttl_seconds', 'tokens.refresh_retry_window_seconds'),
    ...fields('in_live', 'changed', 'tokens.access_token_format'), // an opaque token is refused at once when its grant ends
  },
} as const satisfies Record<string, FreshFields>

const namesAny = (...names: string[]) =>
  z.looseObject({}).refine((body) => names.some((name) => (body as Record<string, unknown>)[name] != null)) // as: a loose object

const every_body = z.unknown()

/** Creating an application: in Live always, since it has redirect URIs; elsewhere where it has a secret or keys. */
export const newApplication = {
  bodies: [
    ['in_live', every_body],
    [
      'always',
      z
        .union([
          namesAny('jwks', 'jwks_uri'),
          z.looseObject({
            application_type: z.literal('web'),
            token_endpoint_auth_method: z.enum(['client_secret', 'client_secret_basic', 'client_secret_post']).nullish(), // the default has a secret
          }),
          z.looseObject({ template: z.string() }), // most templates have a secret
        ])
        .describe('creates a client secret, or has keys or a template of the application'),
    ],
  ],
} as const

export const newProvider = {
  bodies: [
    ['in_live', every_body],
    ['always', namesAny('client_secret', 'private_key').describe('has a secret')],
  ],
} as const

/** The host of an issuer is the tenant's, and can never be taken again. */
export const newEnvironment = { bodies: [['always', namesAny('issuer').describe('names an issuer of its own')]] } as const

export const newProject = {
  bodies: [
    [
      'always',
      z
        .looseObject({ environments: z.array(z.unknown()).refine((list) => list.some((one) => namesAny('issuer').safeParse(one).success)) })
        .describe('names an issuer of its own'),
    ],
  ],
} as const

/** An approved URL is a way in. */
export const newMetadataClient = {
  bodies: [['in_live', z.looseObject({ listed: z.literal(true).optional() }).describe('approves the URL')]],
} as const

/** Without members a new organization lets nobody in. */
export const newOrganization = {
  bodies: [['in_live', z.looseObject({ members: z.array(z.unknown()).min(1) }).describe('has members')]],
} as const

const not = <const Reason extends string>(reason: Reason) => ({ not: reason })

/** Why a row that changes something needs no fresh sign-in. */
export const no_need = {
  closes: not('It closes a way in, which is never delayed.'),
  names: not('It changes names only.'),
  mails_owner: not('The mail goes to the address that the user has.'),
  sends_again: not('It sends to the address that is set.'),
  shows: not('It changes nothing that others can use.'),
  reads_again: not('The document belongs to the client, and every request of the client reads it.'),
  plans: not('A plan changes nothing.'),
  own_tenant: not('The new tenant belongs to the caller alone.'),
} as const

/** Whether calls of a row can need a fresh sign-in. */
export const needsFreshSignIn = (fresh: Fresh | undefined): boolean => fresh !== undefined && !(typeof fresh === 'object' && 'not' in fresh)

const when_words: Record<When, string> = {
  changed: 'changes',
  sent: 'sends',
  added_to: 'adds to',
  turned_on: 'turns on',
  turned_off: 'turns off',
  widened: 'widens',
}

const where_words: Record<Where, string> = { always: '', in_live: ' in a Live environment' }

/** When calls of a row need a fresh sign-in, in words that follow "An administrator needs a fresh sign-in". */
export function freshnessWords(fresh: Fresh): readonly string[] {
  if (fresh === 'other_members') return [' to remove another member']
  if (fresh === 'promotion') return [where_words.in_live, ' if one of its changes needs one by its own call']
  if (typeof fresh === 'string') return [where_words[fresh]]
  if ('not' in fresh) return []
  if ('bodies' in fresh)
    return fresh.bodies.map(
      ([where, { description }]) => `${where_words[where]}${description === undefined ? '' : ` if the body ${description}`}`,
    )
  const groups = new Map<string, string[]>()
  const strictest_first = Object.entries(fresh.fields).sort(([, a], [, b]) => (a.where < b.where ? -1 : a.where > b.where ? 1 : 0))
  for (const [name, { where, when }] of strictest_first) {
    const key = `${where_words[where]} if the body ${when_words[when]}`
    groups.set(key, [...(groups.get(key) ?? []), `\`${name}\``])
  }
  return [...groups].map(([words, names]) => `${words} ${listed(names)}`)
}

const listed = (names: readonly string[]): string =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`
