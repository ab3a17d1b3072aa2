// pure
/**
 * Markup that cannot be confused with text. `html` escapes every value put into it, quotes included, so a value is
 * safe in an element and in a quoted attribute. It is not safe without quotes, nor inside <style> or <script>.
 */

/** A symbol, so that no JSON from outside can pass itself off as markup. */
const markup = Symbol('markup')
export interface Html {
  readonly [markup]: string
}

/** Arrays are joined; null, undefined and false render nothing, so `${is_open && html`…`}` reads as it should. */
type Value = Html | string | number | null | undefined | false | readonly Value[]

export function html(strings: TemplateStringsArray, ...values: Value[]): Html {
  return { [markup]: String.raw({ raw: strings }, ...values.map(render)) }
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

/** Takes constants of our own only: the style sheet, the one script. Never a value from a request or the database. */
export const raw = (constant: string): Html => ({ [markup]: constant })

export const markupOf = (document: Html): string => document[markup]

function render(value: Value): string {
  if (value === null || value === undefined || value === false) return ''
  if (typeof value === 'number') return String(value)
  if (typeof value === 'string') return value.replace(/[&<>"']/g, (character) => entities[character] ?? '')
  return markup in value ? value[markup] : value.map(render).join('')
}
