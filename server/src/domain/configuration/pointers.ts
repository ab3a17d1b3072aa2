// pure
/** Fields of configurations by their JSON pointers (RFC 6901). The settings have groups; the fields of an object have none. */
import { settings_secrets, settingsInDocument } from '@ostiary/contract/configuration.ts'
import type { ObjectOfConfiguration } from '@ostiary/contract/kept.ts'
import type { FieldClass } from '@ostiary/contract/objects/field.ts'
import { documentFields, fieldClasses, type ObjectKind, secretsOf } from '@ostiary/contract/objects/objects.ts'
import { isRecord } from '../../base/record.ts'
import type { Fields } from './configuration.ts'

export interface KnownField {
  readonly pointer: string
  readonly path: readonly string[]
  readonly class: FieldClass | 'secret'
}

/** The fields that a document can have, in its order. */
export const fieldsOf = (object: ObjectOfConfiguration): readonly KnownField[] => known[object]

const settings_fields = settingsInDocument('any').map(({ path, class: kind }) => knownField(path.split('.'), kind))

const objectFields = (kind: ObjectKind) => {
  const classes: Readonly<Record<string, FieldClass>> = fieldClasses[kind]
  const secrets = secretsOf(kind)
  return documentFields(kind).map((name) => knownField([name], secrets.includes(name) ? 'secret' : (classes[name] ?? 'never')))
}

function knownField(path: readonly string[], kind: FieldClass | 'secret'): KnownField {
  return { pointer: `/${path.join('/')}`, path, class: kind }
}

const known: Readonly<Record<ObjectOfConfiguration, readonly KnownField[]>> = {
  settings: settings_fields,
  resource_server: objectFields('resource_server'),
  role: objectFields('role'),
  application: objectFields('application'),
  provider: objectFields('provider'),
  webhook: objectFields('webhook'),
}

export const smtp_password = `/${settings_secrets[0]?.replaceAll('.', '/')}`

/** The value at a path; `undefined` where a group on the way is missing. */
export function valueAt(fields: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((value, name) => (isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined), fields)
}

/** A merge patch that sets one value. */
export const patchAt = (path: readonly string[], value: unknown): Fields =>
  path.reduceRight<unknown>((inner, name) => ({ [name]: inner }), value) as Fields // as: a path has at least one name
