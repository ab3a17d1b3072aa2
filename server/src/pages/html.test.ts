import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { html, markupOf, raw } from './html.ts'

const characters: Record<string, string> = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'" }
const decoded = (text: string) => text.replace(/&[#a-z0-9]+;/g, (entity) => characters[entity] ?? entity)

const renderings = [
  {
    what: 'text is escaped, quotes included',
    got: html`<p>${`<a b="c" d='e'>&`}</p>`,
    is: '<p>&lt;a b=&quot;c&quot; d=&#39;e&#39;&gt;&amp;</p>',
  },
  { what: 'markup inside markup passes', got: html`<p>${html`<b>${'x'}</b>`}</p>`, is: '<p><b>x</b></p>' },
  { what: 'an array is joined without commas, each part by its own rule', got: html`${['<', html`<hr>`, [1, null]]}`, is: '&lt;<hr>1' },
  { what: 'null, undefined and false render nothing', got: html`[${null}${undefined}${false}]`, is: '[]' },
  { what: 'nought and the empty text are values', got: html`[${0}${''}]`, is: '[0]' },
  { what: 'a constant passes raw', got: html`<style>${raw('a>b{}')}</style>`, is: '<style>a>b{}</style>' },
  { what: 'backslashes in a template stay what they are', got: html`\\d`, is: '\\d' },
]
for (const { what, got, is } of renderings) test(what, () => assert.equal(markupOf(got), is))

test('no text ever yields markup, in an element or in an attribute, and none is lost', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary' }),
      fc.mixedCase(fc.constantFrom('<script>', '"onload=', '</p>', "'>", '&lt;', '<!--')),
      (text, nasty) => {
        const value = text + nasty + text
        const [, attribute, content] =
          /^<p title="([^<>"']*)">([^<>"']*)<\/p>$/.exec(markupOf(html`<p title="${value}">${[value]}</p>`)) ?? []
        assert.equal(decoded(attribute ?? ''), value)
        assert.equal(decoded(content ?? ''), value)
      },
    ),
  )
})

test('an object from outside is not taken for markup', () => {
  const forged = JSON.parse('{"markup":"<script>","Symbol(markup)":"<script>"}')
  assert.throws(() => html`${forged}`)
})
