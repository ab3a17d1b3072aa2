/** The address of the account page, and the language that goes along with it. */
import { readQuery } from '../http/query.ts'
import { locales } from '../pages/locale.ts'
import type { OidcCall } from './call.ts'
import type { Issuer } from './issuer.ts'

/** Where a call can ask for languages: the form of a page that was opened in one, or the query. */
export type Asked = Partial<Pick<OidcCall, 'query' | 'form'>>

export const languagesAsked = ({ query, form }: Asked): string[] =>
  (form?.get('ui_locales') ?? readQuery(query ?? '').get('ui_locales') ?? '').slice(0, 200).split(' ')

/** The language of ours that a call names, as the menu of languages does; `null` if it names none. */
export function chosenLocale(call: Asked): string | null {
  const [first] = languagesAsked(call)
  return locales.find((locale) => locale === first) ?? null
}

/** The account page with these parameters, such as an action, in the chosen language. Parameters that are `null` are left out. */
export function accountUrl(
  call: { issuer: Pick<Issuer, 'url'> } & Asked,
  parameters: Readonly<Record<string, string | null>> = {},
): string {
  const { issuer } = call
  const set = Object.entries({ ...parameters, ui_locales: chosenLocale(call) }).filter(
    (entry): entry is [string, string] => entry[1] !== null,
  )
  return `${issuer.url}/account${set.length > 0 ? `?${new URLSearchParams(set)}` : ''}`
}
