// pure
/** The defaults of the fields of a document: a field that a file leaves out, or sets to `null`, has its default. */
import { settings_secrets, settingsInDocument } from '@ostiary/contract/configuration.ts'
import { documentDefaults, object_descriptions, object_kinds, secretsOf } from '@ostiary/contract/objects/objects.ts'
import { rangeOf } from '@ostiary/contract/settings-sentences.ts'
import type { EnvironmentType } from '@ostiary/contract/tenancy.ts'

type Fields = Readonly<Record<string, unknown>>

/** `undefined` for a field without a default, for an object and for a group. */
export type DefaultAt = (path: readonly string[], object: Fields) => unknown

/** The place of a secret, which has a name in a document. */
export function isSecretAt([section, slug, ...rest]: readonly string[]): boolean {
  if (section === 'settings') return settings_secrets.includes([slug, ...rest].join('.'))
  const kind = kindOf(section)
  const secrets = kind ? secretsOf(kind) : []
  return rest.length === 1 && secrets.includes(rest[0] ?? '')
}

/** @returns a function of a path in a document, and of the object around the field, whose type decides some defaults */
export function defaultsOf(type: EnvironmentType): DefaultAt {
  const settings = new Map(settingsInDocument(type).map(({ path, type: schema }): [string, unknown] => [path, rangeOf(schema).default]))
  settings.set('email.smtp', null)
  return (path, object) => {
    if (isSecretAt(path)) return null
    const [section = '', , ...rest] = path
    if (section === 'settings') return settings.get(path.slice(1).join('.'))
    const [field = '', ...inner] = rest
    if (inner.length > 0) return null // of an entry of a list, such as the description of a scope
    return field === '' ? undefined : defaultsOfObject(section, object)[field]
  }
}

function defaultsOfObject(section: string, object: Fields): Fields {
  const kind = kindOf(section)
  return kind ? documentDefaults(kind, object) : {}
}

const kindOf = (section: string | undefined) => object_kinds.find((kind) => object_descriptions[kind].section === section)
