// pure
/** Chooses the language of a page. A new language is one file in `texts/` and one line here. */
import { de } from './texts/de.ts'
import { en, type Texts } from './texts/en.ts'

/** The first language is the fallback. */
const languages: Readonly<Record<string, Texts>> = { en, de }

export const locales: readonly string[] = Object.keys(languages)

export interface Language {
  locale: string
  texts: Texts
  direction: 'ltr' | 'rtl'
}

export function languageFor(ui_locales: string | undefined, accept_language: string | undefined): Language {
  const locale = chooseLocale(locales, ui_locales, accept_language)
  return { locale, texts: languages[locale] ?? en, direction: 'ltr' }
}

/** The languages of a menu: each with its own name, and this address with the language as the choice of the person. */
export function languagesAt(address: string): { locale: string; name: string; url: string }[] {
  const [path = '', query = ''] = address.split(/\?(.*)/s, 2)
  const search = new URLSearchParams(query)
  for (const name of ['ui_locales', 'language']) search.delete(name)
  const others = search.size === 0 ? '' : `${search}&`
  return Object.entries(languages).map(([locale, { language }]) => ({
    locale,
    name: language.name,
    url: `${path}?${others}ui_locales=${locale}&language=${locale}`, // the first is for pages and browsers that keep no choice
  }))
}

/**
 * OIDC Core §3.1.2.1: ui_locales is a list of tags in order of preference; an unknown tag is not an error
 * RFC 9110 §12.5.4:   Accept-Language is a list of ranges weighted by q; q=0 excludes a range
 * RFC 4647 §3.4:      a range is shortened from its end until a language matches
 */
export function chooseLocale(available: readonly string[], ui_locales: string | undefined, accept_language: string | undefined): string {
  const wanted = [...(ui_locales ?? '').split(' ').slice(0, max_tags), ...rangesOf(accept_language ?? '')]
  for (const range of wanted) {
    const found = lookUp(available, range)
    if (found !== undefined) return found
  }
  return available[0] ?? 'en'
}

/** The most tags that are read from one list. A client could send a long one. */
const max_tags = 20

function rangesOf(accept_language: string): string[] {
  const weighted = accept_language
    .split(',', max_tags)
    .map((item) => /^\s*([a-z0-9*-]+)\s*(?:;\s*q\s*=\s*([01](?:\.\d{0,3})?)\s*)?$/i.exec(item))
    .map((match) => ({ range: match?.[1] ?? '', weight: match ? Number(match[2] ?? 1) : 0 }))
  return weighted
    .filter(({ weight }) => weight > 0)
    .sort((a, b) => b.weight - a.weight)
    .map(({ range }) => range)
}

function lookUp(available: readonly string[], range: string): string | undefined {
  if (range === '*') return available[0]
  const subtags = range.toLowerCase().split('-', max_tags)
  for (; subtags.length > 0; subtags.pop()) {
    const found = available.find((locale) => locale.toLowerCase() === subtags.join('-'))
    if (found !== undefined) return found
  }
  return undefined
}
