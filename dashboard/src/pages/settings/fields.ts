/** The fields of the settings page. Mail has a form of its own, because its fields change together. */
import { type Field, settings_groups } from '../../generated/settings.ts'

export type { Field, Value } from '../../generated/settings.ts'

const is_mail = ({ group }: Field) => group === 'email'

export const groups = settings_groups.filter(({ fields }) => !fields.some(is_mail))

/** The labels of the mail form, by the pointer of each field. */
export const mail_fields: Readonly<Record<string, string>> = Object.fromEntries(
  settings_groups.flatMap(({ fields }) => fields.filter(is_mail)).map(({ path, label }) => [`/${path.replaceAll('.', '/')}`, label]),
)
