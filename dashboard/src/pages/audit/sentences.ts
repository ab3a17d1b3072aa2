/** An entry of the audit log as a sentence: who did what to which object. Pure functions. */
import type { AuditEntry } from '@ostiary/sdk'
import { type Look, type ObjectField, objects } from '../../generated/objects.ts'
import { settings_groups } from '../../generated/settings.ts'
import { duration } from '../../parts/clock.ts'
import { causeWords, provider_can_be_read } from '../providers/causes.ts'

type NameOf = (id: string | null | undefined) => { name: string } | undefined

// biome-ignore format: this table is read by column
const special: Record<string, string> = {
  addMember:              'invited',
  changeMember:           'changed the role of',
  removeMember:           'removed the member',
  addOrganizationMember:  'added the member',
  changeOrganizationMember: 'changed the roles of the member',
  removeOrganizationMember: 'removed the member',
  inviteToOrganization:   'invited to an organization by',
  resendOrganizationInvitation: 'sent again the organization invitation',
  deleteOrganizationInvitation: 'withdrew the organization invitation',
  resendInvitation:       'sent the invitation again to',
  acceptInvitation:       'accepted the invitation of',
  changeSettings:         'changed the settings',
  readMetadataClient:     'read the document again of the program by address',
  rotateClientSecret:     'rotated the client secret of the application',
  addClientSecret:        'added a second client secret to an application,',
  deleteClientSecret:     'deleted a client secret of an application,',
  rotateWebhookSecret:    'rotated the secret of the webhook',
  rotateSigningKey:       'rotated the signing key',
  testWebhook:            'sent a test event to the webhook',
  testMail:               'sent a test mail',
  checkProvider:          'checked the identity provider',
  resendDelivery:         'sent a message again to the webhook',
  resendSince:            'sent messages again to the webhook',
  resendBackchannelLogout: 'sent a back-channel logout again',
  endUserSessions:        'ended all sessions of the user',
  endSession:             'ended a session',
  sendReset:              'mailed a link for a new password to the user',
  sendVerification:       'mailed a code to the user',
  removeUserMethod:       'removed a sign-in method of the user',
  removeTrustedBrowser:   'removed a trusted browser of the user',
  disconnectGrant:        'disconnected an application from the user',
  createPromotion:        'planned a promotion',
  approvePromotion:       'approved a promotion',
  applyPromotion:         'applied a promotion',
  revertPromotion:        'reverted a promotion',
  setup:                  'set up the service',
  bootstrap:              'set up the service',
  recover:                'invited an owner by the command line',
}

const verbs: Record<string, string> = {
  create: 'created',
  change: 'changed',
  delete: 'deleted',
  revoke: 'revoked',
  rotate: 'rotated',
  block: 'blocked',
  unblock: 'unblocked',
  approve: 'approved',
  refuse: 'refused',
  restore: 'restored',
}

const object_words: Record<string, string> = {
  AuthKey: 'key',
  PlatformKey: 'platform key',
  ResourceServer: 'resource server',
  MetadataClient: 'program by address',
  Provider: 'identity provider',
}

/** The verb for a step of a promotion on one of the objects that it changed. */
const steps: Record<string, string> = { applyPromotion: 'promoted', revertPromotion: 'reverted' }
const promoted: Record<string, string> = { environment: 'settings of', resource_server: 'resource server', provider: 'identity provider' }

/** Describes an operation in the past tense, with the kind of its object: `rotated the key`. */
export function didOf(action: string, object_type?: string): string {
  if (steps[action] && object_type && object_type !== 'promotion') return `${steps[action]} the ${promoted[object_type] ?? object_type}`
  if (action === 'createOrganization' && object_type === 'organization_member') return didOf('addOrganizationMember')
  const [, verb = '', what = ''] = /^([a-z]+)([A-Z]\w*)$/.exec(action) ?? []
  const done = verbs[verb]
  if (special[action] || !done) return special[action] ?? action
  return `${done} the ${object_words[what] ?? what.toLowerCase()}`
}

const text = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined)

/** It stands in the log in the place of personal data. */
const hidden = '[personal]'

/** The organization that an entry is about: the object itself, or that of the member. */
export function organizationOf({ object, before, after }: Pick<AuditEntry, 'object' | 'before' | 'after'>): string | undefined {
  if (object.type === 'organization') return object.id
  return object.type === 'organization_member' ? text({ ...before, ...after }.organization_id) : undefined
}

/** Returns the name of the object: its present one, else the one in the entry. */
export function objectOf(
  { action, object, before, after }: Pick<AuditEntry, 'action' | 'object' | 'before' | 'after'>,
  nameOf: NameOf,
): string | undefined {
  if (action === 'changeSettings') return undefined // the column beside it says of which environment
  const held = { ...before, ...after }
  if (object.type === 'promotion') return text(held.note) // a promotion has no name
  const names = [held.label, held.name, held.display_name, held.client_name, held.email, held.slug, held.identifier, held.url]
  const known = nameOf(object.id)?.name ?? names.map(text).find((name) => name !== undefined && name !== hidden)
  if (object.type === 'organization_member')
    return `${known ?? object.id} of ${nameOf(organizationOf({ object, before, after }))?.name ?? 'an organization'}`
  return known ?? (object.type === 'member' ? 'a former member' : undefined)
}

export const whoOf = ({ actor }: AuditEntry): string => actor.label ?? actor.id ?? 'Ostiary'

/** Where it was, such as `Storefront, Test`. */
export function placeOf({ project_id, environment_id }: AuditEntry, nameOf: NameOf): string {
  return [project_id, environment_id]
    .map((id) => nameOf(id)?.name)
    .filter((name) => name !== undefined)
    .join(', ')
}

/** Returns the result of a check in a sentence. The state after it is an answer, and has no changed fields. */
export function foundOf({ action, after }: Pick<AuditEntry, 'action' | 'after'>): string | null {
  if (action !== 'checkProvider' || after === null) return null
  const { ok, cause, detail } = after
  if (ok === true) return provider_can_be_read
  return `${causeWords(String(cause))}. ${text(detail) ?? ''}`.trim()
}

export interface Change {
  /** The member of the object, such as `tokens.access_token_ttl_seconds`. */
  path: string
  field: string
  before: string | null
  after: string | null
}

const labels = new Map(settings_groups.flatMap(({ title, fields }) => fields.map(({ path, label }) => [path, `${title}: ${label}`])))

/** The fields that the service sets by itself. They add nothing to the sentence. */
const bookkeeping = new Set([
  'version',
  'start',
  'last4',
  'created_at',
  'updated_at',
  'rotated_at',
  'secret_rotated_at',
  'previous_secret_until',
])

type Changed = Pick<AuditEntry, 'object' | 'before' | 'after'>

/** The members that differ, at the depth where they differ, with the words of the page that has the field. */
export function changesOf({ object: { type }, before, after }: Changed): Change[] {
  const [old, now] = [leavesOf(before), leavesOf(after)]
  const paths = [...new Set([...old.keys(), ...now.keys()])].filter((path) => !bookkeeping.has(path))
  return paths.map((path) => {
    const shownIn = (leaves: ReadonlyMap<string, unknown>) => (leaves.has(path) ? shown(path, leaves.get(path), lookOf(type, path)) : null)
    const field = labels.get(path) ?? fieldOf(type, path)?.label ?? wordsOf(path)
    return { path, field, before: shownIn(old), after: shownIn(now) }
  })
}

/**
 * The values of an entry that say something. A change has both sides of each field that differs. A creation and a deletion have the fields
 * with a value of their own: not those that are empty, zero or as in every new object, nor those that the entry shows above them, which are the
 * object, its place and who made it.
 */
export function tellingChanges(entry: Changed & Pick<AuditEntry, 'actor' | 'project_id' | 'environment_id'>): Change[] {
  const { object, actor, project_id, environment_id, before, after } = entry
  if (before !== null && after !== null) return changesOf(entry)
  const above = new Set<unknown>([object.id, project_id, environment_id])
  const maker = (before ?? after)?.created_by
  const is_by_actor = typeof maker === 'object' && maker !== null && 'id' in maker && maker.id === actor.id
  const isAbove = ({ path }: Change, value: string | null) =>
    above.has(value) || (path === 'tenant_id' && object.type !== 'tenant') || (is_by_actor && path.startsWith('created_by.'))
  return changesOf(entry).filter((change) => {
    const value = change.after ?? change.before
    return value !== none && value !== '0' && value !== initialOf(object.type, change.path) && !isAbove(change, value)
  })
}

const kinds: Readonly<Record<string, { fields: Readonly<Record<string, ObjectField>> }>> = objects
const fieldOf = (type: string, path: string): ObjectField | undefined => kinds[type]?.fields[path]
const lookOf = (type: string, path: string): Look | undefined => fieldOf(type, path)?.look

/** The value in the form of a new object; `null` where the object has no form, or the field none. */
function initialOf(type: string, path: string): string | null {
  const field = fieldOf(type, path)
  return field && !field.is_required ? shown(path, field.initial, field.look) : null
}

const wordsOf = (path: string) =>
  path
    .replace(/_seconds$/, '')
    .replace(/(environment|project|application|organization|provider|webhook|user)_id$/, '$1') // its value is shown by name
    .replaceAll('.', ', ')
    .replaceAll('_', ' ')

function leavesOf(state: unknown, path = ''): Map<string, unknown> {
  if (typeof state !== 'object' || state === null || Array.isArray(state)) return new Map(path === '' ? [] : [[path, state]])
  return new Map(Object.entries(state).flatMap(([name, member]) => [...leavesOf(member, path === '' ? name : `${path}.${name}`)]))
}

/** The value of a field without one. */
const none = 'none'

function shown(path: string, value: unknown, look: Look | undefined): string {
  if (value === null || value === '') return none
  if (typeof value === 'boolean') return value ? 'on' : 'off'
  if (typeof value === 'number' && path.endsWith('_seconds')) return duration(value)
  if (Array.isArray(value)) return value.length === 0 ? none : value.map((one) => shown(path, one, look)).join('\n')
  if (typeof value === 'object') return JSON.stringify(value)
  return (typeof look === 'object' ? look[String(value)] : undefined) ?? String(value)
}
