// pure
/**
 * HTML templates. `html` escapes every interpolated value, including quotes, so a value is safe in an element and in a quoted
 * attribute. It is not safe in an unquoted attribute, in <style> or in <script>.
 */

/** A symbol, so that no JSON value can pass as markup. */
const markup = Symbol('markup')
export interface Html {
  readonly [markup]: string
}

/** Arrays are joined. null, undefined and false render nothing, which allows `${is_open && html`…`}`. */
type Value = Html | string | number | null | undefined | false | readonly Value[]

export function html(strings: TemplateStringsArray, ...values: Value[]): Html {
  return { [markup]: String.raw({ raw: strings }, ...values.map(render)) }
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

/** Inserts text without escaping. Only for constants in this code, never for a value from a request or the database. */
export const raw = (constant: string): Html => ({ [markup]: constant })

export const markupOf = (document: Html): string => document[markup]

function render(value: Value): string {
  if (value === null || value === undefined || value === false) return ''
  if (typeof value === 'number') return String(value)
  if (typeof value === 'string') return value.replace(/[&<>"']/g, (character) => entities[character] ?? '')
  return markup in value ? value[markup] : value.map(render).join('')
}
