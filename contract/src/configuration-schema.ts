/**
 * The JSON Schema of configuration documents (2020-12), which editors and pipelines read: each field with its description, default, range
 * and class. Made from the schemas of the contract.
 */
import { ConfigurationDocument, settingsInDocument } from './configuration.ts'
import type { FieldClass } from './objects/field.ts'
import {
  documentDefaults,
  documentFields,
  fieldClasses,
  type ObjectKind,
  object_descriptions,
  object_kinds,
  secretsOf,
  typesOf,
} from './objects/objects.ts'
import { definedSchemaOf, type Json } from './openapi-schemas.ts'
import { serviceRoutes } from './routes.ts'
import { rangeOf } from './settings-sentences.ts'
import { wordsOf } from './settings-words.ts'

type Class = FieldClass | 'secret'

export function configurationSchema(base_url: string): Json {
  const schema = definedSchemaOf(ConfigurationDocument)
  for (const field of settingsInDocument('any')) annotateSetting(memberAt(schema, ['settings', ...field.path.split('.')]), field)
  for (const kind of object_kinds) {
    const { section } = object_descriptions[kind]
    const object = memberAt(schema, [section]).additionalProperties as Json // as: JSON Schema
    for (const name of documentFields(kind)) annotate(memberAt(object, [name]), classOf(kind, name), defaultOf(kind, name))
  }
  const { $defs, ...rest } = schema
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: base_url + serviceRoutes.configurationSchema.path,
    title: 'Configuration of an environment',
    description: 'What a document leaves out stays as it is. `null` is the default of a field.',
    ...rest,
    ...($defs === undefined ? {} : { $defs }),
  }
}

function memberAt(schema: Json, path: readonly string[]): Json {
  return path.reduce<Json>((object, name) => {
    const member = (object.properties as Record<string, Json> | undefined)?.[name] // as: JSON Schema
    if (member === undefined) throw new TypeError(`The schema of configuration documents has no ${path.join('.')}.`)
    return member
  }, schema)
}

const sentences: Readonly<Record<Class, string>> = {
  travels: 'It travels: a promotion copies it.',
  owned: 'It belongs to its environment: a promotion never copies it.',
  immutable: 'It is set at creation.',
  never: '',
  secret: 'The value itself never stands in a document.',
}

function annotate(member: Json, kind: Class, fallback: unknown): void {
  member.description = [member.description, sentences[kind]].filter((text) => typeof text === 'string' && text !== '').join(' ')
  member['x-class'] = kind
  if (fallback !== undefined) member.default = fallback
}

const defaultIn = (type: 'test' | 'live', path: string): unknown => {
  const field = settingsInDocument(type).find((each) => each.path === path)
  return field && rangeOf(field.type).default
}

/** A default that depends on the type of the environment is in the description. */
function annotateSetting(member: Json, { path, class: kind }: { path: string; class: Class }): void {
  const [in_test, in_live] = [defaultIn('test', path), defaultIn('live', path)]
  const only = wordsOf(path).only
  const is_same = only !== undefined || JSON.stringify(in_test) === JSON.stringify(in_live)
  if (!is_same) member.description = `${wordsOf(path).help} The default is \`${in_test}\` in Test and \`${in_live}\` in Live.`
  annotate(member, kind, is_same && kind !== 'secret' ? (only === 'live' ? in_live : in_test) : undefined)
}

function classOf(kind: ObjectKind, name: string): Class {
  const secrets = secretsOf(kind)
  return secrets.includes(name) ? 'secret' : ((fieldClasses[kind] as Readonly<Record<string, FieldClass>>)[name] ?? 'never') // as: by name
}

/** `undefined` for a field without a default, and for one whose default depends on the type of the object: its description names it. */
function defaultOf(kind: ObjectKind, name: string): unknown {
  if (secretsOf(kind).includes(name)) return undefined
  const { fixed } = object_descriptions[kind]
  const [first, ...others] = typesOf(kind).map((type) => documentDefaults(kind, fixed === null ? {} : { [fixed]: type })[name])
  return others.every((other) => JSON.stringify(other) === JSON.stringify(first)) ? first : undefined
}
