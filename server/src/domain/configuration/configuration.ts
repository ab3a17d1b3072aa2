// pure
/**
 * The configuration of an environment: its settings and objects as one document has them, every field with its value in effect, objects by
 * their slugs, secrets by name. Decision 0129.
 *
 *   configuration.ts   from the rows of an environment        read-document.ts   from what a person wrote
 *   document.ts        to the text of a document              equal.ts           when two values are equal
 *   store.ts           reads the rows at one moment
 */
import type { Application } from '@ostiary/contract/objects/application.ts'
import { documentFields, type ObjectKind, object_kinds, secretsOf } from '@ostiary/contract/objects/objects.ts'
import type { Provider } from '@ostiary/contract/objects/provider.ts'
import type { ResourceServer } from '@ostiary/contract/objects/resource-server.ts'
import type { EnvironmentRole } from '@ostiary/contract/objects/role.ts'
import type { Webhook } from '@ostiary/contract/objects/webhook.ts'
import type { EnvironmentType } from '@ostiary/contract/tenancy.ts'
import { finish, type Steps } from '../../base/steps.ts'
import { effectiveSettings } from '../tenancy/settings.ts'
import { secretName } from './secret-names.ts'

export type Fields = Readonly<Record<string, unknown>>

export interface Configuration {
  readonly environment: { readonly slug: string; readonly type: EnvironmentType; readonly config_version: number }
  /** In groups. */
  readonly settings: Fields
  readonly objects: Readonly<Record<ObjectKind, ReadonlyMap<string, Fields>>>
}

/** The objects of an environment as the API shows them. */
export interface ConfiguredObjects {
  readonly resource_server: readonly ResourceServer[]
  readonly role: readonly EnvironmentRole[]
  readonly application: readonly Application[]
  readonly provider: readonly Provider[]
  readonly webhook: readonly Webhook[]
}

export const configurationOf = (...of: Parameters<typeof configurationSteps>): Configuration => finish(configurationSteps(...of))

export function* configurationSteps(
  environment: Configuration['environment'],
  stored: Fields,
  objects: ConfiguredObjects,
): Steps<Configuration> {
  const maps = byKind(() => new Map<string, Fields>())
  for (const kind of object_kinds)
    for (const object of objects[kind]) {
      maps[kind].set(object.slug, fieldsOf(kind, object.slug, { ...object }))
      yield
    }
  return { environment, settings: settingsOf(environment.type, stored), objects: maps }
}

export function byKind<T>(of: (kind: ObjectKind) => T): Record<ObjectKind, T> {
  return Object.fromEntries(object_kinds.map((kind) => [kind, of(kind)])) as Record<ObjectKind, T> // as: every kind has its entry
}

function settingsOf(type: EnvironmentType, stored: Fields): Fields {
  const settings = effectiveSettings(type, stored)
  const { smtp } = settings.email
  const password = smtp?.password === undefined ? null : secretName('settings', null, 'password')
  // A spread keeps the order of the schema.
  return {
    ...settings,
    email: {
      ...settings.email,
      smtp: smtp && { host: smtp.host, port: smtp.port, username: smtp.username, password, tls: smtp.tls },
    },
  }
}

function fieldsOf(kind: ObjectKind, slug: string, object: Fields): Fields {
  const secrets = secretsOf(kind)
  const shownValue = (name: string) => {
    if (!secrets.includes(name)) return object[name]
    return object[`has_${name}`] === true ? secretName(kind, slug, name) : null
  }
  return Object.fromEntries(documentFields(kind).map((name) => [name, shownValue(name)]))
}
