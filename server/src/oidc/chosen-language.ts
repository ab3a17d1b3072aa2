/**
 * The language that a person chose in the menu of a page. It applies to this browser at this issuer, before the languages that a request
 * asks for.
 */
import { locales } from '../pages/locale.ts'
import { type Answer, type OidcCall, redirect } from './call.ts'
import { cookieName, cookiesOf, languageCookie, withCookies } from './cookies.ts'

export function chosenLanguage(call: Pick<OidcCall, 'issuer' | 'headers'>): string | null {
  const chosen = cookiesOf(call).get(cookieName(call, 'language'))
  return locales.find((locale) => locale === chosen) ?? null
}

/** Answers a press in the menu: the cookie, and the same page without the parameter. `null` for every other call. */
export function chooseLanguage(call: OidcCall): Answer | null {
  const parameters = call.query.split('&')
  const chosen = locales.find((locale) => parameters.includes(`language=${locale}`))
  if (call.method !== 'GET' || chosen === undefined) return null
  const query = parameters.filter((parameter) => parameter !== `language=${chosen}`).join('&')
  const [path = ''] = call.url.replace(/^\/e\/[^/?]*/, '').split('?')
  return withCookies(redirect(`${call.issuer.url}${path}${query === '' ? '' : `?${query}`}`), [languageCookie(call, chosen)])
}
