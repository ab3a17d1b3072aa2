/** The fields of the settings page, with their help. Mail has a form of its own, because its fields change together. */
import { type Setting, settings_groups } from '../../generated/settings.ts'
import { settings_help } from '../../generated/settings-help.ts'

export type { Value } from '../../generated/settings.ts'

export interface Field extends Setting {
  help: string
  /** The effect of a lower value. */
  lowered: string | null
}

const is_mail = ({ group }: Setting) => group === 'email'
const without_help = { help: '', lowered: null }

export const groups = settings_groups
  .filter(({ fields }) => !fields.some(is_mail))
  .map(({ title, fields }) => ({
    title,
    fields: fields.map((field): Field => ({ ...field, ...(settings_help[field.path] ?? without_help) })),
  }))

/** The labels of the mail form, by the pointer of each field. */
export const mail_fields: Readonly<Record<string, string>> = Object.fromEntries(
  settings_groups.flatMap(({ fields }) => fields.filter(is_mail)).map(({ path, label }) => [`/${path.replaceAll('.', '/')}`, label]),
)
