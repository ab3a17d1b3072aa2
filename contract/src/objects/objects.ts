/** The objects of an environment: their tables, and what is known of each kind as a whole. */
import { z } from 'zod'
import { settingsFields } from '../settings.ts'
import { application } from './application.ts'
import { classesOf, defaultOf, type NestedFieldClasses, secretNames, type Table } from './field.ts'
import { provider } from './provider.ts'
import { resource_server } from './resource-server.ts'
import { role } from './role.ts'
import { webhook } from './webhook.ts'

interface ObjectOfEnvironment {
  readonly table: Table
  /** The member of a document that maps the slugs of such objects to them. */
  readonly section: string
  /** The field that says of which type an object is. It never changes. */
  readonly fixed: string | null
  readonly one: string
  readonly many: string
  /** The advice for Live where only Test has the object. */
  readonly advice: string
}

/** The kinds of objects, in the order of a document: what others name comes first. */
export const object_descriptions = {
  resource_server: {
    table: resource_server,
    section: 'resource_servers',
    fixed: null,
    one: 'Resource server',
    many: 'Resource servers',
    advice: 'Live needs its own identifier',
  },
  role: {
    table: role,
    section: 'roles',
    fixed: 'kind',
    one: 'Role',
    many: 'Roles',
    advice: 'A promotion makes it in Live',
  },
  application: {
    table: application,
    section: 'applications',
    fixed: 'application_type',
    one: 'Application',
    many: 'Applications',
    advice: 'Live needs its own redirect URI',
  },
  provider: {
    table: provider,
    section: 'providers',
    fixed: 'type',
    one: 'Provider',
    many: 'Providers',
    advice: 'Live needs its own client id and secret',
  },
  webhook: {
    table: webhook,
    section: 'webhooks',
    fixed: null,
    one: 'Webhook',
    many: 'Webhooks',
    advice: 'Live needs its own address',
  },
} as const satisfies Record<string, ObjectOfEnvironment>

export type ObjectKind = keyof typeof object_descriptions
export const object_kinds = Object.keys(object_descriptions) as ObjectKind[] // as: the keys of a const object

/** The fields of an object that have a place in a document, in its order. */
export function documentFields(kind: ObjectKind): string[] {
  const { table }: ObjectOfEnvironment = object_descriptions[kind]
  return Object.keys(table).filter((name) => table[name]?.words !== undefined)
}

/** The write-only fields of such an object. */
export function secretsOf(kind: ObjectKind): readonly string[] {
  const { table }: ObjectOfEnvironment = object_descriptions[kind]
  return secretNames(table)
}

/** The fields, beside the type, that are set at creation for good and that a document can leave out. */
export function setOnce(kind: ObjectKind): readonly string[] {
  const { table, fixed }: ObjectOfEnvironment = object_descriptions[kind]
  return Object.keys(table).filter((name) => name !== fixed && table[name]?.written === 'at_creation' && table[name].class === 'immutable')
}

/**
 * The defaults of the fields of an object that a document can leave out. Those that depend on its type are absent where this version knows no
 * such type.
 */
export function documentDefaults(kind: ObjectKind, object: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { table, fixed }: ObjectOfEnvironment = object_descriptions[kind]
  const type = fixed === null ? undefined : object[fixed]
  const is_known = fixed !== null && table[fixed]?.type.safeParse(type).success === true
  return Object.fromEntries(
    Object.entries(table).flatMap(([name, row]) =>
      row.words && row.has_default && (is_known || typeof row.default !== 'function' || row.default.length === 0)
        ? [[name, defaultOf(row, type)]]
        : [],
    ),
  )
}

/** The types of such objects; one of `undefined` where they have none. */
export function typesOf(kind: ObjectKind): readonly unknown[] {
  const { table, fixed }: ObjectOfEnvironment = object_descriptions[kind]
  const type = fixed === null ? undefined : table[fixed]?.type
  return type instanceof z.ZodEnum ? type.options : [undefined]
}

/** The class of every field of the configuration of an environment. */
export const fieldClasses = {
  settings: settingsFields,
  resource_server: classesOf(resource_server),
  role: classesOf(role),
  application: classesOf(application),
  provider: classesOf(provider),
  webhook: classesOf(webhook),
} satisfies Record<string, NestedFieldClasses>
