// pure
/** Shows an email address or a host so that a line breaks before `@` and `.`, and within a word only where the word fits no line. */
import { type Html, html } from '../base/html.ts'

export function breakable(address: string): Html {
  const [first = '', ...rest] = address.split(/(?=[@.])/)
  return html`${first}${rest.map((part) => html`<wbr>${part}`)}`
}
