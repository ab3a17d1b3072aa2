import assert from 'node:assert/strict'
import test from 'node:test'
import { chooseLocale, languageFor } from './locale.ts'

const available = ['en', 'de', 'pt-BR']
const choices: { when: string; ui_locales?: string; accept_language?: string; then: string }[] = [
  { when: 'neither the client nor the browser names one', then: 'en' },
  { when: 'the client asks for an available language', ui_locales: 'de', accept_language: 'en', then: 'de' },
  { when: 'the client asks for several and the first is unknown', ui_locales: 'fr-CA fr de en', then: 'de' },
  { when: 'the client asks for a region of an available language', ui_locales: 'de-AT', then: 'de' },
  { when: 'the client writes it in another case', ui_locales: 'PT-br', then: 'pt-BR' },
  { when: 'only a region of the wanted language is available', ui_locales: 'pt', accept_language: 'de', then: 'de' },
  { when: 'only the browser names languages', accept_language: 'de-DE,de;q=0.9,en;q=0.8', then: 'de' },
  { when: 'the weights are not sorted', accept_language: 'en;q=0.2, de;q=0.8', then: 'de' },
  { when: 'another language has weight 0', accept_language: 'de;q=0, pt-BR;q=0.1', then: 'pt-BR' },
  { when: 'the browser accepts any language', accept_language: 'fr, *;q=0.5', then: 'en' },
  { when: 'Accept-Language is malformed', accept_language: ';;q=,,de;q=x,\u0000', then: 'en' },
  { when: 'ui_locales has malformed tags', ui_locales: ' -- - de', then: 'de' },
  { when: 'the wanted language comes after twenty others', accept_language: `${'fr,'.repeat(20)}de`, then: 'en' },
]
for (const { when, ui_locales, accept_language, then } of choices) {
  test(`the language is ${then} when ${when}`, () => assert.equal(chooseLocale(available, ui_locales, accept_language), then))
}

test('a person whose language is not available gets English', () => {
  assert.equal(languageFor('fr', 'nl').locale, 'en')
  assert.equal(languageFor('fr', 'nl').texts.sign_in.title, 'Sign in')
})

test('a person whose browser asks for German gets German', () => {
  assert.equal(languageFor(undefined, 'de-AT, en;q=0.5').locale, 'de')
  assert.equal(languageFor(undefined, 'de-AT, en;q=0.5').texts.sign_in.title, 'Anmelden')
})
