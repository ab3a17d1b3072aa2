import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { html, markupOf, raw } from './html.ts'

const characters: Record<string, string> = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'" }
const decoded = (text: string) => text.replace(/&[#a-z0-9]+;/g, (entity) => characters[entity] ?? entity)

const renderings = [
  {
    what: 'text is escaped, including quotes',
    got: html`<p>${`<a b="c" d='e'>&`}</p>`,
    is: '<p>&lt;a b=&quot;c&quot; d=&#39;e&#39;&gt;&amp;</p>',
  },
  { what: 'nested markup is not escaped', got: html`<p>${html`<b>${'x'}</b>`}</p>`, is: '<p><b>x</b></p>' },
  {
    what: 'an array is joined without commas, each item rendered by its type',
    got: html`${['<', html`<hr>`, [1, null]]}`,
    is: '&lt;<hr>1',
  },
  { what: 'null, undefined and false render nothing', got: html`[${null}${undefined}${false}]`, is: '[]' },
  { what: '0 and the empty text are rendered', got: html`[${0}${''}]`, is: '[0]' },
  { what: 'a raw constant is not escaped', got: html`<style>${raw('a>b{}')}</style>`, is: '<style>a>b{}</style>' },
  { what: 'backslashes in a template are kept', got: html`\\d`, is: '\\d' },
]
for (const { what, got, is } of renderings) test(what, () => assert.equal(markupOf(got), is))

test('any text in an element or attribute stays text and is not lost', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary' }),
      fc.mixedCase(fc.constantFrom('<script>', '"onload=', '</p>', "'>", '&lt;', '<!--')),
      (text, attack) => {
        const value = text + attack + text
        const [, attribute, content] =
          /^<p title="([^<>"']*)">([^<>"']*)<\/p>$/.exec(markupOf(html`<p title="${value}">${[value]}</p>`)) ?? []
        assert.equal(decoded(attribute ?? ''), value)
        assert.equal(decoded(content ?? ''), value)
      },
    ),
  )
})

test('a JSON object is not accepted as markup', () => {
  const forged = JSON.parse('{"markup":"<script>","Symbol(markup)":"<script>"}')
  assert.throws(() => html`${forged}`)
})
