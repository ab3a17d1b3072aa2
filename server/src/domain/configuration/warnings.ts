// pure
/** The warnings of a plan: values that are replaced, tasks that are left, and changes that cannot be undone. */
import type { ObjectOfConfiguration } from '@ostiary/contract/kept.ts'
import { type ObjectKind, object_descriptions } from '@ostiary/contract/objects/objects.ts'
import type { PlannedChange } from '@ostiary/contract/promotion.ts'
import type { PromotionCheck, PromotionCheckCode } from '@ostiary/contract/promotion-check.ts'
import { switched_methods } from '@ostiary/contract/sign-in-methods.ts'
import { flatMapSteps, type Steps } from '../../base/steps.ts'
import { usesClientSecret } from '../applications/rules.ts'
import { byKind, type Configuration, type Fields } from './configuration.ts'
import type { Drafts, ObjectDraft } from './drafts.ts'
import { areEqual } from './equal.ts'
import { fieldsOf, valueAt } from './pointers.ts'
import type { WrittenDocument } from './read-document.ts'

/** The state of the target that the last promotion to it left; `null` before the first one. */
export type LeftState = Pick<Configuration, 'settings' | 'objects'> | null

interface Warned {
  readonly target: Configuration
  readonly source: Pick<WrittenDocument, 'objects'>
  readonly is_own: boolean
  readonly drafts: Drafts
  readonly changes: readonly PlannedChange[]
  readonly left: LeftState
}

export function* warningSteps(warned: Warned): Steps<PromotionCheck[]> {
  const { drafts, changes, left, is_own } = warned
  const only_there = onlyThere(warned)
  return [
    ...(yield* flatMapSteps(changes, (change) => editedThere(change, left))),
    ...(yield* flatMapSteps(drafts.objects, (draft) => [
      ...(is_own ? [] : beginsDisabled(draft)),
      ...secretWarnings(draft),
      ...renames(draft, only_there),
    ])),
    ...changes
      .filter(({ action }) => action === 'delete')
      .map(({ object, slug }) =>
        warning('irreversible', { object, slug, pointer: null }, 'The object is deleted, so this promotion cannot be reverted.'),
      ),
  ]
}

export const warning = (
  code: PromotionCheckCode,
  { object, slug, pointer }: { object: ObjectOfConfiguration; slug: string | null; pointer: string | null },
  detail: string,
): PromotionCheck => ({ code, level: 'warning', object, slug, pointer, detail })

function editedThere({ object, slug, action, fields }: PlannedChange, left: LeftState): PromotionCheck[] {
  if (left === null || action !== 'update') return []
  const state = object === 'settings' ? left.settings : left.objects[object].get(slug ?? '')
  const pathOf = new Map(fieldsOf(object).map((field) => [field.pointer, field.path]))
  return fields
    .filter(({ pointer, from }) => !areEqual(valueAt(state, pathOf.get(pointer) ?? []) ?? null, from))
    .map(({ pointer }) =>
      warning(
        'edited_there',
        { object, slug, pointer },
        'The target was changed here since the last promotion to it, and this promotion replaces the change.',
      ),
    )
}

function beginsDisabled({ kind, slug, current, next }: ObjectDraft): PromotionCheck[] {
  if (current !== null || (next?.disabled !== true && next?.enabled !== false)) return []
  const detail = 'The new object begins switched off. Switch it on in the target when it is ready.'
  return [warning('begins_disabled', { object: kind, slug, pointer: next.enabled === false ? '/enabled' : '/disabled' }, detail)]
}

export function secretWarnings({ kind, slug, current, next }: ObjectDraft): PromotionCheck[] {
  if (next === null) return []
  if (kind === 'webhook' && current === null)
    return [warning('secret_made', { object: kind, slug, pointer: null }, 'The webhook gets a new secret, which is shown once.')]
  if (kind !== 'application') return []
  const [had, has] = [usesSecret(current), usesSecret(next)]
  const at = { object: kind, slug, pointer: '/token_endpoint_auth_method' }
  if (!had && has) return [warning('secret_made', at, 'The application gets a new client secret, which is shown once.')]
  return had && !has ? [warning('secret_ends', at, 'The client secret of the application ends with its method.')] : []
}

type Method = Parameters<typeof usesClientSecret>[0]
const usesSecret = (fields: Fields | null) => usesClientSecret((fields?.token_endpoint_auth_method ?? 'none') as Method) // as: checked by the schema

type SlugsByIdentity = Readonly<Record<ObjectKind, ReadonlyMap<string, string>>>

/** The objects that the target alone has and keeps, once for all drafts. Of several that are alike, the first. */
function onlyThere({ target, source, drafts }: Warned): SlugsByIdentity {
  const deleted = new Set(drafts.objects.flatMap(({ kind, slug, next }) => (next === null ? [`${kind}/${slug}`] : [])))
  return byKind((kind) => {
    const slugs = new Map<string, string>()
    for (const [slug, fields] of target.objects[kind]) {
      if (source.objects[kind].has(slug) || deleted.has(`${kind}/${slug}`)) continue
      const identity = identityOf(kind, fields)
      if (!slugs.has(identity)) slugs.set(identity, slug)
    }
    return slugs
  })
}

/** A slug never changes, so a renamed slug is a new object beside the old one. */
function renames({ kind, slug, current, next }: ObjectDraft, only_there: SlugsByIdentity): PromotionCheck[] {
  if (current !== null || next === null) return []
  const alike = only_there[kind].get(identityOf(kind, next))
  if (alike === undefined) return []
  const detail = `The target alone has ${alike}, with the same name and type. If this is the same object, give it that slug: a slug never changes.`
  return [warning('looks_like_rename', { object: kind, slug, pointer: null }, detail)]
}

function identityOf(kind: ObjectKind, fields: Fields): string {
  const { fixed } = object_descriptions[kind]
  return JSON.stringify([fixed && fields[fixed], fields.name ?? fields.display_name ?? fields.url])
}

/** A way in that a plan switches off. */
export interface ClosedWay {
  readonly object: 'settings' | 'provider'
  readonly slug: string | null
  readonly pointer: string | null
}

export function closedWaysOf({ settings, objects }: Drafts): ClosedWay[] {
  const isOn = (fields: Fields, method: string) => valueAt(fields, ['sign_in', method]) === true
  const methods = switched_methods.filter((method) => isOn(settings.current, method) && !isOn(settings.next, method))
  const providers = objects.filter(({ kind, current, next }) => kind === 'provider' && current?.enabled === true && next?.enabled !== true)
  return [
    ...methods.map((method): ClosedWay => ({ object: 'settings', slug: null, pointer: `/sign_in/${method}` })),
    ...providers.map(({ slug, next }): ClosedWay => ({ object: 'provider', slug, pointer: next === null ? null : '/enabled' })),
  ]
}
