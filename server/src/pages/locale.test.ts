import assert from 'node:assert/strict'
import test from 'node:test'
import { chooseLocale, languageFor } from './locale.ts'

const available = ['en', 'de', 'pt-BR']
const choices: { when: string; ui_locales?: string; accept_language?: string; then: string }[] = [
  { when: 'nobody asks for anything', then: 'en' },
  { when: 'the client asks for a language we have', ui_locales: 'de', accept_language: 'en', then: 'de' },
  { when: 'the client asks for several, the first one unknown', ui_locales: 'fr-CA fr de en', then: 'de' },
  { when: 'the client asks for a region of a language we have', ui_locales: 'de-AT', then: 'de' },
  { when: 'the case is another', ui_locales: 'PT-br', then: 'pt-BR' },
  { when: 'only a region of the language is there', ui_locales: 'pt', accept_language: 'de', then: 'de' },
  { when: 'only the browser says something', accept_language: 'de-DE,de;q=0.9,en;q=0.8', then: 'de' },
  { when: 'the weights are not in order', accept_language: 'en;q=0.2, de;q=0.8', then: 'de' },
  { when: 'a language is refused by weight 0', accept_language: 'de;q=0, pt-BR;q=0.1', then: 'pt-BR' },
  { when: 'any language will do', accept_language: 'fr, *;q=0.5', then: 'en' },
  { when: 'the header makes no sense', accept_language: ';;q=,,de;q=x,\u0000', then: 'en' },
  { when: 'ui_locales makes no sense', ui_locales: ' -- - de', then: 'de' },
  { when: 'what it wants comes after twenty others', accept_language: `${'fr,'.repeat(20)}de`, then: 'en' },
]
for (const { when, ui_locales, accept_language, then } of choices) {
  test(`the language is ${then} when ${when}`, () => assert.equal(chooseLocale(available, ui_locales, accept_language), then))
}

test('a person whose language is not here gets English', () => {
  assert.equal(languageFor('fr', 'de').locale, 'en')
  assert.equal(languageFor('fr', 'de').texts.sign_in.title, 'Sign in')
})
