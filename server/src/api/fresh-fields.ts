// pure
/** Which changes of an object need a fresh sign-in, by the table of its fields (`contract/src/fresh.ts`). */
import type { ApiKey } from '@ostiary/contract/api-key.ts'
import type { FreshFields } from '@ostiary/contract/fresh.ts'
import type { FreshField, Where } from '@ostiary/contract/objects/field.ts'
import { organization_uses } from '@ostiary/contract/objects/organization-use.ts'
import type { Permission } from '@ostiary/contract/objects/role.ts'
import { metadata_clients_modes } from '@ostiary/contract/settings.ts'
import { isRecord } from '../base/record.ts'
import { isWidened } from '../domain/keys/widening.ts'
import { givesMore } from '../domain/roles/permissions.ts'

/** Judges a body by the fields that are write-only. `null` where none of them needs it. */
export const whereSent = (fields: FreshFields, body: unknown): Where | null =>
  strictest(fields, (name, { when }) => when === 'sent' && valueAt(body, name) !== undefined)

/** Judges a change by the object before and after it, as the API shows them. */
export const whereChanged = (fields: FreshFields, before: object, after: object): Where | null =>
  strictest(fields, (name, { when }) => {
    const [old, next] = [valueAt(before, name), valueAt(after, name)]
    switch (when) {
      case 'sent':
        return false
      case 'changed':
        return JSON.stringify(old) !== JSON.stringify(next)
      case 'added_to':
        return listOf(next).some((element) => !listOf(old).includes(element))
      case 'turned_on':
        return old === false && next === true
      case 'turned_off':
        return old === true && next === false
      case 'widened':
        return widenings[name]?.(old, next) ?? isWidened(name, before as ApiKey, after as ApiKey) // as: only keys have the others
    }
  })

/** Whether fields let in more people or clients, or give more. */
const widenings: Readonly<Record<string, (old: unknown, next: unknown) => boolean>> = {
  permissions: (old, next) => givesMore(listOf(old) as Permission[], listOf(next) as Permission[]), // as: only roles have this field
  /** An empty list admits everyone. */
  allowed_roles: (old, next) =>
    listOf(old).length > 0 && (listOf(next).length === 0 || listOf(next).some((slug) => !listOf(old).includes(slug))),
  organizations: (old, next) => placeIn(organization_uses, next) < placeIn(organization_uses, old), // from the widest to the strictest
  'oauth.metadata_clients': (old, next) => placeIn(metadata_clients_modes, next) > placeIn(metadata_clients_modes, old),
}

const placeIn = (values: readonly unknown[], value: unknown): number => values.indexOf(value)

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

function strictest(fields: FreshFields, isConcerned: (name: string, field: FreshField) => boolean): Where | null {
  const concerned = Object.entries(fields).filter(([name, field]) => isConcerned(name, field))
  if (concerned.length === 0) return null
  return concerned.some(([, { where }]) => where === 'always') ? 'always' : 'in_live'
}

/** The value at a path such as `email.smtp.password`. */
function valueAt(object: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((value, name) => (isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined), object)
}
