/**
 * The configuration of an environment as one document. The class of a field says whether it has a place: fields that travel and fields that
 * belong to their environment have one, the type of an object has one, and a write-only field has one for the name of its secret. Names,
 * order, ranges and words are those of the schemas of the resources.
 */
import { z } from 'zod'
import { changeShape, type FieldClass, fixedShape, type NestedFieldClasses, type Table } from './objects/field.ts'
import { documentFields, fieldClasses, type ObjectKind, object_descriptions, object_kinds, secretsOf } from './objects/objects.ts'
import { secret_sentence } from './sentences.ts'
import { settingsSchemas } from './settings.ts'
import { wordsOf } from './settings-words.ts'
import type { EnvironmentType } from './tenancy.ts'
import { Slug } from './values.ts'

/** Raised by a change that a reader of the old version would misunderstand. */
export const document_version = 1

/** The place of a secret in a document: a name, whose value comes from elsewhere. */
export const SecretName = z
  .string()
  .regex(/^\$\{OSTIARY_SECRET_[A-Z0-9_]{1,85}\}$/, secret_sentence)
  .meta({ examples: [`\${OSTIARY_SECRET_SMTP_PASSWORD}`] })

type Shape = Readonly<Record<string, z.ZodType>>

/** The write-only fields of the settings. */
export const settings_secrets: readonly string[] = ['email.smtp.password']

const _isInDocument = (kind: unknown) => kind === 'travels' || kind === 'owned'

const innerOf = (type: z.ZodType) => (type.def as { innerType?: z.ZodType }).innerType // as: the public, untyped introspection of zod

/** The schema without default, `null` and absence. */
function coreOf(type: z.ZodType): z.ZodType {
  const inner = innerOf(type)
  return inner ? coreOf(inner) : type
}

interface FieldOfSettings {
  path: string
  type: z.ZodType
  class: FieldClass | 'secret'
}

interface GroupOfSettings {
  path: string
  type: z.ZodType
  fields: z.ZodObject
}

/** Makes the schema of the settings in a document from their stored schema, by its fields and groups. */
function settingsOf(
  shape: Shape,
  of: { field: (field: FieldOfSettings) => z.ZodType; group: (group: GroupOfSettings) => z.ZodType },
  classes: NestedFieldClasses = fieldClasses.settings,
  prefix = '',
): z.ZodObject {
  const members = Object.entries(shape).flatMap(([name, type]): [string, z.ZodType][] => {
    const path = prefix + name
    const kind = classes[name]
    const core = coreOf(type)
    if (typeof kind === 'object' && core instanceof z.ZodObject)
      return [[name, of.group({ path, type, fields: settingsOf(core.shape as Shape, of, kind, `${path}.`) })]] // as: a shape holds types only
    if (settings_secrets.includes(path)) return [[name, of.field({ path, type, class: 'secret' })]]
    return kind === 'travels' || kind === 'owned' ? [[name, of.field({ path, type, class: kind })]] : []
  })
  return z.strictObject(Object.fromEntries(members))
}

/** The stored settings of both types of environments: Test has every delivery, Live one more method. */
const any_settings: Shape = { ...settingsSchemas.test.shape, sign_in: settingsSchemas.live.shape.sign_in }

/** Every field of the settings that has a place in a document, in its order, with its stored schema. */
export function settingsInDocument(type: EnvironmentType | 'any'): FieldOfSettings[] {
  const found: FieldOfSettings[] = []
  settingsOf(type === 'any' ? any_settings : settingsSchemas[type].shape, {
    field: (field) => {
      found.push(field)
      return field.type
    },
    group: ({ fields }) => fields,
  })
  return found
}

const described = (type: z.ZodType, like: z.ZodType, fallback: string) => type.describe(like.description ?? fallback)

const shown_secret = 'The name of the secret if one is set; the secret itself is never shown.'
const written_secret = 'The name of the secret, whose value is given when the document is applied.'

/** A field or a group that environments of one type alone have. */
const perhaps = (is_of_one_type: boolean, type: z.ZodType) => (is_of_one_type ? type.optional() : type)

const shownSettings = settingsOf(any_settings, {
  field: ({ path, type, class: kind }) =>
    perhaps(
      wordsOf(path).only !== undefined,
      kind === 'secret' ? SecretName.nullable().describe(shown_secret) : type.describe(wordsOf(path).help),
    ),
  group: ({ path, type, fields }) =>
    perhaps(path === 'test', described(path === 'email.smtp' ? fields.nullable() : fields, type, 'The mail of the environment.')),
})

const writtenSettings = (shape: Shape) =>
  settingsOf(shape, {
    field: ({ path, type, class: kind }) =>
      (kind === 'secret' ? SecretName : coreOf(type))
        .nullable()
        .optional()
        .describe(kind === 'secret' ? written_secret : (type.description ?? wordsOf(path).help)),
    group: ({ path, type, fields }) =>
      described((path === 'email.smtp' ? fields.nullable() : fields).optional(), type, 'The mail of the environment.'),
  })

function objectOf(kind: ObjectKind, of: (name: string, is_secret: boolean) => z.ZodType | undefined): z.ZodObject {
  const secrets = secretsOf(kind)
  return z.strictObject(
    Object.fromEntries(
      documentFields(kind).map((name) => {
        const type = of(name, secrets.includes(name))
        if (!type) throw new TypeError(`The field ${name} of a ${kind} cannot be written, so it has no place in a document.`)
        return [name, type]
      }),
    ),
  )
}

const tableOf = (kind: ObjectKind): Table => object_descriptions[kind].table

const shownObject = (kind: ObjectKind) =>
  objectOf(kind, (name, is_secret) => (is_secret ? SecretName.nullable().describe(shown_secret) : tableOf(kind)[name]?.type))

const writtenObject = (kind: ObjectKind) => {
  const table = tableOf(kind)
  const written: Shape = { ...changeShape(table), ...fixedShape(table) }
  return objectOf(kind, (name, is_secret) => {
    if (is_secret) return SecretName.nullable().optional().describe(written_secret)
    const type = written[name]
    const { description } = table[name]?.type ?? {}
    return description === undefined ? type : type?.describe(description)
  })
}

const sectionWords: Readonly<Record<ObjectKind, string>> = {
  resource_server: 'The resource servers by their slugs.',
  role: 'The roles by their slugs.',
  application: 'The applications by their slugs.',
  provider: 'The identity providers by their slugs.',
  webhook: 'The webhooks by their slugs.',
}

const sectionsOf = (object: (kind: ObjectKind) => z.ZodType) =>
  Object.fromEntries(object_kinds.map((kind) => [object_descriptions[kind].section, object(kind)]))

const version = z.literal(document_version).describe('The version of the form of the document.')
const settings_words = 'The settings in groups.'

/** The whole configuration, every field with its value in effect. */
export const Configuration = z.strictObject({
  version,
  environment: Slug.describe('The slug of the environment.'),
  settings: shownSettings.describe(settings_words),
  ...sectionsOf((kind) => z.record(Slug, shownObject(kind)).describe(sectionWords[kind])),
})

const writtenDocument = (settings: Shape) =>
  z.strictObject({
    version,
    environment: Slug.optional().describe(
      'The slug of the environment that the document is about. A document of another environment is a source: what belongs to that environment is not copied.',
    ),
    settings: writtenSettings(settings).optional().describe(settings_words),
    ...sectionsOf((kind) => z.record(Slug, writtenObject(kind)).optional().describe(sectionWords[kind])),
  })

/** A document as a person writes it: fields that are left out stay as they are, and `null` is the default of a field. */
export const ConfigurationDocument = writtenDocument(any_settings)

/** The same, for an environment of this type. */
export const documentSchemas = {
  test: writtenDocument(settingsSchemas.test.shape),
  live: writtenDocument(settingsSchemas.live.shape),
} satisfies Record<EnvironmentType, z.ZodType>
