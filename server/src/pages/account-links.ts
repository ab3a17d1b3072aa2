// pure
/** The addresses and the fields of the account page. They keep the language that the person chose. */
import type { Html } from '../base/html.ts'
import { hidden } from './form.ts'
import type { PageContext } from './layout.ts'

const language = ({ chosen_locale }: PageContext): Record<string, string> =>
  chosen_locale === undefined ? {} : { ui_locales: chosen_locale }

/** The account page with these parameters. */
export function accountHref(context: PageContext, parameters: Readonly<Record<string, string>> = {}): string {
  const query = new URLSearchParams({ ...parameters, ...language(context) })
  return `${context.issuer}/account${query.size > 0 ? `?${query}` : ''}`
}

interface Form {
  csrf: string
  user_id: string
}

/** The hidden fields of a form of the account page. */
export const accountFields = (context: PageContext, { csrf, user_id }: Form, fields: Readonly<Record<string, string>> = {}): Html[] =>
  hidden({ csrf, user: user_id, ...language(context), ...fields })

/** The request of the sign-out, as the page of the sign-out has it. */
export const signOutRequest = (context: PageContext): string => new URLSearchParams(language(context)).toString()
