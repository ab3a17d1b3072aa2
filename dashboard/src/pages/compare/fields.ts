/**
 * The configuration of an environment in plain words: what each field is called, how its value is shown, and whom a change affects. All
 * of them are generated from the contract.
 */
import { type ObjectField, objects } from '../../generated/objects.ts'
import { type Setting, settings_groups } from '../../generated/settings.ts'

export interface Field extends Pick<ObjectField, 'label' | 'look' | 'class' | 'affects'> {
  /** The JSON pointer of the field within its object. */
  pointer: string
  /** The advice for Live where only Test has a value; `null` where each object has its own. */
  advice: string | null
}

const settingOf = (setting: Setting): Field => ({ ...setting, pointer: `/${setting.path.replaceAll('.', '/')}` })

export interface SettingsGroup {
  title: string
  fields: readonly Field[]
}

export const settingsGroups: readonly SettingsGroup[] = settings_groups.map(({ title, fields }) => ({
  title,
  fields: fields.map(settingOf),
}))

/** Fields that one type of environment alone has, which are not compared. */
export const of_one_type: ReadonlySet<string> = new Set(
  settings_groups.flatMap(({ fields }) => fields.filter(({ only }) => only === 'test').map((setting) => settingOf(setting).pointer)),
)

export type ObjectKind = keyof typeof objects

/** In the order of the document. */
export const kinds = Object.keys(objects) as ObjectKind[] // as: the keys of a const object

export type Subject = ObjectKind | 'settings'

/** The page of an environment that has the settings, or lists the objects of a kind. */
export const pages = {
  settings: '/settings',
  resource_server: '/resource-servers',
  role: '/roles',
  application: '/applications',
  provider: '/providers',
  webhook: '/webhooks',
} as const satisfies Record<Subject, string>

const fields_of_settings: readonly Field[] = settingsGroups.flatMap(({ fields }) => fields)
const fields_of_objects = new Map(
  kinds.map((kind) => {
    const fields: Readonly<Record<string, ObjectField>> = objects[kind].fields
    return [kind, Object.entries(fields).map(([name, field]): Field => ({ ...field, pointer: `/${name}`, advice: null }))]
  }),
)

/** A sentence of the service with the settings that it names as this dashboard calls them. */
export const inWords = (detail: string): string =>
  detail.replace(/\b[a-z_]+(?:\.[a-z_]+)+\b/g, (path) => {
    const known = fields_of_settings.find(({ pointer }) => pointer === `/${path.replaceAll('.', '/')}`)
    return known ? `“${known.label}”` : path
  })

export const fieldsOf = (object: Subject): readonly Field[] =>
  object === 'settings' ? fields_of_settings : (fields_of_objects.get(object) ?? [])

/** The field at a pointer, or the one that a longer pointer is in. A field of a newer service has its pointer for a label. */
export function fieldAt(object: Subject, pointer: string): Field {
  const known = fieldsOf(object).find((each) => pointer === each.pointer || pointer.startsWith(`${each.pointer}/`))
  const label = pointer.slice(1).replaceAll('/', ', ').replaceAll('_', ' ')
  return known ?? { pointer, label, look: 'text', class: 'travels', affects: '', advice: null }
}
