/**
 * A pseudo language that is written from right to left, for tests: the English texts in Arabic letters. It shows whether a page takes all
 * its texts from the catalogue and whether its layout follows the direction of the language.
 */
import type { Language } from '../../src/pages/locale.ts'
import { en, type Texts } from '../../src/pages/texts/en.ts'

const first_letter = 0x0627
const letters = 27

const texts = inArabicLetters(en) as Texts // as: the same members

export const pseudo_language: Language = {
  locale: 'ar',
  direction: 'rtl',
  texts: { ...texts, account: { ...texts.account, date_locale: 'ar' } },
}

function inArabicLetters(value: unknown): unknown {
  if (typeof value === 'string')
    return value.replaceAll(/[a-z]/gi, (letter) => String.fromCharCode(first_letter + (letter.toLowerCase().charCodeAt(0) % letters)))
  if (typeof value === 'function') return (...given: unknown[]) => inArabicLetters(value(...given))
  if (Array.isArray(value)) return value.map(inArabicLetters)
  // Markup has its text under a symbol.
  if (typeof value !== 'object' || value === null || Object.getOwnPropertySymbols(value).length > 0) return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, inArabicLetters(each)]))
}
